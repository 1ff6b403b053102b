"""Sparse-MMA kernels with one mistake in the order of their events, and the same kernels without it.

All of them lower without a word from JAX. `KERNELS` maps a label to (code, function); the function takes the lowering
semantics and whether to make the mistake, and gives (function, argument shapes).
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from sparse_mma import _OUT, _SCRATCH, SEMANTICS, SPARSE, _transforms

_shape = jax.ShapeDtypeStruct
M = N = 128
K = 128  # of one step
COLUMNS = 64  # of metadata, in one step
TILE = (1, 1, 128, 64)


def _kernel(body, semantics, scratch, steps=1, dtype=jnp.float16, out=jnp.float32, n=N, **options):
    fn = plgpu.kernel(
        body,
        **{_OUT: _shape((M, n), out), _SCRATCH: scratch},
        compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS[semantics]),
        **options,
    )
    return fn, (_shape((M, K // 2 * steps), dtype), _shape((N, K * steps), dtype), _shape((steps, *TILE), jnp.uint2))


def _scratch(stages=1, columns=COLUMNS, dtype=jnp.float16, accumulator=jnp.float32, **more):
    """Scratch refs for `stages` steps in shared memory."""
    transforms = _transforms(64, dtype)
    return dict(
        a_smem=plgpu.SMEM((stages, M, K // 2), dtype, transforms=transforms),
        b_smem=plgpu.SMEM((stages, N, K), dtype, transforms=transforms),
        meta_smem=plgpu.SMEM((stages, *TILE), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3, num_barriers=stages),
        done=plgpu.Barrier(num_barriers=stages, orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), accumulator),
        meta_tmem=plgpu.TMEM((M, columns), jnp.uint2, layout=SPARSE),
        **more,
    )


def _load(inputs, refs, step=0, stage=0):
    a_gmem, b_gmem, meta_gmem = inputs
    loaded = refs["loaded"].at[stage]
    plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(step * (K // 2), K // 2)], refs["a_smem"].at[stage], loaded)
    plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(step * K, K)], refs["b_smem"].at[stage], loaded)
    plgpu.copy_gmem_to_smem(meta_gmem.at[step], refs["meta_smem"].at[stage], loaded)


def _mma(refs, barrier=None, metadata=None, stage=0, accumulate=False, **options):
    plgpu.tcgen05_mma(
        refs["acc_tmem"],
        refs["a_smem"].at[stage],
        refs["b_smem"].at[stage].transpose((1, 0)),
        barrier,
        a_sparse_metadata=refs["meta_tmem"] if metadata is None else metadata,
        accumulate=accumulate,
        **options,
    )


def _copy(refs, metadata=None, stage=0, **options):
    target = refs["meta_tmem"] if metadata is None else metadata
    plgpu.async_copy_sparse_metadata_to_tmem(refs["meta_smem"].at[stage], target, **options)


def _store(refs, out):
    out[...] = plgpu.async_load_tmem(refs["acc_tmem"])


def _straight(semantics, events, **scratch):
    """A kernel that loads, and then does what `events` does with its refs, up to the wait for the MMA."""

    def body(*gmem, **refs):
        *inputs, out = gmem
        _load(inputs, refs)
        plgpu.barrier_wait(refs["loaded"].at[0])
        events(refs)
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    return _kernel(body, semantics, _scratch(**scratch))


# MV701 to MV703: what was copied, and where to


def no_copy(semantics, wrong):
    def events(refs):
        if not wrong:
            _copy(refs)
        _mma(refs, refs["done"].at[0])

    return _straight(semantics, events)


def copied_after(semantics, wrong):
    def events(refs):
        if not wrong:
            _copy(refs)
        _mma(refs, refs["done"].at[0])
        if wrong:
            _copy(refs)

    return _straight(semantics, events)


def other_columns(semantics, wrong):
    def events(refs):
        _copy(refs, refs["meta_tmem"].at[:, pl.ds(COLUMNS if wrong else 0, COLUMNS)])
        _mma(refs, refs["done"].at[0], refs["meta_tmem"].at[:, pl.ds(0, COLUMNS)])

    return _straight(semantics, events, columns=2 * COLUMNS)


def other_stage(semantics, wrong):
    """Two stages of metadata; the MMA of a step reads the stage behind the one that was copied."""

    def body(*gmem, **refs):
        *inputs, out = gmem

        @pl.loop(0, 4)
        def _(step):
            stage = lax.rem(step, 2)
            _load(inputs, refs, step)
            plgpu.barrier_wait(refs["loaded"].at[0])
            _copy(refs, refs["stages"].at[stage])
            read = lax.rem(step + 1, 2) if wrong else stage
            _mma(refs, refs["done"].at[0], refs["stages"].at[read], accumulate=step > 0)
            plgpu.barrier_wait(refs["done"].at[0])

        _store(refs, out)

    stages = plgpu.TMEM((2, M, COLUMNS), jnp.uint2, layout=SPARSE)
    return _kernel(body, semantics, _scratch(stages=1) | {"stages": stages}, steps=4)


def other_ref(semantics, wrong):
    def events(refs):
        _copy(refs, refs["second"] if wrong else None)
        _mma(refs, refs["done"].at[0])

    return _straight(semantics, events, second=plgpu.TMEM((M, COLUMNS), jnp.uint2, layout=SPARSE))


def part_only(semantics, wrong):
    """One MMA over two tiles of metadata."""

    def body(*gmem, **refs):
        *inputs, out = gmem
        for ref, name in zip(inputs, ("a", "b", "meta"), strict=True):
            plgpu.copy_gmem_to_smem(ref, refs[name], refs["loaded"])
        plgpu.barrier_wait(refs["loaded"])
        for tile in range(1 if wrong else 2):
            at = refs["meta_tmem"].at[:, pl.ds(tile * COLUMNS, COLUMNS)]
            plgpu.async_copy_sparse_metadata_to_tmem(refs["meta"].at[tile], at)
        plgpu.tcgen05_mma(
            refs["acc_tmem"],
            refs["a"],
            refs["b"].transpose((1, 0)),
            refs["done"],
            a_sparse_metadata=refs["meta_tmem"],
            accumulate=False,
        )
        plgpu.barrier_wait(refs["done"])
        _store(refs, out)

    transforms = _transforms(64, jnp.float16)
    scratch = dict(
        a=plgpu.SMEM((M, K), jnp.float16, transforms=transforms),
        b=plgpu.SMEM((N, 2 * K), jnp.float16, transforms=transforms),
        meta=plgpu.SMEM((2, *TILE), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3),
        done=plgpu.Barrier(orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32),
        meta_tmem=plgpu.TMEM((M, 2 * COLUMNS), jnp.uint2, layout=SPARSE),
    )
    return _kernel(body, semantics, scratch, steps=2)


# MV704, MV705, MV711: shared memory


def overwritten(semantics, wrong):
    """One stage; the next load is issued before the MMA of this step was waited for."""
    return ring(semantics, wrong, stages=1)


def ring(semantics, wrong, stages, steps=6):
    """A ring of stages; each step loads the tile that is used `stages - 1` steps later."""

    def body(*gmem, **refs):
        *inputs, out = gmem
        ahead = max(stages - 1, 1)
        for step in range(min(ahead, steps)):
            _load(inputs, refs, step, step % stages)

        @pl.loop(0, steps)
        def _(step):
            stage = lax.rem(step, stages)
            before = lax.rem(step + stages - 1, stages)
            plgpu.barrier_wait(refs["loaded"].at[stage])
            at = refs["meta_tmem"].at[:, pl.ds(stage * COLUMNS, COLUMNS)]
            _copy(refs, at, stage)
            _mma(refs, refs["done"].at[stage], at, stage, step > 0)
            # The stage that is loaded next was used one step ago, or just now when there is only one.
            used = stage if stages == 1 else before
            if not wrong:

                @pl.when(step >= (0 if stages == 1 else 1))
                def _():
                    plgpu.barrier_wait(refs["done"].at[used])

            @pl.when(step + ahead < steps)
            def _():
                _load(inputs, refs, step + ahead, used)

        if wrong:
            # Every MMA is waited for, but too late.
            @pl.loop(0, steps)
            def _(step):
                plgpu.barrier_wait(refs["done"].at[lax.rem(step, stages)])

        elif stages > 1:
            plgpu.barrier_wait(refs["done"].at[(steps - 1) % stages])
        _store(refs, out)

    return _kernel(body, semantics, _scratch(stages, COLUMNS * stages), steps=steps)


def not_committed(semantics, wrong):
    """The tile goes through registers on its way; its memory is also a ref of words."""
    scratch = _scratch()
    scratch["both"] = plgpu.RefUnion(scratch.pop("meta_smem"), plgpu.SMEM((512,), jnp.uint32))

    def body(*gmem, both, **refs):
        *inputs, out = gmem
        refs["meta_smem"], words = both
        _load(inputs, refs)
        plgpu.barrier_wait(refs["loaded"].at[0])
        words[...] = words[...] ^ jnp.uint32(0x44444444)
        if not wrong:
            plgpu.commit_smem()
        _copy(refs)
        _mma(refs, refs["done"].at[0])
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    return _kernel(body, semantics, scratch)


def not_waited(semantics, wrong):
    def body(*gmem, **refs):
        *inputs, out = gmem
        _load(inputs, refs)
        if wrong:
            _copy(refs)
        plgpu.barrier_wait(refs["loaded"].at[0])
        if not wrong:
            _copy(refs)
        _mma(refs, refs["done"].at[0])
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    return _kernel(body, semantics, _scratch())


def never_loaded(semantics, wrong, counted=False):
    """Nothing loads the metadata; its barrier counts the other loads only, or all three."""

    def body(*gmem, **refs):
        *inputs, out = gmem
        arrays = zip(inputs, ("a_smem", "b_smem", "meta_smem"), (0, 0, 0), strict=True)
        for ref, name, stage in list(arrays)[: 2 if wrong else 3]:
            plgpu.copy_gmem_to_smem(
                ref if name != "meta_smem" else ref.at[0], refs[name].at[stage], refs["loaded"].at[0]
            )
        plgpu.barrier_wait(refs["loaded"].at[0])
        _copy(refs)
        _mma(refs, refs["done"].at[0])
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    loaded = plgpu.Barrier(num_arrivals=2 if wrong and not counted else 3, num_barriers=1)
    return _kernel(body, semantics, _scratch() | {"loaded": loaded})


def arrivals(semantics, wrong, number):
    """A K loop with three loads per step, and a barrier that completes after `number` arrivals."""
    steps = 4

    def body(*gmem, **refs):
        *inputs, out = gmem

        @pl.loop(0, steps)
        def _(step):
            _load(inputs, refs, step)
            plgpu.barrier_wait(refs["loaded"].at[0])
            _copy(refs)
            _mma(refs, refs["done"].at[0], accumulate=step > 0)
            plgpu.barrier_wait(refs["done"].at[0])

        _store(refs, out)

    loaded = plgpu.Barrier(num_arrivals=number if wrong else 3, num_barriers=1)
    return _kernel(body, semantics, _scratch() | {"loaded": loaded}, steps=steps)


def run_time_ring(semantics, wrong):
    """As many steps as an array says."""

    def body(length, *gmem, **refs):
        *inputs, out = gmem
        steps = length[0]

        @pl.when(steps > 0)
        def _():
            _load(inputs, refs)

        @pl.loop(0, steps)
        def _(step):
            stage, other = lax.rem(step, 2), lax.rem(step + 1, 2)

            @pl.when(step + 1 < steps)
            def _():
                _load(inputs, refs, step + 1, other)

            plgpu.barrier_wait(refs["loaded"].at[stage])
            _copy(refs, None, stage)
            _mma(refs, refs["done"].at[0], None, stage, step > 0)
            if not wrong:
                plgpu.barrier_wait(refs["done"].at[0])

        if wrong:

            @pl.loop(0, steps)
            def _(step):
                plgpu.barrier_wait(refs["done"].at[0])

        _store(refs, out)

    fn, args = _kernel(body, semantics, _scratch(2), steps=64)
    return fn, (_shape((1,), jnp.int32), *args)


# MV706: tensor memory that is shared


def aliased(semantics, wrong):
    scratch = _scratch()
    acc, meta = scratch.pop("acc_tmem"), scratch.pop("meta_tmem")
    other = plgpu.TMEM((M, 64), jnp.float32)
    scratch["union"] = plgpu.RefUnion(acc, meta) if wrong else plgpu.RefUnion([acc, meta], other)

    def body(*gmem, union, **refs):
        *inputs, out = gmem
        refs["acc_tmem"], refs["meta_tmem"] = union if wrong else union[0]
        _load(inputs, refs)
        plgpu.barrier_wait(refs["loaded"].at[0])
        _copy(refs)
        _mma(refs, refs["done"].at[0])
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    return _kernel(body, semantics, scratch)


# MV707, MV708: two warpgroups


def other_thread(semantics, wrong):
    """One warpgroup copies, the other one multiplies."""

    def body(*gmem, **refs):
        *inputs, out = gmem
        group = lax.axis_index("wg")

        @pl.when(group == 1)
        def _():
            _load(inputs, refs)
            plgpu.barrier_wait(refs["loaded"].at[0])
            _copy(refs)
            if not wrong:
                plgpu.barrier_arrive(refs["copied"])

        @pl.when(group == 0)
        def _():
            if not wrong:
                plgpu.barrier_wait(refs["copied"])
            else:
                plgpu.barrier_wait(refs["loaded"].at[0])
            _mma(refs, refs["done"].at[0])
            plgpu.barrier_wait(refs["done"].at[0])
            _store(refs, out)

    copied = plgpu.Barrier(orders_tensor_core=True)
    return _kernel(body, semantics, _scratch(copied=copied), num_threads=2, thread_name="wg")


def overwritten_metadata(semantics, wrong):
    """One warpgroup copies ahead into the only metadata while the other one may still multiply."""
    steps = 4

    def body(*gmem, **refs):
        *inputs, out = gmem
        group = lax.axis_index("wg")

        @pl.when(group == 1)
        def _():
            @pl.loop(0, steps)
            def _(step):
                if not wrong:

                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(refs["done"].at[0])

                stage = lax.rem(step, steps)
                _load(inputs, refs, step, stage)
                plgpu.barrier_wait(refs["loaded"].at[stage])
                _copy(refs, None, stage)
                plgpu.tcgen05_commit_arrive(refs["copied"])

        @pl.when(group == 0)
        def _():
            @pl.loop(0, steps)
            def _(step):
                plgpu.barrier_wait(refs["copied"])
                _mma(refs, refs["done"].at[0], None, lax.rem(step, steps), step > 0)
                if wrong:
                    plgpu.barrier_wait(refs["done"].at[0])

            if not wrong:
                plgpu.tcgen05_commit_arrive(refs["last"])
                plgpu.barrier_wait(refs["last"])
            _store(refs, out)

    scratch = _scratch(
        steps, copied=plgpu.Barrier(orders_tensor_core=True), last=plgpu.Barrier(orders_tensor_core=True)
    )
    return _kernel(body, semantics, scratch, steps=steps, num_threads=2, thread_name="wg")


# MV710: two CTAs


def peer(semantics, wrong, collective_copy=True, rows=1, other_axis=False):
    """Pairs of CTAs; with `rows`, several in a cluster, and wrong may be a barrier between the rows."""
    copy_axis = "pair" if collective_copy else None

    def body(a_gmem, b_gmem, meta_gmem, out, **refs):
        for source, name in ((a_gmem, "a_smem"), (b_gmem, "b_smem"), (meta_gmem, "meta_smem")):
            plgpu.copy_gmem_to_smem(source, refs[name], refs["loaded"])
        plgpu.barrier_wait(refs["loaded"])
        if not wrong or other_axis:
            plgpu.barrier_arrive(refs["ready"])
            plgpu.barrier_wait(refs["ready"])
        plgpu.async_copy_sparse_metadata_to_tmem(refs["meta_smem"], refs["meta_tmem"], collective_axis=copy_axis)
        plgpu.tcgen05_mma(
            refs["acc_tmem"],
            refs["a_smem"],
            refs["b_smem"].transpose((1, 0)),
            refs["done"],
            a_sparse_metadata=refs["meta_tmem"],
            accumulate=False,
            collective_axis="pair",
        )
        plgpu.barrier_wait(refs["done"])
        out[...] = plgpu.async_load_tmem(refs["acc_tmem"])

    transforms = _transforms(64, jnp.float16)
    scratch = dict(
        a_smem=plgpu.SMEM((M, K // 2), jnp.float16, transforms=transforms),
        b_smem=plgpu.SMEM((N // 2, K), jnp.float16, transforms=transforms),
        meta_smem=plgpu.SMEM(TILE, jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3),
        done=plgpu.Barrier(orders_tensor_core=True),
        ready=plgpu.ClusterBarrier(
            collective_axes=("row",) if wrong and other_axis else ("pair",), orders_tensor_core=True
        ),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32, collective=True),
        meta_tmem=plgpu.TMEM((M, COLUMNS), jnp.uint2, layout=SPARSE, collective=True),
    )
    cluster, called = ((rows, 2), ("row", "pair")) if rows > 1 else ((2,), ("pair",))
    fn, _ = _kernel(body, semantics, scratch, cluster=cluster, cluster_names=called)
    return fn, (_shape((M, K // 2), jnp.float16), _shape((N // 2, K), jnp.float16), _shape(TILE, jnp.uint2))


def pair_ring(semantics, wrong, specialised=True, stages=2, steps=6):
    """A ring of two CTAs whose loads are split between them.

    `specialised`: one warp of each CTA loads and tells the first CTA, of which another warp multiplies; else a cluster
    barrier in each step. Wrong is that a stage is loaded again before its MMA is over.
    """
    split = {"collective_axes": "pair", "leader_tracked": plgpu.CopyPartition.PARTITIONED(0)} if specialised else {}

    def body(a_gmem, b_gmem, meta_gmem, out, **refs):
        block = lax.axis_index("pair")
        rows, columns, tiles = slice(None), slice(None), slice(None)
        if not specialised:
            rows, columns, tiles = pl.ds(block * M, M), pl.ds(block * (N // 2), N // 2), pl.ds(block, 1)

        def load(step, stage):
            @pl.when(step >= stages)
            def _():
                if not wrong:
                    plgpu.barrier_wait(refs["done"].at[stage])

            loaded = refs["loaded"].at[stage]
            a, b = a_gmem.at[rows, pl.ds(step * (K // 2), K // 2)], b_gmem.at[columns, pl.ds(step * K, K)]
            plgpu.copy_gmem_to_smem(a, refs["a_smem"].at[stage], loaded, **split)
            plgpu.copy_gmem_to_smem(b, refs["b_smem"].at[stage], loaded, **split)
            meta = meta_gmem.at[tiles, pl.ds(step, 1)]
            plgpu.copy_gmem_to_smem(meta, refs["meta_smem"].at[stage], loaded, **split)

        def multiply(step, stage):
            plgpu.barrier_wait(refs["loaded"].at[stage])
            if not specialised:
                plgpu.barrier_arrive(refs["ready"].at[stage])
                plgpu.barrier_wait(refs["ready"].at[stage])
            _copy(refs, None, stage, collective_axis="pair")
            _mma(refs, refs["done"].at[stage], None, stage, step > 0, collective_axis="pair")

        if specialised:

            @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
            def _():
                warp = lax.axis_index("warp")

                @pl.when(warp == 0)
                def _():
                    pl.loop(0, steps)(lambda step: load(step, lax.rem(step, stages)))

                @pl.when(jnp.logical_and(warp == 1, block == 0))
                def _():
                    pl.loop(0, steps)(lambda step: multiply(step, lax.rem(step, stages)))
                    plgpu.tcgen05_commit_arrive(refs["last"], collective_axis="pair")

        else:

            @pl.loop(0, steps)
            def _(step):
                load(step, lax.rem(step, stages))
                multiply(step, lax.rem(step, stages))

            plgpu.tcgen05_commit_arrive(refs["last"], collective_axis="pair")
        plgpu.barrier_wait(refs["last"])
        out[pl.ds(block * M, M)] = plgpu.async_load_tmem(refs["acc_tmem"])

    scratch = _scratch(stages) | dict(
        b_smem=plgpu.SMEM((stages, N // 2, K), jnp.float16, transforms=_transforms(64, jnp.float16)),
        ready=plgpu.ClusterBarrier(collective_axes=("pair",), num_barriers=stages, orders_tensor_core=True),
        last=plgpu.Barrier(orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32, collective=True),
        meta_tmem=plgpu.TMEM((M, COLUMNS), jnp.uint2, layout=SPARSE, collective=True),
    )
    fn = plgpu.kernel(
        body,
        **{_OUT: _shape((2 * M, N), jnp.float32), _SCRATCH: scratch},
        compiler_params=plgpu.CompilerParams(lowering_semantics=SEMANTICS[semantics]),
        cluster=(2,),
        cluster_names=("pair",),
    )
    half = jnp.float16
    return fn, (
        _shape((2 * M, K // 2 * steps), half),
        _shape((N, K * steps), half),
        _shape((2, steps, 128, 64), jnp.uint2),
    )


# MV712: completion


def never_observed(semantics, wrong):
    def body(*gmem, **refs):
        *inputs, out = gmem
        _load(inputs, refs)
        plgpu.barrier_wait(refs["loaded"].at[0])
        _copy(refs)
        _mma(refs)
        if not wrong:
            plgpu.tcgen05_commit_arrive(refs["done"].at[0])
            plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    return _kernel(body, semantics, _scratch())


def never_arrives(semantics, wrong):
    """The MMA arrives at one barrier, the wait is for another one."""

    def events(refs):
        _copy(refs)
        _mma(refs, refs["other"] if wrong else refs["done"].at[0])

    return _straight(semantics, events, other=plgpu.Barrier(orders_tensor_core=True))


# MV709, MV713: warnings


def other_k(semantics, wrong):
    """The metadata of the step behind that of A and B."""
    steps = 4

    def body(*gmem, **refs):
        *inputs, out = gmem
        a_gmem, b_gmem, meta_gmem = inputs

        @pl.loop(0, steps)
        def _(step):
            loaded = refs["loaded"].at[0]
            plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(step * (K // 2), K // 2)], refs["a_smem"].at[0], loaded)
            plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(step * K, K)], refs["b_smem"].at[0], loaded)
            tile = steps - 1 - step if wrong else step
            plgpu.copy_gmem_to_smem(meta_gmem.at[tile], refs["meta_smem"].at[0], loaded)
            plgpu.barrier_wait(loaded)
            _copy(refs)
            _mma(refs, refs["done"].at[0], accumulate=step > 0)
            plgpu.barrier_wait(refs["done"].at[0])

        _store(refs, out)

    return _kernel(body, semantics, _scratch(), steps=steps)


def copied_once(semantics, wrong):
    """A, B and the metadata of each step are loaded; the metadata is copied in the first step only."""
    steps = 4

    def body(*gmem, **refs):
        *inputs, out = gmem

        @pl.loop(0, steps)
        def _(step):
            _load(inputs, refs, step)
            plgpu.barrier_wait(refs["loaded"].at[0])
            if wrong:
                pl.when(step == 0)(lambda: _copy(refs))
            else:
                _copy(refs)
            _mma(refs, refs["done"].at[0], accumulate=step > 0)
            plgpu.barrier_wait(refs["done"].at[0])

        _store(refs, out)

    return _kernel(body, semantics, _scratch(), steps=steps)


def split_k(semantics, wrong):
    """Each block has a part of K; the metadata is always that of the first one."""

    def body(a_gmem, b_gmem, meta_gmem, out, **refs):
        block = lax.axis_index("block")
        loaded = refs["loaded"].at[0]
        plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(block * (K // 2), K // 2)], refs["a_smem"].at[0], loaded)
        plgpu.copy_gmem_to_smem(b_gmem.at[:, pl.ds(block * K, K)], refs["b_smem"].at[0], loaded)
        plgpu.copy_gmem_to_smem(meta_gmem.at[0 if wrong else block], refs["meta_smem"].at[0], loaded)
        plgpu.barrier_wait(loaded)
        _copy(refs)
        _mma(refs, refs["done"].at[0])
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    return _kernel(body, semantics, _scratch(), steps=16, grid=(16,), grid_names=("block",))


def _at_once(semantics, steps, events):
    """A, B and the metadata are loaded as wholes."""

    def body(a_gmem, b_gmem, meta_gmem, out, **refs):
        for source, name in ((a_gmem, "a"), (b_gmem, "b"), (meta_gmem, "meta")):
            plgpu.copy_gmem_to_smem(source, refs[name], refs["loaded"])
        plgpu.barrier_wait(refs["loaded"])
        events(refs)
        plgpu.tcgen05_commit_arrive(refs["done"])
        plgpu.barrier_wait(refs["done"])
        _store(refs, out)

    transforms = _transforms(64, jnp.float16)
    scratch = dict(
        a=plgpu.SMEM((M, K // 2 * steps), jnp.float16, transforms=transforms),
        b=plgpu.SMEM((N, K * steps), jnp.float16, transforms=transforms),
        meta=plgpu.SMEM((steps, *TILE), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3),
        done=plgpu.Barrier(orders_tensor_core=True),
        acc_tmem=plgpu.TMEM((M, N), jnp.float32),
        meta_tmem=plgpu.TMEM((M, COLUMNS * steps), jnp.uint2, layout=SPARSE),
    )
    return _kernel(body, semantics, scratch, steps=steps)


def other_slice(semantics, wrong):
    """Each MMA takes a slice of A, of B and of the metadata."""
    steps = 2

    def events(refs):
        for step in range(steps):
            at = refs["meta_tmem"].at[:, pl.ds(step * COLUMNS, COLUMNS)]
            plgpu.async_copy_sparse_metadata_to_tmem(refs["meta"].at[step], at)
        for step in range(steps):
            tile = 0 if wrong else step
            plgpu.tcgen05_mma(
                refs["acc_tmem"],
                refs["a"].at[:, pl.ds(step * (K // 2), K // 2)],
                refs["b"].at[:, pl.ds(step * K, K)].transpose((1, 0)),
                a_sparse_metadata=refs["meta_tmem"].at[:, pl.ds(tile * COLUMNS, COLUMNS)],
                accumulate=step > 0,
            )

    return _at_once(semantics, steps, events)


def swapped_tiles(semantics, wrong):
    """One MMA, the tiles of its metadata are copied one by one."""
    steps = 2

    def events(refs):
        for step in range(steps):
            at = refs["meta_tmem"].at[:, pl.ds(step * COLUMNS, COLUMNS)]
            plgpu.async_copy_sparse_metadata_to_tmem(refs["meta"].at[1 - step if wrong else step], at)
        plgpu.tcgen05_mma(
            refs["acc_tmem"],
            refs["a"],
            refs["b"].transpose((1, 0)),
            a_sparse_metadata=refs["meta_tmem"],
            accumulate=False,
        )

    return _at_once(semantics, steps, events)


def unsigned(semantics, wrong):
    dtype = jnp.uint8 if wrong else jnp.int8

    def body(*gmem, **refs):
        *inputs, out = gmem
        _load(inputs, refs)
        plgpu.barrier_wait(refs["loaded"].at[0])
        _copy(refs)
        _mma(refs, refs["done"].at[0])
        plgpu.barrier_wait(refs["done"].at[0])
        _store(refs, out)

    scratch = _scratch(dtype=dtype, accumulator=jnp.int32)
    return _kernel(body, semantics, scratch, dtype=dtype, out=jnp.int32)


KERNELS = {
    "no copy": ("MV701", no_copy),
    "copied after the MMA": ("MV702", copied_after),
    "other columns": ("MV703", other_columns),
    "other stage": ("MV703", other_stage),
    "other ref": ("MV703", other_ref),
    "part of the columns": ("MV703", part_only),
    "one stage overwritten": ("MV704", overwritten),
    "ring of 2": ("MV704", lambda semantics, wrong: ring(semantics, wrong, 2)),
    "ring of 3": ("MV704", lambda semantics, wrong: ring(semantics, wrong, 3)),
    "ring of 4": ("MV704", lambda semantics, wrong: ring(semantics, wrong, 4)),
    "ring of a length known at run time": ("MV704", run_time_ring),
    "registers": ("MV705", not_committed),
    "union": ("MV706", aliased),
    "two warpgroups": ("MV707", other_thread),
    "two warpgroups, overwritten": ("MV708", overwritten_metadata),
    "metadata of another step": ("MV709", other_k),
    "metadata copied once": ("MV709", copied_once),
    "metadata of another block": ("MV709", split_k),
    "metadata of another slice": ("MV709", other_slice),
    "tiles of metadata swapped": ("MV709", swapped_tiles),
    "two CTAs": ("MV710", peer),
    "ring of two CTAs": ("MV704", lambda semantics, wrong: pair_ring(semantics, wrong, specialised=False)),
    "ring of two CTAs, specialised": ("MV704", pair_ring),
    "load not waited for": ("MV711", not_waited),
    "never loaded": ("MV711", never_loaded),
    "never loaded, but counted": ("MV711", lambda semantics, wrong: never_loaded(semantics, wrong, True)),
    "too few arrivals": ("MV711", lambda semantics, wrong: arrivals(semantics, wrong, 2)),
    "too many arrivals": ("MV712", lambda semantics, wrong: arrivals(semantics, wrong, 4)),
    "MMA without a commit": ("MV712", never_observed),
    "wait for another barrier": ("MV712", never_arrives),
    "uint8": ("MV713", unsigned),
}
if jax.__version_info__ >= (0, 11):  # JAX 0.10 has no collective arrivals in larger clusters
    KERNELS["two pairs of CTAs"] = ("MV710", lambda semantics, wrong: peer(semantics, wrong, rows=2))
    KERNELS["barrier of another pair"] = (
        "MV710",
        lambda semantics, wrong: peer(semantics, wrong, rows=2, other_axis=True),
    )
