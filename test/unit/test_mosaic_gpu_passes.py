"""The Mosaic GPU passes on the modules that JAX makes of real kernels, at each stage and in each kind of context."""

import inspect
from pathlib import Path

import pytest
import sparse_mma
from capture import lower
from jaxlib.mlir import ir, passmanager

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.dialects.mosaic_gpu import OPS, kernel_views
from mosaic_verify.dialects.shipped_errors import finding_of, relax
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.passes import Session, collect
from mosaic_verify.model.tmem_layout import SPARSE_METADATA, default_layout
from mosaic_verify.passes import load_pass

PASSES = ("mosaic-gpu-verify-sparse-mma", "mosaic-gpu-verify-tmem")
SOURCE = Path(inspect.getsourcefile(sparse_mma))
# JAX refuses these before it has built a module.
BEFORE_ANY_MODULE = {"metadata as bytes", "n=512", "m=64"}
LABELS = [label for label in sparse_mma.CASES if label not in BEFORE_ANY_MODULE]
COPY_RULES = {"MV130", "MV131", "MV132"}


def verify(module, names=PASSES, **options):
    engine = Engine()
    session = Session(engine)
    for name in names:
        load_pass(name)(**options).run(module, session)
    return engine.report.diagnostics


def line_of(text):
    return next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


def stages(label):
    """The case's module before and behind JAX's insertion of terminators, as findings; and its text at the end."""
    found = {}
    fn, args = sparse_mma.kernel("warpgroup", **sparse_mma.CASES[label][0])

    def finished(module):
        found["finished"] = verify(module)
        found["text"] = module.get_asm(enable_debug_info=True, assume_verified=True)

    found["error"] = lower(fn, args, lambda module: found.update(unverified=verify(module)), finished)
    return found


@pytest.fixture(scope="module")
def seen():
    return {label: stages(label) for label in LABELS}


@pytest.mark.parametrize("label", LABELS)
def test_cases_give_exactly_the_listed_codes_at_their_line(seen, label):
    for stage in ("unverified", "finished"):
        found = seen[label][stage]
        errors = [d for d in found if d.severity == "error"]
        assert {d.code for d in errors} == sparse_mma.expected(label, "warpgroup"), stage
        assert len(errors) == len({d.code for d in errors})
        for diagnostic in errors:
            copies = diagnostic.code in COPY_RULES
            call = "plgpu.async_copy_sparse_metadata_to_tmem(" if copies else "plgpu.tcgen05_mma("
            assert Path(diagnostic.location.file) == SOURCE
            assert diagnostic.location.line == line_of(call)
            op = "async_store_sparse_metadata_smem_to_tmem" if copies else "tcgen05_mma"
            assert diagnostic.op == f"mosaic_gpu.{op}"
        note = sparse_mma.CASES[label][2]
        warned = {d.code for d in found if d.severity == "warning"}
        assert warned == ({note.removeprefix("warns ")} if note.startswith("warns ") else set())


@pytest.mark.parametrize("label", LABELS)
def test_a_clean_kernel_lowers_and_a_refused_one_does_not(seen, label):
    errors = sparse_mma.expected(label, "warpgroup")
    assert (seen[label]["error"] is None) == (not errors)


@pytest.mark.parametrize("label", LABELS)
def test_modules_of_refused_kernels_give_the_same_where_the_dialect_is_unknown(seen, label):
    context = make_context(unregistered=True, mosaic_gpu=False)
    module = ir.Module.parse(relax(seen[label]["text"]), context)
    same = [(d.code, d.message, d.location) for d in verify(module.operation)]
    assert same == [(d.code, d.message, d.location) for d in seen[label]["finished"]]


@pytest.mark.parametrize("label", [label for label in LABELS if not sparse_mma.expected(label, "warpgroup")])
def test_clean_kernels_stay_clean_behind_canonicalize_and_cse(seen, label):
    context = make_context(unregistered=True)
    module = ir.Module.parse(seen[label]["text"], context)
    before = [(d.code, d.location) for d in verify(module.operation)]
    passmanager.PassManager.parse("builtin.module(canonicalize,cse)", context).run(module.operation)
    after = [(d.code, d.location) for d in verify(module.operation)]
    assert after == before
    assert not any(d.severity == "error" for d in verify(module.operation))


