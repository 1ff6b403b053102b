"""The pass `plgpu-complete-collective`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.tmem  # noqa: F401  (registers its checks)
from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.plgpu import string
from mosaic_verify.dialects.plgpu_flow import program_of
from mosaic_verify.dialects.plgpu_view import COMMIT, METADATA_COPY, MMA, OPERAND_COPY, OPS, SCALES_COPY, KernelView
from mosaic_verify.dialects.plgpu_view import kernel_views as read
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.flow import analyse
from mosaic_verify.passes._plgpu import ReadsPlgpu
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import run_checks

_CODE = "MV604"
_AXIS = "collective_axis"
_COLLECTIVE = (MMA, METADATA_COPY, SCALES_COPY, OPERAND_COPY, COMMIT)


@dataclass(frozen=True)
class PlgpuCompleteCollective(ReadsPlgpu, Pass):
    """Give the collective axis of a kernel's MMAs to its copies and commits that lack it

    It is done in kernels with a cluster of two blocks whose TMEM refs are all collective, where some ops name the
    cluster's axis and none names another one, and only if the analysis proves the dataflow of the completed kernel: in
    particular there must be a cluster barrier between the other block's load and the copy.

    ```mlir
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : ...
    "plgpu.tcgen05_mma"(...) {collective_axis = "pair", ...} : ...
    ```
    becomes
    ```mlir
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) {collective_axis = "pair"} : ...
    "plgpu.tcgen05_mma"(...) {collective_axis = "pair", ...} : ...
    ```
    """

    name: ClassVar[str] = "plgpu-complete-collective"
    level: ClassVar[str] = "plgpu"
    ops: ClassVar[tuple[str, ...]] = _COLLECTIVE
    kind: ClassVar[str] = "repairing"

    def run(self, op: ir.Operation, session: Session) -> None:
        if not session.ops(op, (MMA,)):
            return
        changed = False
        for number, view in enumerate(read(op, session.ops(op, OPS))):
            axis = _axis(view)
            if axis is None:
                continue
            completed = self._complete(op, session, view, number, axis)
            for place in completed:
                self._report(view, place, axis, session)
            changed = changed or bool(completed)
        if changed:
            session.invalidate()

    def _complete(self, root: ir.Operation, session: Session, view: KernelView, number: int, axis: str) -> list[str]:
        """Places of the ops that were given the axis; none when the result is not proved, and then nothing changes."""
        lacking = [place for place, found in _ops(view).items() if _AXIS not in found.attributes]
        if any(session.engine.ignores(_CODE, view.locations[place]) for place in lacking):
            return []
        for place in lacking:
            view.ops[place].attributes[_AXIS] = ir.StringAttr.get(axis, context=root.context)
        if lacking and not _proved(read(root, session.ops(root, OPS))[number]):
            for place in lacking:
                del view.ops[place].attributes[_AXIS]
            return []
        return lacking

    def _report(self, view: KernelView, place: str, axis: str, session: Session) -> None:
        message = f"this op was given the collective axis '{axis}' of the kernel's other ops"
        finding = Finding(_CODE, message, place, severity="warning")
        session.engine.report_finding(finding, view.locations, view.op_names[place])
        session.engine.rewrote(Rewrite("repairing", self.name, message, view.locations[place], _CODE))


def _ops(view: KernelView) -> dict[str, ir.Operation]:
    """The ops that can be collective, by place; an MMA with a barrier is a commit too, and counts once."""
    found: dict[ir.Operation, str] = {}
    for place, op in view.ops.items():
        if op.name in _COLLECTIVE and "." not in place:
            found.setdefault(op, place)
    return {place: op for op, place in found.items()}


def _axis(view: KernelView) -> str | None:
    """The one axis that the kernel's ops name, when that of its pair of blocks and all TMEM is collective."""
    kernel = view.facts
    named = {string(op, _AXIS) for op in _ops(view).values()} - {None}
    refs = [ref for ref in kernel.allocations if ref.space == "tmem"]
    if kernel.cluster != (2, 1, 1) or len(named) != 1 or not all(ref.collective for ref in refs):
        return None
    return named.pop()


def _proved(view: KernelView) -> bool:
    program = program_of(view)
    if program is None or any(finding.code == _CODE for finding in run_checks(view.facts)):
        return False
    answer = analyse(program)
    return not answer.violations and not answer.undecided
