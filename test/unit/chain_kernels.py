"""Real kernels around a chain: what JAX says about it."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import sparse_mma
from jax import lax
from jax.experimental import pallas as pl

JAX = tuple(int(part) for part in jax.__version__.split(".")[:3])
_DTYPES = {"i2": jnp.int2, "ui2": jnp.uint2, "bf16": jnp.bfloat16, "f16": jnp.float16}


def run_time(start):
    """A run-time start as the kernel computes it: block index times a visible factor, or a promise."""
    value = lax.axis_index("block")
    if start.multiple_of != 1:
        return value * start.multiple_of
    return pl.multiple_of(value, start.promised) if start.promised != 1 else value


def apply(ref, steps):
    """A Pallas ref behind `steps`."""
    for step in steps:
        match type(step).__name__:
            case "Transpose":
                ref = ref.transpose(step.permutation)
            case "Reshape":
                ref = ref.reshape(*step.shape)
            case "Bitcast":
                ref = ref.bitcast(_DTYPES[step.element])
            case "Slice":
                at = []
                for dim, (start, size, stride) in enumerate(zip(step.starts, step.sizes, step.strides, strict=True)):
                    first = start if isinstance(start, int) else run_time(start)
                    at.append(first if dim in step.dropped else pl.ds(first, size, stride))
                ref = ref.at[tuple(at)]
            case other:
                raise NotImplementedError(other)
    return ref


def at(steps):
    """The hook of `sparse_mma.kernel` that applies `steps`."""
    return lambda ref: apply(ref, steps)


def refusal(semantics, **options):
    """What JAX raises when it lowers `sparse_mma.kernel(semantics, **options)`, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fn, args = sparse_mma.kernel(semantics, **options)
            jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))
        except Exception as error:
            return error
    return None
