"""Sparse MMAs in every place where a kernel, or a part of one, can stand. `at_mma` is what happens to the metadata ref.

`INSIDE` holds bodies of kernels, `AROUND` what is done with a kernel: label -> function (semantics, at_mma) -> (fn, args).
"""

import functools

import jax
import jax.numpy as jnp
import sparse_mma
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

SHAPE = jax.ShapeDtypeStruct
ARGS = (SHAPE((128, 64), jnp.float16), SHAPE((128, 128), jnp.float16), SHAPE((1, 1, 128, 64), jnp.uint2))
OUT = SHAPE((128, 128), jnp.float32)


def scratch():
    tiles = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))
    return dict(
        a_smem=plgpu.SMEM((128, 64), jnp.float16, transforms=tiles),
        b_smem=plgpu.SMEM((128, 128), jnp.float16, transforms=tiles),
        meta_smem=plgpu.SMEM((1, 1, 128, 64), jnp.uint2),
        loaded=plgpu.Barrier(num_arrivals=3),
        done=plgpu.Barrier(orders_tensor_core=True),
        acc=plgpu.TMEM((128, 128), jnp.float32),
        meta_tmem=plgpu.TMEM((128, 64), jnp.uint2, layout=sparse_mma.SPARSE),
    )


def load(a, b, meta, refs):
    for source, name in ((a, "a_smem"), (b, "b_smem"), (meta, "meta_smem")):
        plgpu.copy_gmem_to_smem(source, refs[name], refs["loaded"])
    plgpu.barrier_wait(refs["loaded"])
    plgpu.async_copy_sparse_metadata_to_tmem(refs["meta_smem"], refs["meta_tmem"])


def multiply(refs, at_mma, accumulate=False):
    b = plgpu.transpose_ref(refs["b_smem"], (1, 0))
    meta = at_mma(refs["meta_tmem"])
    plgpu.tcgen05_mma(refs["acc"], refs["a_smem"], b, refs["done"], a_sparse_metadata=meta, accumulate=accumulate)


def store(out, refs):
    plgpu.barrier_wait(refs["done"])
    out[...] = plgpu.async_load_tmem(refs["acc"])


def build(body, semantics, refs=None, **options):
    return plgpu.kernel(
        body,
        **{sparse_mma._OUT: OUT, sparse_mma._SCRATCH: scratch() if refs is None else refs},
        compiler_params=plgpu.CompilerParams(lowering_semantics=sparse_mma.SEMANTICS[semantics]),
        **options,
    )


def around_the_mma(place, **options):
    """A kernel with `place(multiply, refs)` where the MMA would be."""

    def make(semantics, at_mma):
        def body(a, b, meta, out, **refs):
            load(a, b, meta, refs)
            place(lambda *accumulate: multiply(refs, at_mma, *accumulate), refs)
            store(out, refs)

        return build(body, semantics, **options), ARGS

    return make


def each_step(loop):
    """A kernel whose MMA, and the wait for it, stand in a loop: `loop(step)`, where `step` takes the number of it."""

    def make(semantics, at_mma):
        def body(a, b, meta, out, **refs):
            load(a, b, meta, refs)

            def step(number):
                multiply(refs, at_mma, number > 0)
                plgpu.barrier_wait(refs["done"])

            loop(step, a)
            out[...] = plgpu.async_load_tmem(refs["acc"])

        return build(body, semantics), ARGS

    return make


def _counted(step, _, **options):
    def body(number, carry):
        step(number)
        return carry + 1

    lax.fori_loop(0, 4, body, jnp.int32(0), **options)


def _while(step, a):
    def body(number):
        step(number)
        return number + 1

    lax.while_loop(lambda number: number < a[0, 0].astype(jnp.int32), body, jnp.int32(0))


def _through_jit(semantics, at_mma):
    def body(a, b, meta, out, **refs):
        load(a, b, meta, refs)
        jax.jit(lambda ref: multiply({**refs, "meta_tmem": ref}, at_mma))(refs["meta_tmem"])
        store(out, refs)

    return build(body, semantics), ARGS


def _nested_scopes(semantics, at_mma):
    def body(a, b, meta, out, **refs):
        def barriers(loaded, done):
            def tensor_memory(acc, meta_tmem):
                every = dict(refs, loaded=loaded, done=done, acc=acc, meta_tmem=meta_tmem)
                load(a, b, meta, every)
                multiply(every, at_mma)
                store(out, every)

            pl.run_scoped(tensor_memory, acc=scratch()["acc"], meta_tmem=scratch()["meta_tmem"])

        pl.run_scoped(barriers, loaded=scratch()["loaded"], done=scratch()["done"])

    outer = {name: ref for name, ref in scratch().items() if name.endswith("_smem")}
    return build(body, semantics, outer), ARGS


def _plain_body(at_mma):
    def body(a, b, meta, out, **refs):
        load(a, b, meta, refs)
        multiply(refs, at_mma)
        store(out, refs)

    return body


def _in_partial(semantics, at_mma):
    return build(functools.partial(lambda _, *args, **refs: _plain_body(at_mma)(*args, **refs), 3), semantics), ARGS


