"""The pass `stablehlo-verify-platforms`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.platforms  # noqa: F401  (registers its check)
from mosaic_verify.dialects.megablox_carrier import CUSTOM_CALL, target
from mosaic_verify.dialects.stablehlo_provenance import CallPath, Provenance
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.ir.user_frames import user_location
from mosaic_verify.model.platforms import KERNEL_PLATFORMS, EmbeddedKernel
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import run_checks


@dataclass(frozen=True)
class StablehloVerifyPlatforms(Pass):
    """Verify that embedded kernels can run on the platforms that the module is exported for

    Without platforms there is nothing to compare with, and nothing is reported.

    Options:
      platforms: what the module is exported for, such as cuda,tpu.
    """

    name: ClassVar[str] = "stablehlo-verify-platforms"
    level: ClassVar[str] = "stablehlo"
    ops: ClassVar[tuple[str, ...]] = (CUSTOM_CALL,)
    read_only: ClassVar[bool] = True

    platforms: tuple[str, ...] = ()

    def run(self, op: ir.Operation, session: Session) -> None:
        if not self.platforms:
            return
        provenance = Provenance(op, lambda: session.ops(op, ("func.call",)))
        for call in session.ops(op, self.ops):
            if target(call) not in KERNEL_PLATFORMS:
                continue
            paths = provenance.call_paths(call)
            chosen = all(any(map(_chosen, (call, *path))) for path in paths)
            for finding in run_checks(EmbeddedKernel(target(call), self.platforms, chosen)):
                _report(finding, call, paths, session)


def _report(finding: Finding, call: ir.Operation, paths: list[CallPath], session: Session) -> None:
    """At the user's line for each chain of calls: kernels that JAX ships stand in functions of its own."""
    here = op_location(call)
    for place in dict.fromkeys(user_location(here, *map(op_location, path)) for path in paths):
        inside = () if place.file == here.file else (FindingNote("kernel", "the kernel is called here"),)
        told = replace(finding, notes=(*finding.notes, *inside))
        session.engine.report_finding(told, {"": place, "kernel": replace(here, callers=())}, call.name)


def _chosen(call: ir.Operation) -> bool:
    """True for an op below a `stablehlo.case`: JAX dispatches on the platform's index."""
    parent = call.parent
    while parent is not None:
        if parent.operation.name == "stablehlo.case":
            return True
        parent = parent.operation.parent
    return False
