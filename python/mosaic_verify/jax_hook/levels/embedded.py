"""From a Pallas kernel to the custom call that carries it: what is known of the kernel is kept for the host level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mosaic_verify.jax_hook import state
from mosaic_verify.jax_hook.lowering import guarded, present
from mosaic_verify.jax_hook.patches import Level, Patch

_NAME = "embedded"


def _wrap(original: Callable[..., Any]) -> Callable[..., Any]:
    """`core._mosaic_gpu_lowering_rule`, which serialises the kernel: here it need not be read back."""

    def lowering_rule(*args: Any, **kwargs: Any) -> Any:
        results = original(*args, **kwargs)
        if state.current() is not None:
            guarded(_NAME, _remember, results, kwargs["module"])
        return results

    return lowering_rule


def _remember(results: Any, module: Any) -> None:
    """Facts about the kernel of the call that made `results`; `module` is the kernel before it is serialised."""
    lowering = present()
    if lowering is None or lowering.kernel is None:
        return
    from mosaic_verify.dialects.stablehlo_kernel import inspect, remember, serialised

    (record, description, parameters), lowering.kernel = lowering.kernel, None
    call = results[0].owner
    if not record.sparse or call.name != "stablehlo.custom_call":
        return
    # With space for a profile, a kernel has one argument more; a mode may have rewritten the module behind the jaxpr.
    key = (description, parameters, lowering.state.mode)
    facts = record.facts.get(key)
    if facts is None:
        facts = replace(inspect(module.operation), argument_bits=record.widths)
        record.remember(key, facts)
    lowering.known[serialised(call)] = facts
    if facts.argument_bits:  # an exported program is lowered without the kernel's jaxpr
        remember(call, facts)


LEVEL = Level(_NAME, (Patch("jax.experimental.mosaic.gpu.core", "_mosaic_gpu_lowering_rule", _wrap, ("module",)),))
