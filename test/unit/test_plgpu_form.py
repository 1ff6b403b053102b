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
