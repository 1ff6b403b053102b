"""Exceptions of real kernels find their rule; those of other programs find none."""

import sys
import traceback

import jax
import jax.numpy as jnp
import pytest
import sparse_mma
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm

import mosaic_verify as mv
from mosaic_verify.rules.matching import Frame, match_exception, match_message, traceback_frames
from mosaic_verify.rules.tracebacks import match_text, printed_errors


def refusal(function, *args):
    try:
        jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
    except Exception as error:
        return error
    raise AssertionError("JAX lowers this kernel")


def kernel_error(semantics, **options):
    function, args = sparse_mma.kernel(semantics, **options)
    return refusal(function, *args)


KERNELS = {
    "n=24": (dict(n=24), {"lane": "MV111", "warpgroup": "MV111"}),
    "f32": (dict(dtype=jnp.float32), {"lane": "MV114", "warpgroup": "MV114"}),
    "m=64": (dict(m=64), {"lane": "MV110", "warpgroup": "MV110"}),
    "k=96": (dict(k=96), {"lane": "MV630", "warpgroup": "MV630"}),
    "metadata as bytes": (dict(meta_dtype=jnp.uint8), {"lane": "MV102", "warpgroup": "MV102"}),
    "metadata with K columns": (dict(meta_shape=(128, 128)), {"lane": "MV130", "warpgroup": "MV130"}),
    "metadata transposed twice": (
        dict(at_mma=sparse_mma.twice((1, 0))),
        {"lane": "MV202", "warpgroup": "MV202"},
    ),
}


@pytest.mark.parametrize("semantics", ["lane", "warpgroup"])
@pytest.mark.parametrize("label", KERNELS)
def test_exception_and_printed_traceback_find_the_rule(label, semantics):
    options, codes = KERNELS[label]
    error = kernel_error(semantics, **options)
    assert match_exception(error)[0].rule.code == codes[semantics], f"{type(error).__name__}: {error}"
    printed = "".join(traceback.format_exception(error))
    last, matches = match_text(printed)
    assert last is not None and last.type == type(error).__name__
    assert matches[0].rule.code == codes[semantics]


def test_bare_assertion_is_told_by_its_frames():
    error = kernel_error("lane", k=96)
    assert str(error) == ""
    assert match_message("", error="AssertionError", strict=True) == []
    frames = traceback_frames(error.__traceback__)
    assert match_message("", error="AssertionError", frames=frames, strict=True)[0].rule.code == "MV630"
    # Without frames, or with all of JAX's own cut out, every rule behind such an exception is possible.
    assert "MV630" in {match.rule.code for match in match_text("AssertionError")[1]}
    named = match_text("AssertionError\n\nraised in TilingTransform.transform_type")
    assert named[1][0].rule.code == "MV630"


def test_frames_near_the_raise_count_more():
    near = [Frame("a/jax/_src/pallas/mosaic_gpu/core.py", "UntilingTransform.transform_type")] + [
        Frame("a/jax/_src/pallas/mosaic_gpu/core.py", "TilingTransform.transform_type")
    ]
    assert match_message("", error="AssertionError", frames=near)[0].rule.code == "MV630"
    assert match_message("", error="AssertionError", frames=near[::-1])[0].rule.code == "MV631"


