"""Export of plgpu modules: what was not changed stays the same object, what was changed reaches JAX."""

import pytest
import sparse_mma
from jax import lax
from jax.experimental import pallas as pl
from jaxlib.mlir import ir
from plgpu_kernels import arguments_of, lowered_text, module_of

from mosaic_verify.dialects.plgpu import AllocOp, Tcgen05MmaOp, kernels
from mosaic_verify.dialects.plgpu_chain import build_step, chain_of
from mosaic_verify.ir.passes import collect
from mosaic_verify.jax_hook.exporter import ExportError, export_kernel, take_snapshot
from mosaic_verify.jax_hook.plgpu_level import import_kernel
from mosaic_verify.model.chain import Dynamic, Reshape, Slice, Transpose

VALID = [label for label, (_, codes, _) in sparse_mma.CASES.items() if codes == set()]


def only(imported, name):
    """The one op with this name."""
    [op] = collect(imported.module.operation, [name])[name]
    return op


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", VALID)
def test_unchanged_kernel_is_the_same_object(label, semantics):
    fn, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
    arguments, imported = module_of(fn, *args)
    snapshot = take_snapshot(imported.module.operation)
    assert export_kernel(imported, snapshot) is arguments["jaxpr"]


def rewritten(arguments, edit):
    """The jaxpr behind `edit(imported)`."""
    imported = import_kernel(arguments["jaxpr"], arguments)
    snapshot = take_snapshot(imported.module.operation)
    with imported.module.context:
        edit(imported)
    assert imported.module.operation.verify()
    return export_kernel(imported, snapshot)


def drop_metadata_chain(imported):
    mma = Tcgen05MmaOp(only(imported, "plgpu.tcgen05_mma"))
    mma.operands[5] = chain_of(mma.metadata).base


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_removed_chain_lowers_as_if_it_had_not_been_written(semantics):
    straight, args = sparse_mma.kernel(semantics)
    twisted, _ = sparse_mma.kernel(semantics, at_mma=sparse_mma.twice((1, 0)))
    text = lowered_text(twisted, *args, change=lambda arguments: rewritten(arguments, drop_metadata_chain))
    assert text == lowered_text(straight, *args)


def add_full_slice(imported):
    """A slice, two transposes, a reshape and its inverse: all of them new."""
    mma = Tcgen05MmaOp(only(imported, "plgpu.tcgen05_mma"))
    op = mma.operation
    value = mma.a
    steps = (Slice((0, 0), (128, 64)), Transpose((1, 0)), Transpose((1, 0)), Reshape((128, 64)))
    with op.location:
        for step in steps:
            value = build_step(value, step, op.location, ir.InsertionPoint(op))
    op.operands[1] = value


def test_new_transforms_are_classes_of_jax():
    fn, args = sparse_mma.kernel("warpgroup")
    arguments = arguments_of(fn, *args)
    new = rewritten(arguments, add_full_slice)
    mma = next(eqn for eqn in equations(new) if eqn.primitive.name == "tcgen05_mma")
    transforms = mma.params["a_transforms_tree"].unflatten([])
    names = [type(transform).__name__ for transform in transforms]
    assert names == [
        "UnswizzleRef",
        "UntilingTransform",
        "NDIndexer",
        "TransposeTransform",
        "TransposeTransform",
        "ReshapeTransform",
    ]
    old = [eqn for eqn in equations(arguments["jaxpr"]) if eqn.primitive.name != "tcgen05_mma"]
    untouched = {id(eqn) for eqn in old if eqn.primitive.name not in ("run_scoped", "scan", "jaxpr_call")}
    assert untouched <= {id(eqn) for eqn in equations(new)}


def equations(jaxpr):
    """All equations, nested ones included."""
    for eqn in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield eqn
        for value in eqn.params.values():
            for item in value if isinstance(value, (tuple, list)) else (value,):
                if hasattr(item, "eqns"):
                    yield from equations(item)


