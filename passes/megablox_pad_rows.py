"""The pass `megablox-pad-rows`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.megablox import GMM, TGMM, GroupedMatmulView, readable, view
from mosaic_verify.dialects.megablox_rewrite import pad_rows, replace_result, set_operand, slice_rows, tensor
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.rules.finding import Finding

# megablox's own default (`gmm.py` `gmm`, 0.10.2 and 0.12.0).
DEFAULT_TILING = (128, 128, 128)


@dataclass(frozen=True)
class MegabloxPadRows(Pass):
    """Pad the rows of megablox calls to a multiple of tm, and give calls without tiling the default one

    Zero rows are appended to lhs (and existing_out, and rhs of tgmm) and sliced off the result; group_sizes stay as
    they are, so that no group owns the new rows.
    """

    name: ClassVar[str] = "megablox-pad-rows"
    level: ClassVar[str] = "megablox"
    ops: ClassVar[tuple[str, ...]] = (GMM, TGMM)
    kind: ClassVar[str] = "repairing"

    def run(self, op: ir.Operation, session: Session) -> None:
        for viewed in readable(session.ops(op, self.ops)):
            call = viewed.op
            if viewed.facts.tiling == ():
                call.attributes["tiling"] = ir.DenseI64ArrayAttr.get(list(DEFAULT_TILING), context=call.context)
                self._report(viewed, session, "MV403", f"the call has no tiling: it was given {DEFAULT_TILING}")
                viewed = view(call)
            self._pad(viewed, session)

    def _pad(self, viewed: GroupedMatmulView, session: Session) -> None:
        facts, call = viewed.facts, viewed.op
        m, tiling = facts.m, facts.tiling
        if m is None or not tiling or len(tiling) != 3 or min(tiling) <= 0 or m % tiling[0] == 0:
            return
        if session.engine.ignores("MV414", viewed.locations[""]):
            return
        if facts.kind == "gmm" and (facts.existing_out is not None and facts.existing_out.shape != facts.out_shape):
            return
        if facts.kind == "tgmm" and facts.rhs.shape[:1] != (m,):
            return
        extra = -m % tiling[0]
        padded = {"gmm": (("lhs", 0), ("existing_out", 0)), "tgmm": (("lhs", 1), ("rhs", 0))}[facts.kind]
        if not _can_pad([viewed.operands[name] for name, _ in padded if name in viewed.operands], call):
            return
        if facts.kind == "gmm" and list(call.results[0].type.shape)[:1] != [m]:
            return  # no call that megablox could have made
        for name, dim in padded:
            if name in viewed.operands:
                set_operand(viewed, name, pad_rows(viewed.operands[name], extra, dim, call))
        self._report(
            viewed, session, "MV414", f"{extra} zero rows were appended, since tm={tiling[0]} does not divide m={m}"
        )
        rows = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), extra)
        call.attributes["padded_rows"] = rows
        if facts.kind == "gmm":
            old = call.results[0].type
            wide = tensor([m + extra, *list(old.shape)[1:]], old.element_type)
            replace_result(viewed, wide, lambda value, at: slice_rows(value, m, at))

    def _report(self, viewed: GroupedMatmulView, session: Session, code: str, message: str) -> None:
        session.engine.report_finding(Finding(code, message, severity="warning"), viewed.locations, viewed.op.name)
        session.engine.rewrote(Rewrite("repairing", self.name, message, viewed.locations[""], code))


def _can_pad(operands: list[ir.Value], call: ir.Operation) -> bool:
    """Static operands of numbers, and the one result that such a call has."""
    kinds = [value.type for value in (*operands, *call.results)]
    return len(call.results) == 1 and all(
        isinstance(kind, ir.RankedTensorType)
        and kind.has_static_shape
        and isinstance(kind.element_type, ir.FloatType | ir.IntegerType)
        for kind in kinds
    )
