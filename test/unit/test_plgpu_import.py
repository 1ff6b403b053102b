"""Import of Pallas kernels: real kernels of every structure become modules that verify and round-trip."""

import dataclasses
import importlib
import io
import sys

import jax
import jax.numpy as jnp
import numpy as np
import ops_gpu
import ops_gpu_others
import pytest
import sparse_mma
import structures
import surroundings
import variants
from jax._src import core as jax_core
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic_gpu import lowering
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jaxlib.mlir import ir
from plgpu_kernels import arguments_of, lowered_text, module_of, semantics_of

import mosaic_verify as mv
from mosaic_verify.dialects.plgpu import AllocOp, Tcgen05MmaOp, kernels
from mosaic_verify.dialects.plgpu_chain import chain_of
from mosaic_verify.dialects.plgpu_view import OPS, kernel_views
from mosaic_verify.ir.context import thread_context
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import collect
from mosaic_verify.jax_hook.exporter import export_kernel, take_snapshot
from mosaic_verify.jax_hook.importer.emitter import Emitter
from mosaic_verify.jax_hook.importer.interest import worth_importing
from mosaic_verify.jax_hook.plgpu_level import import_kernel
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture
from mosaic_verify.model.chain import ExpandBatch, Slice
from mosaic_verify.model.tmem_layout import SPARSE_METADATA

STRUCTURES = [(label, semantics) for label in structures.KERNELS for semantics in sparse_mma.SEMANTICS]


def check_module(arguments, imported):
    """The module verifies, round-trips through text and bytecode, and goes back to the same jaxpr."""
    module = imported.module
    assert module.operation.verify()
    text = str(module)
    sink = io.BytesIO()
    module.operation.write_bytecode(sink)
    for source in (text, sink.getvalue()):
        assert str(ir.Module.parse(source, module.context)) == text
    assert export_kernel(imported, take_snapshot(module.operation)) is arguments["jaxpr"]
    assert "plgpu.unknown" not in text
    return text


@pytest.mark.parametrize(("label", "semantics"), STRUCTURES)
def test_structures(label, semantics):
    fn, args = structures.KERNELS[label](semantics)
    arguments, imported = module_of(fn, *args)
    check_module(arguments, imported)
    [view] = kernel_views(imported.module.operation, found(imported))
    for mma in view.facts.mmas:
        assert (mma.m, mma.n, mma.k) == (128, 128, 128)
        assert mma.metadata.allocation is not None, "a ref must keep its identity through every structure"
        if label == "RefUnion" and semantics == "warpgroup" and jax.__version_info__ < (0, 11):
            assert mma.metadata.layout is None  # JAX 0.10 lets layout inference choose for members of a union
        else:
            assert mma.metadata.layout == SPARSE_METADATA
        assert (mma.a.tiling, mma.a.swizzle, mma.a.transposed) == ((8, 32), 64, False)
        assert mma.b.transposed is True


def found(imported):
    ops = collect(imported.module.operation, OPS)
    return [op for name in OPS for op in ops[name]]


SURROUNDINGS = [*surroundings.INSIDE.items(), *surroundings.NOT_LOWERED.items()]


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize(("label", "make"), SURROUNDINGS, ids=[label for label, _ in SURROUNDINGS])
def test_surroundings(label, make, semantics):
    arguments, imported = module_of(*_called(make(semantics, lambda ref: ref)))
    check_module(arguments, imported)


def _called(kernel):
    fn, args = kernel
    return (fn, *args)


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", sparse_mma.CASES)
def test_cases(label, semantics):
    try:
        fn, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
        arguments, imported = module_of(fn, *args)
    except ValueError as error:
        pytest.skip(f"JAX refuses it before there is a jaxpr: {error}")
    check_module(arguments, imported)


# What is lowered by Mosaic GPU; the others are for Triton.
KERNELS_OF_JAX = [*ops_gpu.kernels(), *(entry for entry in ops_gpu_others.kernels() if "Triton" not in entry[0])]


