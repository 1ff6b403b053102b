"""Every way to call megablox wrongly, with the real functions: JAX's own verdict, ours, and a near miss that is right.

Each row names its two cases in `test/passes/megablox-verify-gmm`, where the same mistake is written as an op.
"""

import inspect
import re
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas.ops.tpu.megablox import common
from jax.experimental.pallas.ops.tpu.megablox import gmm as ops_gmm
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm

import mosaic_verify as mv

LIT = Path(__file__).parents[1] / "passes" / "megablox-verify-gmm"
BF16, F32, I32 = jnp.bfloat16, jnp.float32, jnp.int32


def a(*shape, dtype=F32):
    return jax.ShapeDtypeStruct(shape, dtype)


LHS, RHS, SIZES = a(256, 128), a(2, 128, 128), a(2, dtype=I32)
LEFT, RIGHT = a(128, 256), a(256, 128)  # of tgmm


@dataclass(frozen=True)
class Row:
    """`bad` and `good` are keyword arguments of `function`; `error` is JAX's own text, None where it is silent."""

    code: str
    lit: tuple[str, ...]  # invalid case, valid case; () for what cannot be written as an op
    error: str | None
    bad: dict
    good: dict
    function: object = gmm


def lut(m, k, n):
    """A table of tuned tilings that knows the forward problem only."""
    return (128, 128, 128) if (k, n) == (128, 256) else None


def backward(lhs, rhs, group_sizes, tiling):
    return jax.grad(lambda x: ops_gmm(x, rhs, group_sizes, tiling=tiling).sum())(lhs)


def gradient_of_buffer(existing_out, lhs, rhs, group_sizes, keep=False):
    stop = jax.lax.stop_gradient if keep else lambda x: x
    return jax.grad(lambda out: ops_gmm(lhs, rhs, group_sizes, existing_out=stop(out)).sum())(existing_out)


def constant_sizes(lhs, rhs, sizes, group_offset=None):
    return gmm(lhs, rhs, jnp.asarray(sizes, I32), group_offset=group_offset)


def constant_sizes_tgmm(lhs, rhs, sizes):
    return tgmm(lhs, rhs, jnp.asarray(sizes, I32))


