"""Random sparse-MMA kernels, for comparing our verdict with JAX's own lowering.

A kernel issues nothing but the metadata copy, the MMA and its commit, on refs that nobody filled: what JAX then says
is about these ops. Works with JAX 0.10.2 and 0.12.
"""

from __future__ import annotations

import dataclasses
import inspect
import random
from collections.abc import Iterator

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

_PARAMETERS = inspect.signature(plgpu.kernel).parameters
_OUT = "out_type" if "out_type" in _PARAMETERS else "out_shape"
_SCRATCH = "scratch_types" if "scratch_types" in _PARAMETERS else "scratch_shapes"
_LAYOUTS = {
    "sparse": dict(layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
    "unpacked": dict(packed=False),
    "scales": dict(layout=plgpu.TMEMLayout.SCALES_LAYOUT),
}
_SEMANTICS = {
    "warpgroup": plgpu.LoweringSemantics.Warpgroup,
    "lane": plgpu.LoweringSemantics.Lane,
}


@dataclasses.dataclass(frozen=True)
class Options:
    """One kernel. Sizes are per CTA; swizzles in bytes, None leaves the transforms to layout inference.

    Attributes:
      a_major, b_major: "k" or "mn", the contiguous dimension in SMEM.
      a_space: "smem" or "tmem" (packed unless `a_packed` is False).
      a_tile, b_tile: tile that replaces the one that fits the swizzle.
      metadata: shape of the TMEM ref; None is what the MMA wants for one pair per 4 elements.
      metadata_slice: (start, size) of the columns that the MMA reads.
      tiles: shape of the SMEM ref of the copy; None is what the copy wants.
      tiles_transforms: tile and swizzle the SMEM ref of the metadata.
      copy: issue the metadata copy.
      metadata_start: how a run-time start of those columns is written, None for the static one: "i * 64", "i * 16",
        "i", or "multiple_of", a promise that JAX does not look at.
      a_window, b_window: where along K the MMA starts to read the SMEM ref of A or B, in its elements; the ref is that
        much longer than what the MMA reads.
      scales: element type of the scales, or None; `a_scale` and `b_scale` replace their shapes.
      collective, acc_collective, metadata_collective, copy_collective: flags of the MMA, the refs and the copy.
    """

    semantics: str = "warpgroup"
    m: int = 128
    n: int = 128
    k: int = 128
    a_dtype: str = "float16"
    b_dtype: str | None = None
    acc_dtype: str | None = None
    acc_packed: bool = False
    a_swizzle: int | None = 64
    b_swizzle: int | None = 64
    a_tile: tuple[int, int] | None = None
    b_tile: tuple[int, int] | None = None
    a_major: str = "k"
    b_major: str = "k"
    a_space: str = "smem"
    a_packed: bool = True
    metadata: tuple[int, int] | None = None
    metadata_layout: str = "sparse"
    metadata_slice: tuple[int, int] | None = None
    metadata_start: str | None = None
    a_window: int | None = None
    b_window: int | None = None
    tiles: tuple[int, int, int, int] | None = None
    tiles_transforms: bool = False
    copy: bool = True
    scales: str | None = None
    scale_block: int = 64
    a_scale: tuple[int, int] | None = None
    b_scale: tuple[int, int] | None = None
    collective: bool = False
    acc_collective: bool | None = None
    metadata_collective: bool | None = None
    copy_collective: bool | None = None
    cluster: tuple[int, ...] = (2,)
    sparse: bool = True

    def __str__(self) -> str:
        default = Options()
        changed = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(default, field.name)
        }
        return f"Options({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def bits(dtype: str) -> int:
    """Width of a JAX dtype."""
    return jnp.finfo(dtype).bits if jnp.issubdtype(jnp.dtype(dtype), jnp.floating) else jnp.iinfo(dtype).bits


