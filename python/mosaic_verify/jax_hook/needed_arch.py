"""Which architecture and platform a traced program was written for."""

from __future__ import annotations

from typing import Any

from mosaic_verify.jax_hook.jaxprs import nested_jaxprs

DEFAULT = "sm_100a"
HOPPER = "sm_90a"
_PALLAS = "jax._src.pallas."


def needed_arch(jaxpr: Any) -> str:
    """sm_90a for a program with Hopper's `wgmma` and without tcgen05, else sm_100a."""
    names = {equation.primitive.name for present in nested_jaxprs(jaxpr) for equation in present.eqns}
    wgmma = any(name.startswith("wgmma") for name in names)
    tcgen05 = any("tcgen05" in name or "tmem" in name for name in names)
    return HOPPER if wgmma and not tcgen05 else DEFAULT


def needed_platform(jaxpr: Any) -> str:
    """ "tpu" for a program with kernels of Mosaic TPU and none of another kind, else "cuda".

    The class of a kernel's `compiler_params`, or of its mesh, tells; a kernel without either runs anywhere.
    """
    kinds = {
        type(value).__module__.startswith(f"{_PALLAS}mosaic.")
        for present in nested_jaxprs(jaxpr)
        for equation in present.eqns
        for value in (equation.params.get("compiler_params"), equation.params.get("mesh"))
        if type(value).__module__.startswith(_PALLAS)
    }
    return "tpu" if kinds == {True} else "cuda"
