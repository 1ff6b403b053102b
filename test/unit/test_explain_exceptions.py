"""Exceptions of real kernels find their rule; those of other programs find none."""

import sys
import traceback

import jax
import jax.numpy as jnp
import pytest
import sparse_mma
from jax.experimental.pallas import mosaic_gpu as plgpu

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
