"""From a Pallas kernel to the custom call that carries it: what only the jaxpr tells is kept for the host level."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

from mosaic_verify.jax_hook import state
from mosaic_verify.jax_hook.lowering import guarded
from mosaic_verify.jax_hook.patches import Level, Patch

_NAME = "embedded"
_local = threading.local()  # widths of the kernel that this thread has lowered last, until its custom call is made


def _wrap_kernel(original: Callable[..., Any]) -> Callable[..., Any]:
    """`lowering.lower_jaxpr_to_module` of Pallas Mosaic GPU; JAX makes the custom call right behind it."""
    signature = inspect.signature(original)

    def lower_jaxpr_to_module(*args: Any, **kwargs: Any) -> Any:
        _local.widths = None
        result = original(*args, **kwargs)
        if state.current() is not None:
            _local.widths = guarded(_NAME, _widths, signature.bind(*args, **kwargs).arguments["jaxpr"])
        return result

    return lower_jaxpr_to_module


def _widths(jaxpr: Any) -> dict[int, int]:
    from mosaic_verify.jax_hook.metadata_widths import argument_widths

    return argument_widths(jaxpr)


def _wrap_call(original: Callable[..., Any]) -> Callable[..., Any]:
    """`core._mosaic_gpu_lowering_rule`, which serialises the kernel."""

    def lowering_rule(*args: Any, **kwargs: Any) -> Any:
        widths = getattr(_local, "widths", None)
        _local.widths = None
        results = original(*args, **kwargs)
        if widths:
            guarded(_NAME, _remember, results, widths)
        return results

    return lowering_rule


def _remember(results: Any, widths: dict[int, int]) -> None:
    from mosaic_verify.dialects.stablehlo_kernel import remember_widths

    call = results[0].owner
    if call.name == "stablehlo.custom_call":
        remember_widths(call, widths)


LEVEL = Level(
    _NAME,
    (
        Patch("jax._src.pallas.mosaic_gpu.lowering", "lower_jaxpr_to_module", _wrap_kernel, ("jaxpr",)),
        Patch("jax.experimental.mosaic.gpu.core", "_mosaic_gpu_lowering_rule", _wrap_call, ("module",)),
    ),
)
