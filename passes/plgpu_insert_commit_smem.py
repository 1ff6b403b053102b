"""The pass `plgpu-insert-commit-smem`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.flow_reader import locate_events
from mosaic_verify.dialects.plgpu_flow import program_of
from mosaic_verify.dialects.plgpu_view import METADATA_COPY, OPS, KernelView, kernel_views
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.flow import Violation, analyse
from mosaic_verify.passes._plgpu import ReadsPlgpu
from mosaic_verify.rules.finding import Finding, FindingNote

_CODE = "MV705"


@dataclass(frozen=True)
class PlgpuInsertCommitSmem(ReadsPlgpu, Pass):
    """Insert `plgpu.commit_smem()` in front of metadata copies whose tile the same warpgroup wrote from registers

    The order of all other events stays as it is. It is done where the analysis of the rewritten kernel finds nothing
    wrong with the copy any more, and not in code of single warps, which has no such primitive.

    ```mlir
    "plgpu.swap"(%meta_smem, %tile) : ...
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : ...
    ```
    becomes
    ```mlir
    "plgpu.swap"(%meta_smem, %tile) : ...
    "plgpu.primitive"() {name = "commit_smem", inserted} : () -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : ...
    ```
    """

    name: ClassVar[str] = "plgpu-insert-commit-smem"
    level: ClassVar[str] = "plgpu"
    ops: ClassVar[tuple[str, ...]] = (METADATA_COPY,)
    kind: ClassVar[str] = "repairing"

    def run(self, op: ir.Operation, session: Session) -> None:
        if not session.ops(op, (METADATA_COPY,)):
            return
        changed = False
        for view in kernel_views(op, session.ops(op, OPS)):
            for violation in _violations(view):
                if violation.kind != "not-committed" or session.engine.ignores(_CODE, view.locations[violation.place]):
                    continue
                if self._repair(view, violation):
                    changed = True
                    self._report(view, violation, session)
        if changed:
            session.invalidate()

    def _repair(self, view: KernelView, violation: Violation) -> bool:
        copy = view.ops[violation.place]
        if _in_warps(copy):
            return False
        with copy.context, copy.location:
            attributes = {"name": ir.StringAttr.get("commit_smem"), "inserted": ir.UnitAttr.get()}
            fence = ir.Operation.create("plgpu.primitive", attributes=attributes, ip=ir.InsertionPoint(copy))
        if any(left.place == violation.place for left in _violations(view)):
            fence.erase()
            return False
        return True

    def _report(self, view: KernelView, violation: Violation, session: Session) -> None:
        message = "`plgpu.commit_smem()` was inserted before this copy of metadata that was written from registers"
        [(_, written), *_] = violation.others
        note = FindingNote(written, "it is written here")
        finding = Finding(_CODE, message, violation.place, (note,), severity="warning")
        session.engine.report_finding(finding, view.locations, METADATA_COPY)
        session.engine.rewrote(Rewrite("repairing", self.name, message, view.locations[violation.place], _CODE))


def _violations(view: KernelView) -> tuple[Violation, ...]:
    program = program_of(view)
    if program is None:
        return ()
    found = analyse(program).violations
    if found:
        locate_events(view, program)
    return found


def _in_warps(op: ir.Operation) -> bool:
    parent = op.parent
    while parent is not None:
        if parent.operation.name == "plgpu.core_map":
            return True
        parent = parent.operation.parent
    return False