def straighten(imported):
    """Allocates the metadata as it is used: (64, 128) with a transpose at each use becomes (128, 64) without."""
    ops = collect(imported.module.operation, ["plgpu.alloc"])["plgpu.alloc"]
    [alloc] = [op for op in ops if AllocOp(op).ref_name == "meta_tmem"]
    kind = alloc.results[0].type
    with alloc.location:
        new = ir.Operation.create(
            "plgpu.alloc",
            [ir.MemRefType.get((128, 64), kind.element_type, memory_space=kind.memory_space)],
            attributes={name: alloc.attributes[name] for name in alloc.attributes}
            | {"layout": ir.StringAttr.get("sparse_metadata")},
            ip=ir.InsertionPoint(alloc),
        )
    for use in list(alloc.results[0].uses):
        transpose = use.owner.operation
        transpose.results[0].replace_all_uses_with(new.results[0])
        transpose.erase()
    alloc.erase()


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_changed_allocation_reaches_every_use(semantics):
    transposed = {"at_mma": lambda ref: ref.transpose((1, 0)), "at_copy_target": lambda ref: ref.transpose((1, 0))}
    odd, args = sparse_mma.kernel(semantics, meta_shape=(128, 128), k=256, **transposed)
    straight, _ = sparse_mma.kernel(semantics, meta_shape=(128, 128), k=256)

    def edit(imported):
        ops = collect(imported.module.operation, ["plgpu.alloc"])["plgpu.alloc"]
        [alloc] = [op for op in ops if AllocOp(op).ref_name == "meta_tmem"]
        for use in list(alloc.results[0].uses):
            transpose = use.owner.operation
            transpose.results[0].replace_all_uses_with(alloc.results[0])
            transpose.erase()

    text = lowered_text(odd, *args, change=lambda arguments: rewritten(arguments, edit))
    assert text == lowered_text(straight, *args)


def test_reallocation_changes_the_types_of_all_uses():
    transposed = {"at_mma": lambda ref: ref.transpose((1, 0)), "at_copy_target": lambda ref: ref.transpose((1, 0))}
    odd, args = sparse_mma.kernel("lane", meta_shape=(64, 128), **transposed)
    straight, _ = sparse_mma.kernel("lane")
    text = lowered_text(odd, *args, change=lambda arguments: rewritten(arguments, straighten))
    assert text == lowered_text(straight, *args)


def test_dynamic_start_keeps_its_variable():
    def kernel(*more):
        def slices(ref):
            ref = ref.at[:, pl.ds(lax.axis_index("block") * 64, 64)]
            for permutation in more:
                ref = ref.transpose(permutation)
            return ref

        return sparse_mma.kernel("lane", at_mma=slices, meta_shape=(128, 128), meta_smem=(1, 2, 128, 64), blocks=2)

    def edit(imported):
        mma = Tcgen05MmaOp(only(imported, "plgpu.tcgen05_mma"))
        mma.operands[5] = chain_of(mma.metadata).ops[0].results[0]

    twisted, args = kernel((1, 0), (1, 0))
    straight, _ = kernel()
    assert lowered_text(twisted, *args, change=lambda a: rewritten(a, edit)) == lowered_text(straight, *args)


def test_added_index_arithmetic_becomes_equations():
    def slices(ref):
        return ref.at[:, pl.ds(lax.axis_index("block") * 64, 64)]

    fn, args = sparse_mma.kernel("lane", at_mma=slices, meta_shape=(128, 128), meta_smem=(1, 2, 128, 64), blocks=2)

    def edit(imported):
        mma = Tcgen05MmaOp(only(imported, "plgpu.tcgen05_mma"))
        found = chain_of(mma.metadata)
        start = found.chain.steps[0].starts[1].key
        ip = ir.InsertionPoint(mma.operation)
        with mma.location:
            name = {"name": ir.StringAttr.get("add")}
            total = ir.Operation.create("plgpu.primitive", [start.type], [start, start], name, ip=ip).results[0]
            step = Slice((0, Dynamic("sum", multiple_of=64)), (128, 64))
            mma.operands[5] = build_step(found.base, step, mma.location, ip, {"sum": total})

    new = rewritten(arguments_of(fn, *args), edit)
    names = [eqn.primitive.name for eqn in equations(new)]
    assert names[names.index("tcgen05_mma") - 1] == "add"
    assert "stablehlo.custom_call" in lowered_text(fn, *args, change=lambda a: rewritten(a, edit))


def test_what_a_jaxpr_cannot_say_is_refused():
    fn, args = sparse_mma.kernel("lane", at_mma=sparse_mma.twice((1, 0)))
    arguments = arguments_of(fn, *args)

    def edit(imported):
        mma = Tcgen05MmaOp(only(imported, "plgpu.tcgen05_mma"))
        mma.operands[5] = mma.accumulator  # another ref: no list of transforms of the metadata says that

    with pytest.raises(ExportError):
        rewritten(arguments, edit)


def test_every_kernel_function_is_found():
    fn, args = sparse_mma.kernel("lane")
    _, imported = module_of(fn, *args)
    assert len(kernels(imported.module.operation)) == 1
