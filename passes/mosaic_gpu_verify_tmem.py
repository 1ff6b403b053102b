"""The pass `mosaic-gpu-verify-tmem`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.tmem  # noqa: F401  (registers its checks)
from mosaic_verify.dialects.mosaic_gpu import OPS
from mosaic_verify.dialects.mosaic_gpu_options import version
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.passes._mosaic_gpu import report, views_of
from mosaic_verify.rules.explained_by import explain
from mosaic_verify.rules.registry import run_checks


@dataclass(frozen=True)
class MosaicGpuVerifyTmem(Pass):
    """Verify tensor memory: its columns, and that a kernel's tcgen05 ops are all collective or none

    Works on any stage of a module before layout inference, also where `mosaic_gpu` is not registered.

    Attributes:
      jax: version of JAX whose conditions hold, such as "0.12.0"; "" takes the installed one.
    """

    name: ClassVar[str] = "mosaic-gpu-verify-tmem"
    level: ClassVar[str] = "mosaic_gpu"
    ops: ClassVar[tuple[str, ...]] = OPS
    read_only: ClassVar[bool] = True

    jax: str = ""

    def __post_init__(self):
        version(self.jax)

    def run(self, op: ir.Operation, session: Session) -> None:
        for view in views_of(op, session, jax=self.jax):
            report(view, explain(view.facts, run_checks(view.facts)), session.engine)
