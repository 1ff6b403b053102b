"""The suite with every supported JAX, each in an environment of its own, and the page docs/versions.md.

`python -m test.conformance.versions [--count N] [--only 0.11.2]`: environments are build/venv-jax-VERSION. A version
that is not asked for, or whose Python is missing on this machine, keeps its row on the page.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "versions.md"
HEAD = ("JAX", "Python", "run by", "levels that are on", "pytest", "lit", "conformance", "last run")


@dataclass(frozen=True)
class Supported:
    """One JAX: what pip is asked for, the Pythons (minor versions) that have it, and who runs it otherwise."""

    name: str
    requirements: tuple[str, ...]
    minors: tuple[int, ...]
    by: str


SUPPORTED = (
    Supported("0.10.2", ("jax==0.10.2", "jaxlib==0.10.2"), (11,), "CI"),
    Supported("0.11.2", ("jax==0.11.2", "jaxlib==0.11.2"), (12, 13), "by hand, `make versions`"),
    Supported("0.12", ("jax>=0.12,<0.13", "jaxlib>=0.12,<0.13"), (12, 13), "CI"),
)


@dataclass
class Result:
    """What a run found, a row of the page; `levels`: those of the hook that this JAX has all attributes for."""

    jax: str
    python: str
    by: str
    levels: str
    unit: str
    lit: str
    conformance: str
    day: str


def interpreter(supported: Supported) -> str | None:
    """A Python of this machine that has this JAX; None when there is none."""
    found = subprocess.run(["bash", ".ci/pythons"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    for minor in supported.minors:
        for path in found:
            text = "import sys; print(sys.version_info[1])"
            if subprocess.run([path, "-c", text], capture_output=True, text=True).stdout.strip() == str(minor):
                return path
    return None


def environment(supported: Supported, python: str) -> Path | None:
    """The environment's `bin`, made when it is not there; None when it cannot be made."""
    folder = ROOT / "build" / f"venv-jax-{supported.name}"
    done = folder / "installed"
    if not done.exists():
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in (
            [python, "-m", "venv", str(folder)],
            [*pip, *supported.requirements, "-e", ".[test]"],
        ):
            if subprocess.run(command, cwd=ROOT).returncode:
                return None
        done.touch()
    return folder / "bin"


_LEVELS = """
import sys, warnings, jax
warnings.simplefilter("error")
import mosaic_verify as mv
from mosaic_verify.jax_hook import patches
from mosaic_verify.jax_hook.policy import HookWarning
off = []
for level in patches.all_levels():
    try:
        patches.all_levels = lambda level=level: (level,)
        for patch in level.patches:
            __import__(patch.module)
        mv.install("report"); mv.uninstall()
    except (HookWarning, ImportError):
        off.append(level.name)
    else:
        print(level.name)
"""


def run(supported: Supported, binaries: Path, workers: int, count: int) -> Result:
    """The unit tests, the lit tests and `count` generated kernels."""

    def say(*command: str) -> tuple[int, str]:
        done = subprocess.run([str(binaries / command[0]), *command[1:]], cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stdout

    text = "import jax, platform; print(jax.__version__, platform.python_version())"
    jax, python = say("python", "-c", text)[1].split()
    levels = ", ".join(say("python", "-c", _LEVELS)[1].split())
    print(f"JAX {jax}, Python {python}: {levels}", flush=True)
    code, said = say("python", "-m", "pytest", "-n", str(workers), "--dist", "loadfile", "test/unit")
    unit = _last(said, r"\d+ (?:passed|failed).*") or f"failed with exit code {code}"
    if code:
        print("\n".join(line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))), flush=True)
    print(f"  pytest: {unit}", flush=True)
    _, said = say("lit", "-j", str(workers), "test")
    counts = re.findall(r"^  (Passed|Failed|Timed Out|Unresolved|Unsupported) *: *(\d+)", said, re.M)
    counts.sort(key=lambda found: found[0] != "Passed")
    lit = ", ".join(f"{number} {what.lower()}" for what, number in counts)
    print(f"  lit: {lit}", flush=True)
    failed = "not run"
    if count:
        code, said = say("python", "-m", "test.conformance", f"--count={count}", "--json", f"--jobs={workers}")
        failed = (
            f"{len(json.loads(said)['failures'])} disagreements in {count} kernels" if said else f"exit code {code}"
        )
        print(f"  conformance: {failed}", flush=True)
    return Result(jax, python, supported.by, levels, unit, lit or "failed", failed, date.today().isoformat())


def _last(text: str, pattern: str) -> str:
    found = re.findall(pattern, text)
    return re.sub(r"(, \d+ warnings?)? in [\d.]+s.*", "", found[-1]).strip("= ") if found else ""


def differences() -> str:
    """The table of `model/jax_versions.py`."""
    from mosaic_verify.model.jax_versions import DIFFERENCES

    rows = [
        (what, before, after, ".".join(map(str, version)), codes)
        for version, what, before, after, codes in DIFFERENCES.values()
    ]
    return _table(("what", "before", "from then on", "since JAX", "rules"), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rows_of_page() -> dict[str, Result]:
    """What the page says of each version."""
    found = {}
    for line in _between("runs", PAGE.read_text(encoding="utf-8")).splitlines()[2:]:
        result = Result(*(cell.strip() for cell in line.strip("| ").split(" | ")))
        found |= {s.name: result for s in SUPPORTED if f"{result.jax}.".startswith(f"{s.name}.")}
    return found


def _between(mark: str, text: str) -> str:
    match = re.search(rf"<!-- {mark} -->\n(.*?)\n<!-- end -->", text, re.S)
    assert match is not None, f"{PAGE} has no table {mark}"
    return match[1]


def write(results: dict[str, Result]) -> None:
    """Puts both tables into the page, between its marks."""
    rows = [astuple(results[s.name]) for s in SUPPORTED if s.name in results]
    text = PAGE.read_text(encoding="utf-8")
    for mark, table in (("runs", _table(HEAD, rows)), ("differences", differences())):
        text = text.replace(_between(mark, text), table)
    PAGE.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m test.conformance.versions", description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="generated kernels per version")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", action="append", choices=[s.name for s in SUPPORTED], help="may be repeated")
    parser.add_argument("--page", action="store_true", help="run nothing, write the table of what differs")
    args = parser.parse_args()
    results = rows_of_page()
    status = 0
    for supported in () if args.page else SUPPORTED:
        if args.only and supported.name not in args.only:
            continue
        python = interpreter(supported)
        if python is None:
            pythons = " or ".join(f"3.{minor}" for minor in supported.minors)
            print(f"JAX {supported.name} is left out: it needs Python {pythons}, which this machine does not have")
            continue
        binaries = environment(supported, python)
        if binaries is None:
            print(f"JAX {supported.name} is left out: it cannot be installed here")
            continue
        result = run(supported, binaries, args.workers, args.count)
        results[supported.name] = result
        bad = re.search("failed|error|timed out|unresolved", f"{result.unit} {result.lit}")
        status |= bad is not None or not result.conformance.startswith(("0 ", "not run"))
        write(results)
    if args.page:
        write(results)
    return status


if __name__ == "__main__":
    sys.exit(main())
