"""Kernels of tokamax (https://github.com/openxla/tokamax) for Mosaic GPU and Triton, with small argument shapes.

`kernels(capability)` gives (label, function, argument shapes); `device(capability)` makes tokamax take the machine for a
GPU. Its other Triton kernels need `jax_triton`, and what it has for TPUs does not lower for a GPU.
"""

import contextlib
import functools
import logging

import jax
import jax.numpy as jnp
import tokamax
from tokamax._src import gpu_utils
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_common
from tokamax._src.ops.ragged_dot.pallas_mosaic_gpu import Config, PallasMosaicGpuRaggedDot
from tokamax._src.ops.triangle_multiplication.base import TriangleMultiplication
from tokamax._src.quantization import AsQArray

_shape = jax.ShapeDtypeStruct
_BF16 = jnp.bfloat16


@contextlib.contextmanager
def device(capability):
    """tokamax looks at the platform of the default device before it looks at anything else."""
    answers = {
        (gpu_utils, "_compute_capability"): lambda device=None: capability,
        (gpu_utils, "has_mosaic_gpu_support"): lambda device=None: True,
        (gpu_utils, "has_triton_support"): lambda device=None: True,
        (pallas_mosaic_gpu_common, "get_smem_capacity"): lambda: 227 * 1024,
    }
    originals = {place: getattr(*place) for place in answers}
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)  # one line for each kernel that has not been tuned
    try:
        for place, answer in answers.items():
            setattr(*place, answer)
        yield
    finally:
        logger.setLevel(level)
        for place, original in originals.items():
            setattr(*place, original)


def _attention(implementation, **options):
    def attention(q, k, v):
        return tokamax.dot_product_attention(q, k, v, implementation=implementation, **options)

    return attention


def _loss(q, k, v):
    return _attention("mosaic")(q, k, v).astype(jnp.float32).sum()


def _triangle_multiplication(*given):
    """By itself it is XLA's, and asks XLA for its parts too; here the parts choose, and take their kernels."""
    return TriangleMultiplication()(*given, triangle_type="incoming", implementation=None)


def _ragged_dot(quantize_lhs=None, quantize_rhs=None, **config):
    def ragged_dot(lhs, rhs, sizes):
        if quantize_lhs is not None:
            lhs = AsQArray(lhs, quantize_lhs, channelwise_axes=(0,), tiled_axes={1: 256}).as_qarray()
        if quantize_rhs is not None:
            rhs = AsQArray(rhs, quantize_rhs, channelwise_axes=(0, 2), tiled_axes={1: 256}).as_qarray()
        chosen = PallasMosaicGpuRaggedDot()
        if config:
            chosen = chosen.replace(config=Config(split_k=1, num_stages=2, **config))
        return chosen(lhs, rhs, group_sizes=sizes, preferred_element_type=_BF16)

    return ragged_dot


def _ragged_dots(capability):
    """What there is for a device: Hopper has no quantized lhs, Blackwell no gradient of rhs."""
    shapes = (_shape((512, 512), _BF16), _shape((4, 512, 512), _BF16), _shape((4,), jnp.int32))
    built = [("ragged dot", _ragged_dot())]
    if capability < 9:
        return [(label, function, shapes) for label, function in built]
    if capability < 10:
        config = dict(block_m=128, block_n=64, block_k=256)
        built.append(("ragged dot, int4 rhs", _ragged_dot(None, jnp.int4, **config)))
        built.append(("ragged dot, int8 rhs", _ragged_dot(None, jnp.int8, **config)))
        built.append(
            (
                "gradient of ragged dot",
                jax.grad(lambda *given: _ragged_dot()(*given).astype(jnp.float32).sum(), argnums=(0, 1)),
            )
        )
    else:
        config = dict(block_m=64, block_n=128, block_k=128)
        built.append(("ragged dot, int4 rhs", _ragged_dot(None, jnp.int4, **config)))
        built.append(("ragged dot, scaled late", _ragged_dot(None, jnp.int4, **config, post_scale=True)))
        built.append(("ragged dot, int8 and int4", _ragged_dot(jnp.int8, jnp.int4, **config)))
        built.append(("ragged dot, fp8 and int4", _ragged_dot(jnp.float8_e4m3fn, jnp.int4, **config)))
    return [(label, function, shapes) for label, function in built]


def kernels(capability):
    """A list of (label, function, argument shapes)."""
    heads = (_shape((1, 512, 2, 64), _BF16),) * 3
    x, weights = _shape((256, 512), _BF16), _shape((512, 2, 512), _BF16)
    entries = [
        ("attention", _attention("mosaic"), heads),
        ("causal attention", _attention("mosaic", is_causal=True), heads),
        ("Triton attention", _attention("triton"), heads),
        *_ragged_dots(capability),
        (
            "gated linear unit",
            functools.partial(tokamax.gated_linear_unit, activation=jax.nn.silu, implementation="mosaic"),
            (x, weights),
        ),
        (
            "triangle multiplication",
            _triangle_multiplication,
            (
                _shape((128, 128, 64), _BF16),
                _shape((128, 128), jnp.bool_),
                *(_shape((64, 2, 64), _BF16),) * 2,
                *(_shape((64, 64), _BF16),) * 2,
                *(_shape((64,), _BF16),) * 4,
            ),
        ),
    ]
    if capability >= 9:
        entries.append(("gradient of attention", jax.grad(_loss, argnums=(0, 1, 2)), heads))
    return entries
