"""Kernels as the `mosaic_gpu` modules that JAX makes of them, before its verifier runs."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator

import jax
import jax.experimental.mosaic.gpu.core as mgpu_core
from jaxlib.mlir import ir

ModuleConsumer = Callable[[ir.Operation], None]


@contextlib.contextmanager
def captured(consume: ModuleConsumer, finished: ModuleConsumer | None = None) -> Iterator[None]:
    """Calls `consume` with each module that Mosaic GPU builds: complete, unverified, blocks without terminators.

    `finished` sees it once more with its terminators, whether or not JAX's verifier refused it.
    """
    original = mgpu_core._lower_as_gpu_kernel

    def lower(body, *args, **kwargs):
        modules = []

        def wrapped(*refs, **named):
            result = body(*refs, **named)
            op = ir.InsertionPoint.current.block.owner.operation
            while op.parent is not None:
                op = op.parent.operation
            consume(op)
            modules.append(op)
            return result

        try:
            return original(wrapped, *args, **kwargs)
        finally:
            for module in modules if finished is not None else ():
                finished(module)

    mgpu_core._lower_as_gpu_kernel = lower
    try:
        yield
    finally:
        mgpu_core._lower_as_gpu_kernel = original


def lower(fn, args, consume: ModuleConsumer, finished: ModuleConsumer | None = None) -> BaseException | None:
    """Lowers `fn` for CUDA and hands its modules to `consume`. Returns what JAX raised, or None."""
    with captured(consume, finished), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))
        except Exception as error:  # whatever JAX raises is the verdict
            return error
    return None
