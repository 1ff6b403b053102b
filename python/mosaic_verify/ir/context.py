"""MLIR contexts with every dialect that jaxlib ships."""

from __future__ import annotations

import threading

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import (
    _chlo,
    _jax_mlir_ext,
    _mlirHlo,
    _mosaic_gpu_ext,
    _sdy,
    _stablehlo,
    _tpu_ext,
    _triton_ext,
)

_local = threading.local()


def make_context(*, unregistered: bool = False, mosaic_gpu: bool = True) -> ir.Context:
    """A new context without threads (about 2 ms).

    Args:
      unregistered: allow dialects that nobody registered.
      mosaic_gpu: register Mosaic GPU; without it its ops parse as unregistered ones and its verifier never runs.
    """
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    extensions = (_stablehlo, _chlo, _sdy, _triton_ext, _tpu_ext) + ((_mosaic_gpu_ext,) if mosaic_gpu else ())
    for extension in extensions:
        extension.register_dialect(context)
    _mlirHlo.register_mhlo_dialect(context)  # HLO that XLA has optimised comes back with attributes of it
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = unregistered
    return context


def thread_context() -> ir.Context:
    """The context of this thread, made once; it allows unregistered dialects, as our own dialects need."""
    context = getattr(_local, "context", None)
    if context is None:
        context = _local.context = make_context(unregistered=True)
    return context
