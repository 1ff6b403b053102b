"""`python -m test.conformance --count N --seed S`: exit code 1 when a verdict of ours disagrees with JAX's."""

from __future__ import annotations

import argparse
import json
import sys

from .counts import Counts, from_changed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m test.conformance", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("--docs", action="store_true", help="write the table of this JAX into docs/conformance.md")
    parser.add_argument("--chunk", action="store_true", help="run in this process, print JSON only")
    args = parser.parse_args()
    from .run import run_chunks, run_here

    if args.chunk:
        print(json.dumps(run_here(args.count, args.seed).to_json()))
        return 0
    counts = run_chunks(args.count, args.seed, args.jobs, _Progress())
    if args.docs:
        from .table import write

        write(counts, args.count, args.seed)
    if args.json:
        print(json.dumps(counts.to_json(), indent=1))
    else:
        from .table import show

        print(show(counts))
    if not args.json:
        _print_failures(counts)
    return 1 if counts.failures else 0


class _Progress:
    """Says how far the run is, and each disagreement as it comes."""

    def __init__(self) -> None:
        self._shown = 0

    def __call__(self, counts: Counts) -> None:
        for kind, key, changed in counts.failures[self._shown :]:
            print(f"{kind}: {key}: {from_changed(changed)}", file=sys.stderr)
        self._shown = len(counts.failures)
        print(f"{counts.total} kernels, {self._shown} disagreements", file=sys.stderr, flush=True)


def _print_failures(counts: Counts) -> None:
    """One shrunk kernel per kind and key, as a program."""
    from .compare import compare
    from .shrink import shrink
    from .source import script

    shown = set()
    for kind, key, changed in counts.failures:
        if (kind, key) in shown:
            continue
        shown.add((kind, key))

        def holds(o, kind=kind, key=key):
            outcome = compare(o)
            return (outcome.kind, outcome.key) == (kind, key)

        smallest = shrink(from_changed(changed), holds)
        print(f"\n# {kind}: {key}\n# {smallest}\n{script(smallest)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
