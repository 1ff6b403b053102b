"""Random transform chains, as Python text behind a ref; most of them end in the shape in which they began."""

from __future__ import annotations

import math
import random

Shape = tuple[int, ...]


def random_chain(generator: random.Random, shape: Shape, dtype: str = "float16") -> str:
    """One to three steps on a ref of `shape`."""
    text = ""
    for _ in range(generator.choice((1, 1, 1, 2, 2, 3))):
        step, shape = _step(generator, shape, dtype)
        text += step
    return text


def _step(generator: random.Random, shape: Shape, dtype: str) -> tuple[str, Shape]:
    there, moved = _transpose(generator, shape)
    back = _inverse(there)
    split = _split(generator, shape)
    full = ", ".join(f"pl.ds(0, {size})" if generator.random() < 0.5 else ":" for size in shape)
    half, smaller = _half(generator, shape)
    returning = (
        f".transpose({there}).transpose({back})",
        f".reshape{split}.reshape{shape}",
        f".at[{full}]",
        f".transpose({there}).at[{', '.join(f'pl.ds(0, {size})' for size in moved)}].transpose({back})",
        f".reshape{shape}",
        f".transpose({tuple(range(len(shape)))})",
        f".reshape(1, {', '.join(map(str, shape))}).at[0]",
        f".bitcast(jnp.{_OTHER.get(dtype, dtype)}).bitcast(jnp.{dtype})",
    )
    leaving = (
        (f".transpose({there})", moved),
        (f".reshape{split}", split),
        (f".at[{half}]", smaller),
        (f".bitcast(jnp.{_OTHER.get(dtype, dtype)})", shape),
        (f".transpose({there}).reshape{split}", split),
        (".at[0]", shape[1:]),
    )
    if len(shape) < 2 or generator.random() < 0.7:
        return generator.choice(returning), shape
    return generator.choice(leaving)


_OTHER = {
    "float16": "bfloat16",
    "bfloat16": "int16",
    "int8": "uint8",
    "uint8": "int8",
    "float8_e4m3fn": "float8_e5m2",
    "float8_e5m2": "int8",
    "uint2": "int2",
    "float32": "int32",
    "int32": "float32",
}


def _transpose(generator: random.Random, shape: Shape) -> tuple[Shape, Shape]:
    axes = list(range(len(shape)))
    if len(axes) > 1:
        first, second = generator.sample(axes, 2)
        axes[first], axes[second] = axes[second], axes[first]
    return tuple(axes), tuple(shape[axis] for axis in axes)


def _inverse(permutation: Shape) -> Shape:
    return tuple(permutation.index(axis) for axis in range(len(permutation)))


def _split(generator: random.Random, shape: Shape) -> Shape:
    """Another shape with as many elements."""
    total = math.prod(shape)
    kind = generator.randrange(4)
    if kind == 0:
        return shape[::-1]
    if kind == 1:
        return (1, *shape)
    if kind == 2 and shape and shape[0] % 2 == 0:
        return (2, shape[0] // 2, *shape[1:])
    if kind == 3 and len(shape) > 2:
        return (shape[0] * shape[1], *shape[2:])
    columns = next((size for size in (64, 32, 8) if total % size == 0), 1)
    return (total // columns, columns)


def _half(generator: random.Random, shape: Shape) -> tuple[str, Shape]:
    """A slice of half of one dimension."""
    dim = generator.randrange(len(shape)) if shape else 0
    size = max(shape[dim] // 2, 1) if shape else 1
    start = generator.choice(("0", str(size), f"i * {size}")) if shape and shape[dim] > 1 else "0"
    text = ", ".join([":"] * dim + [f"pl.ds({start}, {size})"])
    return text, (*shape[:dim], size, *shape[dim + 1 :])
