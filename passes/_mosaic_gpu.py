"""What passes over Mosaic GPU kernels share: reading kernels, and reporting findings with the op's name."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.dialects.mosaic_gpu import OPS, KernelView, kernel_views
from mosaic_verify.dialects.mosaic_gpu_options import architecture, version
from mosaic_verify.ir.passes import Session
from mosaic_verify.rules.finding import Finding


def views_of(root: ir.Operation, session: Session, *, jax: str = "", arch: str = "") -> list[KernelView]:
    """The kernels below `root`, read once for all passes that ask with the same options.

    Args:
      jax, arch: options of a pass; "" takes the installed version, and the architecture that the module names.
    """
    return session.memo(
        root,
        ("mosaic_gpu", jax, arch),
        lambda: kernel_views(session.ops(root, OPS), jax=version(jax), arch=architecture(arch)),
    )


def report(view: KernelView, findings: Iterable[Finding], engine: Engine) -> None:
    """Reports findings in the order of their ops."""
    for finding in findings:
        place = finding.place
        while place and place not in view.op_names:
            place = place[: max(place.rfind("."), 0)]
        engine.report_finding(finding, view.locations, view.op_names.get(place, ""))