G = {"lhs": LHS, "rhs": RHS, "group_sizes": SIZES}
T = {"lhs": LEFT, "rhs": RIGHT, "group_sizes": SIZES}
ROWS = {
    "lhs rank": Row("MV404", ("mv404", "mv404_clean"), "Expected 2-tensor for 'lhs'", {"lhs": a(2, 256, 128)}, {}),
    "rhs rank": Row("MV405", ("mv405", "mv405_clean"), "Expected 3-tensor for 'rhs'", {"rhs": a(128, 128)}, {}),
    "rhs rank, tgmm": Row(
        "MV405", ("mv405_tgmm", "mv420_clean"), "Expected 2-tensor for 'rhs'", {"rhs": a(2, 256, 128)}, {}, tgmm
    ),
    "float16": Row(
        "MV406", ("mv406", "mv406_clean"), "but got float16", {"lhs": a(256, 128, dtype=jnp.float16)}, {"lhs": LHS}
    ),
    "int8 rhs": Row("MV406", ("mv406", "mv406_clean"), "but got int8", {"rhs": a(2, 128, 128, dtype=jnp.int8)}, {}),
    "fp8": Row(
        "MV406",
        ("mv406", "mv406_clean"),
        "but got float8_e4m3fn",
        {"lhs": a(128, 256, dtype=jnp.float8_e4m3fn)},
        {"lhs": a(128, 256, dtype=BF16)},
        tgmm,
    ),
    "sizes dtype": Row(
        "MV407", ("mv407", "mv407_clean"), "but got uint32", {"group_sizes": a(2, dtype=jnp.uint32)}, {}
    ),
    "sizes are floats": Row("MV407", ("mv407", "mv407_clean"), "but got float32", {"group_sizes": a(2)}, {}, tgmm),
    "offset shape": Row(
        "MV402",
        ("mv402", "mv402_clean"),
        r"group_offset must be a \(\)-shaped array. Got: \(1,\)",
        {"group_offset": a(1, dtype=I32)},
        {"group_offset": a(dtype=I32)},
    ),
    "offset shape, tgmm": Row(
        "MV402",
        ("mv402_tgmm", "mv402_tgmm_clean"),
        r"must return integer scalars. Output\[0\] has type int32\[1\]",
        {"group_offset": a(1, dtype=I32)},
        {"group_offset": a(dtype=I32)},
        tgmm,
    ),
    "offset dtype": Row(
        "MV409",
        ("mv409", "mv409_clean"),
        r"must return integer scalars. Output\[0\] has type float32\[\]",
        {"group_offset": a()},
        {"group_offset": a(dtype=jnp.int8)},
    ),
    "boolean offset": Row(
        "MV409",
        ("mv409_boolean", "mv409_boolean_clean"),
        "boolean indices must be concrete",
        {"rhs": a(1, 128, 128), "group_offset": a(dtype=jnp.bool_)},
        {"group_offset": a(dtype=jnp.bool_)},
    ),
    "buffer dtype": Row(
        "MV401",
        ("mv401", "mv401_clean"),
        "Existing output dtype must match preferred_element_type.",
        {"existing_out": a(256, 128), "preferred_element_type": BF16},
        {"existing_out": a(256, 128, dtype=BF16), "preferred_element_type": BF16},
    ),
    "buffer dtype, tgmm": Row(
        "MV401",
        ("mv401_tgmm", "mv401_tgmm_clean"),
        "with a different abstract value",
        {"existing_out": a(2, 128, 128, dtype=BF16)},
        {"existing_out": a(2, 128, 128)},
        tgmm,
    ),
    "buffer shape": Row(
        "MV416",
        ("mv416", "mv416_clean"),
        "with a different abstract value",
        {"existing_out": a(128, 128)},
        {"existing_out": a(256, 128)},
    ),
    "buffer shape, tgmm": Row(
        "MV416",
        ("mv416_tgmm", "mv401_tgmm_clean"),
        "with a different abstract value",
        {"existing_out": a(3, 128, 128)},
        {"existing_out": a(3, 128, 128), "num_actual_groups": 3},
        tgmm,
    ),
    "no tiling": Row("MV403", ("mv403", "mv403_clean"), "No tuned tiling found", {"tiling": None}, {}),
    "no tiling in the table": Row(
        "MV403",
        ("mv403", "mv403_clean"),
        "No tuned tiling found",
        {"tiling": lut},
        {"tiling": lambda *_: (64, 128, 128)},
    ),
    "no tiling for the backward pass": Row(
        "MV403",
        ("mv403", "mv403_clean"),
        r"\(m, k, n\) = \(256, 256, 128\)",
        {"rhs": a(2, 128, 256), "tiling": lut},
        {"tiling": (128, 128, 128)},
        backward,
    ),
    "two tile sizes": Row("MV412", ("mv412", "mv412_clean"), "not enough values to unpack", {"tiling": (128, 128)}, {}),
    "four tile sizes": Row("MV412", ("mv412", "mv412_clean"), "too many values", {"tiling": (128,) * 4}, {}, tgmm),
    "tile of zero": Row("MV413", ("mv413", "mv413_clean"), "by zero|modulo", {"tiling": (128, 0, 128)}, {}),
    "rows": Row(
        "MV414",
        ("mv414", "mv414_clean"),
        r"250 must be divisible by x-dimension tile size \(128\)",
        {"lhs": a(250, 128)},
        {},
    ),
    "rows, tgmm": Row(
        "MV414",
        ("mv414", "mv414_clean"),
        "250 must be divisible",
        {"lhs": a(128, 250), "rhs": a(250, 128)},
        {"lhs": a(128, 250), "rhs": a(250, 128), "tiling": (250, 128, 128)},
        tgmm,
    ),
    "sizes rank": Row("MV408", ("mv408", "mv408_clean"), "Incompatible", {"group_sizes": a(2, 2, dtype=I32)}, {}),
    "tm on TPU": Row(
        "MV415",
        ("mv415_rows", "whole_dimension_clean"),
        "divisible by 8 and 128",
        {"tiling": (4, 128, 128)},
        {"tiling": (8, 128, 128)},
    ),
    "tk on TPU": Row(
        "MV415",
        ("mv415", "mv415_clean"),
        "divisible by 8 and 128",
        {"tiling": (128, 64, 128)},
        {"tiling": (128, 256, 128)},
    ),
    "tn on TPU": Row(
        "MV415",
        ("mv415", "mv415_clean"),
        "divisible by 8 and 128",
        {"tiling": (128, 128, 200)},
        {"tiling": (128, 128, 384)},
        tgmm,
    ),
    "tiles of the backward pass on TPU": Row(
        "MV415",
        ("mv415", "mv415_clean"),
        "divisible by 8 and 128",
        {"lhs": a(256, 96), "rhs": a(2, 96, 256), "tiling": (128, 96, 128)},
        {"lhs": a(256, 96), "rhs": a(2, 96, 256), "tiling": (128, 128, 128)},
        backward,
    ),
    "float64": Row(
        "MV417",
        ("mv417", "mv417_clean"),
        "Invalid dtype for `swap`",
        {"preferred_element_type": jnp.float64},
        {"preferred_element_type": jnp.float8_e5m2},
    ),
    # What JAX accepts without a word; what comes of it in interpret mode stands in `test_gmm_rules.py`.
    "contraction": Row("MV410", ("mv410", "mv410_clean"), None, {"rhs": a(2, 256, 128)}, {}),
    "contraction, transposed": Row(
        "MV410",
        ("mv410_transposed", "transposed_clean"),
        None,
        {"rhs": a(2, 128, 64), "transpose_rhs": True},
        {"rhs": a(2, 64, 128), "transpose_rhs": True},
    ),
    "rows of tgmm's operands": Row("MV420", ("mv420", "mv420_clean"), None, {"rhs": a(128, 128)}, {}, tgmm),
    "rows without a group": Row(
        "MV411", ("mv411", "mv411_clean"), None, {"sizes": (100, 100)}, {"sizes": (0, 256)}, constant_sizes
    ),
    "more rows than lhs": Row(
        "MV411", ("mv411_too_many", "mv411_clean"), None, {"sizes": (156, 156)}, {"sizes": (156, 100)}, constant_sizes
    ),
    "more rows than lhs, tgmm": Row(
        "MV411",
        ("mv411_tgmm", "mv411_tgmm_clean"),
        None,
        {"sizes": (156, 156)},
        {"sizes": (100, 100)},
        constant_sizes_tgmm,
    ),
    "negative sizes": Row(
        "MV418", ("mv418", "mv418_clean"), None, {"sizes": (300, -44)}, {"sizes": (256, 0)}, constant_sizes
    ),
    "offset behind the groups": Row(
        "MV419",
        ("mv419", "mv419_clean"),
        None,
        {"sizes": (156, 100), "group_offset": 2, "rhs": a(1, 128, 128)},
        {"sizes": (156, 100), "group_offset": 1, "rhs": a(1, 128, 128)},
        constant_sizes,
    ),
    "groups before the offset": Row(
        "MV432",
        ("mv432", "mv432_clean"),
        None,
        {"sizes": (156, 100), "group_offset": 1},
        {"sizes": (0, 256), "group_offset": 1},
        constant_sizes,
    ),
    "results without a group": Row(
        "MV424", ("mv424", "mv424_clean"), None, {"num_actual_groups": 3}, {"num_actual_groups": 1}, tgmm
    ),
    "tiles that float32 cannot count": Row(
        "MV421",
        ("mv421", "mv421_clean"),
        None,
        {"lhs": a(8 * 8192, 128), "tiling": (8, 128, 128)},
        {"lhs": a(8 * 8192, 128), "tiling": (16, 128, 128)},
    ),
    "gradient of the buffer": Row(
        "MV422",
        ("mv422", "mv422_clean"),
        None,
        {"existing_out": a(256, 128)},
        {"existing_out": a(256, 128), "keep": True},
        gradient_of_buffer,
    ),
}


