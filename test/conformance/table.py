"""The counts of a run, for the terminal and for docs/conformance.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import jax
import jaxlib

from .compare import (
    CHANGED,
    CLEAN,
    EXPLAINED,
    FAILURES,
    FAULT,
    LAXER,
    OUTSIDE,
    REFUSED,
    REWRITE,
    SILENT,
    STRICTER,
    TEXT,
)
from .counts import Counts

PAGE = Path(__file__).parent.parent.parent / "docs" / "conformance.md"
_MEANINGS = {
    CLEAN: "JAX lowers the kernel; we report no error",
    REFUSED: "JAX refuses the kernel while it lowers it; our checks report an error",
    EXPLAINED: "JAX refuses the kernel before there is a program to check; the report names the rule",
    SILENT: "JAX lowers the kernel; we report an error of a rule that is marked silent",
    OUTSIDE: "JAX refuses the kernel for a reason that no check covers (counted by message below)",
    STRICTER: "JAX lowers the kernel; we report an error",
    LAXER: "JAX refuses the kernel for a reason that a check covers; the check is silent",
    CHANGED: "JAX says something else with our hook than without",
    TEXT: "JAX lowers the kernel to another text with our hook than without",
    REWRITE: "what we rewrote, JAX refuses",
    FAULT: "our hook warns of a fault of its own",
}


def show(counts: Counts) -> str:
    """The counts as Markdown tables."""
    return "\n\n".join(
        filter(None, (_kinds(counts), _codes(counts), _rewrites(counts), _outside(counts), _causes(counts)))
    )


def write(counts: Counts, count: int, seed: int, commit: str = "") -> None:
    """Puts the tables of this JAX into the page, in the place of those that it had; `commit` is what was run."""
    title = f"## JAX {jax.__version__}"
    python = ".".join(map(str, sys.version_info[:2]))
    head = (
        f"{title}\n\njaxlib {jaxlib.__version__}, Python {python}; {counts.total} kernels,"
        f" `make conformance COUNT={count} SEED={seed}`, run at commit {commit or _commit()};"
        f" JAX lowers {_share(counts)} % of them."
    )
    section = f"{head}\n\n{show(counts)}\n"
    text = PAGE.read_text()
    pattern = re.compile(rf"^{re.escape(title)}\n.*?(?=^## |\Z)", re.S | re.M)
    text = pattern.sub(lambda _: section + "\n", text) if pattern.search(text) else f"{text.rstrip()}\n\n{section}"
    PAGE.write_text(text.rstrip() + "\n")


def _commit() -> str:
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=PAGE.parent, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def _share(counts: Counts) -> str:
    return f"{100 * (counts.kinds[CLEAN] + counts.kinds[SILENT]) / max(counts.total, 1):.0f}"


def _kinds(counts: Counts) -> str:
    shown = [kind for kind in _MEANINGS if counts.kinds[kind] or kind in FAILURES]
    return _table(("outcome", "kernels", "meaning"), [(kind, counts.kinds[kind], _MEANINGS[kind]) for kind in shown])


def _codes(counts: Counts) -> str:
    return _table(("code", "kernels"), sorted(counts.codes.items()))


def _rewrites(counts: Counts) -> str:
    names = [name for name in sorted(counts.rewrites) if not name.endswith("compiles now")]
    rows = [(name, counts.rewrites[name], counts.rewrites[f"{name}, compiles now"]) for name in names]
    return _table(("pass", "kernels rewritten", "refused without, lowered with it"), rows)


def _outside(counts: Counts) -> str:
    rows = [(key.partition(" | ")[2], number) for key, number in counts.keys.most_common() if key.startswith(OUTSIDE)]
    return _table(("refused outside of our rules: stage, page, message", "kernels"), rows)


def _causes(counts: Counts) -> str:
    rows = [tuple(key.split(" -> ")) + (number,) for key, number in counts.causes.most_common()]
    return _table(("pages that explain JAX's message", "what our checks report", "kernels"), rows)


def _table(head: tuple[str, ...], rows: list) -> str:
    if not rows:
        return ""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("<", "\\<")
