"""Metadata on the host side of real kernels: verified, rewritten, and read back from what JAX exports."""

import io
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sparse_mma
from jaxlib.mlir import ir

import mosaic_verify as mv
from mosaic_verify.dialects.stablehlo_constants import constant_behind
from mosaic_verify.dialects.stablehlo_provenance import Provenance
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.dense import integer_values
from mosaic_verify.ir.passes import collect
from mosaic_verify.model.metadata_format import format_tiles
from mosaic_verify.model.metadata_format_graph import ancestors

F16, BF16, FP8, INT8 = jnp.float16, jnp.bfloat16, jnp.float8_e4m3fn, jnp.int8
BITS = {F16: 16, FP8: 8}
LAYOUT = {"MV305", "MV306", "MV308", "MV310"}

# operands, how the metadata is laid out, K, the code
TABLE = [
    *((operand, how, k, None) for operand, how in ((F16, F16), (F16, BF16), (FP8, INT8)) for k in (128, 256, 512)),
    (F16, FP8, 128, "MV305"),
    (F16, FP8, 256, "MV305"),
    (F16, "raw", 128, "MV306"),
    (F16, "raw", 256, "MV306"),
    (FP8, F16, 128, "MV305"),
    (FP8, F16, 256, "MV305"),
    (FP8, "raw", 128, None),
    (FP8, "raw", 256, "MV306"),
    (INT8, F16, 256, "MV305"),
]


def case(value):
    return getattr(value, "__name__", str(value))


def layout_codes(report):
    return [d.code for d in report.diagnostics if d.code in LAYOUT]


def lowered(program, args):
    return jax.jit(program).trace(*args).lower(lowering_platforms=("cuda",)).as_text()


def evaluated(text):
    """The metadata operand of the kernel in a module, from one 0/1 array per bit of the index of the metadata argument.

    The oracle is `jax.numpy` for each op, not our own evaluation.
    """
    context = make_context(unregistered=True)
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        found = collect(module.operation, ("stablehlo.custom_call", "func.call"))
        (call,) = found["stablehlo.custom_call"]
        node = Provenance(module.operation, lambda: found["func.call"]).node(call.operands[2])
        steps = ancestors(node)[::-1]
        assert steps[0].kind == "root"
        index = np.arange(steps[0].size).reshape(steps[0].shape)
        total = np.zeros(node.shape, np.int64)
        for bit in range(int(index.max()).bit_length()):
            values = {id(steps[0]): index >> bit & 1}
            for step in steps[1:]:
                (source,) = (values[id(one)] for one in step.inputs)
                op = step.origin
                if op.name == "stablehlo.reshape":
                    values[id(step)] = np.reshape(source, step.shape)
                else:
                    assert op.name == "stablehlo.transpose"
                    values[id(step)] = np.transpose(source, list(ir.DenseI64ArrayAttr(op.attributes["permutation"])))
            total |= values[id(node)].astype(np.int64) << bit
        return total


@pytest.mark.parametrize("semantics", ["warpgroup", "lane"])
@pytest.mark.parametrize("m", [128, 256])
@pytest.mark.parametrize(("operand", "how", "k", "code"), TABLE, ids=case)
def test_layouts_of_host_programs(semantics, m, operand, how, k, code):
    program, args = sparse_mma.host(operand, how, semantics, m=m, k=k)
    report = mv.check(program, *args)
    assert report.error is None
    assert layout_codes(report) == ([code] if code else [])
    if code:
        (finding,) = (d for d in report.diagnostics if d.code == code)
        assert finding.severity == "error" and finding.location.file.endswith("sparse_mma.py")
        assert "`pairs`" in " ".join(note.message for note in finding.notes)


