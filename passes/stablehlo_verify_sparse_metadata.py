"""The pass `stablehlo-verify-sparse-metadata`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.metadata_format
import mosaic_verify.rules.metadata_format_values  # noqa: F401  (registers its checks)
from mosaic_verify.dialects.stablehlo_kernel import (
    CUSTOM_CALL,
    UnreadableKernel,
    is_mosaic_call,
    mismatch,
    sparse_kernel_facts,
)
from mosaic_verify.dialects.stablehlo_metadata import metadata_operands
from mosaic_verify.dialects.stablehlo_provenance import Provenance
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import run_checks


@dataclass(frozen=True)
class StablehloVerifySparseMetadata(Pass):
    """Verify how the sparse metadata of embedded Mosaic GPU kernels is laid out

    Follows each metadata operand of `stablehlo.custom_call @mosaic_gpu_v2` back through the ops that lay it out, and
    compares the result with the format that the operand width of the kernel's sparse MMAs needs.
    """

    name: ClassVar[str] = "stablehlo-verify-sparse-metadata"
    level: ClassVar[str] = "stablehlo"
    ops: ClassVar[tuple[str, ...]] = (CUSTOM_CALL,)
    read_only: ClassVar[bool] = True

    def run(self, op: ir.Operation, session: Session) -> None:
        provenance = Provenance(op, lambda: session.ops(op, ("func.call",)))
        for call in session.ops(op, self.ops):
            if is_mosaic_call(call):
                self._call(call, session, provenance)

    def _call(self, call: ir.Operation, session: Session, provenance: Provenance) -> None:
        engine = session.engine
        try:
            kernel = sparse_kernel_facts(call, session.known)
        except UnreadableKernel as error:
            unread = Finding("MV920", f"carries a kernel that is not checked: {error}")
            engine.report_finding(unread, {"": op_location(call)}, call.name)
            return
        if kernel is None:
            return
        wrong = mismatch(call, kernel)
        if wrong:
            engine.report_finding(Finding("MV921", wrong), {"": op_location(call)}, call.name)
            return
        said = set()
        for operand in metadata_operands(call, kernel, provenance):
            for finding in run_checks(operand.facts):
                key = (finding, *operand.locations.items())
                if key not in said:
                    said.add(key)
                    engine.report_finding(finding, operand.locations, call.name)
