"""`verify-all` and `rewrite-all`: which passes fit the module at hand."""

from __future__ import annotations

import importlib
from typing import NamedTuple

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.levels import ALL_OPS, LEVELS, level_of
from mosaic_verify.ir.passes import Pass, Session

SUMMARIES = {
    "verify-all": "Run every verification pass that fits the ops of the module",
    "rewrite-all": "Run every rewrite that fits the ops of the module (exact=true: only those that keep every value)",
}


class Automatic(NamedTuple):
    """`verify-all` or `rewrite-all`; `exact` keeps the latter to rewrites that keep every value."""

    name: str
    exact: bool = False

    def __str__(self) -> str:
        return f"{self.name}{{exact={str(self.exact).lower()}}}" if self.name == "rewrite-all" else self.name


class Deferred(NamedTuple):
    """A pass of ours with default options, which is imported when a module has ops for it."""

    name: str

    def load(self) -> Pass:
        """The pass itself."""
        return importlib.import_module("mosaic_verify.passes").load_pass(self.name)()

    def fits(self, root: ir.Operation, session: Session) -> bool:
        """Whether an op that the pass may look at occurs below `root`."""
        level = level_of(self.name)
        if level is None:
            return True
        session.expect(ALL_OPS)
        return bool(session.ops(root, LEVELS[level].ops) or session.ops(root, LEVELS[level].others))


def fitting_passes(pipeline: Automatic, root: ir.Operation, session: Session) -> list[Pass]:
    """The passes that fit `root`, by name, with default options.

    A pass fits when an op of its level occurs below `root`. Passes of other levels are not even imported.
    """
    passes = importlib.import_module("mosaic_verify.passes")
    session.expect(ALL_OPS)
    present = {None, *(name for name, level in LEVELS.items() if session.ops(root, level.ops))}
    fitting: list[type[Pass]] = []
    for name in passes.pass_names():
        if level_of(name) in present:
            kind = passes.load_pass(name)
            if kind.automatic and kind.read_only == (pipeline.name == "verify-all") and _has_op(kind, root, session):
                fitting.append(kind)
    if not pipeline.exact:
        return [kind() for kind in fitting]
    return [one for kind in fitting for one in _exact(kind)]


# Custom calls that every JAX program may have; whatever else is called may be a kernel.
_NO_KERNELS = ("Sharding", "SPMD", "annotate_device_placement", "cu_threefry2x32", "cu_lu_", "cusolver_", "xla_")


def has_kernel(root: ir.Operation) -> bool:
    """Whether an op that makes passes of a level fit occurs below `root`, other than custom calls of JAX itself."""
    session = Session(Engine(), ALL_OPS)
    found = session.ops(root, tuple({name for level in LEVELS.values() for name in level.ops}))
    return any(op.name != "stablehlo.custom_call" or not _target(op).startswith(_NO_KERNELS) for op in found)


def _target(call: ir.Operation) -> str:
    name = call.attributes.get("call_target_name", None)
    return name.value if isinstance(name, ir.StringAttr) else ""


def _has_op(kind: type[Pass], root: ir.Operation, session: Session) -> bool:
    level = LEVELS.get(kind.level)
    ops = kind.ops if level is None else tuple(name for name in kind.ops if name not in level.others)
    return not ops or bool(session.ops(root, ops))


def _exact(kind: type[Pass]) -> list[Pass]:
    """The pass restricted to exact rewrites; nothing when it has no such."""
    if "exact" in kind.__dataclass_fields__:
        return [kind(exact=True)]  # pyright: ignore[reportCallIssue]: the field was looked up
    return [kind()] if kind.kind == "exact" else []
