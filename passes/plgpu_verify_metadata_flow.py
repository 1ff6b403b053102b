"""The pass `plgpu-verify-metadata-flow`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_reader import locate_events
from mosaic_verify.dialects.plgpu_flow import program_of
from mosaic_verify.dialects.plgpu_view import OPS
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.flow import analyse
from mosaic_verify.passes._plgpu import ReadsPlgpu, judged, report
from mosaic_verify.rules.explained_by import explain
from mosaic_verify.rules.metadata_flow import FLOW_CODES, flow_findings


@dataclass(frozen=True)
class PlgpuVerifyMetadataFlow(ReadsPlgpu, Pass):
    """Verify that each sparse MMA reads the metadata that was written for it, in order

    Follows loads, copies, MMAs, commits, waits and fences of every thread of a Pallas kernel in the order that each
    interleaving keeps. What is reported has a witness; where something is not understood the pass is silent.

    Attributes:
      report_unknown: also say where nothing can be said, and why (remarks).
    """

    name: ClassVar[str] = "plgpu-verify-metadata-flow"
    level: ClassVar[str] = "plgpu"
    ops: ClassVar[tuple[str, ...]] = OPS
    read_only: ClassVar[bool] = True

    report_unknown: bool = False

    def run(self, op: ir.Operation, session: Session) -> None:
        for view, causes in judged(op, session):
            program = program_of(view)
            if program is None:
                continue
            found = list(flow_findings(program, analyse(program), report_unknown=self.report_unknown))
            if found:
                locate_events(view, program)
                found = explain(view.facts, [*causes, *found])
            report(view, [finding for finding in found if finding.code in FLOW_CODES], session.engine)
