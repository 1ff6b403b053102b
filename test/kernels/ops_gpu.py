"""Kernels that others wrote: those of `jax.experimental.pallas.ops.gpu` for Mosaic GPU, with small argument shapes.

`kernels()` gives (label, function, argument shapes). On a machine without a GPU they need a virtual device while they are
traced: they ask for the number of SMs and for CUDA's version.
"""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import (
    attention_mgpu,
    blackwell_matmul_mgpu,
    blackwell_ragged_dot_mgpu,
    hopper_matmul_mgpu,
    hopper_mixed_type_matmul_mgpu,
    ragged_dot_mgpu,
    transposed_ragged_dot_mgpu,
)

_shape = jax.ShapeDtypeStruct


def _hopper_matmul(module, function, a_type, b_type):
    config = module.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4)
    return functools.partial(function, config=config), (_shape((512, 256), a_type), _shape((256, 512), b_type))


def _blackwell_matmul(collective):
    config = blackwell_matmul_mgpu.TuningConfig(
        tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, collective=collective, epilogue_tile_n=32
    )
    shapes = (_shape((1024, 256), jnp.float16), _shape((256, 1024), jnp.float16))
    return functools.partial(blackwell_matmul_mgpu.matmul_kernel, config=config), shapes


def _blackwell_ragged_dot():
    config = blackwell_ragged_dot_mgpu.TuningConfig(
        tile_m=128,
        tile_n=128,
        tile_k=64,
        max_concurrent_steps=4,
        grid_tile_width=1,
        grid_minor_dim=blackwell_matmul_mgpu.MatmulDimension.N,
        collective=True,
    )
    shapes = (_shape((1024, 256), jnp.float16), _shape((4, 256, 1024), jnp.float16), _shape((4,), jnp.int32))
    return functools.partial(blackwell_ragged_dot_mgpu.ragged_dot_kernel, config=config), shapes


def _ragged_dot(transpose_rhs):
    rhs = (4, 512, 256) if transpose_rhs else (4, 256, 512)

    def ragged_dot(lhs, rhs, group_sizes):
        return ragged_dot_mgpu.ragged_dot(
            lhs,
            rhs,
            group_sizes=group_sizes,
            block_m=128,
            block_n=128,
            block_k=64,
            max_concurrent_steps=2,
            grid_block_n=1,
            transpose_rhs=transpose_rhs,
        )

    return ragged_dot, (_shape((512, 256), jnp.float16), _shape(rhs, jnp.float16), _shape((4,), jnp.int32))


def _transposed_ragged_dot():
    def transposed_ragged_dot(lhs, rhs, group_sizes):
        return transposed_ragged_dot_mgpu.transposed_ragged_dot(
            lhs,
            rhs,
            group_sizes=group_sizes,
            block_m=128,
            block_n=128,
            block_k=64,
            max_concurrent_steps=2,
            grid_block_n=1,
        )

    return transposed_ragged_dot, (
        _shape((512, 256), jnp.float16),
        _shape((512, 256), jnp.float16),
        _shape((4,), jnp.int32),
    )


def _attention(causal, emitter=False):
    config = attention_mgpu.TuningConfig(block_q=64, block_kv=128, max_concurrent_steps=2, causal=causal)
    function = attention_mgpu.attention_with_pipeline_emitter if emitter else attention_mgpu.attention

    def attention(q, k, v):
        return function(q, k, v, config)

    return attention, (_shape((1, 512, 2, 64), jnp.float16),) * 3


def _attention_gradient():
    blocks = dict(block_q_dkv=64, block_kv_dkv=64, block_q_dq=64, block_kv_dq=64)
    config = attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, **blocks)

    def loss(q, k, v):
        return attention_mgpu.attention(q, k, v, config).astype(jnp.float32).sum()

    return jax.grad(loss, argnums=(0, 1, 2)), (_shape((1, 512, 2, 64), jnp.float16),) * 3


def kernels():
    """A list of (label, function, argument shapes)."""
    mixed = functools.partial(hopper_mixed_type_matmul_mgpu.mixed_matmul_kernel, out_dtype=jnp.bfloat16)
    built = {
        "hopper matmul": _hopper_matmul(
            hopper_matmul_mgpu, lambda a, b, config: hopper_matmul_mgpu.matmul(a, b, None, config), *2 * (jnp.float16,)
        ),
        "hopper mixed-type matmul": _hopper_matmul(hopper_mixed_type_matmul_mgpu, mixed, jnp.int8, jnp.bfloat16),
        "blackwell matmul": _blackwell_matmul(collective=False),
        "blackwell collective matmul": _blackwell_matmul(collective=True),
        "blackwell ragged dot": _blackwell_ragged_dot(),
        "ragged dot": _ragged_dot(transpose_rhs=False),
        "ragged dot, transposed rhs": _ragged_dot(transpose_rhs=True),
        "transposed ragged dot": _transposed_ragged_dot(),
        "attention": _attention(causal=False),
        "causal attention": _attention(causal=True),
        "attention, pipeline emitter": _attention(causal=False, emitter=True),
        "attention, gradient": _attention_gradient(),
    }
    return [(label, function, shapes) for label, (function, shapes) in built.items()]