@pytest.mark.parametrize("semantics", [None, "Lane", "Warpgroup"])
@pytest.mark.parametrize(
    ("label", "fn", "args"), KERNELS_OF_JAX, ids=lambda value: value if isinstance(value, str) else ""
)
def test_kernels_of_jax(label, fn, args, semantics):
    arch = "sm_100a" if "blackwell" in label else "sm_90a"
    with virtual_device(find_architecture(arch)), semantics_of(semantics):
        jax.clear_caches()
        arguments = arguments_of(fn, *args)
        imported = import_kernel(arguments["jaxpr"], arguments)
        text = check_module(arguments, imported)
    passes = "plgpu-verify-sparse-mma,plgpu-verify-transforms"
    assert [d.text for d in mv.run(text, f"builtin.module({passes})").diagnostics] == []


def test_only_kernels_of_the_tensor_core_are_imported():
    interesting = set()
    for label, fn, args in ops_gpu.kernels():
        with virtual_device(find_architecture("sm_100a" if "blackwell" in label else "sm_90a")):
            if worth_importing(arguments_of(fn, *args)["jaxpr"]):
                interesting.add(label)
    assert interesting == {label for label, _, _ in ops_gpu.kernels() if "blackwell" in label}


def test_names_locations_and_sizes():
    fn, args = sparse_mma.kernel("lane", blocks=2)
    _, imported = module_of(fn, *args)
    allocs = {
        AllocOp(op).ref_name: AllocOp(op) for op in collect(imported.module.operation, ["plgpu.alloc"])["plgpu.alloc"]
    }
    assert set(allocs) == {"a_smem", "b_smem", "meta_smem_ref", "loaded", "done", "acc_tmem", "meta_tmem"}
    assert (allocs["a_smem"].bytes, allocs["a_smem"].tiling, allocs["a_smem"].swizzle) == (16384, (8, 32), 64)
    assert (allocs["meta_tmem"].columns, allocs["meta_tmem"].layout) == (4, "sparse_metadata")
    assert (allocs["acc_tmem"].columns, allocs["acc_tmem"].collective) == (128, False)
    assert (allocs["loaded"].arrivals, allocs["done"].orders_tensor_core) == (3, True)
    where = op_location(allocs["meta_tmem"].operation)
    assert where.file == sparse_mma.__file__ and where.name.endswith("body")

    [mma] = collect(imported.module.operation, ["plgpu.tcgen05_mma"])["plgpu.tcgen05_mma"]
    place = op_location(mma)
    with open(sparse_mma.__file__, encoding="utf-8") as file:
        line = file.read().splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith("plgpu.tcgen05_mma(")


def pallas_call_lowers():
    """From 0.11 on JAX has no rule that lowers `pallas_call` with Mosaic GPU, only what `plgpu.kernel` traces."""
    importlib.import_module("jax._src.pallas.mosaic_gpu.pallas_call_registration")  # where the rule is registered
    return pallas_core.get_lowering_rule(plgpu.CompilerParams, "gpu") is not None


@pytest.mark.skipif(not pallas_call_lowers(), reason="JAX calls no jaxpr from its pipelines")
@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_body_of_a_pipeline_keeps_its_tiles(semantics):
    """`pallas_call` pipelines tiled blocks; the body lays its tiles on the memory of one stage."""
    block = plgpu.BlockSpec(
        (128, 32),
        lambda i, j: (i, j),
        transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)),
    )

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2.0

    shape = jax.ShapeDtypeStruct((256, 128), jnp.float32)
    params = plgpu.CompilerParams(
        lowering_semantics=sparse_mma.SEMANTICS[semantics],
        dimension_semantics=["parallel", "sequential"],
        max_concurrent_steps=2,
    )
    fn = pl.pallas_call(body, out_shape=shape, grid=(2, 4), in_specs=[block], out_specs=block, compiler_params=params)
    arguments, imported = module_of(fn, shape)
    check_module(arguments, imported)
    [load] = collect(imported.module.operation, ["plgpu.get"])["plgpu.get"]
    found = chain_of(load.operands[0])
    assert found.chain.name.startswith("in_smem") and found.chain.result.shape == (128, 32)