def _foreign():
    def unpack():
        a, b = (1, 2, 3)
        return a + b

    def unpack_less():
        a, b, c = (1, 2)
        return a + b + c

    def reshape():
        return jnp.zeros((3, 4)).reshape((5,))

    def attribute():
        class OpResult:
            pass

        return OpResult().shape  # pyright: ignore[reportAttributeAccessIssue]

    def fail():
        assert len("x") == 2

    def swap():
        return jnp.zeros((2,)) + jnp.zeros((3,))

    return [unpack, unpack_less, reshape, attribute, fail, swap, lambda: 1 // 0, lambda: {}["x"], lambda: int("x")]


@pytest.mark.parametrize("function", _foreign(), ids=lambda function: function.__name__)
def test_errors_of_other_programs_have_no_rule(function):
    try:
        jax.jit(function).trace()
    except Exception as error:
        assert match_exception(error) == [], f"{type(error).__name__}: {error}"
    else:
        raise AssertionError("nothing was raised")


def test_errors_of_the_format_function_have_their_rule():
    pairs = jax.ShapeDtypeStruct((64, 32, 2), jnp.uint2)
    error = refusal(lambda meta: plgpu.format_tcgen05_sparse_metadata(meta, jnp.float16), pairs)
    assert match_exception(error)[0].rule.code == "MV309", f"{type(error).__name__}: {error}"


def test_printed_errors_of_a_running_interpreter():
    try:
        raise ValueError("first") from KeyError("cause")
    except ValueError:
        text = "".join(traceback.format_exception(*sys.exc_info()))
    assert [(error.type, error.text) for error in printed_errors(text)] == [
        ("KeyError", "'cause'"),
        ("ValueError", "first"),
    ]


def test_bare_assertions_belong_to_the_function_that_raised_them():
    gmm = Frame("a/jax/experimental/pallas/ops/tpu/megablox/gmm.py", "gmm")
    lowering = Frame("a/jax/_src/pallas/pallas_call.py", "_pallas_call_lowering.<locals>.gpu_lowering")
    own = Frame("kernel.py", "tile_sizes")

    def codes(*frames, message="", error="AssertionError"):
        return [match.rule.code for match in match_message(message, error=error, frames=frames, strict=True)]

    assert codes(gmm) == ["MV431"]
    assert codes(gmm, lowering) == ["MV901"]
    assert codes(gmm, own) == []
    unpack = dict(message="not enough values to unpack (expected 3, got 2)", error="ValueError")
    assert codes(gmm, **unpack) == ["MV412"]
    assert codes(gmm, own, **unpack) == []


def gmm_call(**options):
    def function(lhs, rhs, sizes):
        return gmm(lhs, rhs, sizes, **options)

    shapes = ((512, 256), jnp.bfloat16), ((4, 256, 256), jnp.bfloat16), ((4,), jnp.int32)
    return function, tuple(jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes)


def test_check_lowers_a_kernel_for_the_platform_that_it_was_written_for():
    function, args = gmm_call()
    report = mv.check(function, *args)
    assert report.ok and report.lowered is not None, report.diagnostics
    kernel, kernel_args = sparse_mma.kernel("lane")
    assert mv.check(kernel, *kernel_args).ok
    report = mv.check(function, *args, platforms=("cuda",))
    (found,) = report.diagnostics
    # JAX 0.10 may say no more than that its GPU part is not installed.
    assert found.code == "MV901" or (jax.__version_info__ < (0, 11) and "install jaxlib GPU" in found.message)
    assert found.location.file == __file__


def test_a_tiling_that_tpu_refuses_is_reported_once():
    function, args = gmm_call(tiling=(128, 100, 128))
    assert [d.code for d in mv.check(function, *args).diagnostics] == ["MV415"]


@pytest.mark.parametrize("semantics", ["lane", "warpgroup"])
def test_a_named_architecture_without_tcgen05_is_an_error(semantics):
    function, args = sparse_mma.kernel(semantics)
    for arch, wanted in (("sm_80", {"MV168"}), ("sm_90a", {"MV168"}), ("sm_120a", {"MV168"}), ("sm_103a", set())):
        report = mv.check(function, *args, arch=arch)
        assert {d.code for d in report.diagnostics if d.severity == "error"} == wanted, arch
        assert all(d.location.file for d in report.diagnostics)


def test_a_layout_of_tensor_memory_is_about_metadata_only_in_a_metadata_copy():
    text = "TMEM layout TMEMLayout(vector_dim=-1) is not supported"
    place = "jax/experimental/mosaic/gpu/tcgen05.py"
    found = {
        function: [
            match.rule.code
            for match in match_message(text, frames=[Frame(f"/lib/{place}", function)], error="ValueError", strict=True)
        ]
        for function in ("async_copy_sparse_metadata_smem_to_tmem", "TMEMRef.load", "_infer_tmem_load_registers_layout")
    }
    assert found.pop("async_copy_sparse_metadata_smem_to_tmem") == ["MV103"]
    assert found == {"TMEMRef.load": [], "_infer_tmem_load_registers_layout": []}
