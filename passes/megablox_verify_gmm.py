"""The pass `megablox-verify-gmm`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.gmm_arguments
import mosaic_verify.rules.gmm_values  # noqa: F401  (registers its checks)
from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.dialects.megablox import GMM, TGMM, MalformedOp, view
from mosaic_verify.dialects.megablox_carrier import CUSTOM_CALL, aliases, carrier, in_context
from mosaic_verify.dialects.stablehlo_provenance import Provenance
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.ir.user_frames import user_location
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.page import load_rule
from mosaic_verify.rules.registry import run_checks

CALL = "func.call"


@dataclass(frozen=True)
class MegabloxVerifyGmm(Pass):
    """Verify calls of megablox gmm and tgmm, and aliased results of custom calls

    Reads `megablox.gmm`, `megablox.tgmm` and what JAX makes of them, `stablehlo.custom_call @tpu_custom_call`.
    """

    name: ClassVar[str] = "megablox-verify-gmm"
    level: ClassVar[str] = "megablox"
    ops: ClassVar[tuple[str, ...]] = (GMM, TGMM, CUSTOM_CALL)
    read_only: ClassVar[bool] = True

    def run(self, op: ir.Operation, session: Session) -> None:
        provenance = Provenance(op, lambda: session.ops(op, (CALL,)))
        for call in session.ops(op, self.ops):
            if call.name == CUSTOM_CALL:
                self._custom_call(call, provenance, session)
                continue
            try:
                viewed = view(call)
            except MalformedOp as error:
                session.engine.report_finding(Finding("MV430", str(error)), {"": op_location(call)}, call.name)
                continue
            for finding in run_checks(viewed.facts):
                session.engine.report_finding(finding, viewed.locations, call.name)

    def _custom_call(self, call: ir.Operation, provenance: Provenance, session: Session) -> None:
        aliased = aliases(call)
        if aliased is not None:
            for finding in run_checks(aliased):
                session.engine.report_finding(finding, {"": op_location(call)}, call.name)
        facts = carrier(call)
        if facts is None:
            return
        # The custom call stands in megablox's own code: what calls its function is the user's line.
        reported: set[tuple[Finding, Location]] = set()
        for path in provenance.call_paths(call):
            here = user_location(*map(op_location, (*path, call)))
            found = list(run_checks(in_context(facts, call, provenance, path)))
            if any(load_rule(finding.code).raises for finding in found):
                return  # megablox refuses it before it lowers anything: a kernel of somebody else's by that name
            for finding in found:
                if (finding, here) not in reported:
                    reported.add((finding, here))
                    session.engine.report_finding(finding, {"": here}, f"megablox.{facts.kind}")