def facts(label):
    found = []
    fn, args = sparse_mma.kernel("warpgroup", **sparse_mma.CASES[label][0])

    def read(module):
        index = collect(module, OPS)
        found.extend(kernel_views([op for name in OPS for op in index[name]]))

    lower(fn, args, read)
    return found[0].facts


def test_facts_of_a_kernel():
    kernel = facts("valid f16")
    (mma,) = kernel.mmas
    (copy,) = kernel.copies
    assert (mma.m, mma.n, mma.k, mma.collective) == (128, 128, 128, False)
    assert (mma.a.shape, mma.a.element, mma.a.space) == ((128, 64), "f16", "smem")
    assert (mma.a.tiling, mma.a.swizzle, mma.a_k_major) == ((8, 32), 64, True)
    assert (mma.b.shape, mma.b.tiling, mma.b.swizzle, mma.b_k_major) == ((128, 128), (8, 32), 64, True)
    assert (mma.accumulator.layout, mma.metadata.layout) == (default_layout(), SPARSE_METADATA)
    assert mma.metadata.allocation == copy.destination.allocation
    assert (mma.metadata.allocation.column, mma.metadata.allocation.columns) == (128, 4)
    assert copy.source.shape == (1, 1, 128, 64)
    assert (kernel.tmem_columns, kernel.tmem_collective, kernel.cluster) == (136, (False,), (1, 1, 1))
    assert [commit.collective for commit in kernel.commits] == [False]
    assert kernel.target.semantics == "warpgroup"
    assert kernel.target.arch_assumed


def test_facts_of_an_n_major_b_and_of_a_slice():
    assert facts("valid N-major B").mmas[0].b_k_major is False
    metadata = facts("metadata from an odd column").mmas[0].metadata
    assert (metadata.shape, metadata.column, len(metadata.chain)) == ((128, 64), 16, 1)


MMA, COPY = "mosaic_gpu.tcgen05_mma", "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"


@pytest.mark.parametrize(
    "op, message, code, text",
    [
        (
            MMA,
            "The `a_sparse_metadata` shape [128, 128] must match the shape of `a` [128, 64].",
            "MV101",
            "A sparse metadata shape mismatch: expected (128, 64), got (128, 128)",
        ),
        (
            MMA,
            "operand #4 must be 2D memref of 2-bit signless integer values, but got "
            "'memref<128x64xui2, #mosaic_gpu.tmem>'",
            "MV102",
            "A sparse metadata dtype mismatch: expected i2, got ui2",
        ),
        (
            MMA,
            "operand #4 must be 2D memref of 2-bit signless integer values, but got "
            "'memref<2x128x64xi2, #mosaic_gpu.tmem>'",
            "MV107",
            "operand `metadata` must be 2D, but got shape (2, 128, 64)",
        ),
        (
            MMA,
            "The `a_sparse_metadata` input must be in TMEM, but got #gpu.address_space<workgroup>.",
            "MV104",
            "The `a_sparse_metadata` input must be in TMEM, but got #gpu.address_space<workgroup>.",
        ),
        (
            MMA,
            "The `a` input must be in TMEM or SMEM, but got <<NULL ATTRIBUTE>>.",
            "MV105",
            "The `a` input must be in TMEM or SMEM, but got <<NULL ATTRIBUTE>>.",
        ),
        (
            COPY,
            "The `source` memref must have shape (1, 2, 128, 64), but got (1, 1, 128, 64).",
            "MV130",
            "SMEM has (1, 1, 128, 64), but expected (1, 2, 128, 64)",
        ),
        (
            COPY,
            "The second dimension of the TMEM memref must be a multiple of 64, but got 96.",
            "MV130",
            "TMEM reference must have a multiple of 64 colums, but got 96",
        ),
        (
            COPY,
            "operand #0 must be 4D memref of 2-bit signless integer values, but got "
            "'memref<1x1x128x64xi8, #gpu.address_space<workgroup>>'",
            "MV131",
            "Unsupported dtype: i8, only i2 supported",
        ),
        (
            "mosaic_gpu.tmem_alloc",
            "The number of allocated columns must be less than or equal to 512 but got: 640",
            "MV601",
            "After rounding up, got 640 columns, exceeding the limit of 512",
        ),
    ],
)
def test_messages_of_shipped_verifiers(op, message, code, text):
    assert finding_of(op, message) == (code, text)


