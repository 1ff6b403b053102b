"""The pass `stablehlo-format-sparse-metadata`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.stablehlo_constants import constant_behind
from mosaic_verify.dialects.stablehlo_kernel import (
    CUSTOM_CALL,
    KernelFacts,
    UnreadableKernel,
    is_mosaic_call,
    mismatch,
    sparse_kernel_facts,
)
from mosaic_verify.dialects.stablehlo_metadata import ViewedOperand, metadata_operands
from mosaic_verify.dialects.stablehlo_metadata_rewrite import Conversion, conversion, convert, is_wide, narrow
from mosaic_verify.dialects.stablehlo_provenance import Provenance
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.rules.finding import Finding, FindingNote


@dataclass(frozen=True)
class StablehloFormatSparseMetadata(Pass):
    """Lay sparse metadata out as the sparse MMAs of embedded Mosaic GPU kernels need it

    Exact where the present layout is proved (metadata in the other width's format), otherwise repairing: metadata that
    was only reshaped is laid out, integers of a wider type are converted, and a warning says so. Constants are folded.
    Metadata that is right, or whose layout is not known, stays as it is.

    Options:
      exact: only conversions between proved layouts.
    """

    exact: bool = False

    name: ClassVar[str] = "stablehlo-format-sparse-metadata"
    level: ClassVar[str] = "stablehlo"
    ops: ClassVar[tuple[str, ...]] = (CUSTOM_CALL,)

    def run(self, op: ir.Operation, session: Session) -> None:
        provenance = Provenance(op, lambda: session.ops(op, ("func.call",)))
        for call in session.ops(op, self.ops):
            if not is_mosaic_call(call):
                continue
            try:
                kernel = sparse_kernel_facts(call, session.known)
            except UnreadableKernel:
                continue  # stablehlo-verify-sparse-metadata reports it
            if kernel is not None and not mismatch(call, kernel):
                self._call(call, kernel, session, provenance)

    def _call(self, call: ir.Operation, kernel: KernelFacts, session: Session, provenance: Provenance) -> None:
        seen: dict[int, list[ViewedOperand]] = {}
        for operand in metadata_operands(call, kernel, provenance):
            seen.setdefault(operand.facts.index, []).append(operand)
        for index, operands in seen.items():
            narrowed = self._narrow(call, operands[0], session)
            needed = {conversion(operand.facts) for operand in operands}
            if len(needed) != 1:
                continue  # different callers pass different layouts
            (what,) = needed
            if what is None or (self.exact and what.kind != "exact"):
                continue
            if session.engine.ignores(what.code, operands[0].locations[""]):
                continue
            before = call.operands[index]
            if len(operands) == 1 and not narrowed:
                call.operands[index] = convert(call, operands[0], what)
            else:
                call.operands[index] = convert(call, _whole(operands[0], before, provenance), what)
            if not _is_right(call, index, kernel, provenance):
                call.operands[index] = before
                continue
            _tell(call, operands[0], what, session, self.name)

    def _narrow(self, call: ir.Operation, operand: ViewedOperand, session: Session) -> bool:
        """Converts an operand of a wider integer type: exactly, where its values are known to be 0 to 3."""
        constant = operand.facts.constant
        known = constant_behind(operand.node).values is not None
        if (self.exact and not known) or (constant is not None and constant.out_of_range is not None):
            return False
        index = operand.facts.index
        before = call.operands[index].type
        if not is_wide(call.operands[index]) or session.engine.ignores("MV301", operand.locations[""]):
            return False
        value = narrow(call, call.operands[index])
        call.operands[index] = value
        message = f"converted metadata operand {index} from {before} to {value.type}"
        kind = "exact" if known else "repairing"
        _tell(call, operand, Conversion("MV301", kind, message, None, 0), session, self.name)
        return True


def _whole(operand: ViewedOperand, value: ir.Value, provenance: Provenance) -> ViewedOperand:
    """The operand as the call has it, where what was viewed is a part of it, or one of several callers' values."""
    return ViewedOperand(operand.facts, operand.call, value, provenance.node(value))


def _is_right(call: ir.Operation, index: int, kernel: KernelFacts, provenance: Provenance) -> bool:
    """Verifies the result: what the kernel gets now is in its format, along every chain of calls."""
    operands = [o for o in metadata_operands(call, kernel, provenance) if o.facts.index == index]
    return all(
        operand.node.kind == "root" or any(operand.facts.wanted in laid.formats for laid in operand.facts.laid)
        for operand in operands
    )


def _tell(call: ir.Operation, operand: ViewedOperand, what: Conversion, session: Session, name: str) -> None:
    location = op_location(call)
    session.engine.rewrote(Rewrite(what.kind, name, what.message, location, what.code))
    if what.kind == "repairing":
        note = FindingNote("source", f"the metadata comes from {operand.facts.source}")
        finding = Finding(what.code, what.message, notes=(note,), severity="warning")
        session.engine.report_finding(finding, operand.locations, call.name)
