"""The StableHLO module around the kernels, as JAX has just lowered it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mosaic_verify.jax_hook import imports, state
from mosaic_verify.jax_hook.lowering import Lowering, entered, guarded
from mosaic_verify.jax_hook.patches import Level, Patch

_NAME = "host"
_PREFIXES = ("stablehlo-", "megablox-", "block-sparse-")
_FEW_OPS = 32
_FEW_ELEMENTS = 4096


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

    # Most programs have no kernel that we know something about, and are done sooner than they are compared.
    remember = bool(lowering.known) and _is_small(result.module)
    # It is the last level: remarks that nobody hears keep nothing from being said, and are soon told again.
    quiet = not lowering.hears_remarks
    level_passes.process(lowering, result.module.operation, _PREFIXES, _NAME, remember=remember, quiet=quiet)
    lowering.enforce()


def _is_small(module: Any) -> bool:
    """True for a few plain ops without large constants: they are compared sooner than they are verified."""
    count = 0
    for function in module.body.operations:
        for block in function.regions[0].blocks if len(function.regions) else ():
            for op in block.operations:
                count += 1
                if count > _FEW_OPS or len(op.regions) or any(map(_is_large, op.results)):
                    return False
    return True


def _is_large(value: Any) -> bool:
    """True for a result of a constant that takes long to write down."""
    return value.owner.name == "stablehlo.constant" and math.prod(value.type.shape) > _FEW_ELEMENTS


LEVEL = Level(_NAME, (Patch("jax._src.interpreters.mlir", "lower_jaxpr_to_module", _wrap),))