def _smem(shape, dtype, swizzle, tile):
    if swizzle is None:
        return plgpu.SMEM(shape, dtype)
    tile = tile or (8, 8 * swizzle // bits(dtype))
    return plgpu.SMEM(shape, dtype, transforms=(plgpu.TilingTransform(tile), plgpu.SwizzleTransform(swizzle)))


def _start(how):
    i = lax.axis_index("i")
    if how == "multiple_of":
        return pl.multiple_of(i, 64)
    return i * int(how.removeprefix("i * ")) if "*" in how else i


def _transposed(ref):
    return ref.transpose((1, 0)) if hasattr(ref, "transpose") else plgpu.transpose_ref(ref, (1, 0))


def build(options: Options):
    """The kernel of `options` and its arguments (none). Raises what JAX raises while refs are declared."""
    o = options
    a_dtype, b_dtype = jnp.dtype(o.a_dtype), jnp.dtype(o.b_dtype or o.a_dtype)
    acc_dtype = jnp.dtype(o.acc_dtype or ("int32" if jnp.issubdtype(a_dtype, jnp.integer) else "float32"))
    a_columns = o.k // 2 if o.sparse else o.k
    metadata_shape = o.metadata or (o.m, o.k // 2)
    tiles = o.tiles or (max(metadata_shape[0] // 128, 1), max(metadata_shape[1] // 64, 1), 128, 64)
    axis = "x" if o.collective else None

    def flag(value):
        return o.collective if value is None else value

    def body(*refs):
        _, a, b, tiles_ref, done, acc, metadata, *scales = refs
        if o.copy and o.sparse:
            plgpu.async_copy_sparse_metadata_to_tmem(
                tiles_ref, metadata, collective_axis="x" if flag(o.copy_collective) else None
            )
        extra = dict(a_scale=scales[0], b_scale=scales[1]) if scales else {}
        if o.sparse:
            used = metadata
            if o.metadata_start is not None:
                used = metadata.at[:, pl.ds(_start(o.metadata_start), (o.metadata_slice or (0, 64))[1])]
            elif o.metadata_slice is not None:
                used = metadata.at[:, pl.ds(*o.metadata_slice)]
            extra["a_sparse_metadata"] = used
        if o.a_window is not None and o.a_space == "smem":
            window = pl.ds(o.a_window, a_columns)
            a = a.at[window] if o.a_major == "mn" else a.at[:, window]
        if o.b_window is not None:
            window = pl.ds(o.b_window, o.k)
            b = b.at[:, window] if o.b_major == "k" else b.at[window]
        plgpu.tcgen05_mma(
            acc,
            _transposed(a) if o.a_major == "mn" else a,
            _transposed(b) if o.b_major == "k" else b,
            done,
            accumulate=False,
            collective_axis=axis,
            **extra,
        )

    wide = {} if acc_dtype.itemsize == 4 else {"packed": o.acc_packed}
    a_long, b_long = a_columns + (o.a_window or 0) * (o.a_space == "smem"), o.k + (o.b_window or 0)
    a_shape = (a_long, o.m) if o.a_major == "mn" else (o.m, a_long)
    if o.a_space == "tmem":
        a_ref = plgpu.TMEM(a_shape, a_dtype, packed=o.a_packed, collective=flag(None))
    else:
        a_ref = _smem(a_shape, a_dtype, o.a_swizzle, o.a_tile)
    tiles_transforms = ()
    if o.tiles_transforms:
        tiles_transforms = (plgpu.TilingTransform((8, 64)),)
    scratch = [
        a_ref,
        _smem((o.n, b_long) if o.b_major == "k" else (b_long, o.n), b_dtype, o.b_swizzle, o.b_tile),
        plgpu.SMEM(tiles, jnp.uint2, transforms=tiles_transforms),
        plgpu.Barrier(orders_tensor_core=True),
        plgpu.TMEM((o.m, o.n * (2 if o.collective else 1)), acc_dtype, collective=flag(o.acc_collective), **wide),
        plgpu.TMEM(metadata_shape, jnp.uint2, collective=flag(o.metadata_collective), **_LAYOUTS[o.metadata_layout]),
    ]
    if o.scales:
        columns = max(o.k // o.scale_block, 1)
        rows = -(-o.n * (2 if o.collective else 1) // 128) * 128
        for shape in (o.a_scale or (128, columns), o.b_scale or (rows, columns)):
            scratch.append(plgpu.TMEM(shape, jnp.dtype(o.scales), collective=flag(None), **_LAYOUTS["scales"]))
    mesh = dict(cluster=o.cluster, cluster_names=("x", "y", "z")[: len(o.cluster)][::-1]) if o.collective else {}
    if o.metadata_start is not None:
        mesh.update(grid=(2,), grid_names=("i",))
    fn = plgpu.kernel(
        body,
        **{_OUT: jax.ShapeDtypeStruct((128,), jnp.float32), _SCRATCH: scratch},
        **mesh,
        compiler_params=plgpu.CompilerParams(lowering_semantics=_SEMANTICS[o.semantics]),
    )
    return fn, ()


_DTYPES = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "float32", "float4_e2m1fn")
_CHOICES = {
    "m": (128, 128, 128, 128, 64, 256),
    "n": (128, 16, 24, 48, 64, 96, 8, 256, 160, 320, 32, 272),
    "k": (128, 64, 96, 128, 192, 256, 320, 384, 512, 32),
    "a_dtype": _DTYPES,
    "b_dtype": (None, None, None, None, "float8_e4m3fn", "float8_e5m2", "bfloat16"),
    "acc_dtype": (None, None, None, "float16", "float32", "int32", "bfloat16"),
    "acc_packed": (False, False, True),
    "a_swizzle": (64, 32, 128, None),
    "b_swizzle": (64, 32, 128, None),
    "a_tile": (None, None, None, None, (8, 16), (8, 32), (16, 32), (8, 64)),
    "b_tile": (None, None, None, None, (8, 16), (8, 32), (16, 32), (8, 64)),
    "a_major": ("k", "k", "mn"),
    "b_major": ("k", "mn"),
    "a_space": ("smem", "smem", "tmem"),
    "a_packed": (True, True, False),
    "metadata": (None, None, None, (128, 64), (128, 128), (128, 96), (256, 64)),
    "metadata_layout": ("sparse", "sparse", "sparse", "unpacked"),
    "metadata_slice": (None, None, None, (0, 64), (64, 64), (32, 64), (16, 32), (8, 32), (0, 32)),
    "metadata_start": (None, None, "i * 64", "i * 32", "i * 16", "i", "multiple_of"),
    "a_window": (None, None, 64, 32, 16),
    "b_window": (None, None, 64, 32, 16),
    "tiles": (None, None, None, (1, 1, 128, 64), (1, 2, 128, 64), (1, 1, 64, 128)),
    "tiles_transforms": (False, False, False, True),
    "copy": (True, True, False),
    "scales": (None, None, "float8_e8m0fnu", "float8_e4m3fn"),
    "scale_block": (64, 32, 128),
    "a_scale": (None, None, None, (128, 4), (128, 8), (256, 4)),
    "b_scale": (None, None, None, (128, 4), (128, 8), (256, 4)),
    "collective": (False, False, True),
    "acc_collective": (None, None, None, False),
    "metadata_collective": (None, None, None, False),
    "copy_collective": (None, None, None, False),
    "cluster": ((2,), (2,), (4,), (2, 2), (3,)),
}


BASES = {
    "plain": {},
    "inferred tiles": dict(a_swizzle=None, b_swizzle=None),
    "A in TMEM": dict(a_space="tmem"),
    "collective": dict(collective=True, n=64),
    "slices": dict(a_window=64, b_window=64, metadata=(128, 128), metadata_slice=(64, 64)),
    "dynamic slice": dict(metadata=(128, 128), metadata_start="i * 64"),
    "scaled FP8": dict(a_dtype="float8_e4m3fn", k=256, scales="float8_e8m0fnu", a_swizzle=64, b_swizzle=128),
    "FP4": dict(a_dtype="float4_e2m1fn", k=512, scales="float8_e8m0fnu", scale_block=64, a_swizzle=64, b_swizzle=128),
}


def options(seed: int, changes: int = 3, semantics: str = "warpgroup", base: str = "plain") -> Iterator[Options]:
    """An endless stream of kernels that differ from a valid one in one to `changes` ways.

    Args:
      base: name of the valid kernel in `BASES`.
    """
    generator = random.Random(seed)
    names = sorted(_CHOICES)
    while True:
        picked = generator.sample(names, generator.randint(1, changes))
        chosen = {name: generator.choice(_CHOICES[name]) for name in picked}
        if chosen.get("collective"):
            chosen.setdefault("n", 64)
        yield Options(semantics=semantics, **{**BASES[base], **chosen})