@pytest.mark.parametrize("m", [128, 256])
@pytest.mark.parametrize("k", [128, 256, 512])
@pytest.mark.parametrize(("operand", "how"), [(F16, FP8), (F16, "raw"), (FP8, F16), (FP8, "raw")], ids=case)
def test_rewriting_gives_the_permutation_that_the_kernel_needs(operand, how, m, k):
    program, args = sparse_mma.host(operand, how, m=m, k=k)
    report = mv.check(program, *args, mode="rewrite")
    assert report.ok and report.lowered is not None
    wanted = format_tiles(np.arange(m * k // 2).reshape(m, k // 4, 2), BITS[operand])
    np.testing.assert_array_equal(evaluated(report.lowered.as_text()), wanted)
    already = operand is FP8 and how == "raw" and k == 128
    assert [(r.kind, r.code) for r in report.rewrites if r.code in LAYOUT] == (
        [] if already else [("repairing", "MV306")] if how == "raw" else [("exact", "MV305")]
    )


def test_exact_rewriting_leaves_what_is_only_reshaped():
    program, args = sparse_mma.host(F16, "raw", k=256)
    report = mv.check(program, *args, mode="rewrite-exact")
    assert layout_codes(report) == ["MV306"] and not report.rewrites
    program, args = sparse_mma.host(F16, FP8, k=256)
    assert mv.check(program, *args, mode="rewrite-exact").ok


def test_a_right_program_stays_as_it_is():
    program, args = sparse_mma.host(F16, F16, k=256)
    plain = lowered(program, args)
    for mode in ("report", "enforce", "rewrite"):
        with mv.verifying(mode=mode):
            assert lowered(program, args) == plain


@pytest.mark.filterwarnings("ignore:.*MV305")
def test_reporting_leaves_a_wrong_program_as_it_is():
    program, args = sparse_mma.host(F16, FP8, k=256)
    plain = lowered(program, args)
    with mv.verifying(mode="report") as session:
        assert lowered(program, args) == plain
    assert layout_codes(session.report) == ["MV305"]


def test_enforcing_raises_and_rewriting_mends_at_lowering():
    program, args = sparse_mma.host(F16, FP8, k=256)
    with mv.verifying(mode="enforce"), pytest.raises(mv.KernelVerificationError, match="MV305"):
        lowered(program, args)
    with mv.verifying(mode="rewrite"):
        text = lowered(program, args)
    np.testing.assert_array_equal(evaluated(text), format_tiles(np.arange(128 * 128).reshape(128, 64, 2), 16))


def variants():
    """Host programs around one f16 kernel: (label, the kernel's metadata from the argument, its shape, codes)."""
    lay = sparse_mma.plgpu.format_tcgen05_sparse_metadata
    tiles = (1, 2, 128, 64)

    def scanned(meta):
        tiles = lay(meta, F16)
        return jax.lax.fori_loop(0, 3, lambda i, carry: carry, tiles)

    def by_group(meta):
        k_tile_first = meta.reshape(2, 4, 2, 4, 8, 2, 8, 2)  # digits of the 16-bit format
        return k_tile_first.transpose(0, 4, 2, 6, 1, 5, 3, 7).reshape(tiles)

    x_padded = lambda x: jnp.pad(x, ((0, 28), (0, 0), (0, 0)))  # noqa: E731
    return [
        ("in a jitted function", lambda x: jax.jit(lambda y: lay(y, F16))(x), (128, 64, 2), []),
        ("wrong in a jitted function", lambda x: jax.jit(lambda y: lay(y, FP8))(x), (128, 64, 2), ["MV305"]),
        ("behind a barrier", lambda x: jax.lax.optimization_barrier(lay(x, FP8)), (128, 64, 2), ["MV305"]),
        ("out of a loop", scanned, (128, 64, 2), []),
        ("tiles", lambda x: x, tiles, ["MV308"]),
        ("converted", lambda x: lay(x.astype(jnp.uint2), FP8), (128, 64, 2, jnp.int32), ["MV305"]),
        ("masked", lambda x: lay((x & 3).astype(jnp.uint2), F16), (128, 64, 2, jnp.int32), []),
        ("one of a stack", lambda x: lay(x[1], FP8), (3, 128, 64, 2), ["MV305"]),
        ("one of a stack, right", lambda x: lay(x[1], F16), (3, 128, 64, 2), []),
        ("rows of a larger array", lambda x: lay(x[128:], F16), (256, 64, 2), []),
        ("a matrix", lambda x: lay(x.reshape(128, 64, 2), F16), (128, 128), []),
        ("an unformatted matrix", lambda x: x.reshape(tiles), (128, 128), ["MV306"]),
        ("flat", lambda x: x.reshape(tiles), (128 * 128,), ["MV308"]),
        ("a list of pairs", lambda x: x.reshape(tiles), (128 * 64, 2), ["MV308"]),
        ("tiles by pairs", lambda x: x.reshape(tiles), (1, 2, 128, 32, 2), ["MV308"]),
        ("a list of tiles by pairs", lambda x: x.reshape(tiles), (2, 128, 32, 2), ["MV308"]),
        ("rows of tiles", lambda x: x.reshape(tiles), (256, 64), ["MV308"]),
        ("a tile in each row", lambda x: x.reshape(tiles), (2, 128 * 64), ["MV308"]),
        ("the pairs of a tile in each row", lambda x: x.reshape(tiles), (2, 64 * 64, 2), ["MV308"]),
        ("the tiles of a layer in each row", lambda x: x[1].reshape(tiles), (128, 128 * 128), ["MV308"]),
        ("groups of tiles by pairs", lambda x: x.reshape(tiles), (1, 2, 16, 8, 32, 2), ["MV308"]),
        ("stored by K, in one step", by_group, (64, 128, 2), ["MV308"]),
        ("padded and only reshaped", lambda x: x_padded(x).reshape(tiles), (100, 64, 2), ["MV306"]),
        ("tiles by way of pairs", lambda x: x.reshape(128, 64, 2).reshape(tiles), tiles, ["MV308"]),
        ("permuted", lambda x: lay(x, F16).transpose(0, 1, 3, 2).reshape(tiles), (128, 64, 2), ["MV310"]),
        ("padded", lambda x: lay(x_padded(x), F16), (100, 64, 2), []),
        ("padded wrong", lambda x: lay(x_padded(x), FP8), (100, 64, 2), ["MV305"]),
        ("stacked pairs", lambda x: lay(jnp.stack([x[0], x[1]], -1), F16), (2, 128, 64), []),
        ("stored by K", lambda x: lay(x.transpose(1, 0, 2), F16), (64, 128, 2), []),
        ("stored by K, wrong", lambda x: lay(x.transpose(1, 0, 2), FP8), (64, 128, 2), ["MV305"]),
        ("gathered rows", lambda x: lay(x[jnp.arange(128)[::-1]], F16), (128, 64, 2), []),
        (
            "tiles side by side",
            lambda x: jnp.concatenate([lay(x[:, :32], F16), lay(x[:, 32:], F16)], 1),
            (128, 64, 2),
            [],
        ),
        (
            "one wrong tile",
            lambda x: jnp.concatenate([lay(x[:, :32], F16), lay(x[:, 32:], FP8)], 1),
            (128, 64, 2),
            ["MV305"],
        ),
        (
            "tiles side by side, of what is stored by K",
            lambda x: jnp.concatenate([lay(x.transpose(1, 0, 2)[:, i : i + 32], F16) for i in (0, 32)], 1),
            (64, 128, 2),
            [],
        ),
        ("rows from the last", lambda x: jnp.concatenate(jnp.split(lay(x[::-1], F16), 2, 1), 1), (128, 64, 2), []),
        (
            "rows that are all alike, only reshaped",
            lambda x: jnp.concatenate(jnp.split(jnp.tile(x, (128, 1, 1)).reshape(tiles), 2, 1), 1),
            (1, 64, 2),
            ["MV306"],
        ),
        ("tiles in another order", lambda x: lay(x, F16)[:, ::-1], (128, 64, 2), ["MV308"]),
        ("laid out twice", lambda x: lay(lay(x, F16).reshape(128, 64, 2), F16), (128, 64, 2), ["MV310"]),
    ]


@pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant[0])
def test_provenance_of_metadata(variant):
    _, make, shape, codes = variant
    fn, (a, b, _) = sparse_mma.kernel(dtype=F16, k=256)
    dtype = shape[-1] if not isinstance(shape[-1], int) else jnp.uint2
    meta = jax.ShapeDtypeStruct([n for n in shape if isinstance(n, int)], dtype)
    report = mv.check(lambda x, y, z: fn(x, y, make(z)), a, b, meta)
    assert report.error is None
    assert layout_codes(report) == codes and "MV311" not in [d.code for d in report.diagnostics]


@pytest.mark.parametrize(("m", "k"), [(128, 512), (256, 512), (128, 256)])
@pytest.mark.parametrize("split", [(4, 2, 4), (8, 1, 4)], ids=["16", "8"])
def test_pairs_stored_by_group_and_laid_out_in_one_step(m, k, split):
    """Also where there are as many rows as groups, so that the shape does not tell the two apart."""
    fn, (a, b, _) = sparse_mma.kernel(dtype=F16 if split[1] == 2 else FP8, k=k, blocks=m // 128)
    rows = (8, 2, 8) if split[1] == 2 else (16, 1, 8)

    def lay(meta):
        digits = meta.reshape(k // 128, *split, m // 128, *rows, 2)
        return digits.transpose(4, 0, 5, 2, 7, 1, 6, 3, 8).reshape(m // 128, k // 128, 128, 64)

    meta = np.random.default_rng(0).integers(0, 4, (k // 4, m, 2)).astype(np.uint8)
    np.testing.assert_array_equal(lay(meta), format_tiles(meta.transpose(1, 0, 2), 8 * split[1]))
    report = mv.check(
        lambda x, y, z: fn(x, y, lay(z)), a, b, jax.ShapeDtypeStruct(meta.shape, jnp.uint2), mode="rewrite"
    )
    assert report.ok and not report.rewrites and layout_codes(report) == ["MV308"]


def test_kernel_inside_functions_and_loops():
    fn, (a, b, _) = sparse_mma.kernel(dtype=F16, k=256)
    lay = sparse_mma.plgpu.format_tcgen05_sparse_metadata
    inner = jax.jit(lambda x, y, tiles: fn(x, y, tiles))

    def two_callers(x, y, meta):
        return inner(x, y, lay(meta, F16)) + inner(x, y, lay(meta, FP8))

    def loop(x, y, meta):
        tiles = lay(meta, FP8)
        return jax.lax.fori_loop(0, 3, lambda i, acc: acc + fn(x, y, tiles), jnp.zeros((128, 128), jnp.float32))

    meta = jax.ShapeDtypeStruct((128, 64, 2), jnp.uint2)

    def layers(x, y, stack, lay_one):
        def layer(acc, meta):
            return acc + fn(x, y, lay_one(meta)), None

        return jax.lax.scan(layer, jnp.zeros((128, 128), jnp.float32), stack)[0]

    stack = jax.ShapeDtypeStruct((4, 128, 64, 2), jnp.uint2)
    for how, codes in ((F16, []), (FP8, ["MV305"])):
        inside = lambda x, y, z, how=how: layers(x, y, z, lambda meta: lay(meta, how))  # noqa: E731
        outside = lambda x, y, z, how=how: layers(x, y, jax.vmap(lambda m: lay(m, how))(z), lambda t: t)  # noqa: E731
        for program in (inside, outside):
            assert layout_codes(mv.check(program, a, b, stack)) == codes
            assert layout_codes(mv.check(program, a, b, stack, mode="rewrite")) == []

    for program in (two_callers, loop):
        assert layout_codes(mv.check(program, a, b, meta)) == ["MV305"]
    assert layout_codes(mv.check(two_callers, a, b, meta, mode="rewrite")) == ["MV305"]  # no one layout to start from
    assert layout_codes(mv.check(loop, a, b, meta, mode="rewrite")) == []


def test_constants_are_checked_and_folded():
    pairs = np.tile(np.array([[0, 1], [1, 3]], np.uint8), (128, 32, 1))
    fn, (a, b, _) = sparse_mma.kernel(dtype=F16, k=256)
    lay = sparse_mma.plgpu.format_tcgen05_sparse_metadata
    bad = pairs.copy()
    bad[77, 13], bad[100, 2] = (2, 2), (3, 1)

    def program(values, how):
        return lambda x, y: fn(x, y, lay(jnp.asarray(values, jnp.uint2), how))

    report = mv.check(program(bad, F16), a, b)
    (finding,) = (d for d in report.diagnostics if d.code == "MV307")
    assert finding.severity == "error" and "2 invalid index pairs (1 equal and 1 descending)" in finding.message
    assert "(2, 2) at row 77, group 13" in finding.message and "(3, 1) at row 100, group 2" in finding.message
    assert not any(d.code == "MV307" for d in mv.check(program(pairs, F16), a, b).diagnostics)

    folded = mv.check(program(pairs, FP8), a, b, mode="rewrite")
    assert folded.ok and [(r.kind, r.code) for r in folded.rewrites] == [("exact", "MV305")]
    with make_context(unregistered=True), ir.Location.unknown():
        module = ir.Module.parse(folded.lowered.as_text())
        (call,) = collect(module.operation, ("stablehlo.custom_call",))["stablehlo.custom_call"]
        constant = call.operands[2].owner
        assert constant.name == "stablehlo.constant"
        np.testing.assert_array_equal(integer_values(constant.attributes["value"]), format_tiles(pairs, 16))


@pytest.mark.parametrize("narrow", ["int2", "uint2", "int4", "uint4", "int8", "uint8"])
@pytest.mark.parametrize("wide", ["int8", "uint16", "int32"])
def test_conversions_of_constants_cut_off_and_extend_as_jax_does(narrow, wide):
    values = jnp.arange(-20, 300)
    program = jax.jit(lambda: values.astype(narrow).astype(wide))
    with make_context(unregistered=True), ir.Location.unknown():
        module = ir.Module.parse(program.lower().as_text())
        (result,) = collect(module.operation, ("func.return",))["func.return"]
        known = constant_behind(Provenance(module.operation, list).node(result.operands[0])).values
    np.testing.assert_array_equal(known, program())


PAIRS = np.tile(np.array([[0, 1], [1, 3]], np.uint8), (128, 32, 1))


def computed_from_constants():
    """Positions that are right although the constant behind them holds other values: metadata by row and group."""
    packed = (PAIRS.reshape(128, 32, 4) << np.array([0, 2, 4, 6], np.uint8)).sum(-1).astype(np.uint8)
    flagged = np.concatenate([PAIRS, np.full((128, 64, 1), 77, np.uint8)], -1)
    moved = np.concatenate([np.full((1, 64, 2), 3, np.uint8), PAIRS[:-1]])
    return {
        "packed": lambda: jnp.stack([jnp.asarray(packed) >> i & 3 for i in (0, 2, 4, 6)], -1).reshape(128, 64, 2),
        "counted from one": lambda: jnp.asarray(PAIRS + 1) - 1,
        "with flags in other bits": lambda: jnp.asarray(PAIRS | 16) & 3,
        "descending, inverted": lambda: jnp.asarray(3 - PAIRS) ^ 3,
        "beside other values": lambda: jnp.asarray(flagged)[..., :2],
        "beside other values, cut off": lambda: jnp.asarray(flagged, jnp.uint2)[..., :2],
        "behind a row that is cut off": lambda: jax.lax.pad(
            jnp.asarray(moved), np.uint8(1), ((-1, 1, 0), (0, 0, 0), (0, 0, 0))
        ),
    }


@pytest.mark.parametrize("name", computed_from_constants())
def test_constants_that_are_not_what_the_kernel_gets(name):
    fn, (a, b, _) = sparse_mma.kernel(dtype=F16, k=256)
    make = computed_from_constants()[name]
    lay = sparse_mma.plgpu.format_tcgen05_sparse_metadata
    meta = np.asarray(make())[:-1] if "row" in name else np.asarray(make())
    np.testing.assert_array_equal(meta.astype(np.uint8), PAIRS[: len(meta)])
    report = mv.check(lambda x, y: fn(x, y, lay(make().astype(jnp.uint2), F16)), a, b)
    assert report.error is None and report.diagnostics == []


def test_exported_modules_give_the_findings_of_the_hook():
    from jax import export

    for how, k in ((FP8, 256), ("raw", 256), (F16, 256)):
        program, args = sparse_mma.host(F16, how, k=k)
        exported = export.export(
            jax.jit(program),
            platforms=("cuda",),
            disabled_checks=[export.DisabledSafetyCheck.custom_call("mosaic_gpu_v2")],
        )(*args)
        report = mv.run(exported.mlir_module(), "builtin.module(stablehlo-verify-sparse-metadata)")
        hook = mv.check(program, *args)
        assert layout_codes(report) == layout_codes(hook)


def test_bytecode_is_read_like_text():
    program, args = sparse_mma.host(F16, FP8, k=256)
    text = jax.jit(program).trace(*args).lower(lowering_platforms=("cuda",)).as_text()
    with make_context(unregistered=True), ir.Location.unknown():
        sink = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(sink)
    for source in (text, sink.getvalue()):
        report = mv.run(source, "builtin.module(stablehlo-verify-sparse-metadata)")
        assert layout_codes(report) == ["MV305"]


MIXED = [
    (F16, FP8, []),
    (FP8, FP8, [("MV305", 2)]),
    (F16, F16, [("MV305", 5)]),
    (FP8, F16, [("MV305", 2), ("MV305", 5)]),
]


@pytest.mark.parametrize("semantics", ["warpgroup", "lane"])
@pytest.mark.parametrize(("wide", "narrow", "expected"), MIXED, ids=case)
def test_kernels_that_mix_widths(semantics, wide, narrow, expected):
    """The lowered kernel does not say which MMA reads which argument; the hook has seen it."""
    program, args = sparse_mma.mixed(wide, narrow, semantics)

    def found(report):
        return [(d.code, int(d.message.split("metadata operand ")[1].split()[0])) for d in report.diagnostics]

    report = mv.check(program, *args)
    assert report.error is None and found(report) == expected
    rewritten = mv.check(program, *args, mode="rewrite")
    assert rewritten.ok and [r.code for r in rewritten.rewrites] == [code for code, _ in expected]


def test_an_exported_kernel_that_mixes_widths_is_known_by_its_content():
    from jax import export

    program, args = sparse_mma.mixed(FP8, F16)
    with warnings.catch_warnings(), mv.verifying("report"):
        warnings.simplefilter("ignore")
        allowed = export.DisabledSafetyCheck.custom_call("mosaic_gpu_v2")
        exported = export.export(jax.jit(program), platforms=("cuda",), disabled_checks=[allowed])(*args)
    report = mv.run(exported.mlir_module(), "builtin.module(stablehlo-verify-sparse-metadata)")
    assert layout_codes(report) == ["MV305", "MV305"]


def test_what_the_hook_did_not_see_is_a_remark():
    program, args = sparse_mma.mixed(FP8, F16, k=128)  # a kernel that no other test has lowered
    report = mv.run(lowered(program, args), "builtin.module(stablehlo-verify-sparse-metadata)")
    assert [(d.severity, d.code) for d in report.diagnostics] == [("remark", "MV308")] * 2


def test_an_mma_that_reads_metadata_of_another_width():
    program, args = sparse_mma.mixed(share=True)
    assert layout_codes(mv.check(program, *args)) == ["MV308", "MV308"]
