"""The pass `plgpu-verify-sparse-mma`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu_view import OPS
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.passes._plgpu import UNKNOWN, ReadsPlgpu, judged, report, report_unknown
from mosaic_verify.rules.transforms import CHAIN_CODES


@dataclass(frozen=True)
class PlgpuVerifySparseMma(ReadsPlgpu, Pass):
    """Verify sparse tcgen05 MMAs, their scales and metadata, and the memory of a Pallas kernel

    The rules are those of `mosaic-gpu-verify-sparse-mma` and `mosaic-gpu-verify-tmem`; here they see both lowering
    semantics, names of refs, and the chains of transforms as the user wrote them. What is wrong with a chain itself is
    left to `plgpu-verify-transforms`.

    Attributes:
      arch: compute capability as in "sm_100a", for rules that depend on it; "" takes what the kernel says.
    """

    name: ClassVar[str] = "plgpu-verify-sparse-mma"
    level: ClassVar[str] = "plgpu"
    ops: ClassVar[tuple[str, ...]] = OPS + UNKNOWN
    read_only: ClassVar[bool] = True

    arch: str = ""

    def run(self, op: ir.Operation, session: Session) -> None:
        unknown = session.ops(op, UNKNOWN)
        if unknown:
            report_unknown(unknown, session.engine)
        for view, findings in judged(op, session, self.arch):
            report(view, [finding for finding in findings if finding.code not in CHAIN_CODES], session.engine)
