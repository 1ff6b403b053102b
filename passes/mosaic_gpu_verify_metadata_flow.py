"""The pass `mosaic-gpu-verify-metadata-flow`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.tmem  # noqa: F401  (registers its checks)
from mosaic_verify.dialects.flow_reader import locate_events
from mosaic_verify.dialects.mosaic_gpu import METADATA_COPY, MMA, OPS
from mosaic_verify.dialects.mosaic_gpu_flow import program_of
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.flow import analyse
from mosaic_verify.passes._mosaic_gpu import report, views_of
from mosaic_verify.rules.metadata_flow import FLOW_CODES, flow_findings
from mosaic_verify.rules.registry import run_checks
from mosaic_verify.rules.sparse_mma import check_kernel


@dataclass(frozen=True)
class MosaicGpuVerifyMetadataFlow(Pass):
    """Verify that each sparse MMA of a Mosaic GPU module reads the metadata that was written for it, in order

    The rules are those of `plgpu-verify-metadata-flow`. Works on any stage of a module before layout inference.

    Attributes:
      report_unknown: also say where nothing can be said, and why (remarks).
    """

    name: ClassVar[str] = "mosaic-gpu-verify-metadata-flow"
    level: ClassVar[str] = "mosaic_gpu"
    ops: ClassVar[tuple[str, ...]] = OPS
    read_only: ClassVar[bool] = True

    report_unknown: bool = False

    def run(self, op: ir.Operation, session: Session) -> None:
        if not session.ops(op, (MMA, METADATA_COPY)):
            return
        for view in views_of(op, session):
            program = program_of(view)
            if program is None:
                continue
            found = list(flow_findings(program, analyse(program), report_unknown=self.report_unknown))
            if found:
                locate_events(view, program)
                # All rules run: what has another cause becomes a note of that cause's finding.
                found = check_kernel(view.facts, [*run_checks(view.facts), *found])
            report(view, [finding for finding in found if finding.code in FLOW_CODES], session.engine)
