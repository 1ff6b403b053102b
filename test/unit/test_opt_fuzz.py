"""`mosaic-verify-opt` on mutated texts, bytecode, flags and pipelines: an exit code of 0 or 1, and no fault of ours."""

import faulthandler
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.parse import parse
from mosaic_verify.tools import opt

TEXT = b"""\
// expected-error @+2 {{a}}
func.func @kernel(%acc: memref<128x32xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x32xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false // mosaic-verify: ignore[MV111]
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x32xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x32xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}
// -----
func.func @gmm(%lhs: tensor<8x2xbf16>, %rhs: tensor<4x2x2xbf16>, %sizes: tensor<4xi32>) -> tensor<8x2xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 8, 2, 2>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<8x2xbf16>, tensor<4x2x2xbf16>, tensor<4xi32>)
    -> tensor<8x2xbf16>
  return %o : tensor<8x2xbf16>
}
"""
FLAGS = (
    "--split-input-file", "--verify-diagnostics", "--verify-diagnostics=only-expected", "--verify-all", "--rewrite-all",
    "--cse", "--canonicalize=max-iterations=2", "--verify-each=false", "--allow-unregistered-dialect",
    "--no-implicit-module", "--emit-bytecode", "--mlir-print-op-generic", "--mlir-print-debuginfo",
    "--mlir-print-local-scope", "--mlir-timing", "--mlir-print-ir-after-all", "--mlir-print-ir-after-change",
    "--dump-pass-pipeline", "--diagnostic-format=json", "--werror", "--ignore=MV1", "--select=MV111",
    "--verify-roundtrip", "--mlir-elide-elementsattrs-if-larger=1", "--symbol-dce", "--run-reproducer",
    "--mosaic-gpu-verify-sparse-mma", "--megablox-verify-gmm", "--output-split-marker=x", "--split-input-file=return",
)  # fmt: skip
SNIPPETS = [b"(", b"}", b"\n", b'"', b"-1", b"99999999999999999999", b"i2", b"0x", b"?", b"// -----", b"expected-error"]
QUICK = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOSAIC_VERIFY_IGNORE", raising=False)
    monkeypatch.delenv("MOSAIC_VERIFY_STRICT", raising=False)
    dumps = faulthandler.is_enabled()
    faulthandler.disable()  # a crash of MLIR's bytecode reader, in its own process, is one of the expected outcomes
    yield tmp_path
    if dumps:
        faulthandler.enable()


def check(capfd, arguments):
    code = opt.run(arguments)
    err = capfd.readouterr().err
    assert code in (0, 1), arguments
    assert "internal error" not in err and "Traceback" not in err, (arguments, err)
    assert code == 0 or err, arguments  # a failure says why


@st.composite
def mutated(draw, data):
    """`data` with up to four slices removed, doubled, swapped with others or overwritten."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        other = draw(st.integers(0, len(data)))
        moved = st.sampled_from([b"", data[start:end] * 2, data[other : other + 20]])
        middle = draw(moved | st.binary(max_size=4) | st.sampled_from(SNIPPETS))
        data = data[:start] + middle + data[end:]
    return data


@QUICK
@given(data=mutated(TEXT), flags=st.lists(st.sampled_from(FLAGS[:6]), unique=True, max_size=3))
def test_mutated_texts(capfd, folder, data, flags):
    (folder / "in.mlir").write_bytes(data)
    check(capfd, ["in.mlir", "--mosaic-gpu-verify-sparse-mma", "--megablox-verify-gmm", *dict.fromkeys(flags)])


@QUICK
@given(drawn=st.data())
def test_mutated_bytecode(capfd, folder, drawn):
    (folder / "in.bc").write_bytes(drawn.draw(mutated(bytecode())))
    check(capfd, ["in.bc", "--verify-all"])


def bytecode():
    sink = io.BytesIO()
    parse(TEXT.split(b"// -----")[0], make_context()).write_bytecode(sink)
    return sink.getvalue()


@QUICK
@given(flags=st.lists(st.sampled_from(FLAGS) | st.sampled_from(FLAGS).map(lambda flag: flag[:-2]), max_size=5))
def test_combined_and_misspelt_flags(capfd, folder, flags):
    (folder / "in.mlir").write_bytes(TEXT)
    check(capfd, ["in.mlir", *flags])


NAMES = [
    "builtin.module",
    "func.func",
    "any",
    "cse",
    "canonicalize",
    "verify-all",
    "mosaic-gpu-verify-sparse-mma",
    "no",
]
words = st.sampled_from([*NAMES, *"(){},= ", "", "max-iterations=2", "x=1"])


@QUICK
@given(pipeline=st.lists(words, max_size=9).map("".join), wrap=st.booleans())
def test_random_pipelines(capfd, folder, pipeline, wrap):
    (folder / "in.mlir").write_bytes(TEXT.split(b"// -----")[0])
    check(capfd, ["in.mlir", "--pass-pipeline", f"builtin.module({pipeline})" if wrap else pipeline])
