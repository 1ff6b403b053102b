"""The pass `megablox-cast-existing-out`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.megablox import GMM, TGMM, MalformedOp, view
from mosaic_verify.dialects.megablox_rewrite import convert, set_operand
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.elements import jax_name
from mosaic_verify.rules.finding import Finding, FindingNote


@dataclass(frozen=True)
class MegabloxCastExistingOut(Pass):
    """Convert existing_out of megablox calls to preferred_element_type

    Repairing: values are rounded where the new type is narrower, and the caller's buffer is no longer updated in place; a
    warning says so.
    """

    name: ClassVar[str] = "megablox-cast-existing-out"
    level: ClassVar[str] = "megablox"
    ops: ClassVar[tuple[str, ...]] = (GMM, TGMM)

    def run(self, op: ir.Operation, session: Session) -> None:
        for call in session.ops(op, self.ops):
            try:
                viewed = view(call)
            except MalformedOp:
                continue  # megablox-verify-gmm reports it
            facts = viewed.facts
            out = facts.existing_out
            if out is None or facts.preferred is None or out.element == facts.preferred:
                continue
            wanted = ir.TypeAttr(call.attributes["preferred_element_type"]).value
            set_operand(viewed, "existing_out", convert(viewed.operands["existing_out"], wanted, call))
            finding = Finding(
                "MV401",
                f"existing_out was converted from {jax_name(out.element)} to {jax_name(facts.preferred)}: values are rounded, "
                "and the caller's buffer is no longer updated in place",
                "existing_out",
                notes=(
                    FindingNote("", f"preferred_element_type=jnp.{jax_name(out.element)} keeps the buffer as it is"),
                ),
                severity="warning",
            )
            session.engine.report_finding(finding, viewed.locations, call.name)
            session.engine.rewrote(
                Rewrite(
                    "repairing",
                    self.name,
                    f"converted existing_out from {out.element} to {facts.preferred}",
                    viewed.locations[""],
                    "MV401",
                )
            )
