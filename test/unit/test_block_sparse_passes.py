"""`block-sparse-verify` and `block-sparse-refine` on programs as JAX lowers them."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from block_sparse_cutlass import ranker_lists
from jaxlib.mlir import ir

import mosaic_verify as mv
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.passes import Session
from mosaic_verify.ir.pipeline import run_pipeline
from mosaic_verify.jax_hook.annotate import annotate

VERIFY, REFINE = "builtin.module(block-sparse-verify)", "builtin.module(block-sparse-refine)"
STORED = Path(__file__).parents[1] / "passes" / "block-sparse-verify" / "cutlass.mlir"
TARGET = "CuteDSLRT_NvJaxCutlassCall_v2"
Q = jax.ShapeDtypeStruct((1, 512, 2, 64), jnp.bfloat16)


@pytest.fixture(autouse=True)
def strict(monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")


def run(text, pipeline=VERIFY):
    engine = Engine()
    module = ir.Module.parse(text, make_context(unregistered=True))
    run_pipeline(module, pipeline, Session(engine))
    return engine.report, str(module)


def codes(text, pipeline=VERIFY):
    return [d.code for d in run(text, pipeline)[0].diagnostics]


def forward(q, k, v, *lists):
    """The custom call of `cutlass_call`, without a kernel."""
    shapes = jax.ShapeDtypeStruct(q.shape, q.dtype), jax.ShapeDtypeStruct((1, q.shape[2], q.shape[1]), jnp.float32)
    return jax.ffi.ffi_call(TARGET, shapes)(q, k, v, *lists)[0]


def lower(function, *shapes):
    return jax.jit(function).trace(*(shapes or (Q, Q, Q))).lower(lowering_platforms=("cuda",)).as_text()


def lists(history=256):
    return ranker_lists(history)[0]


def test_a_clean_program_is_clean():
    assert codes(lower(lambda q, k, v: forward(q, k, v, *lists()))) == []


def test_constants_are_found_behind_layout_ops_and_calls():
    inner = jax.jit(lambda q, k, v, *lists: forward(q, k, v, *lists))

    def function(q, k, v):
        cnt, idx = np.full((1, 1, 4), 4, np.int8), np.arange(4, dtype=np.int32)
        idx = jnp.broadcast_to(idx.at[1].set(7) if hasattr(idx, "at") else idx, (1, 2, 4, 4))
        cnt = jnp.broadcast_to(jnp.asarray(cnt), (1, 2, 4)).astype(jnp.int32)
        bad = jnp.transpose(jnp.asarray(np.full((4, 4, 2, 1), 4, np.int32)), (3, 2, 1, 0))
        return inner(q, k, v, cnt, idx) + inner(q, k, v, cnt, jnp.concatenate([idx[..., :3], bad[..., :1]], axis=-1))

    assert codes(lower(function)) == ["MV520"]


def test_each_call_of_a_shared_function_is_looked_at():
    """JAX lowers both layers to calls of one private function, with other lists each."""
    inner = jax.jit(lambda q, k, v, *lists: forward(q, k, v, *lists))
    wrong = tuple(np.array(each) for each in lists())
    wrong[2][0, 1, 3] = 3

    def function(q, k, v):
        return inner(q, k, v, *map(jnp.asarray, lists())) + inner(q, k, v, *map(jnp.asarray, wrong))

    text = lower(function)
    assert text.count(f"@{TARGET}(") == 1
    report, _ = run(text)
    assert [d.code for d in report.diagnostics] == ["MV521"]
    assert "(0, 1, 3)" in report.diagnostics[0].message
    # The constants cannot be changed for one caller only.
    assert run(text, REFINE)[0].rewrites == []


def test_a_duplicate_is_dropped_in_place():
    wrong = tuple(np.array(each) for each in lists())
    wrong[3][..., 1] = wrong[3][..., 0]
    text = lower(lambda q, k, v: forward(q, k, v, *wrong))
    report, after = run(text, REFINE)
    assert [(r.kind, r.code) for r in report.rewrites] == [("repairing", "MV522")]
    assert codes(after) == []


def test_annotations():
    coarse = np.full((1, 2, 2), 2, np.int32), np.tile(np.arange(2, dtype=np.int32), (1, 2, 2, 1))

    def function(**parameters):
        def call(q, k, v):
            with annotate("block_sparse.attention_fwd", parameters):
                return jax.jit(forward)(q, k, v, *coarse)

        return lower(call)

    assert codes(lower(lambda q, k, v: forward(q, k, v, *coarse))) == ["MV502"]
    assert codes(function(tile_m=256, tile_n=256)) == []
    assert codes(function(kernel="fa4", block_size=(256, 256), q_stage=2)) == []
    assert codes(function(kernel="fa4", block_size=(256, 128))) == []
    assert codes(function(block_size=(256, 256))) == ["MV503", "MV502"]
    assert codes(function(tile_m=256, tile_n=256).replace("attention_fwd", "other")) == []
    for wrong in ({"tile_m": "abc"}, {"tile_m": (1, 2)}, {"tile_n": 0}, {"kernel": "fa5"}, {"block_size": 128}):
        assert codes(function(**wrong)) == ["MV544"], wrong
    options = "{tile-m=256 tile-n=256}"
    assert codes(lower(lambda q, k, v: forward(q, k, v, *coarse)), VERIFY[:-1] + options + ")") == []


@pytest.mark.parametrize(
    "operands",
    [
        lambda q, k, v: (q, k, v, np.zeros(4, np.int32)),
        lambda q, k, v: (q, k, v, np.zeros((1, 2, 5), np.int32), np.zeros((1, 2, 4, 1), np.int32)),
        lambda q, k, v: (q, k[:, :, :1], v, *lists()),
        lambda q, k, v: (q, k, v.astype(jnp.float32), *lists()),
        lambda q, k, v: (q, k, v, *lists(), np.zeros((3,), np.int32)),
        lambda q, k, v: (q, k, v, *lists(), q),
        # Native sparse attention: counts and indices of every query and KV head, in two layouts.
        lambda q, k, v: (q, k, v, np.full((1, 512, 1), 9, np.int32), np.full((1, 512, 1, 4), 99, np.int32)),
        lambda q, k, v: (q, k, v, np.full((1, 2, 512), 9, np.int32), np.full((1, 2, 512, 4), 99, np.int32)),
        lambda q, k, v: (q, k, v, np.full((1, 2, 4), 9, np.int16), np.full((1, 2, 4, 4), 99, np.int16)),
    ],
)
def test_other_kernels_are_not_taken_for_attention(operands):
    assert codes(lower(lambda q, k, v: forward(*operands(q, k, v)))) == []


def test_a_guess_is_a_warning_and_nothing_is_rewritten():
    """Nobody said what the call is: one pair of lists may be another kernel's."""
    cnt, idx = np.full((1, 2, 4), 2, np.int32), np.zeros((1, 2, 4, 4), np.int32)
    text = lower(lambda q, k, v: forward(q, k, v, cnt, idx))
    report, _ = run(text)
    assert [(d.severity, d.code) for d in report.diagnostics] == [("warning", "MV522")]
    assert "mv.annotate" in " ".join(note.message for note in report.diagnostics[0].notes)
    assert run(text, REFINE)[0].rewrites == []

    def annotated(q, k, v):
        with annotate("block_sparse.attention_fwd", {}):
            return jax.jit(forward)(q, k, v, cnt, idx)

    report, _ = run(lower(annotated))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("error", "MV522")]


