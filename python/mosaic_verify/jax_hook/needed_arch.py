"""Which architecture a traced program was written for."""

from __future__ import annotations

from typing import Any

from mosaic_verify.jax_hook.jaxprs import nested_jaxprs

DEFAULT = "sm_100a"
HOPPER = "sm_90a"


def needed_arch(jaxpr: Any) -> str:
    """sm_90a for a program with Hopper's `wgmma` and without tcgen05, else sm_100a."""
    names = {equation.primitive.name for present in nested_jaxprs(jaxpr) for equation in present.eqns}
    wgmma = any(name.startswith("wgmma") for name in names)
    tcgen05 = any("tcgen05" in name or "tmem" in name for name in names)
    return HOPPER if wgmma and not tcgen05 else DEFAULT
