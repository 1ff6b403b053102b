"""Kernels of tokamax (https://github.com/openxla/tokamax) for Mosaic GPU and Triton, with small argument shapes.

`kernels()` gives (label, function, argument shapes); `device(capability)` makes tokamax take the machine for a GPU.
"""

import contextlib
import functools
import logging

import jax
import jax.numpy as jnp
import tokamax
from tokamax._src import gpu_utils

_shape = jax.ShapeDtypeStruct
_BF16 = jnp.bfloat16


@contextlib.contextmanager
def device(capability):
    """tokamax looks at the platform of the default device before it looks at anything else."""
    answers = {
        "_compute_capability": lambda device=None: capability,
        "has_mosaic_gpu_support": lambda device=None: True,
        "has_triton_support": lambda device=None: True,
    }
    originals = {name: getattr(gpu_utils, name) for name in answers}
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)  # one line for each kernel that has not been tuned
    try:
        for name, answer in answers.items():
            setattr(gpu_utils, name, answer)
        yield
    finally:
        logger.setLevel(level)
        for name, original in originals.items():
            setattr(gpu_utils, name, original)


def _attention(implementation, **options):
    def attention(q, k, v):
        return tokamax.dot_product_attention(q, k, v, implementation=implementation, **options)

    return attention


def _loss(q, k, v):
    return _attention("mosaic")(q, k, v).astype(jnp.float32).sum()


def kernels():
    """A list of (label, function, argument shapes)."""
    heads = (_shape((1, 512, 2, 64), _BF16),) * 3
    return [
        ("attention", _attention("mosaic"), heads),
        ("causal attention", _attention("mosaic", is_causal=True), heads),
        ("gradient of attention", jax.grad(_loss, argnums=(0, 1, 2)), heads),
        ("Triton attention", _attention("triton"), heads),
        (
            "ragged dot",
            lambda lhs, rhs, sizes: tokamax.ragged_dot(lhs, rhs, sizes, implementation="mosaic"),
            (_shape((512, 256), _BF16), _shape((4, 256, 512), _BF16), _shape((4,), jnp.int32)),
        ),
        (
            "gated linear unit",
            lambda x, weights: tokamax.gated_linear_unit(x, weights, activation=jax.nn.silu, implementation="mosaic"),
            (_shape((256, 512), _BF16), _shape((512, 2, 512), _BF16)),
        ),
        (
            "triangle multiplication",
            functools.partial(tokamax.triangle_multiplication, triangle_type="incoming"),
            (
                _shape((128, 128, 64), _BF16),
                _shape((128, 128), jnp.bool_),
                *(_shape((64, 2, 64), _BF16),) * 2,
                *(_shape((64, 64), _BF16),) * 2,
                *(_shape((64,), _BF16),) * 4,
            ),
        ),
    ]