def report_on(row, changes):
    """What `mv.check` says of the call, lowered for TPU; arrays are traced, everything else is as the user wrote it."""
    arguments = (T if row.function in (tgmm, constant_sizes_tgmm) else G) | changes
    known = inspect.signature(row.function).parameters
    arguments = {name: value for name, value in arguments.items() if name in known}
    arrays = {name: value for name, value in arguments.items() if isinstance(value, jax.ShapeDtypeStruct)}
    fixed = {name: value for name, value in arguments.items() if name not in arrays}
    return mv.check(lambda given: row.function(**given, **fixed), arrays, platforms=("tpu",))


@pytest.mark.parametrize("name", ROWS)
def test_wrong_call(name):
    row = ROWS[name]
    report = report_on(row, row.bad)
    assert {d.code for d in report.diagnostics} == {row.code}
    assert all(d.location.file == __file__ for d in report.diagnostics)
    if row.error is None:
        assert report.error is None and report.lowered is not None
    else:
        assert report.error is not None
        assert re.search(row.error, str(report.error))


@pytest.mark.parametrize("name", ROWS)
def test_near_miss(name):
    row = ROWS[name]
    report = report_on(row, row.good)
    assert report.error is None and report.diagnostics == [] and report.lowered is not None


@pytest.mark.parametrize("name", ROWS)
def test_the_same_as_ops(name):
    bad, good = ROWS[name].lit
    invalid, valid = (LIT / "invalid.mlir").read_text(), (LIT / "valid.mlir").read_text()
    chunk = next(part for part in invalid.split("// -----") if f"func.func @{bad}(" in part)
    assert f"[{ROWS[name].code}]" in chunk
    assert f"func.func @{good}(" in valid


