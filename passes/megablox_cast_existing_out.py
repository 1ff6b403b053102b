"""The pass `megablox-cast-existing-out`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.megablox import GMM, TGMM, readable
from mosaic_verify.dialects.megablox_rewrite import convert, set_operand
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.elements import is_widening, jax_name
from mosaic_verify.rules.finding import Finding, FindingNote


@dataclass(frozen=True)
class MegabloxCastExistingOut(Pass):
    """Convert existing_out of megablox calls to preferred_element_type

    Exact where the new type holds every value of the old one, otherwise repairing: values are rounded, and a warning
    says so. Either way the caller's buffer is no longer updated in place.

    Options:
      exact: only widen.
    """

    exact: bool = False

    name: ClassVar[str] = "megablox-cast-existing-out"
    level: ClassVar[str] = "megablox"
    ops: ClassVar[tuple[str, ...]] = (GMM, TGMM)

    def run(self, op: ir.Operation, session: Session) -> None:
        for viewed in readable(session.ops(op, self.ops)):
            call = viewed.op
            facts = viewed.facts
            out = facts.existing_out
            if out is None or facts.preferred is None or out.element == facts.preferred:
                continue
            exact = is_widening(out.element, facts.preferred)
            if not exact and (self.exact or session.engine.ignores("MV401", viewed.locations[""])):
                continue
            wanted = ir.TypeAttr(call.attributes["preferred_element_type"]).value
            set_operand(viewed, "existing_out", convert(viewed.operands["existing_out"], wanted, call))
            message = f"converted existing_out from {out.element} to {facts.preferred}"
            if not exact:
                session.engine.report_finding(_rounded(out.element, facts.preferred), viewed.locations, call.name)
            kind = "exact" if exact else "repairing"
            session.engine.rewrote(Rewrite(kind, self.name, message, viewed.locations[""], "MV401"))


def _rounded(old: str, new: str) -> Finding:
    return Finding(
        "MV401",
        f"existing_out was converted from {jax_name(old)} to {jax_name(new)}: values are rounded, and the caller's "
        "buffer is no longer updated in place",
        "existing_out",
        notes=(FindingNote("", f"preferred_element_type=jnp.{jax_name(old)} keeps the buffer as it is"),),
        severity="warning",
    )
