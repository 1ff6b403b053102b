"""The pass `plgpu-verify-transforms`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu_view import OPS
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.passes._plgpu import ReadsPlgpu, judged, report
from mosaic_verify.rules.transforms import CHAIN_CODES


@dataclass(frozen=True)
class PlgpuVerifyTransforms(ReadsPlgpu, Pass):
    """Verify the chains of ref transforms at every operand of a tensor-core op

    Each operand takes only certain chains, which differ between lowering semantics and versions of JAX: an accumulator
    takes slices, A and B of Lane semantics one transpose behind untiling, refs in tensor memory neither transposes nor
    reshapes. The chain is spelled out with the offending step marked. `plgpu-fold-transforms` removes what cancels out.

    Attributes:
      arch: compute capability as in "sm_100a", for rules that depend on it; "" takes what the kernel says.
    """

    name: ClassVar[str] = "plgpu-verify-transforms"
    level: ClassVar[str] = "plgpu"
    ops: ClassVar[tuple[str, ...]] = OPS
    read_only: ClassVar[bool] = True

    arch: str = ""

    def run(self, op: ir.Operation, session: Session) -> None:
        for view, findings in judged(op, session, self.arch):
            # All rules run: what a chain explains becomes a note of its finding, and the other way round.
            report(view, [finding for finding in findings if finding.code in CHAIN_CODES], session.engine)
