"""Real kernels around a chain: what JAX says about it."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import sparse_mma
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

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


def batched_b(semantics, steps):
    """Lowered text of a sparse MMA whose B is `steps` over a (2, 128, 128) ref, or None where JAX refuses."""

    def body(a_gmem, b_gmem, meta_gmem, out, a_smem, b_smem, meta_smem, loaded, done, acc, meta):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, loaded)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem.at[0], loaded)
        plgpu.copy_gmem_to_smem(meta_gmem, meta_smem, loaded)
        plgpu.barrier_wait(loaded)
        plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta)
        plgpu.tcgen05_mma(acc, a_smem, apply(b_smem, steps), done, a_sparse_metadata=meta, accumulate=False)
        plgpu.barrier_wait(done)
        out[...] = plgpu.async_load_tmem(acc)

    tiles = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))
    scratch = dict(
        a_smem=plgpu.SMEM((128, 64), jnp.float16, transforms=tiles),
        b_smem=plgpu.SMEM((2, 128, 128), jnp.float16, transforms=tiles),
        meta_smem=plgpu.SMEM((1, 1, 128, 64), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3),
        done=plgpu.Barrier(orders_tensor_core=True),
        acc=plgpu.TMEM((128, 128), jnp.float32),
        meta=plgpu.TMEM((128, 64), jnp.uint2, layout=sparse_mma.SPARSE),
    )
    shape = jax.ShapeDtypeStruct
    fn = plgpu.kernel(
        body,
        **{sparse_mma._OUT: shape((128, 128), jnp.float32), sparse_mma._SCRATCH: scratch},
        compiler_params=plgpu.CompilerParams(lowering_semantics=sparse_mma.SEMANTICS[semantics]),
    )
    args = shape((128, 64), jnp.float16), shape((128, 128), jnp.float16), shape((1, 1, 128, 64), jnp.uint2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",)).as_text()
        except Exception:
            return None
