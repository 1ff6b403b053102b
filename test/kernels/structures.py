"""Sparse-MMA kernels of every structure that Pallas Mosaic GPU offers; all of them are valid and lower without a GPU.

`KERNELS` maps a label to a function of the lowering semantics that gives (function, argument shapes).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from sparse_mma import _OUT, _SCRATCH, SEMANTICS, SPARSE, _transforms

_shape = jax.ShapeDtypeStruct
M = N = 128


def _scratch(k, stages=1):
    """Scratch refs for one K step of size `k`, `stages` metadata tiles behind one another."""
    return dict(
        a_smem=plgpu.SMEM((M, k // 2), jnp.float16, transforms=_transforms(64, jnp.float16)),
        b_smem=plgpu.SMEM((N, k), jnp.float16, transforms=_transforms(64, jnp.float16)),
        meta_smem=plgpu.SMEM((stages, 1, 1, 128, 64), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3),
        done=plgpu.Barrier(orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32),
        meta_tmem=plgpu.TMEM((M, 64 * stages), jnp.uint2, layout=SPARSE),
    )


def _kernel(body, semantics, scratch, k=128, tiles=1, **options):
    fn = plgpu.kernel(
        body,
        **{_OUT: _shape((M, N), jnp.float32), _SCRATCH: scratch},
        compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS[semantics]),
        **options,
    )
    return fn, (
        _shape((M, k // 2), jnp.float16),
        _shape((N, k), jnp.float16),
        _shape((tiles, 1, 1, 128, 64), jnp.uint2),
    )


def _load(refs, a_smem, b_smem, meta_smem, loaded, step=0):
    a_gmem, b_gmem, meta_gmem = refs
    plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(step * 64, 64)], a_smem, loaded)
    plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(step * 128, 128)], b_smem, loaded)
    plgpu.copy_gmem_to_smem(meta_gmem.at[step], meta_smem, loaded)
    plgpu.barrier_wait(loaded)


def _multiply(acc_tmem, a_smem, b_smem, done, meta_smem, meta_tmem, accumulate):
    plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta_tmem)
    plgpu.tcgen05_mma(
        acc_tmem,
        a_smem,
        plgpu.transpose_ref(b_smem, (1, 0)),
        done,
        a_sparse_metadata=meta_tmem,
        accumulate=accumulate,
    )
    plgpu.barrier_wait(done)


def scan(semantics):
    """K steps in a `fori_loop`; the metadata's place depends on the step."""
    steps = 4

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, acc_tmem, meta_tmem):
        *inputs, out = refs

        @pl.loop(0, steps)
        def _(step):
            stage = lax.rem(step, 2)
            _load(inputs, a_smem, b_smem, meta_smem.at[stage], loaded, step)
            at = meta_tmem.at[:, pl.ds(stage * 64, 64)]
            _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[stage], at, step > 0)

        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, _scratch(128, 2), k=128 * steps, tiles=steps)


def loop_while(semantics):
    """K steps in a `while_loop` whose condition is not a count."""
    steps = 2

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, acc_tmem, meta_tmem):
        *inputs, out = refs

        def one(carry):
            step, more = carry
            _load(inputs, a_smem, b_smem, meta_smem.at[0], loaded, step)
            _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[0], meta_tmem, step > 0)
            return step + 1, jnp.logical_and(more, step + 1 < steps)

        lax.while_loop(lambda carry: carry[1], one, (jnp.int32(0), jnp.bool(True)))
        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, _scratch(128), k=128 * steps, tiles=steps)


def branches(semantics):
    """The MMA in a branch; both branches read the same metadata."""

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, acc_tmem, meta_tmem):
        *inputs, out = refs
        _load(inputs, a_smem, b_smem, meta_smem.at[0], loaded)
        first = lax.axis_index("block") == 0

        @pl.when(first)
        def _():
            _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[0], meta_tmem, False)

        @pl.when(jnp.logical_not(first))
        def _():
            _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[0], meta_tmem, False)

        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, _scratch(128), grid=(1,), grid_names=("block",))


def scoped(semantics):
    """The metadata's refs are allocated inside the kernel."""
    outside = _scratch(128)
    inside = {name: outside.pop(name) for name in ("meta_smem", "meta_tmem")}

    def body(*refs, a_smem, b_smem, loaded, done, acc_tmem):
        *inputs, out = refs

        def inner(meta_smem, meta_tmem):
            _load(inputs, a_smem, b_smem, meta_smem.at[0], loaded)
            _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[0], meta_tmem, False)

        pl.run_scoped(inner, **inside)
        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, outside)