def test_a_buffer_that_is_no_array():
    """Only the plain function below `gmm` can be called so: `jit` makes tracers of NumPy arrays."""

    def program(lhs, rhs, sizes):
        return gmm.__wrapped__(lhs, rhs, sizes, existing_out=np.zeros((256, 128), np.float32))

    report = mv.check(program, LHS, RHS, SIZES, platforms=("tpu",))
    assert isinstance(report.error, AssertionError) and [d.code for d in report.diagnostics] == ["MV431"]
    assert mv.check(
        lambda *x: gmm(*x, existing_out=np.zeros((256, 128), np.float32)), LHS, RHS, SIZES, platforms=("tpu",)
    ).ok


def test_a_device_whose_name_tells_no_generation(monkeypatch):
    monkeypatch.setattr(common, "tpu_kind", lambda: "TPU lite")
    monkeypatch.setattr(common, "is_tpu", lambda: True)
    jax.clear_caches()
    report = mv.check(gmm, LHS, RHS, SIZES, platforms=("tpu",))
    assert isinstance(report.error, NotImplementedError) and [d.code for d in report.diagnostics] == ["MV425"]
    monkeypatch.setattr(common, "tpu_kind", lambda: "TPU v5 lite")
    assert mv.check(gmm, LHS, RHS, SIZES, platforms=("tpu",)).diagnostics == []


@pytest.mark.parametrize("function", [gmm, tgmm])
def test_tile_sizes_of_numpy(function):
    operands = (LHS, RHS, SIZES) if function is gmm else (LEFT, RIGHT, SIZES)
    tiles = np.array([128, 128, 128])
    report = mv.check(lambda *x: function(*x, tiling=tuple(tiles)), *operands, platforms=("tpu",))
    assert report.error is not None and [d.code for d in report.diagnostics] == ["MV433"]
    assert mv.check(lambda *x: function(*x, tiling=tuple(tiles.tolist())), *operands, platforms=("tpu",)).ok
