"""Rules of megablox on plain facts, and what its interpret mode computes for the programs that it accepts silently."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas.ops.tpu.megablox import gmm as ops_gmm
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, make_group_metadata, tgmm

import mosaic_verify as mv
from mosaic_verify.model.gmm import Array, GroupedMatmul, misplaced_tiles, starts_inside_tiles
from mosaic_verify.rules import gmm_arguments, gmm_values  # noqa: F401  (they register their checks)
from mosaic_verify.rules.registry import run_checks

M, K, N, GROUPS, TM = 64, 128, 128, 4, 16
TILING = (TM, 128, 128)


def call(kind="gmm", *, sizes=(16, 16, 16, 16), rhs=None, offset=None, groups=GROUPS, m=M, k=K, **options):
    lhs = (m, k) if kind == "gmm" else (k, m)
    rhs = rhs or ((groups, k, N) if kind == "gmm" else (m, N))
    given = {
        "group_sizes": Array((len(sizes),), "i32"),
        "sizes": np.asarray(sizes, np.int32),
        "tiling": TILING,
        "preferred": "f32",
        "platform": "",
    }
    if offset is not None:
        given |= {"group_offset": Array((), "i32"), "offset": offset}
    return GroupedMatmul(kind, Array(lhs, "f32"), Array(rhs, "f32"), **{**given, **options})


def codes(fact):
    return sorted({finding.code for finding in run_checks(fact)})


def run_gmm(sizes, *, m=M, rhs_shape=None, transpose_rhs=False, **options):
    """Interpret mode on seeded operands, with the operands."""
    random = np.random.default_rng(0)
    lhs = random.standard_normal((m, K), np.float32)
    rhs = random.standard_normal(rhs_shape or (len(sizes), K, N), np.float32)
    out = gmm(
        jnp.asarray(lhs),
        jnp.asarray(rhs),
        jnp.asarray(sizes, jnp.int32),
        tiling=TILING,
        interpret=True,
        transpose_rhs=transpose_rhs,
        **options,
    )
    return np.asarray(out), lhs, rhs


def reference(lhs, rhs, sizes):
    out, start = np.full((lhs.shape[0], rhs.shape[2]), np.nan, np.float32), 0
    for group, size in enumerate(sizes):
        out[start : start + size] = lhs[start : start + size] @ rhs[group]
        start += size
    return out


@pytest.mark.parametrize("sizes", [(16, 16, 16, 16), (5, 27, 0, 32), (64, 0, 0, 0)])
def test_a_right_call_is_clean_and_right(sizes):
    assert codes(call(sizes=sizes)) == []
    out, lhs, rhs = run_gmm(sizes)
    np.testing.assert_allclose(out, reference(lhs, rhs, sizes), rtol=2e-5, atol=2e-4)


def test_too_few_rows_leave_garbage():
    sizes = (16, 16, 16, 8)
    assert codes(call(sizes=sizes)) == ["MV411"]
    out, lhs, rhs = run_gmm(sizes)
    assert not np.allclose(out[56:], 0) and not np.allclose(out[56:], lhs[56:] @ rhs[3], rtol=1e-3)


def test_too_few_rows_are_defined_with_existing_out():
    sizes, keep = (16, 16, 16, 8), np.arange(M * N, dtype=np.float32).reshape(M, N)
    assert codes(call(sizes=sizes, existing_out=Array((M, N), "f32"))) == []
    out, *_ = run_gmm(sizes, existing_out=jnp.asarray(keep))
    np.testing.assert_array_equal(out[56:], keep[56:])


def test_too_few_rows_are_zero_with_fewer_groups():
    sizes = (16, 16, 16, 8)
    assert codes(call(sizes=sizes, groups=2)) == []
    out, *_ = run_gmm(sizes, rhs_shape=(2, K, N))
    assert not out[32:].any()


def test_too_few_rows_do_not_matter_to_tgmm():
    sizes = (16, 16, 16, 8)
    assert codes(call("tgmm", sizes=sizes)) == []
    random = np.random.default_rng(1)
    lhs, rhs = random.standard_normal((K, M), np.float32), random.standard_normal((M, N), np.float32)
    out = np.asarray(
        tgmm(jnp.asarray(lhs), jnp.asarray(rhs), jnp.asarray(sizes, jnp.int32), tiling=TILING, interpret=True)
    )
    for group, start in enumerate((0, 16, 32, 48)):
        rows = slice(start, start + sizes[group])
        np.testing.assert_allclose(out[group], lhs[:, rows] @ rhs[rows], rtol=2e-5, atol=2e-4)


def test_too_many_rows_run_past_the_tables():
    sizes = (32, 32, 32, 32)
    assert codes(call(sizes=sizes)) == ["MV411"]
    (_, group_ids, _), active = make_group_metadata(
        group_sizes=jnp.asarray(sizes, jnp.int32),
        m=M,
        tm=TM,
        start_group=jnp.int32(0),
        num_nonzero_groups=4,
        visit_empty_groups=False,
    )
    assert int(active) > group_ids.shape[0]


def test_negative_sizes():
    sizes = (32, -16, 32, 16)
    assert codes(call(sizes=sizes)) == ["MV418"]
    out, lhs, rhs = run_gmm(sizes)
    assert not np.allclose(out, np.concatenate([lhs[:32] @ rhs[0], lhs[32:] @ rhs[2]]), equal_nan=True)


@pytest.mark.parametrize(("shape", "transpose"), [((4, 64, N), False), ((4, 256, N), False), ((4, N, 256), True)])
def test_contraction(shape, transpose):
    assert codes(call(rhs=shape, transpose_rhs=transpose)) == ["MV410"]
    out, lhs, rhs = run_gmm((16, 16, 16, 16), rhs_shape=shape, transpose_rhs=transpose)
    # JAX accepts it: rows of rhs are ignored, or read out of bounds.
    if 64 in shape:
        assert np.isnan(out).any()
    else:
        used = (rhs.swapaxes(1, 2) if transpose else rhs)[:, :K]
        np.testing.assert_allclose(out, reference(lhs, used, (16,) * 4), rtol=2e-5, atol=2e-4)


def test_rows_of_tgmm():
    assert codes(call("tgmm", rhs=(128, N))) == ["MV420"]
    shape = jax.ShapeDtypeStruct
    accepted = jax.eval_shape(
        lambda *args: tgmm(*args, tiling=TILING, interpret=True),
        shape((K, M), jnp.float32),
        shape((128, N), jnp.float32),
        shape((4,), jnp.int32),
    )
    assert accepted.shape == (4, K, N)


@pytest.mark.parametrize(("offset", "expected"), [(0, []), (3, []), (4, ["MV419"]), (-1, ["MV419"])])
def test_offset_range(offset, expected):
    assert codes(call(groups=1, offset=offset)) == expected


def test_more_groups_in_rhs_than_sizes_is_legal():
    assert codes(call(groups=8)) == []
    assert codes(call("tgmm", num_actual_groups=8)) == ["MV424"]
    assert codes(call("tgmm", num_actual_groups=4)) == []


@pytest.mark.parametrize("tiles", [1, 100, 4096, 4097, 4999, 5000, 6000, 8192, 12345, 16384, 65536])
def test_misplaced_tiles_bound_what_the_histogram_does(tiles):
    counts = np.asarray(jnp.histogram(jnp.arange(tiles), bins=tiles, range=(0, tiles - 1))[0])
    possible, sure = misplaced_tiles(tiles)
    edges = np.asarray(jnp.histogram_bin_edges(jnp.zeros(1), bins=tiles, range=(0, tiles - 1)))
    bins = np.searchsorted(edges, np.arange(tiles).astype(np.float32), side="right") - 1
    bins[-1] = tiles - 1
    wrong = set(np.flatnonzero(bins != np.arange(tiles)))
    assert set(sure) <= wrong <= set(possible)
    assert bool(wrong) == bool((counts != 1).any())


def test_a_lost_tile_gives_a_wrong_table():
    tm, tiles = 8, 8192
    _, sure = misplaced_tiles(tiles)
    tile = int(sure[0])
    sizes = np.array([tile * tm + 3, (tiles - tile) * tm - 3])
    assert list(starts_inside_tiles(sizes, tm)) == [tile]
    fact = call(sizes=sizes, groups=2, m=tiles * tm, tiling=(tm, 128, 128))
    assert [(f.code, f.severity) for f in run_checks(fact)] == [("MV421", "error")]
    (_, _, tile_ids), _ = make_group_metadata(
        group_sizes=jnp.asarray(sizes, jnp.int32),
        m=tiles * tm,
        tm=tm,
        start_group=jnp.int32(0),
        num_nonzero_groups=2,
        visit_empty_groups=False,
    )
    # The shared tile is visited twice in a right table.
    assert np.count_nonzero(np.asarray(tile_ids) == tile) == 1
    aligned = call(sizes=np.array([tile * tm, (tiles - tile) * tm]), groups=2, m=tiles * tm, tiling=(tm, 128, 128))
    assert codes(aligned) == []
    unknown = call(sizes=sizes, groups=2, m=tiles * tm, tiling=(tm, 128, 128), existing_out=None)
    assert [
        f.severity for f in run_checks(GroupedMatmul(unknown.kind, unknown.lhs, unknown.rhs, tiling=unknown.tiling))
    ] == ["warning"]


def test_gradient_of_existing_out():
    def loss(existing):
        out = ops_gmm(
            jnp.ones((M, K)), jnp.ones((4, K, N)), jnp.full(4, 16), tiling=TILING, existing_out=existing, interpret=True
        )
        return out.sum()

    gradient = jax.grad(loss)(jnp.zeros((M, N)))
    assert float(gradient.sum()) == M * N  # the true gradient is 0: every row is overwritten
    whole = call(existing_out=Array((M, N), "f32"), differentiated=True)
    assert [(f.code, f.severity) for f in run_checks(whole)] == [("MV422", None)]
    assert codes(call(existing_out=Array((M, N), "f32"))) == []


@pytest.mark.parametrize("options", [dict(groups=2), dict(groups=2, offset=2), dict(groups=4, offset=2)])
def test_gradient_of_existing_out_from_other_groups(options):
    part = call(existing_out=Array((M, N), "f32"), differentiated=True, **options)
    assert [(f.code, f.severity) for f in run_checks(part) if f.code != "MV419"] == [("MV422", "remark")]


def test_gradients_of_calls_for_parts_of_the_groups_are_right():
    """A chain of calls through `existing_out`, one for each half of the groups, against one call for all of them."""
    random = np.random.default_rng(0)
    lhs, weights = (jnp.asarray(random.standard_normal(shape), jnp.float32) for shape in ((M, K), (M, N)))
    rhs = jnp.asarray(random.standard_normal((4, K, N)), jnp.float32)
    sizes = jnp.asarray((10, 22, 0, M - 32), jnp.int32)
    options = dict(tiling=TILING, interpret=True)

    def chained(lhs, rhs):
        out = ops_gmm(lhs, rhs[:2], sizes, **options)
        out = ops_gmm(lhs, rhs[2:], sizes, group_offset=jnp.int32(2), existing_out=out, **options)
        return (out * weights).sum()

    def at_once(lhs, rhs):
        return (ops_gmm(lhs, rhs, sizes, **options) * weights).sum()

    for found, wanted in zip(*(jax.grad(loss, argnums=(0, 1))(lhs, rhs) for loss in (chained, at_once)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (dict(existing_out=Array((M, N), "bf16")), ["MV401"]),
        (dict(existing_out=Array((32, N), "f32")), ["MV416"]),
        (dict(existing_out=Array((M, N, 1), "f32")), ["MV416"]),
        (dict(group_offset=Array((1,), "i32")), ["MV402"]),
        (dict(group_offset=Array((), "f32")), ["MV409"]),
        (dict(tiling=()), ["MV403"]),
        (dict(tiling=(16, 128)), ["MV412"]),
        (dict(tiling=(16, 128, 0)), ["MV413"]),
        (dict(tiling=(48, 128, 128)), ["MV414"]),
        (dict(tiling=None), []),
        (dict(tiling=(16, 64, 128), platform="tpu"), ["MV415"]),
        (dict(tiling=(16, 128, 64), platform="tpu"), ["MV415"]),
        (dict(tiling=(4, 128, 128), platform="tpu"), ["MV415"]),
        (dict(tiling=(4, 128, 128)), []),
        (dict(preferred="f64"), ["MV417"]),
        (dict(preferred="bf16"), []),
        (dict(lhs=Array((2, M, K), "f32")), ["MV404"]),
        (dict(rhs=(K, N)), ["MV405"]),
        (dict(lhs=Array((M, K), "f16")), ["MV406"]),
        (dict(group_sizes=Array((4,), "ui32")), ["MV407"]),
        (dict(group_sizes=Array((2, 2), "i32"), sizes=None), ["MV408"]),
    ],
    ids=str,
)
def test_refusals(changes, expected):
    shape = changes.pop("rhs", None) if isinstance(changes.get("rhs"), tuple) else None
    fact = call(rhs=shape)
    assert (
        codes(GroupedMatmul(**{**{name: getattr(fact, name) for name in GroupedMatmul.__slots__}, **changes}))
        == expected
    )


@pytest.mark.parametrize(
    "change",
    [
        ("1, 1, 1, 0, 0", "1, 1, 1"),
        ("1, 1, 1, 0, 0", "1, 1, 0, 0, 1"),
        ("1, 1, 1, 0, 0", "-1, 1, 3, 0, 0"),
        ("preferred_element_type = bf16", "preferred_element_type = 1 : i32"),
        ("array<i64: 128, 128, 128>", "[1, 2, 3]"),
        ("tiling", "transpose_rhs = 1 : i32, tiling"),
        ("tiling", 'num_actual_groups = "x", tiling'),
        ("tiling", "platform = 3 : i32, tiling"),
        ("tensor<1x8x8xbf16>", "tensor<*xbf16>"),
        ("tensor<1x8x8xbf16>", "index"),
    ],
)
@pytest.mark.parametrize("kind", ["gmm", "tgmm"])
def test_ops_of_another_form_are_one_diagnostic(kind, change, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    types = "tensor<128x8xbf16>, tensor<1x8x8xbf16>, tensor<1xi32>"
    text = (
        f"func.func @f(%a: {types.split(', ')[0]}, %b: {types.split(', ')[1]}, %c: tensor<1xi32>) {{\n"
        f'  %o = "megablox.{kind}"(%a, %b, %c) {{preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, '
        f"operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}} : ({types}) -> tensor<128x8xbf16>\n  return\n}}"
    ).replace(*change)
    rewrites = "megablox-normalize-gmm,megablox-cast-existing-out,megablox-pad-rows"
    for passes in ("megablox-verify-gmm", f"{rewrites},megablox-verify-gmm"):
        assert [d.code for d in mv.run(text, f"builtin.module({passes})").diagnostics] == ["MV430"]


@pytest.mark.parametrize("element", ["complex<f32>", "index", "i1"])
def test_rows_of_other_elements_are_not_padded(element, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    text = f"""func.func @f(%a: tensor<8x8x{element}>, %b: tensor<1x8x8xbf16>, %c: tensor<1xi32>) {{
      %o = "megablox.gmm"(%a, %b, %c) {{preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
        operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}} : (tensor<8x8x{element}>, tensor<1x8x8xbf16>, tensor<1xi32>)
        -> tensor<8x8xbf16>
      return
    }}"""
    report = mv.run(text, "builtin.module(megablox-pad-rows,megablox-verify-gmm)")
    assert "MV406" in [d.code for d in report.diagnostics]


def test_groups_before_the_offset_leave_garbage():
    sizes = (16, 16, 16, 16)
    assert codes(call(sizes=sizes, offset=1)) == ["MV432"]
    out, lhs, rhs = run_gmm(sizes, group_offset=jnp.int32(1))
    assert np.isnan(out[:16]).all()
    np.testing.assert_allclose(out[16:32], lhs[16:32] @ rhs[0], rtol=2e-5, atol=2e-4)
    assert codes(call(sizes=(0, 16, 16, 32), offset=1)) == []
    assert codes(call(sizes=sizes, offset=1, groups=3)) == []  # zeroed
    assert codes(call(sizes=sizes, offset=1, existing_out=Array((M, N), "f32"))) == []


def test_an_offset_behind_the_groups_computes_nothing():
    assert codes(call(groups=1, offset=4)) == ["MV419"]
    out, *_ = run_gmm((16, 16, 16, 16), rhs_shape=(1, K, N), group_offset=jnp.int32(4))
    assert not out.any()


def test_groups_that_end_inside_lhs_may_stand_before_others_that_do_not():
    sizes = (16, 24, 32, 16)  # 88 rows of 64
    out, lhs, rhs = run_gmm(sizes, rhs_shape=(2, K, N))
    np.testing.assert_allclose(out, np.nan_to_num(reference(lhs, rhs, sizes[:2])), rtol=2e-5, atol=2e-4)
    assert codes(call(sizes=sizes, groups=2)) == []
    assert codes(call(sizes=sizes, groups=2, offset=1)) == codes(call(sizes=sizes, groups=3)) == ["MV411"]
    unknown = call(sizes=sizes, groups=2, group_offset=Array((), "i32"))
    assert [(f.code, f.severity) for f in run_checks(unknown)] == [("MV411", "warning")]


def run_tgmm(rows, sizes=(16, 16, 16, 16), **options):
    random = np.random.default_rng(1)
    lhs, rhs = random.standard_normal((K, M), np.float32), random.standard_normal((rows, N), np.float32)
    operands = (jnp.asarray(lhs), jnp.asarray(rhs), jnp.asarray(sizes, jnp.int32))
    return np.asarray(tgmm(*operands, tiling=TILING, interpret=True, **options)), lhs, rhs


def test_rows_that_rhs_of_tgmm_lacks_are_read_out_of_bounds():
    assert codes(call("tgmm", rhs=(32, N))) == ["MV420"]
    out, lhs, rhs = run_tgmm(32)
    assert not np.isfinite(out[2:]).all() or not np.any(out[2:] == 0)
    np.testing.assert_allclose(out[0], lhs[:, :16] @ rhs[:16], rtol=2e-5, atol=2e-4)


def test_results_of_groups_that_do_not_exist():
    out, *_ = run_tgmm(M, num_actual_groups=5)
    assert np.isnan(out[4]).all() and np.isfinite(out[:4]).all()
    assert codes(call("tgmm", num_actual_groups=5)) == codes(call("tgmm", offset=1)) == ["MV424"]
    assert codes(call("tgmm", num_actual_groups=3, offset=1)) == []
    keep = jnp.ones((5, K, N))
    kept, *_ = run_tgmm(M, num_actual_groups=5, existing_out=keep)
    np.testing.assert_array_equal(kept[4], keep[4])
    assert codes(call("tgmm", num_actual_groups=5, existing_out=Array((5, K, N), "f32"))) == []
    assert [f.severity for f in run_checks(call("tgmm", num_actual_groups=-1))] == ["error"]


@pytest.mark.parametrize("transposed", [False, True])
def test_empty_groups_of_tgmm_are_counted_in_their_tile(transposed):
    tm, tiles = 8, 8192
    tile = int(misplaced_tiles(tiles)[1][0])
    sizes = np.array([tile * tm, 0, (tiles - tile) * tm])
    assert list(starts_inside_tiles(sizes, tm, visit_empty=transposed)) == ([tile] if transposed else [])
    fact = call("tgmm" if transposed else "gmm", sizes=sizes, groups=3, m=tiles * tm, tiling=(tm, 128, 128))
    assert codes(fact) == (["MV421"] if transposed else [])
    (_, _, tile_ids), _ = make_group_metadata(
        group_sizes=jnp.asarray(sizes, jnp.int32),
        m=tiles * tm,
        tm=tm,
        start_group=jnp.int32(0),
        num_nonzero_groups=3,
        visit_empty_groups=transposed,
    )
    # The last entry of the table is padding; a right one of tgmm has the tile twice.
    assert np.count_nonzero(np.asarray(tile_ids)[: tiles + transposed] == tile) == 1


def test_more_tiles_than_memory_holds():
    possible, sure = misplaced_tiles(2**40)
    assert 0 < sure.size <= possible.size <= 2**20


@pytest.mark.parametrize("form", ["{}", "<{}>"])
@pytest.mark.parametrize(
    "attribute", ["tiling = loc(unknown)", "padded_rows = loc(unknown)", "preferred_element_type = () -> ()"]
)
def test_attributes_that_the_bindings_cannot_hand_out(attribute, form, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    given = {"preferred_element_type": "bf16", "operandSegmentSizes": "array<i32: 1, 1, 1, 1, 0>"}
    given |= dict([attribute.split(" = ")])
    attributes = "{" + ", ".join(f"{name} = {value}" for name, value in given.items()) + "}"
    types = "tensor<128x8xbf16>, tensor<1x8x8xbf16>, tensor<1xi32>, tensor<complex<f32>>"
    text = f"""func.func @f(%a: tensor<128x8xbf16>, %b: tensor<1x8x8xbf16>, %c: tensor<1xi32>) {{
      %d = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
      %o = "megablox.gmm"(%a, %b, %c, %d) {form.format(attributes)} : ({types}) -> tensor<128x8xbf16>
      return
    }}"""
    passes = "megablox-normalize-gmm,megablox-cast-existing-out,megablox-pad-rows,megablox-verify-gmm"
    assert [d.code for d in mv.run(text, f"builtin.module({passes})").diagnostics] == ["MV430"]


def test_padding_keeps_every_attribute():
    text = """func.func @f(%a: tensor<100x8xbf16>, %b: tensor<1x8x8xbf16>, %c: tensor<1xi32>) -> tensor<100x8xbf16> {
      %o = "megablox.gmm"(%a, %b, %c) <{preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
        operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {mine = loc("x")}
        : (tensor<100x8xbf16>, tensor<1x8x8xbf16>, tensor<1xi32>) -> tensor<100x8xbf16>
      return %o : tensor<100x8xbf16>
    }"""
    report = mv.run(text, "builtin.module(megablox-pad-rows,megablox-verify-gmm)")
    assert [(d.severity, d.code) for d in report.diagnostics] == [("warning", "MV414")]