@pytest.mark.parametrize("op, message", [(MMA, "something else"), ("arith.addi", "operand #0 must be 2D memref")])
def test_other_messages_are_not_ours(op, message):
    assert finding_of(op, message) is None


def test_relaxing_keeps_lines_and_columns():
    text = 'x : memref<128x64xi2, #mosaic_gpu.tmem>, memref<!mosaic_gpu.barrier<orders_tensor_core = true>>\n "end"'
    relaxed = relax(text)
    assert relaxed.count("\n") == text.count("\n")
    assert [len(line) for line in relaxed.splitlines()] == [len(line) for line in text.splitlines()]
    assert "mosaic_gpu" not in relaxed


def test_own_syntax_becomes_generic():
    pointer = "memref<i32, #gpu.address_space<workgroup>>"
    block = "memref<128x8xi32, #mosaic_gpu.tmem>"
    text = f"  %1 = mosaic_gpu.tmem_alloc smem_ptr(%0 : {pointer}) {{collective = true}} -> {block}"
    assert relax(text).startswith(
        f'  %1 = "mosaic_gpu.tmem_alloc"(%0) {{collective = true}} : ({pointer}) -> memref<128x8xi32,'
    )
    assert relax("  mosaic_gpu.arrive_expect_tx barrier(%1 : i64) %2") == '  "mosaic_gpu.arrive_expect_tx"() : () -> ()'


@pytest.mark.parametrize("options", [{"arch": "sm_100x"}, {"jax": "new"}])
def test_bad_options_are_refused_before_anything_runs(options):
    with pytest.raises(ValueError, match=r"sm_100x|new"):
        load_pass(PASSES[0])(**options)


REF = 'memref<128x64xi2, "tmem">'
MALFORMED = {
    "an MMA without segments": '"mosaic_gpu.tcgen05_mma"() : () -> ()',
    "an MMA with too few segments": '"mosaic_gpu.tcgen05_mma"() {operandSegmentSizes = array<i32: 0, 0>} : () -> ()',
    "an MMA with wrong segments": '"mosaic_gpu.tcgen05_mma"() {operandSegmentSizes = 3 : i32} : () -> ()',
    "an MMA of integers": '%0 = arith.constant 0 : i32\n"mosaic_gpu.tcgen05_mma"(%0, %0, %0, %0) '
    "{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>} : (i32, i32, i32, i32) -> ()",
    "a copy of nothing": '"mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"() : () -> ()',
    "a copy of scales": '"mosaic_gpu.async_store_scales_smem_to_tmem"() : () -> ()',
    "a commit with a text": '"mosaic_gpu.tcgen05_commit_arrive"() {collective = "x"} : () -> ()',
    "an allocation of nothing": '"mosaic_gpu.tmem_alloc"() : () -> ()',
    "an allocation of an integer": '%0 = "mosaic_gpu.tmem_alloc"() {packing = "x"} : () -> i32',
    "a slice of nothing": '"mosaic_gpu.slice_tmem"() : () -> ()',
    "a slice without offset": f'%0 = "mosaic_gpu.slice_tmem"() : () -> {REF}',
    "a cast without layout": f'%0 = "mosaic_gpu.slice_tmem"() {{offset = 0 : i32}} : () -> {REF}\n'
    f'%1 = "mosaic_gpu.tmem_layout_cast"(%0) : ({REF}) -> {REF}',
}


@pytest.mark.parametrize("what", MALFORMED)
def test_what_no_verifier_looked_at_is_no_fault_of_ours(what):
    context = make_context(unregistered=True, mosaic_gpu=False)
    for text in (MALFORMED[what], f"func.func @kernel() {{\n{MALFORMED[what]}\nreturn\n}}"):
        assert verify(ir.Module.parse(text, context).operation) == []
