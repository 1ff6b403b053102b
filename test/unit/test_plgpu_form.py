"""Hand-written plgpu modules that lack what the dialect asks for: one diagnostic on the op, and no fault of ours."""

import re
from pathlib import Path

import pytest

from mosaic_verify.tools import opt

DOCS = Path(__file__).resolve().parents[2] / "docs" / "plgpu.md"
[EXAMPLE] = re.findall(r"```mlir\n(func\.func @body.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
BROKEN = {  # text of the example: (what it becomes, the error)
    "tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384": (
        "tiling = 8 : i64, swizzle = 64 : i64, bytes = 16384",
        "'plgpu.alloc' op attribute 'tiling' must be an array<i64>, but is 8 : i64",
    ),
    '"lane"': ("4 : i32", "'func.func' op attribute 'plgpu.semantics' must be a string, but is 4 : i32"),
    "operandSegmentSizes = array<i32: 1, 1, 1, 0>": (
        "operandSegmentSizes = [1]",
        "'plgpu.copy_gmem_to_smem' op attribute 'operandSegmentSizes' must be an array<i32>, but is [1]",
    ),
    '"plgpu.run_scoped"': ('"plgpu.while"', "'plgpu.while' op requires 2 regions, but has 1"),
    '"plgpu.yield"() : () -> ()\n  }) :': (
        '"plgpu.yield"() : () -> ()\n  }, {}) :',
        "'plgpu.run_scoped' op requires 1 regions, but has 2",
    ),
}


def errors_of(text, tmp_path, capfd):
    """What the tool says about a module."""
    file = tmp_path / "kernel.mlir"
    file.write_text(text, encoding="utf-8")
    code = opt.run([str(file), "--verify-all", "--rewrite-all", "-o", str(tmp_path / "out.mlir")])
    return code, [line.partition("error: ")[2] for line in capfd.readouterr().err.splitlines() if "error: " in line]


@pytest.mark.parametrize("old", BROKEN)
def test_malformed_op_is_named_once(old, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")  # a fault of ours would be raised
    assert EXAMPLE.count(old) == 1
    new, error = BROKEN[old]
    code, errors = errors_of(EXAMPLE.replace(old, new), tmp_path, capfd)
    assert code == 1
    assert errors.count(error) == 1, errors


def test_example_has_the_form(tmp_path, capfd):
    assert errors_of(EXAMPLE, tmp_path, capfd) == (0, [])


def test_missing_attributes_are_no_fault_of_ours(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    for found in re.finditer(r"\b[a-z]\w* = (array<[^>]*>|\"[^\"]*\"|\d+ : i64|true|false),? ?", EXAMPLE):
        errors_of(EXAMPLE[: found.start()] + EXAMPLE[found.end() :], tmp_path, capfd)


EVERYWHERE = {  # text of the example, wherever it occurs: (what it becomes, the errors)
    'memref<128x64xui2, "tmem">': (
        'memref<?x64xui2, "tmem">',
        ["'plgpu.alloc' op the result must be a memref with a static shape, but is 'memref<?x64xui2, \"tmem\">'"],
    ),
    'memref<128x64xf16, "smem">': (
        'memref<64x128xf16, "smem">',
        [],  # what the op says of its operand is taken as it stands
    ),
}


@pytest.mark.parametrize("old", EVERYWHERE)
def test_malformed_types(old, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    new, wanted = EVERYWHERE[old]
    _, errors = errors_of(EXAMPLE.replace(old, new), tmp_path, capfd)
    assert all(error in errors for error in wanted)
    assert not any(str(-(1 << 63)) in error for error in errors)


LOOP = """func.func @loop(%ref: memref<128x64xui2, "gmem">) attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %tile = "plgpu.alloc"() {name = "tile", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %meta = "plgpu.alloc"() {name = "meta", layout = "LAYOUT", collective = false} : () -> memref<128x64xui2, "tmem">
    %zero = "plgpu.constant"() {value = 0 : i32} : () -> i32
    %out = "plgpu.scan"(%zero) ({
    ^bb0(ARGUMENTS):
      %d0 = "plgpu.slice"(%meta) {offsets = array<i64: 0, 0>, sizes = array<i64: SIZES>}
        : (memref<128x64xui2, "tmem">) -> memref<RESULTxui2, "tmem">
      "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %d0)
        : (memref<1x1x128x64xui2, "smem">, memref<RESULTxui2, "tmem">) -> ()
      "plgpu.yield"(YIELD) : (YIELDED) -> ()
    }) {length = 4 : i64, num_carry = CARRY : i64} : (i32) -> i32
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}
"""
GOOD = dict(
    LAYOUT="sparse_metadata",
    ARGUMENTS="%i: i32",
    SIZES="128, 64",
    RESULT="128x64",
    YIELDED="i32",
    YIELD="%i",
    CARRY="1",
)
BAD = {
    "no argument": dict(ARGUMENTS="", YIELD="%zero"),
    "no value yielded": dict(YIELD="", YIELDED=""),
    "carry": dict(CARRY="7"),
    "negative carry": dict(CARRY="-1"),
    "negative size": dict(SIZES="-1, -5"),
    "empty": dict(SIZES="0, 64", RESULT="0x64"),
    "other result": dict(RESULT="64x64"),
    "empty tiles": dict(LAYOUT="default(0)"),
    "no tiles": dict(LAYOUT="half_lane(0, 0)"),
    "no layout": dict(LAYOUT="half_lane(1)"),
}


def loop(**parts):
    text = LOOP
    for name, value in {**GOOD, **parts}.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize("label", BAD)
def test_malformed_parts_are_no_fault_of_ours(label, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    errors_of(loop(**BAD[label]), tmp_path, capfd)


def test_loop_has_the_form(tmp_path, capfd):
    _, errors = errors_of(loop(), tmp_path, capfd)
    assert all("[MV7" in error for error in errors)  # nobody has loaded the tile
