"""The pass `stablehlo-extract-kernels`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_kernel import (
    CUSTOM_CALL,
    UnreadableKernel,
    is_mosaic_call,
    kernel_bytes,
    read_kernel,
)
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.rules.finding import Finding


@dataclass(frozen=True)
class StablehloExtractKernels(Pass):
    """Replace the content of the module by the Mosaic GPU kernels that its custom calls carry

    Each kernel becomes a nested module, lowered as it is stored, named `kernel_0`, `kernel_1`, ... in the order of
    their first call; equal ones appear once. The result can be read, and given to passes on lowered kernels.
    """

    name: ClassVar[str] = "stablehlo-extract-kernels"
    level: ClassVar[str] = "stablehlo"
    ops: ClassVar[tuple[str, ...]] = (CUSTOM_CALL,)
    automatic: ClassVar[bool] = False

    def run(self, op: ir.Operation, session: Session) -> None:
        kernels: dict[bytes, ir.Operation] = {}
        for call in session.ops(op, self.ops):
            if not is_mosaic_call(call):
                continue
            try:
                data = kernel_bytes(call)
                if data not in kernels:
                    kernels[data] = read_kernel(data, op.context)
            except UnreadableKernel as error:
                finding = Finding("MV920", f"carries a kernel that cannot be extracted: {error}")
                session.engine.report_finding(finding, {"": op_location(call)}, call.name)
        block = op.regions[0].blocks[0]
        for child in list(block.operations):
            child.operation.erase()
        for number, kernel in enumerate(kernels.values()):
            copy = kernel.clone(ip=ir.InsertionPoint(block))
            copy.attributes["sym_name"] = ir.StringAttr.get(f"kernel_{number}")