def _in_object(semantics, at_mma, method=None):
    class Kernel:
        def __call__(self, *args, **refs):
            _plain_body(at_mma)(*args, **refs)

        run = __call__

    return build(Kernel() if method is None else getattr(Kernel(), method), semantics), ARGS


def sliced_load(semantics, start):
    """Two blocks, each of which loads the rows of A from `start(block)` on."""

    def body(a, b, meta, out, **refs):
        load(a.at[pl.ds(start(lax.axis_index("block")), 128)], b, meta, refs)
        multiply(refs, lambda ref: ref)
        store(out, refs)

    return build(body, semantics, **GRID), (SHAPE((256, 64), jnp.float16), *ARGS[1:])


GRID = dict(grid=(2,), grid_names=("block",))
INSIDE = {
    "pl.when": around_the_mma(lambda mma, refs: pl.when(lax.axis_index("block") < 5)(mma), **GRID),
    "pl.when(True)": around_the_mma(lambda mma, refs: pl.when(True)(mma)),
    "cond": around_the_mma(lambda mma, refs: lax.cond(lax.axis_index("block") < 1, mma, mma), **GRID),
    "switch": around_the_mma(lambda mma, refs: lax.switch(lax.axis_index("block"), [mma, mma, mma]), **GRID),
    "loop": each_step(_counted),
    "unrolled loop": each_step(functools.partial(_counted, unroll=True)),
    "while": each_step(_while),
    "jit": around_the_mma(lambda mma, refs: jax.jit(lambda x: mma())(1)),
    "jit with the ref": _through_jit,
    "named_scope": around_the_mma(lambda mma, refs: jax.named_scope("name")(mma)()),
    "named_call": around_the_mma(lambda mma, refs: jax.named_call(mma, name="name")()),
    "nested run_scoped": _nested_scopes,
    "functools.partial": _in_partial,
    "callable object": _in_object,
    "bound method": functools.partial(_in_object, method="run"),
    "four axes, a very large grid": around_the_mma(
        lambda mma, refs: mma(), grid=(2**20, 3, 5, 7), grid_names=("w", "x", "y", "z")
    ),
}


def _checkpoint(mma, refs):
    def body(x):
        mma()
        return x

    jax.checkpoint(body)(jnp.float32(1))


def _custom_jvp(mma, refs):
    @jax.custom_jvp
    def body(x):
        mma()
        return x

    body.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    body(jnp.float32(1))


# What Pallas may not lower, whatever is in it.
NOT_LOWERED = {"checkpoint": around_the_mma(_checkpoint), "custom_jvp": around_the_mma(_custom_jvp)}


def with_kernel(use):
    """`use(kernel)` in place of the kernel."""

    def make(semantics, at_mma):
        fn, args = build(_plain_body(at_mma), semantics), ARGS
        return use(fn), args

    return make


def _shard_map(fn):
    spec = jax.sharding.PartitionSpec()
    mesh = jax.make_mesh((1,), ("x",))
    return jax.shard_map(fn, mesh=mesh, in_specs=(spec, spec, spec), out_specs=spec, check_vma=False)


def _custom_vjp(fn):
    @jax.custom_vjp
    def program(x, y, meta):
        return fn(x, y, meta)

    program.defvjp(lambda *args: (fn(*args), args), lambda kept, g: (kept[0] * 0, kept[1] * 0, None))
    return lambda x, y, meta: jax.value_and_grad(lambda a: program(a, y, meta).sum())(x)


def _vmap(semantics, at_mma):
    fn = build(_plain_body(at_mma), semantics)
    return jax.vmap(fn), tuple(SHAPE((2, *arg.shape), arg.dtype) for arg in ARGS)


def _beside_a_valid_one(semantics, at_mma):
    first, second = build(_plain_body(lambda ref: ref), semantics), build(_plain_body(at_mma), semantics)
    return (lambda *args: first(*args) + second(*args)), ARGS


def _in_text_without_file(semantics, at_mma):
    namespace = {}
    with open(__file__, encoding="utf-8") as file:
        exec(compile(file.read(), "<ipython-input-3-f00>", "exec"), namespace)  # as a notebook does
    return namespace["build"](namespace["_plain_body"](at_mma), semantics), ARGS


AROUND = {
    "vmap": _vmap,
    "custom_vjp": with_kernel(_custom_vjp),
    "shard_map": with_kernel(_shard_map),
    "scan": with_kernel(lambda fn: lambda *a: lax.scan(lambda c, _: (c + fn(*a), None), fn(*a), None, length=3)[0]),
    "cond": with_kernel(lambda fn: lambda *a: lax.cond(a[0][0, 0] > 0, lambda: fn(*a), lambda: 2 * fn(*a))),
    "named_call": with_kernel(lambda fn: jax.named_call(fn, name="name")),
    "checkpoint": with_kernel(jax.checkpoint),
    "functools.partial": with_kernel(functools.partial),
    "jit in jit": with_kernel(lambda fn: jax.jit(lambda *a: jax.jit(fn)(*a))),
    "twice": with_kernel(lambda fn: lambda *a: fn(*a) + fn(*a)),
    "beside a valid one": _beside_a_valid_one,
    "without a file": _in_text_without_file,
}