def test_a_named_architecture_reaches_the_rules():
    """What JAX is told when nobody names one proves nothing about the kernel."""

    def function(q, k, v):
        return forward(q, k, v, *lists())

    assert [d.code for d in mv.check(function, Q, Q, Q).diagnostics] == []
    assert [d.code for d in mv.check(function, Q, Q, Q, arch="sm_100a").diagnostics] == []
    found = mv.check(function, Q, Q, Q, arch="sm_120a").diagnostics
    assert [(d.code, d.message) for d in found] == [
        ("MV535", "cutedsl ranker attention: unsupported compute capability 12.x")
    ]


def test_forward_and_backward_calls_are_paired():
    text = STORED.read_text().split("// -----")[0]
    assert codes(text) == []
    wrong = text.replace("[[4, 4, 0, 0], [4, 4, 0, 0]]", "[[4, 3, 0, 0], [4, 4, 0, 0]]")
    report, _ = run(wrong)
    assert [d.code for d in report.diagnostics] == ["MV525"]
    assert "(0, 0, 3, 1) only forward" in report.diagnostics[0].message
    report, after = run(wrong, "builtin.module(block-sparse-refine{derive-backward=true})")
    assert [(r.kind, r.code) for r in report.rewrites] == [("repairing", "MV525")]
    assert codes(after) == []
    assert run(text, "builtin.module(block-sparse-refine{derive-backward=true})")[0].rewrites == []


def test_a_backward_call_matches_one_of_several_forward_calls():
    text = STORED.read_text().split("// -----")[0]
    call = next(line for line in text.splitlines() if "call @call_wrapper(" in line)
    other = call.replace("%0:2", "%other:2").replace("%c_1, %c_2", "%c_7, %c_8")
    types = other.replace("tensor<1x2x4x2xi32>", "tensor<1x2x4x4xi32>")
    function = text[
        text.index("  func.func private @call_wrapper(") : text.index("  func.func private @call_wrapper_0")
    ]
    copy = function.replace("@call_wrapper(", "@other(").replace("@cutlass_call_inner(", "@other_inner(")
    copy = copy.replace("tensor<1x2x4x2xi32>", "tensor<1x2x4x4xi32>")
    both = (
        text.replace(call, types.replace("@call_wrapper(", "@other(") + "\n" + call).rstrip().rstrip("}") + copy + "}"
    )
    assert codes(both) == []


def test_huge_splats_take_no_memory():
    text = """
    func.func @f(%q: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
      %cnt = stablehlo.constant dense<0> : tensor<1x1x4xi32>
      %idx = stablehlo.constant dense<0> : tensor<1x1x4x250000000xi32>
      %r:2 = "block_sparse.attention_fwd"(%q, %q, %q, %cnt, %idx)
        {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
        : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>,
           tensor<1x1x4x250000000xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
      return %r#0 : tensor<1x512x1x64xbf16>
    }"""
    assert codes(text) == ["MV529"]


def test_modules_without_attention_cost_nothing():
    text = lower(lambda q, k, v: q @ k.swapaxes(-1, -2))
    assert codes(text) == [] and run(text, REFINE)[0].rewrites == []
