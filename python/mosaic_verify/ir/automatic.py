"""`verify-all` and `rewrite-all`: which passes fit the module at hand."""

from __future__ import annotations

import importlib
from typing import NamedTuple

from jaxlib.mlir import ir

from mosaic_verify.ir.passes import Pass, Session

SUMMARIES = {
    "verify-all": "Run every verification pass that fits the ops of the module",
    "rewrite-all": "Run every rewrite that fits the ops of the module (exact=true: only those that keep every value)",
}

# What the text of a module must contain for a pass of that level to have anything to look at. The small dialects are
# also recognised on the custom calls that carry them.
_MARKS = {
    "plgpu": (b"plgpu",),
    "mosaic_gpu": (b"mosaic_gpu",),
    "stablehlo": (b"stablehlo",),
    "megablox": (b"megablox", b"stablehlo"),
    "block_sparse": (b"block_sparse", b"stablehlo"),
}


class Automatic(NamedTuple):
    """`verify-all` or `rewrite-all`; `exact` keeps the latter to rewrites that keep every value."""

    name: str
    exact: bool = False

    def __str__(self) -> str:
        return f"{self.name}{{exact={str(self.exact).lower()}}}" if self.name == "rewrite-all" else self.name


def fitting_passes(pipeline: Automatic, root: ir.Operation, session: Session) -> list[Pass]:
    """The passes that fit `root`, by name, with default options.

    A pass fits when one of its `ops` occurs below `root`. Passes of levels that cannot occur in the text of the module
    (`session.source`, where it is known) are not even imported.
    """
    passes = importlib.import_module("mosaic_verify.passes")
    kinds: list[type[Pass]] = []
    for name in passes.pass_names():
        if _may_occur(name, session.source):
            kind = passes.load_pass(name)
            if kind.automatic and kind.read_only == (pipeline.name == "verify-all"):
                kinds.append(kind)
    session.expect(name for kind in kinds for name in kind.ops)
    fitting = [kind for kind in kinds if not kind.ops or session.ops(root, kind.ops)]
    if not pipeline.exact:
        return [kind() for kind in fitting]
    return [one for kind in fitting for one in _exact(kind)]


def _exact(kind: type[Pass]) -> list[Pass]:
    """The pass restricted to exact rewrites; nothing when it has no such."""
    if "exact" in kind.__dataclass_fields__:
        return [kind(exact=True)]  # pyright: ignore[reportCallIssue]: the field was looked up
    return [kind()] if kind.kind == "exact" else []


def _may_occur(name: str, source: bytes | None) -> bool:
    if source is None:
        return True
    for level, marks in _MARKS.items():
        if name.startswith(level.replace("_", "-") + "-"):
            return any(mark in source for mark in marks)
    return True