def union(semantics):
    """Metadata and accumulator in one union of TMEM refs with a second, unused member group."""
    scratch = _scratch(128)
    members = [scratch.pop("acc_tmem"), scratch.pop("meta_tmem")]
    scratch["union"] = plgpu.RefUnion(members, plgpu.TMEM((M, 64), jnp.float32))

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, union):
        *inputs, out = refs
        (acc_tmem, meta_tmem), _ = union
        _load(inputs, a_smem, b_smem, meta_smem.at[0], loaded)
        _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[0], meta_tmem, False)
        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, scratch)


def warps(semantics):
    """One warp loads, another one multiplies."""

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, acc_tmem, meta_tmem):
        *inputs, out = refs

        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _():
            warp = lax.axis_index("warp")

            @pl.when(warp == 0)
            def _():
                a_gmem, b_gmem, meta_gmem = inputs
                plgpu.copy_gmem_to_smem(a_gmem, a_smem, loaded)
                plgpu.copy_gmem_to_smem(b_gmem, b_smem, loaded)
                plgpu.copy_gmem_to_smem(meta_gmem, meta_smem, loaded)

            @pl.when(warp == 1)
            def _():
                plgpu.barrier_wait(loaded)
                plgpu.async_copy_sparse_metadata_to_tmem(meta_smem.at[0], meta_tmem)
                plgpu.tcgen05_mma(
                    acc_tmem,
                    a_smem,
                    plgpu.transpose_ref(b_smem, (1, 0)),
                    a_sparse_metadata=meta_tmem,
                    accumulate=False,
                )
                plgpu.tcgen05_commit_arrive(done)

        plgpu.barrier_wait(done)
        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, _scratch(128))


def batched(semantics):
    """Metadata with a leading stage dimension, indexed at run time."""
    scratch = _scratch(128, 2)
    scratch["meta_tmem"] = plgpu.TMEM((2, M, 64), jnp.uint2, layout=SPARSE)

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, acc_tmem, meta_tmem):
        *inputs, out = refs
        stage = lax.axis_index("block")
        _load(inputs, a_smem, b_smem, meta_smem.at[stage], loaded)
        _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[stage], meta_tmem.at[stage], False)
        out[...] = plgpu.async_load_tmem(acc_tmem)

    return _kernel(body, semantics, scratch, grid=(2,), grid_names=("block",))


def called(semantics):
    """The MMA inside a jitted helper."""

    def body(*refs, a_smem, b_smem, meta_smem, loaded, done, acc_tmem, meta_tmem):
        *inputs, out = refs
        _load(inputs, a_smem, b_smem, meta_smem.at[0], loaded)
        _multiply(acc_tmem, a_smem, b_smem, done, meta_smem.at[0], meta_tmem, False)
        double = jax.jit(lambda x: x * 2.0)
        out[...] = double(plgpu.async_load_tmem(acc_tmem))

    return _kernel(body, semantics, _scratch(128))


def pipeline(semantics):
    """A and B of each K step through `emit_pipeline`."""
    steps = 4

    def body(a_gmem, b_gmem, meta_gmem, out, meta_smem, loaded, done, acc_tmem, meta_tmem):
        plgpu.copy_gmem_to_smem(meta_gmem.at[0], meta_smem.at[0], loaded)
        plgpu.barrier_wait(loaded)
        plgpu.async_copy_sparse_metadata_to_tmem(meta_smem.at[0], meta_tmem)

        def step(indices, a_smem, b_smem):
            (index,) = indices
            plgpu.tcgen05_mma(
                acc_tmem,
                a_smem,
                plgpu.transpose_ref(b_smem, (1, 0)),
                done,
                a_sparse_metadata=meta_tmem,
                accumulate=index > 0,
            )
            plgpu.barrier_wait(done)

        transforms = _transforms(64, jnp.float16)
        plgpu.emit_pipeline(
            step,
            grid=(steps,),
            in_specs=[
                plgpu.BlockSpec((M, 64), lambda k: (0, k), transforms=transforms),
                plgpu.BlockSpec((N, 128), lambda k: (0, k), transforms=transforms),
            ],
            max_concurrent_steps=2,
        )(a_gmem, b_gmem)
        out[...] = plgpu.async_load_tmem(acc_tmem)

    scratch = _scratch(128)
    scratch = {name: scratch[name] for name in ("meta_smem", "loaded", "done", "acc_tmem", "meta_tmem")}
    scratch["loaded"] = plgpu.Barrier()
    return _kernel(body, semantics, scratch, k=128 * steps)


KERNELS = {
    "scan": scan,
    "while": loop_while,
    "cond": branches,
    "run_scoped": scoped,
    "RefUnion": union,
    "core_map of warps": warps,
    "batched metadata": batched,
    "jit": called,
    "emit_pipeline": pipeline,
}
