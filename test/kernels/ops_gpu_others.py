"""Kernels of `jax.experimental.pallas.ops.gpu` beyond those of `ops_gpu.py`: for Triton, and for several devices.

`kernels()` gives (label, function, argument shapes).
"""

import functools
import warnings

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, PartitionSpec

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # some of them are deprecated in favour of tokamax
    from jax.experimental.pallas.ops.gpu import (
        all_gather_mgpu,
        attention,
        collective_matmul_mgpu,
        decode_attention,
        layer_norm,
        paged_attention,
        reduce_scatter_mgpu,
        rms_norm,
        softmax,
    )

_shape = jax.ShapeDtypeStruct
_HALF = jnp.float16


def _on_one_device(function, specs, out):
    """`function` over a mesh of the one device that every machine has."""
    mesh = Mesh(jax.devices()[:1], ("x",), axis_types=(AxisType.Auto,))
    return jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=out, check_vma=False)


def _collective_matmul():
    config = dict(axis_name="x")
    tuning = collective_matmul_mgpu.hopper_matmul_mgpu.TuningConfig(
        tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4
    )
    function = functools.partial(collective_matmul_mgpu.all_gather_lhs_matmul, **config, config=tuning, dtype=_HALF)
    specs = (PartitionSpec("x", None), PartitionSpec(None, "x"))
    return _on_one_device(function, specs, PartitionSpec(None, "x"))


def kernels():
    """A list of (label, function, argument shapes)."""
    rows, batch = _shape((512, 1024), jnp.float32), _shape((2, 256, 1024), jnp.float32)
    row = _shape((1024,), jnp.float32)
    heads = (_shape((1, 256, 2, 64), _HALF),) * 3
    spec = PartitionSpec("x", None)
    built = {
        "Triton attention": (lambda q, k, v: attention.mha(q, k, v, None), heads),
        "Triton attention, gradient": (
            jax.grad(lambda q, k, v: attention.mha(q, k, v, None).astype(jnp.float32).sum()),
            heads,
        ),
        "Triton decode attention": (
            decode_attention.mqa,
            (_shape((1, 16, 64), _HALF), _shape((1, 4096, 64), _HALF), _shape((1, 4096, 64), _HALF)),
        ),
        "Triton grouped decode attention": (
            decode_attention.gqa,
            (_shape((1, 16, 64), _HALF), _shape((1, 4096, 2, 64), _HALF), _shape((1, 4096, 2, 64), _HALF)),
        ),
        "Triton layer norm": (lambda x, w, b: layer_norm.layer_norm(x, w, b), (batch, row, row)),
        "Triton RMS norm": (lambda x, w, b: rms_norm.rms_norm(x, w, b), (batch, row, row)),
        "Triton softmax": (softmax.softmax, (rows,)),
        "Triton paged attention": (
            paged_attention.paged_attention,
            (
                _shape((1, 16, 64), _HALF),
                *(_shape((2, 256, 16, 64), _HALF),) * 2,
                _shape((1, 256), jnp.int32),
                _shape((1,), jnp.int32),
            ),
        ),
        "all-gather": (
            _on_one_device(functools.partial(all_gather_mgpu.all_gather, axis_name="x"), spec, spec),
            (_shape((512, 1024), jnp.float32),),
        ),
        "reduce-scatter": (
            _on_one_device(functools.partial(reduce_scatter_mgpu.reduce_scatter, axis_name="x"), spec, spec),
            (_shape((512, 1024), jnp.float32),),
        ),
        "collective matmul": (
            _collective_matmul(),
            (_shape((512, 256), _HALF), _shape((256, 512), _HALF)),
        ),
    }
    return [(label, function, shapes) for label, (function, shapes) in built.items()]
