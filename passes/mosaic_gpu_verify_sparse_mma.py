"""The pass `mosaic-gpu-verify-sparse-mma`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu import OPS
from mosaic_verify.dialects.mosaic_gpu_options import architecture, version
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.passes._mosaic_gpu import report, views_of
from mosaic_verify.rules.sparse_mma import check_kernel


@dataclass(frozen=True)
class MosaicGpuVerifySparseMma(Pass):
    """Verify sparse tcgen05 MMAs, their scales and their metadata

    Checks sizes, element types, layouts, tiles and the copies of metadata. Works on any stage of a module before layout
    inference, also where `mosaic_gpu` is not registered.

    Attributes:
      arch: compute capability as in "sm_100a", for rules that depend on it; "" takes what the module says.
      jax: version of JAX whose conditions hold, such as "0.12.0"; "" takes the installed one.
    """

    name: ClassVar[str] = "mosaic-gpu-verify-sparse-mma"
    level: ClassVar[str] = "mosaic_gpu"
    ops: ClassVar[tuple[str, ...]] = OPS
    read_only: ClassVar[bool] = True

    arch: str = ""
    jax: str = ""

    def __post_init__(self):
        architecture(self.arch)
        version(self.jax)

    def run(self, op: ir.Operation, session: Session) -> None:
        for view in views_of(op, session, jax=self.jax, arch=self.arch):
            report(view, check_kernel(view.facts), session.engine)
