"""Random kernels: valid ones of every kind, changed in one or a few ways."""

from __future__ import annotations

import dataclasses
import itertools
import linecache
import random
from collections.abc import Callable, Iterator
from typing import Any

import jax

from .chains import random_chain
from .options import Options
from .source import accumulator, source, tiles_dtype

_numbers = itertools.count()


def build(o: Options) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function `program` of the text of `o`, and shapes of its arguments. Tracebacks show the text."""
    text = source(o)
    name = f"conformance/kernel_{next(_numbers)}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "conformance_kernel"}
    exec(compile(text, name, "exec"), names)
    return names["program"], (jax.ShapeDtypeStruct(o.tiles_shape, tiles_dtype(o)),) if o.filled else ()


_DTYPES = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "float32", "float4_e2m1fn")
_TILES = (None, None, None, None, (8, 16), (8, 32), (16, 32), (8, 64), (8, 128))
_SCALES = (None, None, None, (128, 4), (128, 8), (256, 4), (64, 4))
_CHOICES: dict[str, tuple[Any, ...]] = {
    "m": (128, 128, 128, 128, 64, 256),
    "n": (128, 16, 24, 48, 64, 96, 8, 256, 160, 320, 32, 272, 512),
    "k": (128, 64, 96, 128, 192, 256, 320, 384, 512, 32),
    "a_dtype": _DTYPES,
    "b_dtype": (None, None, None, None, "float8_e4m3fn", "float8_e5m2", "bfloat16", "uint8"),
    "acc_dtype": (None, None, None, "float16", "float32", "int32", "bfloat16"),
    "acc_packed": (False, False, True),
    "a_swizzle": (64, 32, 128, None),
    "b_swizzle": (64, 32, 128, None),
    "a_tile": _TILES,
    "b_tile": _TILES,
    "a_transforms": ("both", "tiling", "swizzle", "reversed"),
    "b_transforms": ("both", "tiling", "swizzle", "reversed"),
    "a_major": ("k", "k", "mn"),
    "b_major": ("k", "mn"),
    "a_space": ("smem", "smem", "tmem"),
    "a_packed": (True, True, False),
    "metadata": (None, None, None, (128, 64), (128, 128), (128, 96), (256, 64)),
    "metadata_dtype": ("uint2", "int2", "uint4", "uint8"),
    "metadata_space": ("tmem", "tmem", "smem"),
    "metadata_layout": ("sparse", "sparse", "sparse", "unpacked", "packed", "scales"),
    "metadata_batch": (1, 2, 4),
    "metadata_slice": (None, None, None, (0, 64), (64, 64), (32, 64), (16, 32), (8, 32), (0, 32)),
    "metadata_start": (None, None, "i * 64", "i * 32", "i * 16", "i", "multiple_of"),
    "group": (4, 8),
    "a_window": (None, None, 64, 32, 16),
    "b_window": (None, None, 64, 32, 16),
    "tiles": (None, None, None, (1, 1, 128, 64), (1, 2, 128, 64), (1, 1, 64, 128), (2, 1, 128, 64), (1, 128, 64)),
    "tiles_dtype": (None, None, "uint2", "int2", "uint8"),
    "tiles_transforms": (False, False, False, True),
    "copy": ("before", "before", "after", None),
    "scales": (None, None, "float8_e8m0fnu", "float8_e4m3fn"),
    "scale_block": (64, 32, 128),
    "a_scale": _SCALES,
    "b_scale": _SCALES,
    "one_scale": (False, False, True),
    "collective": (False, False, True),
    "acc_collective": (None, None, None, False, True),
    "metadata_collective": (None, None, None, False, True),
    "copy_collective": (None, None, None, False),
    "commit": ("mma", "manual", "manual", None),
    "commit_collective": (None, None, False),
    "barrier_orders": (True, True, False),
    "cluster": ((2,), (2,), (4,), (2, 2), (3,)),
    "acc_extra": (0, 0, 128, 64, 8),
    "accumulate": ("True", "False", "i > 0"),
    "union": (False, True),
    "scoped": (False, True),
    "warp": (False, True),
    "loop": (False, True),
    "fill": (True, False),
    "wait": (True, False),
    "load": (False, True),
    "extra_tmem": (0, 64, 256, 384),
    "extra_smem": (0, 64, 192, 224, 256),
    "arch": (None, None, "sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_90a", "sm_120a"),
}
_CHAINS = ("metadata_chain", "source_chain", "target_chain", "a_chain", "b_chain", "acc_chain")

_FP8 = dict(a_dtype="float8_e4m3fn", k=256, a_swizzle=128, b_swizzle=128)
_DENSE_MX = dict(_FP8, sparse=False, scales="float8_e8m0fnu", scale_block=32, arch="sm_100a")
_FP4 = dict(a_dtype="float4_e2m1fn", k=512, scales="float8_e8m0fnu", a_swizzle=128, b_swizzle=128)
BASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "inferred tiles": dict(a_swizzle=None, b_swizzle=None),
    "different swizzles": dict(b_swizzle=128),
    "A in TMEM": dict(a_space="tmem"),
    "collective": dict(collective=True, n=64),
    "slices": dict(a_window=64, b_window=64, metadata=(128, 128), metadata_slice=(64, 64)),
    "dynamic slice": dict(metadata=(128, 128), metadata_start="i * 64"),
    "batched": dict(metadata_batch=2, scoped=True),
    "FP8": _FP8,
    "mixed FP8": dict(_FP8, b_dtype="float8_e5m2"),
    "int8": dict(a_dtype="int8", k=256),
    "uint8": dict(a_dtype="uint8", k=256, arch="sm_100a"),
    "scaled FP8": dict(_FP8, scales="float8_e8m0fnu", arch="sm_100a"),
    "FP4": _FP4,
    "FP4 on 10.0": dict(_FP4, group=8, arch="sm_100a"),
    "FP4 on 10.7": dict(_FP4, arch="sm_107a"),
    "dense": dict(sparse=False),
    "dense, A in TMEM": dict(sparse=False, a_space="tmem", load=True, n=64),
    "dense, M = 64": dict(sparse=False, m=64),
    "dense, two CTAs": dict(sparse=False, collective=True, n=64),
    "dense, scaled": _DENSE_MX,
    "dense, scaled, A in TMEM": dict(_DENSE_MX, a_space="tmem"),
    "dense, scaled, two CTAs": dict(_DENSE_MX, collective=True, n=64),
    "dense FP4": dict(_FP4, sparse=False, k=256, scale_block=32, arch="sm_100a"),
    "dense f32": dict(sparse=False, a_dtype="float32", k=64),
    "f16 accumulator": dict(n=64, acc_dtype="float16", acc_packed=True),
    "MN-major": dict(a_major="mn", b_major="mn"),
    "inferred tiles, slices": dict(a_swizzle=None, b_swizzle=None, a_window=64, b_window=64),
    "inferred tiles, MN-major": dict(a_swizzle=None, b_swizzle=None, a_major="mn", b_major="mn"),
    "A in TMEM, two CTAs": dict(a_space="tmem", collective=True, n=64),
    "FP8, two CTAs": dict(_FP8, collective=True, n=64),
    "FP8, A in TMEM": dict(_FP8, a_space="tmem"),
    "scaled FP8, two CTAs": dict(_FP8, scales="float8_e8m0fnu", arch="sm_100a", collective=True, n=64),
    "slices, two CTAs": dict(collective=True, n=64, metadata=(128, 128), metadata_slice=(64, 64)),
    "larger cluster": dict(collective=True, n=64, cluster=(2, 2)),
    "union": dict(union=True),
    "loop": dict(loop=True, load=True),
}


def options(
    seed: int, changes: int = 3, semantics: str | None = "warpgroup", base: str | None = "plain"
) -> Iterator[Options]:
    """An endless stream of kernels that differ from a valid one in up to `changes` ways.

    Args:
      semantics: "warpgroup", "lane", or None for both.
      base: name of the valid kernel in `BASES`, or None for all of them.
    """
    generator = random.Random(seed)
    while True:
        yield _kernel(generator, changes, semantics or generator.choice(("warpgroup", "lane")), base)


def _kernel(generator: random.Random, changes: int, semantics: str, base: str | None) -> Options:
    start = BASES[base or generator.choice(list(BASES))]
    number = generator.choice((0, *range(1, changes + 1), *range(1, changes + 1)))
    picked = generator.sample(sorted((*_CHOICES, *_CHAINS)), number)
    chosen = {name: generator.choice(_CHOICES[name]) for name in picked if name in _CHOICES}
    if chosen.get("collective"):
        chosen.setdefault("n", 64)
    kernel = Options(semantics=semantics, **{**start, **chosen})
    names = [name for name in picked if name in _CHAINS]
    return dataclasses.replace(kernel, **{name: _chain(generator, kernel, name) for name in names})


def _chain(generator: random.Random, o: Options, name: str) -> str:
    """A random chain for one of the refs of `o`."""
    rows, columns = o.metadata_shape
    if o.metadata_slice is not None:
        columns = o.metadata_slice[1]
    shape, dtype = {
        "metadata_chain": ((rows, columns), o.metadata_dtype),
        "target_chain": (o.metadata_shape, o.metadata_dtype),
        "source_chain": (o.tiles_shape, tiles_dtype(o)),
        "a_chain": ((o.a_columns, o.m) if o.a_major == "mn" else (o.m, o.a_columns), o.a_dtype),
        "b_chain": ((o.n, o.k) if o.b_major == "k" else (o.k, o.n), o.b_dtype or o.a_dtype),
        "acc_chain": ((o.m, o.n * o.ctas), accumulator(o)),
    }[name]
    return random_chain(generator, shape, dtype)
