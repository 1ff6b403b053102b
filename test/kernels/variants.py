"""Sparse MMAs beyond the plain one: A in TMEM, two CTAs, mixed and scaled types, metadata in slices.

`VARIANTS` maps a label to (keyword arguments of `kernel`, architecture or None, codes of severity error per semantics).
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from sparse_mma import _OUT, _SCRATCH, SEMANTICS, SPARSE

_shape = jax.ShapeDtypeStruct
OLD = jax.__version_info__ < (0, 11)


def kernel(
    semantics, *, m=128, n=128, k=256, a_type=jnp.float16, b_type=None, acc=jnp.float32, a_in_tmem=False,
    collective=False, collective_copy=None, scale=None, scale_block=64, group=4, meta_layout=SPARSE, steps=1,
    swizzle=64, copy=True,
):  # fmt: skip
    """One sparse MMA per K step of size `k`; `m` and `n` are the share of one CTA. Returns (fn, argument shapes)."""
    b_type = b_type or a_type
    axis = "pair" if collective else None
    copy_axis = axis if collective_copy is None else ("pair" if collective_copy else None)
    columns = 2 * k // group
    both = 2 if collective else 1

    def body(a_gmem, b_gmem, meta_gmem, out_gmem, **refs):
        a, b, meta, meta_tmem = refs["a"], refs["b"], refs["meta"], refs["meta_tmem"]
        loaded, done, acc_tmem = refs["loaded"], refs["done"], refs["acc_tmem"]
        for step in range(steps):
            at = meta_tmem if steps == 1 else meta_tmem.at[:, pl.ds(step * columns, columns)]
            source = meta.at[step]
            if not a_in_tmem:
                plgpu.copy_gmem_to_smem(a_gmem.at[step], a, loaded)
            plgpu.copy_gmem_to_smem(b_gmem.at[step], b, loaded)
            plgpu.copy_gmem_to_smem(meta_gmem.at[step], source, loaded)
            plgpu.barrier_wait(loaded)
            if collective:
                ready = refs["ready"]
                plgpu.barrier_arrive(ready)
                plgpu.barrier_wait(ready)
            if copy:
                plgpu.async_copy_sparse_metadata_to_tmem(source, at, collective_axis=copy_axis)
            scales = {"a_scale": refs["a_scale"], "b_scale": refs["b_scale"]} if scale else {}
            plgpu.tcgen05_mma(
                acc_tmem, a, b.transpose((1, 0)), done, a_sparse_metadata=at, accumulate=step > 0,
                collective_axis=axis, **scales,
            )  # fmt: skip
            plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc_tmem)

    tmem = {"collective": True} if collective else {}
    scratch = dict(
        b=plgpu.SMEM((n, k), b_type, transforms=_smem(swizzle, b_type)),
        meta=plgpu.SMEM((steps, 1, columns // 64, 128, 64), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=2 if a_in_tmem else 3),
        done=plgpu.Barrier(orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((m, n * both), acc, **tmem),
        meta_tmem=plgpu.TMEM(
            (m, columns * steps),
            jnp.uint2,
            **({"layout": meta_layout} if meta_layout else {"packed": False}),
            **tmem,
        ),
    )
    if a_in_tmem:
        scratch["a"] = plgpu.TMEM((m, k // 2), a_type, packed=True, **tmem)
    else:
        scratch["a"] = plgpu.SMEM((m, k // 2), a_type, transforms=_smem(swizzle, a_type))
    if scale:
        layout = plgpu.TMEMLayout.SCALES_LAYOUT
        scratch["a_scale"] = plgpu.TMEM((m, k // scale_block), scale, layout=layout, **tmem)
        scratch["b_scale"] = plgpu.TMEM((max(n, 128), k // scale_block), scale, layout=layout, **tmem)
    if collective:
        scratch["ready"] = plgpu.ClusterBarrier(collective_axes=("pair",), orders_tensor_core=True)
    fn = plgpu.kernel(
        body,
        **{_OUT: _shape((m, n * both), acc), _SCRATCH: scratch},
        **({"cluster": (2,), "cluster_names": ("pair",)} if collective else {}),
        compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS[semantics]),
    )
    return fn, (
        _shape((steps, m, k // 2), a_type),
        _shape((steps, n, k), b_type),
        _shape((steps, 1, columns // 64, 128, 64), jnp.uint2),
    )


def _smem(swizzle, dtype):
    bits = jnp.finfo(dtype).bits if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).bits
    return (plgpu.TilingTransform((8, 8 * swizzle // bits)), plgpu.SwizzleTransform(swizzle))


_E8M0 = jnp.float8_e8m0fnu
_FP4 = dict(a_type=jnp.float4_e2m1fn, scale=_E8M0, k=512)
_NONE = {"lane": set(), "warpgroup": set()}


def both(*codes):
    """The same codes in both semantics."""
    return {"lane": set(codes), "warpgroup": set(codes)}


VARIANTS = {
    "A in TMEM": (dict(a_in_tmem=True), None, _NONE),
    "two CTAs": (dict(collective=True, n=64), None, _NONE),
    "two CTAs, copy for one": (dict(collective=True, n=64, collective_copy=False), None, both("MV604")),
    "mixed FP8": (
        dict(a_type=jnp.float8_e4m3fn, b_type=jnp.float8_e5m2), None, both("MV116") if OLD else _NONE,
    ),
    "uint8": (dict(a_type=jnp.uint8, acc=jnp.int32), "sm_100a", _NONE),
    "two K steps, metadata in slices": (dict(steps=2), None, _NONE),
    "metadata with packed=False": (dict(meta_layout=None), None, both("MV103")),
    "scaled FP8": (dict(a_type=jnp.float8_e4m3fn, scale=_E8M0), "sm_100a", _NONE),
    # A pair describes 8 elements on 10.0: the dialect's verifier and the lowering then want different shapes.
    "scaled FP4 on 10.0": (dict(_FP4, group=8), "sm_100a", {"lane": set(), "warpgroup": {"MV106"}}),
    "scaled FP4 on 10.7": (
        dict(_FP4, group=4), "sm_107a", {"lane": {"MV101"}, "warpgroup": {"MV106"}} if OLD else _NONE,
    ),
    "scaled FP4 on 10.7, blocks of 16": (
        dict(_FP4, group=4, scale_block=32), "sm_107a",
        {"lane": {"MV101", "MV120"}, "warpgroup": {"MV106", "MV120"}} if OLD else _NONE,
    ),
}  # fmt: skip
