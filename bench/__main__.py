"""`python -m bench [NAME...]`: runs the benchmarks of this folder and prints one table of ratios.

NAME is a file of this folder without `.py`. `--list` lists them; `--docs` in front of the names writes the table into
docs/performance.md, too. The exit code is 0 whatever was measured, 1 when a
benchmark could not run.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "performance.md"
_HEADING = "## The last table"


def main(arguments: list[str]) -> int:
    """Runs the command line."""
    known = benchmarks()
    if arguments[:1] == ["--rows"]:
        return _print_rows(arguments[1])
    if arguments in (["-h"], ["--help"]):
        print((__doc__ or "").strip())
        return 0
    if arguments == ["--list"]:
        print("\n".join(f"{name:<12} {title}" for name, title in known.items()))
        return 0
    docs = arguments[:1] == ["--docs"]
    arguments = arguments[docs:]
    for name in arguments:
        if name not in known:
            print(f"bench: no benchmark '{name}', expected one of {', '.join(known)}", file=sys.stderr)
            return 1
    table: list[tuple[str, str, str, str]] = []
    failures = 0
    for name in arguments or known:
        print(f"running {name} ...", file=sys.stderr, flush=True)
        rows = _rows_of(name)
        failures += rows is None
        for title, ratio, target, detail in rows or ():
            verdict = "" if target is None else f"{target:.2f}" + ("" if ratio <= target else "  missed")
            table.append((f"{name}: {title}", f"{ratio:.2f}", verdict, detail))
    table.insert(0, ("what", "ratio", "target", "figures"))
    _print_table(table)
    if docs and not failures:  # a page with holes would pass for the whole
        _write_table(table)
    return 1 if failures else 0


def benchmarks() -> dict[str, str]:
    """Names and titles of the files with a function `rows`, without importing them."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "rows" for node in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def _rows_of(name: str) -> list[list] | None:
    """The rows of one benchmark, from a process of its own; None when it failed."""
    command = [sys.executable, "-m", "bench", "--rows", name]
    done = subprocess.run(command, cwd=FOLDER.parent, stdout=subprocess.PIPE, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    if done.returncode:
        print(f"bench: {name} failed", file=sys.stderr)
        return None
    return [json.loads(line) for line in lines]


def _print_rows(name: str) -> int:
    for row in importlib.import_module(f"bench.{name}").rows():
        print(json.dumps(list(row)), flush=True)
    return 0


def _print_table(table: list[tuple[str, str, str, str]]) -> None:
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    for row in table:
        name, ratio, target, detail = row
        line = f"{name:<{widths[0]}}  {ratio:>{widths[1]}}  {target:<{widths[2]}}  {detail}"
        print(line.rstrip())


def _write_table(table: list[tuple[str, str, str, str]]) -> None:
    """Replaces what stands behind the page's last heading."""
    text = PAGE.read_text(encoding="utf-8")
    head = text[: text.index(_HEADING) + len(_HEADING)]
    lines = [table[0], ("---", "---:", "---", "---"), *table[1:]]
    body = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
    PAGE.write_text(f"{head}\n\n{_machine()}\n\n{body}\n", encoding="utf-8")


def _machine() -> str:
    from importlib.metadata import version

    processor = platform.processor() or platform.machine()
    if (cpuinfo := Path("/proc/cpuinfo")).exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = names[0] if names else processor
    return (
        f"{processor}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end; Python"
        f" {platform.python_version()}, jaxlib {version('jaxlib')}, numpy {version('numpy')}."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
