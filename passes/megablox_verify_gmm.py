"""The pass `megablox-verify-gmm`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.gmm_arguments
import mosaic_verify.rules.gmm_values  # noqa: F401  (registers its checks)
from mosaic_verify.dialects.megablox import GMM, TGMM, MalformedOp, view
from mosaic_verify.dialects.megablox_carrier import CUSTOM_CALL, aliases, carrier, enclosing_function, with_constants
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.rules.finding import Finding
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
        for call in session.ops(op, self.ops):
            if call.name == CUSTOM_CALL:
                self._custom_call(call, op, session)
                continue
            try:
                viewed = view(call)
            except MalformedOp as error:
                session.engine.report_finding(Finding("MV430", str(error)), {"": op_location(call)}, call.name)
                continue
            for finding in run_checks(viewed.facts):
                session.engine.report_finding(finding, viewed.locations, call.name)

    def _custom_call(self, call: ir.Operation, root: ir.Operation, session: Session) -> None:
        aliased = aliases(call)
        if aliased is not None:
            for finding in run_checks(aliased):
                session.engine.report_finding(finding, {"": op_location(call)}, call.name)
        facts = carrier(call)
        if facts is None:
            return
        # The custom call stands in megablox's own code: what calls its function is the user's line.
        callee = enclosing_function(call)
        users = [one for one in session.ops(root, (CALL,)) if _callee(one) == callee]
        for user in users or [call]:
            viewed = with_constants(facts, user) if users else facts
            for finding in run_checks(viewed):
                session.engine.report_finding(finding, {"": op_location(user)}, f"megablox.{facts.kind}")


def _callee(call: ir.Operation) -> str:
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value
