"""Correct sparse kernels in the style of the best known dense ones: rings, specialised warps, pipelines."""

import jax
import jax.numpy as jnp
from flow_kernels import COLUMNS, TILE, K, M, N, _kernel, _store, ring
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from sparse_mma import _OUT, _SCRATCH, SEMANTICS, SPARSE, _transforms

_shape = jax.ShapeDtypeStruct
_F16 = jnp.float16


def _ring(stages, **more):
    transforms = _transforms(64, _F16)
    return dict(
        a_smem=plgpu.SMEM((stages, M, K // 2), _F16, transforms=transforms),
        b_smem=plgpu.SMEM((stages, N, K), _F16, transforms=transforms),
        meta_smem=plgpu.SMEM((stages, *TILE), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3, num_barriers=stages),
        consumed=plgpu.Barrier(num_barriers=stages, orders_tensor_core=True),
        **more,
    )


def _tensor_ring(stages, slots, **more):
    """A ring, an accumulator, and TMEM for metadata of as many K steps as there are slots."""
    return _ring(
        stages,
        done=plgpu.Barrier(orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32),
        meta_tmem=plgpu.TMEM((M, COLUMNS * slots), jnp.uint2, layout=SPARSE),
        **more,
    )


def _load(inputs, refs, step, slot, rows=None):
    a_gmem, b_gmem, meta_gmem = inputs
    loaded = refs["loaded"].at[slot]
    rows = slice(None) if rows is None else pl.ds(rows * M, M)
    plgpu.copy_gmem_to_smem(a_gmem.at[rows, pl.ds(step * (K // 2), K // 2)], refs["a_smem"].at[slot], loaded)
    plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(step * K, K)], refs["b_smem"].at[slot], loaded)
    plgpu.copy_gmem_to_smem(meta_gmem.at[step], refs["meta_smem"].at[slot], loaded)


def _multiply(refs, acc, slot, metadata, barrier, accumulate):
    plgpu.async_copy_sparse_metadata_to_tmem(refs["meta_smem"].at[slot], metadata)
    plgpu.tcgen05_mma(
        acc,
        refs["a_smem"].at[slot],
        refs["b_smem"].at[slot].transpose((1, 0)),
        barrier,
        a_sparse_metadata=metadata,
        accumulate=accumulate,
    )


def specialised_warps(semantics, stages=3, steps=7):
    """One warp loads, one multiplies. Metadata has a single place: copies and MMAs of one thread keep their order."""

    def body(*gmem, acc_tmem, meta_tmem, done, **refs):
        *inputs, out = gmem

        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _():
            warp = lax.axis_index("warp")

            @pl.when(warp == 0)
            def _():
                @pl.loop(0, steps)
                def _(step):
                    slot = lax.rem(step, stages)

                    @pl.when(step >= stages)
                    def _():
                        plgpu.barrier_wait(refs["consumed"].at[slot])

                    _load(inputs, refs, step, slot)

            @pl.when(warp == 1)
            def _():
                @pl.loop(0, steps)
                def _(step):
                    slot = lax.rem(step, stages)
                    plgpu.barrier_wait(refs["loaded"].at[slot])
                    _multiply(refs, acc_tmem, slot, meta_tmem, refs["consumed"].at[slot], step > 0)

                    @pl.when(step >= steps - 1)
                    def _():
                        plgpu.tcgen05_commit_arrive(done)

        plgpu.barrier_wait(done)
        _store({"acc_tmem": acc_tmem}, out)

    scratch = _tensor_ring(stages, 1)
    return _kernel(body, semantics, scratch, steps=steps)


def specialised_warpgroups(semantics, stages=2, steps=6):
    """A warpgroup loads, another one multiplies and stores."""

    def body(*gmem, acc_tmem, meta_tmem, done, **refs):
        *inputs, out = gmem
        group = lax.axis_index("wg")

        @pl.when(group == 1)
        def _():
            @pl.loop(0, steps)
            def _(step):
                slot = lax.rem(step, stages)

                @pl.when(step >= stages)
                def _():
                    plgpu.barrier_wait(refs["consumed"].at[slot])

                _load(inputs, refs, step, slot)

        @pl.when(group == 0)
        def _():
            @pl.loop(0, steps)
            def _(step):
                slot = lax.rem(step, stages)
                plgpu.barrier_wait(refs["loaded"].at[slot])
                metadata = meta_tmem.at[:, pl.ds(slot * COLUMNS, COLUMNS)]
                _multiply(refs, acc_tmem, slot, metadata, refs["consumed"].at[slot], step > 0)

            plgpu.tcgen05_commit_arrive(done)
            plgpu.barrier_wait(done)
            _store({"acc_tmem": acc_tmem}, out)

    scratch = _tensor_ring(stages, stages)
    return _kernel(body, semantics, scratch, steps=steps, num_threads=2, thread_name="wg")


def persistent(semantics, stages=2, steps=3, tiles=3):
    """Tiles in a loop, K steps inside; the ring goes on from tile to tile."""

    def body(*gmem, acc_tmem, meta_tmem, done, **refs):
        *inputs, out = gmem

        @pl.loop(0, tiles)
        def _(tile):
            @pl.loop(0, steps)
            def _(step):
                count = tile * steps + step
                slot = lax.rem(count, stages)

                @pl.when(count >= stages)
                def _():
                    plgpu.barrier_wait(refs["consumed"].at[slot])

                _load(inputs, refs, step, slot, tile)
                plgpu.barrier_wait(refs["loaded"].at[slot])
                _multiply(refs, acc_tmem, slot, meta_tmem, refs["consumed"].at[slot], step > 0)

            plgpu.tcgen05_commit_arrive(done)
            plgpu.barrier_wait(done)
            out[pl.ds(tile * M, M)] = plgpu.async_load_tmem(acc_tmem)
            plgpu.wait_load_tmem()

    scratch = _tensor_ring(stages, 1)
    fn = plgpu.kernel(
        body,
        **{_OUT: _shape((tiles * M, N), jnp.float32), _SCRATCH: scratch},
        compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS[semantics]),
    )
    return fn, (
        _shape((tiles * M, K // 2 * steps), _F16),
        _shape((N, K * steps), _F16),
        _shape((steps, *TILE), jnp.uint2),
    )


def grid_loop(semantics, stages=2, steps=4):
    """A persistent loop over the grid whose length depends on the block."""

    def body(*gmem, acc_tmem, meta_tmem, done, **refs):
        *inputs, out = gmem

        def tile(info):
            index = info.index[0] if hasattr(info, "index") else info[0]

            @pl.loop(0, steps)
            def _(step):
                slot = lax.rem(step, stages)
                _load(inputs, refs, step, slot, index)
                plgpu.barrier_wait(refs["loaded"].at[slot])
                _multiply(refs, acc_tmem, slot, meta_tmem, done, step > 0)
                plgpu.barrier_wait(done)

            out[pl.ds(index * M, M)] = plgpu.async_load_tmem(acc_tmem)
            plgpu.wait_load_tmem()

        plgpu.nd_loop((8,), collective_axes="block")(tile)

    scratch = _tensor_ring(stages, 1)
    fn = plgpu.kernel(
        body,
        **{_OUT: _shape((8 * M, N), jnp.float32), _SCRATCH: scratch},
        grid=(3,),
        grid_names=("block",),
        compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS[semantics]),
    )
    return fn, (
        _shape((8 * M, K // 2 * steps), _F16),
        _shape((N, K * steps), _F16),
        _shape((steps, *TILE), jnp.uint2),
    )


def pipeline(semantics, steps=6, delay=0):
    """A, B and the metadata of each K step through `emit_pipeline`."""

    def body(a_gmem, b_gmem, meta_gmem, out, done, acc_tmem, meta_tmem):
        def step(indices, a_smem, b_smem, meta_smem):
            (index,) = indices
            slot = lax.rem(index, 2) if delay else 0
            plgpu.async_copy_sparse_metadata_to_tmem(meta_smem.at[0], meta_tmem)
            plgpu.tcgen05_mma(
                acc_tmem,
                a_smem,
                b_smem.transpose((1, 0)),
                done.at[slot],
                a_sparse_metadata=meta_tmem,
                accumulate=index > 0,
            )
            if delay:
                # The step before is waited for; its buffers are released only now.
                @pl.when(index > 0)
                def _():
                    plgpu.barrier_wait(done.at[lax.rem(index + 1, 2)])

            else:
                plgpu.barrier_wait(done.at[0])

        transforms = _transforms(64, _F16)
        plgpu.emit_pipeline(
            step,
            grid=(steps,),
            in_specs=[
                plgpu.BlockSpec((M, K // 2), lambda k: (0, k), transforms=transforms, **_delayed(delay)),
                plgpu.BlockSpec((N, K), lambda k: (0, k), transforms=transforms, **_delayed(delay)),
                plgpu.BlockSpec((1, *TILE), lambda k: (k, 0, 0, 0, 0), **_delayed(delay)),
            ],
            max_concurrent_steps=3,
        )(a_gmem, b_gmem, meta_gmem)
        if delay:
            plgpu.barrier_wait(done.at[(steps - 1) % 2])
        out[...] = plgpu.async_load_tmem(acc_tmem)

    scratch = dict(
        done=plgpu.Barrier(num_barriers=2, orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32),
        meta_tmem=plgpu.TMEM((M, COLUMNS), jnp.uint2, layout=SPARSE),
    )
    return _kernel(body, semantics, scratch, steps=steps)


def _delayed(steps):
    return {"delay_release": steps} if steps else {}


def all_at_once(semantics, steps=4):
    """All metadata is loaded and copied before the K loop, which multiplies with a slice of it per step."""

    def body(*gmem, acc_tmem, meta_tmem, done, whole, meta_loaded, **refs):
        a_gmem, b_gmem, meta_gmem, out = gmem
        plgpu.copy_gmem_to_smem(meta_gmem, whole, meta_loaded)
        plgpu.barrier_wait(meta_loaded)
        for step in range(steps):
            at = meta_tmem.at[:, pl.ds(step * COLUMNS, COLUMNS)]
            plgpu.async_copy_sparse_metadata_to_tmem(whole.at[step], at)

        @pl.loop(0, steps)
        def _(step):
            loaded = refs["loaded"].at[0]
            plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(step * (K // 2), K // 2)], refs["a_smem"].at[0], loaded)
            plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(step * K, K)], refs["b_smem"].at[0], loaded)
            plgpu.barrier_wait(loaded)
            plgpu.tcgen05_mma(
                acc_tmem,
                refs["a_smem"].at[0],
                refs["b_smem"].at[0].transpose((1, 0)),
                done,
                a_sparse_metadata=meta_tmem.at[:, pl.ds(step * COLUMNS, COLUMNS)],
                accumulate=step > 0,
            )
            plgpu.barrier_wait(done)

        _store({"acc_tmem": acc_tmem}, out)

    scratch = _tensor_ring(1, steps, whole=plgpu.SMEM((steps, *TILE), jnp.uint2), meta_loaded=plgpu.Barrier())
    scratch["loaded"] = plgpu.Barrier(num_arrivals=2, num_barriers=1)
    del scratch["meta_smem"], scratch["consumed"]
    return _kernel(body, semantics, scratch, steps=steps)


def refilled(semantics, stages=2, steps=6):
    """The warpgroup fills the ring, one of its warps refills it: both arrive at the barriers, one after the other."""

    def body(*gmem, acc_tmem, meta_tmem, done, first, **refs):
        a_gmem, b_gmem, meta_gmem, out = gmem
        plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(0, K)], refs["b_smem"].at[0], first)
        plgpu.barrier_wait(first)

        def load(step, slot):
            loaded = refs["loaded"].at[slot]
            plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(step * (K // 2), K // 2)], refs["a_smem"].at[slot], loaded)
            plgpu.copy_gmem_to_smem(meta_gmem.at[step], refs["meta_smem"].at[slot], loaded)

        for step in range(stages):
            load(step, step)

        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _():
            warp = lax.axis_index("warp")

            @pl.when(warp == 0)
            def _():
                @pl.loop(stages, steps)
                def _(step):
                    slot = lax.rem(step, stages)
                    plgpu.barrier_wait(refs["consumed"].at[slot])
                    load(step, slot)

            @pl.when(warp == 1)
            def _():
                @pl.loop(0, steps)
                def _(step):
                    slot = lax.rem(step, stages)
                    plgpu.barrier_wait(refs["loaded"].at[slot])
                    plgpu.async_copy_sparse_metadata_to_tmem(refs["meta_smem"].at[slot], meta_tmem)
                    plgpu.tcgen05_mma(
                        acc_tmem,
                        refs["a_smem"].at[slot],
                        refs["b_smem"].at[0].transpose((1, 0)),
                        refs["consumed"].at[slot],
                        a_sparse_metadata=meta_tmem,
                        accumulate=step > 0,
                    )

                plgpu.tcgen05_commit_arrive(done)

        plgpu.barrier_wait(done)
        _store({"acc_tmem": acc_tmem}, out)

    scratch = _tensor_ring(stages, 1, first=plgpu.Barrier())
    scratch["loaded"] = plgpu.Barrier(num_arrivals=2, num_barriers=stages)
    return _kernel(body, semantics, scratch, steps=steps)


def _in_slots(semantics, steps, first, following, slot_of):
    """One step after the other, each in the slot that `slot_of` finds in a carried number."""
    slots = 4

    def body(*gmem, acc_tmem, meta_tmem, done, **refs):
        *inputs, out = gmem

        def one(step, carried):
            slot = slot_of(carried)
            _load(inputs, refs, step, slot)
            plgpu.barrier_wait(refs["loaded"].at[slot])
            metadata = meta_tmem.at[:, pl.ds(slot * COLUMNS, COLUMNS)]
            _multiply(refs, acc_tmem, slot, metadata, done, step > 0)
            plgpu.barrier_wait(done)
            return following(carried)

        lax.fori_loop(0, steps, one, first())
        _store({"acc_tmem": acc_tmem}, out)

    scratch = _tensor_ring(slots, slots)
    return _kernel(body, semantics, scratch, steps=steps)


def counted_down(semantics, steps=6):
    """Slots 0, 3, 2, 1: what is below 0 is a large number without a sign."""

    def following(slot):
        return lax.rem(slot - jnp.uint32(1), jnp.uint32(4))

    return _in_slots(semantics, steps, lambda: jnp.uint32(0), following, lambda slot: slot.astype(jnp.int32))


def hashed(semantics, steps=40):
    """A number that is squared in each step, modulo 2**32, says which slot comes next."""

    def slot_of(number):
        return lax.rem(abs(number), 4)

    return _in_slots(semantics, steps, lambda: jnp.int32(12345), lambda number: number * number + 3, slot_of)


def same_condition(semantics):
    """What is known only at run time is asked in three ways that mean the same: lengths are not negative."""

    def body(length, *gmem, acc_tmem, meta_tmem, **refs):
        *inputs, out = gmem
        done = refs["consumed"].at[0]

        @pl.when(length[0] > 0)
        def _():
            _load(inputs, refs, 0, 0)

        @pl.when(length[0] != 0)
        def _():
            plgpu.barrier_wait(refs["loaded"].at[0])
            _multiply(refs, acc_tmem, 0, meta_tmem, done, False)

        @pl.when(length[0] >= 1)
        def _():
            plgpu.barrier_wait(done)
            _store({"acc_tmem": acc_tmem}, out)

    scratch = _ring(
        1, acc_tmem=plgpu.TMEM((M, N), jnp.float32), meta_tmem=plgpu.TMEM((M, COLUMNS), jnp.uint2, layout=SPARSE)
    )
    fn, args = _kernel(body, semantics, scratch)
    return fn, (_shape((1,), jnp.int32), *args)


def long_loop(semantics):
    """More K steps than anybody looks at one by one."""
    return specialised_warpgroups(semantics, stages=4, steps=300)


def long_loop_of_warps(semantics):
    """The same with warps, and stages that do not divide the steps."""
    return specialised_warps(semantics, stages=3, steps=1000)


def long_inner_loop(semantics):
    """Tiles with many K steps each."""
    return persistent(semantics, stages=2, steps=100, tiles=3)


KERNELS = {
    "specialised warps": specialised_warps,
    "specialised warpgroups": specialised_warpgroups,
    "persistent": persistent,
    "loop over the grid": grid_loop,
    "pipeline": pipeline,
    "pipeline with a delayed release": lambda semantics: pipeline(semantics, delay=1),
    "all metadata at once": all_at_once,
    "ring that another thread refills": refilled,
    "slots that are counted down": counted_down,
    "long loop": long_loop,
    "long loop of warps": long_loop_of_warps,
    "long inner loop": long_inner_loop,
    "ring of 4, 300 steps": lambda semantics: ring(semantics, False, 4, 300),
}
# Correct, but more than is understood.
UNDECIDED = {"hashed slots": hashed, "one condition in several forms": same_condition}
