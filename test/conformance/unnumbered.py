"""Serialised Mosaic GPU kernels without the number that JAX 0.11 gives each module of a process.

MLIR's dump options name a module by a number (`mosaic_gpu.dump_basename`), and JAX 0.11 leaves that name in the kernel
that it stores, so that two lowerings of one program differ. JAX 0.12 empties the attribute before it writes the kernel
(`_mosaic_gpu_lowering_rule` in `jax/experimental/mosaic/gpu/core.py`), and JAX 0.10 has none. With the attribute
emptied here, whole texts can be compared with every JAX: nothing else about a kernel is left out.
"""

from __future__ import annotations

import functools
from typing import Any

import jax.experimental.mosaic.gpu.core as mgpu_core
from jaxlib.mlir import ir

_NAME = "mosaic_gpu.dump_basename"


def apply() -> None:
    """Empties the attribute in every kernel that this process serialises from now on."""
    original = mgpu_core._run_serde_pass
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def without_number(*args: Any, **kwargs: Any) -> ir.Module:
        module = original(*args, **kwargs)
        attributes = module.operation.attributes
        if _NAME in attributes:
            with module.context:
                attributes[_NAME] = ir.UnitAttr.get()
        return module

    mgpu_core._run_serde_pass = without_number
