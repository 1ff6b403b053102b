"""The StableHLO module around the kernels, as JAX has just lowered it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mosaic_verify.jax_hook import imports, state
from mosaic_verify.jax_hook.lowering import Lowering, entered, guarded
from mosaic_verify.jax_hook.patches import Level, Patch

_NAME = "host"
_PREFIXES = ("stablehlo-", "megablox-", "block-sparse-")


def _wrap(original: Callable[..., Any]) -> Callable[..., Any]:
    """`mlir.lower_jaxpr_to_module`: every lowering of a jitted function comes through here, kernels included."""

    def lower_jaxpr_to_module(*args: Any, **kwargs: Any) -> Any:
        current = state.current()
        if current is None:
            return original(*args, **kwargs)
        guarded(_NAME, imports.flush)
        with entered(_NAME, current) as lowering:
            result = original(*args, **kwargs)
            if lowering is not None:
                guarded(_NAME, _verify, lowering, result)
            return result

    return lower_jaxpr_to_module


def _verify(lowering: Lowering, result: Any) -> None:
    from mosaic_verify.jax_hook import level_passes

    level_passes.process(lowering, result.module.operation, _PREFIXES, _NAME)
    lowering.enforce()


LEVEL = Level(_NAME, (Patch("jax._src.interpreters.mlir", "lower_jaxpr_to_module", _wrap),))
