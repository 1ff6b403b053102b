"""What passes over kernels of the `plgpu` dialect share: kernels are read, and rules run, once for all of them.

Notes name the refs that findings are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from jaxlib.mlir import ir

import mosaic_verify.rules.tmem
import mosaic_verify.rules.transforms  # noqa: F401  (these register their checks)
from mosaic_verify.diagnostics.engine import Engine, locate
from mosaic_verify.dialects.mosaic_gpu_options import architecture
from mosaic_verify.dialects.plgpu import string
from mosaic_verify.dialects.plgpu_form import malformed
from mosaic_verify.dialects.plgpu_view import OPS, KernelView, kernel_views
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Session
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import run_checks
from mosaic_verify.rules.sparse_mma import check_kernel
from mosaic_verify.rules.unknown_parts import UnknownPart

UNKNOWN = ("plgpu.unknown_primitive", "plgpu.unknown_transform")


class ReadsPlgpu:
    """Mixed into passes: ops that cannot be read are reported as malformed."""

    def malformed(self, op: ir.Operation) -> Sequence[tuple[ir.Operation, str]]:
        """See `ir.passes.Pass.malformed`."""
        return malformed(op)


Judged = list[tuple[KernelView, list[Finding]]]


def judged(root: ir.Operation, session: Session, arch: str = "") -> Judged:
    """Each kernel below `root` with all findings about it, one for each cause.

    Args:
      arch: option of a pass; "" takes the architecture that the kernel names.
    """

    def judge() -> Judged:
        views = kernel_views(root, session.ops(root, OPS), arch=architecture(arch))
        return [(view, check_kernel(view.facts, run_checks(view.facts))) for view in views]

    return session.memo(root, ("plgpu", arch), judge)


def report(view: KernelView, findings: Iterable[Finding], engine: Engine) -> None:
    """Reports findings about `view.facts`. The primary location is that of the op which JAX refuses."""
    for finding in findings:
        place = finding.place
        while place and place not in view.op_names:
            place = place[: max(place.rfind("."), 0)]
        engine.report_finding(_naming(view, finding), view.locations, view.op_names.get(place, ""))


def report_unknown(ops: Iterable[ir.Operation], engine: Engine) -> None:
    """Names each primitive and transform class that nobody here knows, at its first use."""
    said = set()
    for op in ops:
        part = UnknownPart(
            "transform" if op.name == "plgpu.unknown_transform" else "primitive",
            string(op, "class") or string(op, "name") or "",
        )
        if part not in said:
            said.add(part)
            for finding in run_checks(part):
                engine.report_finding(finding, {"": op_location(op)}, op.name)


def _naming(view: KernelView, finding: Finding) -> Finding:
    """The finding with a note that says which ref its operand is, where JAX knows the ref's name."""
    chain = view.chains.get(finding.place)
    where = f"{finding.place}.allocation"
    if chain is None or not chain.chain.name or any(note.place.startswith(where) for note in finding.notes):
        return finding
    function = locate(where, view.locations).name
    scratch = f", scratch of `{function}`" if function else ""
    return replace(finding, notes=(*finding.notes, FindingNote(where, f"`{chain.chain.name}`{scratch}")))
