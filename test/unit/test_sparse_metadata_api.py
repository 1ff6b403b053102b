"""`mosaic_verify.sparse_metadata` against JAX's own formatting."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental.pallas import mosaic_gpu as plgpu

import mosaic_verify as mv

PAIRS = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], np.uint8)
DTYPES = {16: (jnp.float16, jnp.bfloat16), 8: (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.int8)}
SIZES = [(m, k) for m in (128, 256) for k in (128, 256, 512)]


def metadata(m, k):
    return PAIRS[np.random.default_rng(m + k).integers(0, 6, (m, k // 4))].astype(ml_dtypes.uint2)


def codes(report):
    return [d.code for d in report.diagnostics]


@pytest.mark.parametrize(("m", "k"), SIZES)
def test_format_is_that_of_jax_and_unformat_its_inverse(m, k):
    meta = metadata(m, k)
    for dtypes in DTYPES.values():
        for dtype in dtypes:
            wanted = np.asarray(plgpu.format_tcgen05_sparse_metadata(jnp.asarray(meta), dtype))
            tiles = mv.sparse_metadata.format(meta, dtype)
            assert tiles.dtype == meta.dtype
            np.testing.assert_array_equal(tiles.astype(np.uint8), wanted.astype(np.uint8))
            assert (mv.sparse_metadata.unformat(tiles, dtype) == meta).all()
            assert (mv.sparse_metadata.unformat(jnp.asarray(tiles), np.dtype(dtype).name) == meta).all()


@pytest.mark.parametrize(("m", "k"), SIZES)
def test_convert_leads_from_any_format_to_any_other(m, k):
    meta = metadata(m, k)
    for one in (jnp.float16, "int8"):
        for other in ("bfloat16", jnp.float8_e5m2):
            tiles = mv.sparse_metadata.convert(mv.sparse_metadata.format(meta, one), one, other)
            assert (tiles == mv.sparse_metadata.format(meta, other)).all()


def test_format_covers_every_bit_of_the_element_index():
    for m, k in SIZES:
        index = np.arange(m * k // 2).reshape(m, k // 4, 2)
        for dtype in (jnp.float16, jnp.int8):
            assert (mv.sparse_metadata.unformat(mv.sparse_metadata.format(index, dtype), dtype) == index).all()


def test_four_bit_operands_use_the_eight_bit_order():
    meta = metadata(128, 256)
    assert (mv.sparse_metadata.format(meta, "float4_e2m1fn") == mv.sparse_metadata.format(meta, jnp.int8)).all()


@pytest.mark.parametrize(
    ("shape", "dtype", "error", "code"),
    [
        ((128, 64), jnp.float16, ValueError, "MV302"),
        ((128, 32, 4), jnp.float16, ValueError, "MV303"),
        ((64, 32, 2), jnp.float16, ValueError, "MV309"),
        ((128, 24, 2), jnp.int8, ValueError, "MV309"),
        ((128, 32, 2), jnp.float32, NotImplementedError, "MV304"),
    ],
)
def test_format_refuses_with_a_code_what_jax_refuses(shape, dtype, error, code):
    with pytest.raises(error, match=code):
        mv.sparse_metadata.format(np.zeros(shape, ml_dtypes.uint2), dtype)
    with pytest.raises((TypeError, ValueError, NotImplementedError)):
        plgpu.format_tcgen05_sparse_metadata(jnp.zeros(shape, jnp.uint2), dtype)


@pytest.mark.parametrize(("m", "k"), SIZES)
def test_compress_gives_back_the_matrix(m, k):
    rng = np.random.default_rng(k)
    kept = np.sort(np.argsort(rng.random((m, k // 4, 4)), axis=2)[:, :, :2], axis=2)
    a = np.zeros((m, k // 4, 4), np.float16)
    np.put_along_axis(a, kept, rng.integers(0, 3, kept.shape).astype(np.float16), axis=2)
    for matrix in (a.reshape(m, k), jnp.asarray(a.reshape(m, k))):
        values, meta = mv.sparse_metadata.compress(matrix)
        assert values.shape == (m, k // 2) and meta.shape == (m, k // 4, 2) and meta.dtype == ml_dtypes.uint2
        back = np.zeros_like(a)
        np.put_along_axis(back, meta.astype(np.intp), values.reshape(m, k // 4, 2), axis=2)
        np.testing.assert_array_equal(back, a)
        assert mv.sparse_metadata.verify(meta, operand_dtype=a.dtype, m=m, k=k, formatted=False).diagnostics == []


def test_compress_of_four_bit_elements_keeps_neighbours_together():
    a = np.zeros((128, 256), ml_dtypes.int4)
    a[0, 2], a[0, 7] = 1, 3  # the second element of the second, and of the fourth pair of the first group
    values, meta = mv.sparse_metadata.compress(a)
    assert meta.shape == (128, 32, 2) and tuple(meta[0, 0].astype(int)) == (1, 3)
    assert values[0, :4].astype(int).tolist() == [1, 0, 0, 3]
    assert (
        mv.sparse_metadata.verify(meta, operand_dtype="int4", m=128, k=256, formatted=False).diagnostics[0].code
        == "MV304"
    )
    tiles = mv.sparse_metadata.format(meta, "int4")
    assert mv.sparse_metadata.verify(tiles, operand_dtype="int4", m=128, k=256).diagnostics == []


def test_compress_names_the_group_that_is_not_sparse():
    a = np.zeros((4, 16), np.float32)
    a[2, 4:7] = 1
    with pytest.raises(ValueError, match=r"row 2 has 3 non-zero positions in group 1 \(columns 4 to 7\)"):
        mv.sparse_metadata.compress(a)
    for shape in ((4,), (4, 6)):
        with pytest.raises(ValueError):
            mv.sparse_metadata.compress(np.zeros(shape))


def test_verify_of_good_metadata_finds_nothing():
    for m, k in SIZES:
        meta = metadata(m, k)
        for dtype in (jnp.float16, jnp.int8):
            tiles = mv.sparse_metadata.format(meta, dtype)
            for array in (tiles, jnp.asarray(tiles)):
                report = mv.sparse_metadata.verify(array, operand_dtype=dtype, m=m, k=k)
                assert report.ok and not report.diagnostics


@pytest.mark.parametrize(
    ("array", "options", "expected"),
    [
        (np.zeros((1, 1, 128, 64), np.uint8) + np.tile([0, 1], 32).astype(np.uint8), {}, ["MV301"]),
        (np.zeros((1, 1, 128, 64), np.int32) + 7, {}, ["MV301", "MV312"]),
        (np.zeros((128, 64), ml_dtypes.uint2), {}, ["MV302"]),
        (metadata(128, 128), {}, ["MV302"]),
        (np.zeros((1, 1, 64, 128), ml_dtypes.uint2), {}, ["MV303"]),
        (np.zeros((2, 1, 128, 64), ml_dtypes.uint2), {}, ["MV309"]),
        (np.zeros((1, 1, 128, 64), ml_dtypes.uint2), {"operand_dtype": jnp.float32}, ["MV304"]),
        (np.zeros((1, 1, 128, 64), ml_dtypes.uint2), {"m": 64}, ["MV309"]),
        (np.zeros((1, 1, 128, 64), ml_dtypes.uint2), {"k": 192}, ["MV309"]),
        (metadata(128, 128), {"formatted": False}, []),
        (metadata(128, 128).astype(np.uint8).astype(ml_dtypes.int2), {"formatted": False}, ["MV301"]),
        (metadata(128, 128).reshape(128, 64), {"formatted": False}, ["MV302"]),
        (metadata(128, 128).reshape(128, 16, 4), {"formatted": False}, ["MV303"]),
        (metadata(128, 256), {"formatted": False}, ["MV309"]),
        (metadata(128, 128)[:64], {"formatted": False, "m": 64}, ["MV309"]),
        (metadata(128, 128)[:, :24], {"formatted": False, "k": 96}, ["MV309"]),
        (np.zeros((0, 32, 2), ml_dtypes.uint2), {"formatted": False, "m": 0}, ["MV309"]),
    ],
)
def test_verify_names_what_is_wrong(array, options, expected):
    report = mv.sparse_metadata.verify(array, **{"operand_dtype": jnp.float16, "m": 128, "k": 128, **options})
    assert codes(report) == expected
    assert report.ok == (not expected)
    assert all(d.location.file == __file__ for d in report.diagnostics)


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.int8])
@pytest.mark.parametrize("formatted", [True, False])
def test_invalid_pairs_are_counted_and_mapped_back(dtype, formatted):
    meta = metadata(256, 256).copy()
    bad = [(3, 5, (3, 3)), (40, 63, (2, 1)), (130, 7, (0, 0)), (255, 0, (3, 0))]
    for row, group, pair in bad:
        meta[row, group] = pair
    array = mv.sparse_metadata.format(meta, dtype) if formatted else meta
    (finding,) = mv.sparse_metadata.verify(array, operand_dtype=dtype, m=256, k=256, formatted=formatted).diagnostics
    assert finding.code == "MV307" and "4 invalid index pairs (2 equal and 2 descending)" in finding.message
    shown = [f"({p[0]}, {p[1]}) at row {row}, group {group}" for row, group, p in bad]
    assert sum(text in finding.message for text in shown) == 3


def test_jax_arrays_inside_jit_are_refused_by_jax_itself():
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(lambda x: mv.sparse_metadata.format(x, jnp.int8))(jnp.zeros((128, 32, 2), jnp.uint2))
