"""Two small passes for tests of the hook: one that finds the N that sparse MMAs refuse, one that changes a kernel."""

from __future__ import annotations

from contextlib import contextmanager
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass
from mosaic_verify.jax_hook import level_passes
from mosaic_verify.rules.finding import Finding

MMA = "mosaic_gpu.tcgen05_mma"
MARK = "test.rewritten"
calls: list[str] = []


class VerifyN(Pass):
    """Report an N that is no multiple of 16, and warn about one of 64 in a module without the mark."""

    name: ClassVar[str] = "mosaic-gpu-verify-n"
    level: ClassVar[str] = "mosaic_gpu"
    ops: ClassVar[tuple[str, ...]] = (MMA,)
    read_only: ClassVar[bool] = True

    def run(self, op, session):
        calls.append(self.name)
        for mma in session.ops(op, self.ops):
            n = ir.MemRefType(mma.operands[2].type).shape[1]
            if n % 16:
                finding = Finding("MV111", f"N must be a multiple of 16 for sparse MMA, but got N={n}")
                session.engine.report_finding(finding, {"": op_location(mma)}, MMA)
            elif n == 64 and MARK not in op.attributes:
                finding = Finding("MV207", "the kernel is not marked", severity="warning")
                session.engine.report_finding(finding, {"": op_location(mma)}, MMA)


class MarkKernel(Pass):
    """Mark the module of a kernel with 64 columns, as a rewrite that can be seen in the lowered text."""

    name: ClassVar[str] = "mosaic-gpu-mark-kernel"
    level: ClassVar[str] = "mosaic_gpu"
    ops: ClassVar[tuple[str, ...]] = (MMA,)

    def run(self, op, session):
        calls.append(self.name)
        for mma in session.ops(op, self.ops):
            if ir.MemRefType(mma.operands[2].type).shape[1] == 64 and MARK not in op.attributes:
                op.attributes[MARK] = ir.UnitAttr.get()
                session.engine.rewrote(Rewrite("exact", self.name, "marked", op_location(mma)))


@contextmanager
def passes(*kinds):
    """Only these passes at the mosaic_gpu level, and none at the others."""

    def chosen(prefixes, read_only):
        return tuple(kind for kind in kinds if kind.name.startswith(prefixes) and kind.read_only is read_only)

    def names(prefixes, read_only):
        return tuple(dict.fromkeys(name for kind in chosen(prefixes, read_only) for name in kind.ops))

    saved = level_passes.passes, level_passes._names
    level_passes.passes, level_passes._names = chosen, names
    calls.clear()
    try:
        yield calls
    finally:
        level_passes.passes, level_passes._names = saved