def test_names_of_refs_in_a_dictionary():
    fn, args = variants.kernel("lane")  # its body takes `**refs`
    _, imported = module_of(fn, *args)
    names = {AllocOp(op).ref_name for op in collect(imported.module.operation, ["plgpu.alloc"])["plgpu.alloc"]}
    assert names == {"a", "b", "meta", "meta_tmem", "loaded", "done", "acc_tmem"}


def test_call_stack_of_a_helper():
    fn, args = sparse_mma.kernel("lane")
    _, imported = module_of(fn, *args)
    name = "plgpu.async_copy_sparse_metadata_to_tmem"
    [copy] = collect(imported.module.operation, [name])[name]
    place = op_location(copy)
    assert place.file == sparse_mma.__file__
    assert place.callers and place.callers[0].file == sparse_mma.__file__ and place.callers[0].line != place.line


def test_launch_parameters():
    fn, args = sparse_mma.kernel("warpgroup", blocks=2)
    _, imported = module_of(fn, *args)
    [function] = kernels(imported.module.operation)
    assert function.attributes["plgpu.semantics"].value == "warpgroup"
    assert list(function.attributes["plgpu.grid"]) == [2]
    version = tuple(int(part) for part in jax.__version__.split(".")[:3])
    assert tuple(function.attributes["plgpu.jax"]) == version


def test_chain_of_batched_metadata():
    fn, args = structures.batched("lane")
    _, imported = module_of(fn, *args)
    [mma] = collect(imported.module.operation, ["plgpu.tcgen05_mma"])["plgpu.tcgen05_mma"]
    steps = chain_of(Tcgen05MmaOp(mma).metadata).chain.steps
    assert isinstance(steps[0], ExpandBatch) and steps[0].batch == (2,)
    assert isinstance(steps[1], Slice) and steps[1].dropped == (0,)
    [view] = kernel_views(imported.module.operation, found(imported))
    assert (view.facts.mmas[0].metadata.column, view.facts.mmas[0].metadata.column_multiple) == (None, 64)
    assert view.facts.allocations[view.facts.mmas[0].metadata.allocation.index].shape == (2, 128, 64)


def test_dynamic_start_shows_its_divisor():
    fn, args = structures.scan("warpgroup")
    _, imported = module_of(fn, *args)
    [view] = kernel_views(imported.module.operation, found(imported))
    metadata = view.facts.mmas[0].metadata
    assert (metadata.column, metadata.column_multiple) == (None, 64)


def test_every_op_has_a_class():
    """The bindings know every op, and do not search the disk for a module of the dialect."""
    from mosaic_verify.dialects.plgpu import PLAIN_OPS, TRANSFORMS
    from mosaic_verify.jax_hook.importer.forms import FORMS

    fn, args = structures.scan("lane")
    _, imported = module_of(fn, *args)
    names = {f"plgpu.{form.op}" for form in FORMS.values()} | TRANSFORMS | {f"plgpu.{name}" for name in PLAIN_OPS}
    module = ir.Module.create(ir.Location.unknown(imported.module.context))
    for name in sorted(names):
        with imported.module.context, ir.Location.unknown():
            op = ir.Operation.create(name, ip=ir.InsertionPoint(module.body))
        assert type(op.opview) is not ir.OpView, name
    assert sys.modules["jaxlib.mlir.dialects.plgpu"] is sys.modules["mosaic_verify.dialects.plgpu"]


frobnicate_p = jax_core.Primitive("frobnicate")
frobnicate_p.def_abstract_eval(lambda x: x)


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_unknown_primitive_is_a_remark(semantics):
    fn, args = sparse_mma.kernel(semantics)
    arguments = arguments_of(fn, *args)
    new = with_equation(arguments["jaxpr"])
    imported = import_kernel(new, arguments)
    assert imported.module.operation.verify()
    report = mv.run(str(imported.module), "builtin.module(plgpu-verify-sparse-mma)")
    assert [(d.code, d.severity) for d in report.diagnostics] == [("MV904", "remark")]
    assert "frobnicate" in report.diagnostics[0].message
    assert report.ok


