"""Kernels in modules that are exported for platforms which cannot run them."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.platforms import KERNEL_PLATFORMS, EmbeddedKernel
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check


@check(EmbeddedKernel, "MV901")
def kernel_platform(kernel: EmbeddedKernel) -> Iterator[Finding]:
    """JAX refuses compiler params of another platform while it lowers; in a finished module nobody looks any more."""
    lacking = kernel.lacking
    if lacking:
        able = " or ".join(KERNEL_PLATFORMS[kernel.target])
        yield Finding(
            "MV901",
            f"@{kernel.target} holds a kernel for {able}, but the module is exported for {', '.join(lacking)}",
            notes=(FindingNote("", "compiler_params choose the backend: their class must be that of the platform"),),
        )
