"""The pass `plgpu-fold-transforms`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Location, Rewrite
from mosaic_verify.dialects.plgpu import kernels
from mosaic_verify.dialects.plgpu_target import target_of
from mosaic_verify.dialects.plgpu_uses import METADATA_COPY, MMA, SCALES_COPY, operands_of
from mosaic_verify.dialects.plgpu_view import OPS, kernel_views
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.facts import Target
from mosaic_verify.passes._fold_allocations import linear_tiles, metadata_allocation, stacked_tiles
from mosaic_verify.passes._fold_chains import fold, plan
from mosaic_verify.passes._fold_swizzles import equal_swizzles
from mosaic_verify.passes._plgpu import ReadsPlgpu
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.sparse_mma import check_kernel

_ALLOC = "plgpu.alloc"
_USERS = (MMA, METADATA_COPY, SCALES_COPY)


@dataclass(frozen=True)
class PlgpuFoldTransforms(ReadsPlgpu, Pass):
    """Fold chains of ref transforms so that kernels which JAX refuses compile unchanged

    At every operand of a tensor-core op: steps that together change nothing vanish, slices are merged and move in front
    of transposes, a metadata copy gets the strides that JAX asks for. A TMEM ref that is used as metadata alone is
    allocated straight and with the sparse layout; a metadata tile in SMEM that only TMA and the metadata copy touch
    loses its tiling; in Lane semantics A and B that only TMA and MMAs touch get one swizzle.

    ```mlir
    %0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : ...
    %1 = "plgpu.transpose"(%0) {permutation = array<i64: 1, 0>} : ...
    "plgpu.tcgen05_mma"(%acc, %a, %b, %accumulate, %1) ...
    ```
    becomes
    ```mlir
    "plgpu.tcgen05_mma"(%acc, %a, %b, %accumulate, %meta) ...
    ```

    Attributes:
      refused_only: leave alone what JAX lowers as it stands.
      exact: only rewrites that keep every value; the others make an operand what it says where JAX transposes it.
    """

    name: ClassVar[str] = "plgpu-fold-transforms"
    level: ClassVar[str] = "plgpu"
    ops: ClassVar[tuple[str, ...]] = OPS

    refused_only: bool = False
    exact: bool = False

    def run(self, op: ir.Operation, session: Session) -> None:
        # Ops are sorted into their kernels first: once one is erased, nothing may be asked of it.
        inside: dict[ir.Operation, tuple[list[ir.Operation], list[ir.Operation]]] = {
            function: ([], []) for function in kernels(op)
        }
        for number, names in enumerate((_USERS, (_ALLOC,))):
            for found in session.ops(op, names):
                function = _function(found)
                if function is not None and function in inside:
                    inside[function][number].append(found)
        changed = False
        for function, (users, allocs) in inside.items():
            target = target_of(function)
            changed |= self._chains(users, target, session)
            changed |= self._allocations(allocs, target, session)
            if target.semantics == "lane":
                changed |= self._swizzles(op, [user for user in users if user.name == MMA], target, session)
        if changed:
            session.invalidate()

    def _chains(self, users: Sequence[ir.Operation], target: Target, session: Session) -> bool:
        changed = False
        for user in users:
            for use in operands_of(user):
                planned = plan(use, use.role, target, refused_only=self.refused_only)  # type: ignore[arg-type]
                if planned is None:
                    continue
                location = op_location(user)
                if planned.repairing and (self.exact or session.engine.ignores("MV210", location)):
                    continue
                fold(use, planned)
                changed = True
                if planned.repairing and planned.verdict is not None:
                    self._repaired(planned.message, planned.verdict.why, location, user.name, session)
                else:
                    session.engine.rewrote(Rewrite("exact", self.name, planned.message, location))
        return changed

    def _repaired(self, message: str, why: str, location: Location, op_name: str, session: Session) -> None:
        """A repairing rewrite leaves a warning: the program computes something else than before."""
        session.engine.rewrote(Rewrite("repairing", self.name, message, location, "MV210"))
        finding = Finding("MV210", f"{message}; {why}", severity="warning")
        session.engine.report_finding(finding, {"": location}, op_name)

    def _allocations(self, allocs: Sequence[ir.Operation], target: Target, session: Session) -> bool:
        changed = False
        for alloc in allocs:
            location = op_location(alloc)
            message = metadata_allocation(alloc) or linear_tiles(alloc) or stacked_tiles(alloc, target)
            if message is not None:
                session.engine.rewrote(Rewrite("exact", self.name, message, location))
                changed = True
        return changed

    def _swizzles(self, root: ir.Operation, mmas: Sequence[ir.Operation], target: Target, session: Session) -> bool:
        def codes() -> set[str]:
            fresh = Session(session.engine)
            views = kernel_views(root, fresh.ops(root, OPS))
            return {finding.code for view in views for finding in check_kernel(view.facts)}

        changed = False
        for mma, message in equal_swizzles(mmas, target, codes):
            session.engine.rewrote(Rewrite("exact", self.name, message, op_location(mma)))
            changed = True
        return changed


def _function(op: ir.Operation) -> ir.Operation | None:
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        parent = parent.operation.parent
    return None if parent is None else parent.operation