def with_equation(jaxpr):
    """The kernel with an equation of an unknown primitive that takes a number."""
    literal = jax_core.Literal(1.0, jax_core.ShapedArray((), jnp.dtype("float32")))
    eqn = jax_core.new_jaxpr_eqn([literal], [jax_core.Var(literal.aval)], frobnicate_p, {}, set())
    return jaxpr.replace(eqns=[eqn, *jaxpr.eqns])


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Rotate:
    """A ref transform that nobody has heard of."""

    def transform_type(self, x):
        return x


def test_unknown_transform_is_a_remark():
    def rotated(ref):
        from jax._src.state.types import TransformedRef

        return TransformedRef(ref, (Rotate(),))

    fn, args = sparse_mma.kernel("lane", at_mma=rotated)
    report = mv.check(fn, *args, mode="report")
    remarks = [d for d in report.diagnostics if d.code == "MV904"]
    assert len(remarks) == 1 and "Rotate" in remarks[0].message and remarks[0].severity == "remark"
    assert remarks[0].location.file == sparse_mma.__file__


def test_hook_lowers_unknown_primitives_as_jax_does(monkeypatch):
    """With a primitive that JAX knows and we do not, the text is the same with and without the hook."""
    from mosaic_verify.jax_hook import level_passes
    from mosaic_verify.jax_hook.importer import forms, pallas

    level_passes.forget()  # another test may have lowered this kernel under the hook
    fn, args = sparse_mma.kernel("lane")
    plain = lowered_text(fn, *args)
    for name in ("barrier_wait", "swap"):
        monkeypatch.delitem(forms.FORMS, name)
    pallas.lowerable_primitives.cache_clear()
    with mv.verifying(mode="rewrite") as session:
        assert lowered_text(fn, *args) == plain
    assert {d.severity for d in session.report.diagnostics} <= {"remark"}
    assert {"barrier_wait", "swap"} == {
        d.message.split("'")[1] for d in session.report.diagnostics if d.code == "MV904"
    }


def test_all_primitives_with_refs_are_known():
    """Every primitive that Mosaic GPU itself brings has a form, or is known to pass its refs on."""
    from jax._src.pallas.mosaic_gpu import primitives

    from mosaic_verify.jax_hook.importer.forms import FORMS, PLAIN

    own = {
        value.name
        for name, value in vars(primitives).items()
        if name.endswith("_p") and isinstance(value, jax_core.Primitive)
    }
    own &= {primitive.name for rules in lowering.mosaic_lowering_rules.values() for primitive in rules}
    without_refs = {
        "commit_group", "commit_smem", "commit_tmem", "griddepcontrol_launch_dependents", "griddepcontrol_wait", "mma",
        "set_max_registers", "set_max_registers_p", "wait_gmem_to_smem", "wait_load_tmem", "wait_smem_to_gmem",
        "wgmma_wait", "mosaic_gpu_reduce_max", "mosaic_gpu_reduce_min", "mosaic_gpu_reduce_prod",
        "mosaic_gpu_reduce_sum",
    }  # fmt: skip
    assert own - set(FORMS) - PLAIN - without_refs <= {"layout_cast"}


def test_zeros_of_both_signs_are_two_constants():
    context = thread_context()
    scalar = jax_core.ShapedArray((), jnp.dtype("float32"))
    with context, ir.Location.unknown():
        emitter = Emitter(context)
        values = [emitter.constant(np.float32(number), scalar) for number in (0.0, -0.0, 1.0, 0.0, -0.0)]
        assert [values.index(value) for value in values] == [0, 1, 2, 0, 1]
        assert [float(ir.FloatAttr(value.owner.attributes["value"])) for value in values[:2]] == [0.0, 0.0]
        assert str(values[0].owner.attributes["value"]) != str(values[1].owner.attributes["value"])
        emitter.finish(ir.Module.create().body)
