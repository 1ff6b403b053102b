"""`verify-all` and `rewrite-all`: which passes fit the module at hand."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.levels import ALL_OPS, LEVELS, level_of
from mosaic_verify.ir.passes import Pass, Session

SUMMARIES = {
    "verify-all": "Run every verification pass that fits the ops of the module (arch=sm_100a: for this device)",
    "rewrite-all": "Run every rewrite that fits the ops of the module (exact=true: only those that keep every value)",
}


class Automatic(NamedTuple):
    """`verify-all` or `rewrite-all`; `exact` keeps the latter to rewrites that keep every value.

    `arch` goes to the passes that have an option of this name.
    """

    name: str
    exact: bool = False
    arch: str = ""

    def __str__(self) -> str:
        options = [f"arch={self.arch}"] if self.arch else []
        if self.name == "rewrite-all":
            options.append(f"exact={str(self.exact).lower()}")
        return f"{self.name}{{{' '.join(options)}}}" if options else self.name


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
    """The passes that fit `root`, by name, with the options of the pipeline.

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
    return [kind(**options) for kind in fitting if (options := _options(kind, pipeline)) is not None]


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


def _options(kind: type[Pass], pipeline: Automatic) -> dict[str, Any] | None:
    """What the pass is made with; None when it has no exact rewrites and only those are wanted."""
    options: dict[str, Any] = {}
    if pipeline.arch and "arch" in kind.__dataclass_fields__:
        options["arch"] = pipeline.arch
    if pipeline.exact:
        if "exact" in kind.__dataclass_fields__:
            options["exact"] = True
        elif kind.kind != "exact":
            return None
    return options
