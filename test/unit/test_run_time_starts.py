"""Run-time starts of slices of tensor memory: what JAX sees of them, and the mask that shows it what is true."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sparse_mma
from jax import lax
from jax.experimental import pallas as pl

import mosaic_verify as mv

SEES_NO_PROMISES = jax.__version_info__ >= (0, 11)

# What becomes of the block index; whether it is a multiple of the tile, None where nobody can tell in advance.
STARTS = {
    "product": (lambda i: i * 64, True),
    "product of products": (lambda i: (i * 4) * 16, True),
    "factors that meet": (lambda i: (i * 4) * 4, True),
    "factors of a square": (lambda i: (i * 4) * (i * 8), True),
    "promise": (lambda i: pl.multiple_of(i, 64), True),
    "promise about a product": (lambda i: pl.multiple_of(i * 4, 64), True),
    "sum with a promise": (lambda i: pl.multiple_of(i, 32) + 32, True),
    "constants that meet": (lambda i: (i * 16 + 8) + 8, None),
    "difference": (lambda i: 64 - i * 64, True),
    "mask": (lambda i: i & -64, True),
    "quotient and product": (lambda i: i // 64 * 64, True),
    "shift": (lambda i: i << 6, True),
    "minimum": (lambda i: jnp.minimum(i * 64, 64), True),
    "where": (lambda i: jnp.where(i == 0, 0, 64), True),
    "clip": (lambda i: jnp.clip(i * 64, 0, 64), True),
    "remainder": (lambda i: (i * 64) % 128, None),
    "function": (lambda i: jax.jit(lambda x: x * 64)(i), True),
    "square": (lambda i: lax.square(i * 64), True),
    "unsigned": (lambda i: (i * 64).astype(jnp.uint32), True),
    "narrow and wide": (lambda i: (i * 64).astype(jnp.uint8).astype(jnp.int32), True),
    "loop of one step": (lambda i: lax.fori_loop(0, 1, lambda _, carry: carry * 64, i), None),
    "branches": (lambda i: lax.cond(i == 0, lambda: 0, lambda: 64), None),
    "absolute value": (lambda i: abs(i * 64), None),
    "index": (lambda i: i, False),
    "narrow product": (lambda i: i * 8, False),
    "odd sum": (lambda i: i * 16 + 8, False),
}


def check(semantics, start, mode="report"):
    def at_mma(ref):
        return ref.at[:, pl.ds(start(lax.axis_index("block")), 64)]

    options = dict(blocks=2, meta_shape=(128, 128), meta_smem=(1, 2, 128, 64), at_mma=at_mma)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fn, args = sparse_mma.kernel(semantics, **options)
        # Which of its columns the MMA reads is not the subject.
        return mv.check(fn, *args, mode=mode, ignore="MV7")


def errors(report):
    return {d.code for d in report.diagnostics if d.severity == "error"}


def kernel_of(report):
    """The lowered kernel; its bytecode also holds where its parts were written."""
    return mv.run(report.lowered.as_text(), "builtin.module(stablehlo-extract-kernels)").module


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", STARTS)
def test_verdict_is_that_of_jax(label, semantics):
    start, multiple = STARTS[label]
    report = check(semantics, start)
    assert bool(errors(report)) == (report.lowered is None), (errors(report), report.error)
    if report.lowered is not None:
        return
    assert errors(report) <= {"MV207", "MV946"}  # what only layout inference can tell has its message
    rewritten = check(semantics, start, "rewrite")
    if multiple and errors(report) == {"MV207"}:
        assert rewritten.ok and rewritten.lowered is not None
        [rewrite] = rewritten.rewrites
        assert rewrite.kind == "exact" and "& -16" in rewrite.message
        assert kernel_of(rewritten) == kernel_of(check(semantics, lambda i: start(i) & -16))
    else:
        assert rewritten.rewrites == [] and not rewritten.ok


@pytest.mark.skipif(not SEES_NO_PROMISES, reason="JAX 0.10 believes promises, or does not ask")
@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_refusal_says_why_and_what_to_write(semantics):
    report = check(semantics, lambda i: pl.multiple_of(i, 64))
    [found] = [d for d in report.diagnostics if d.severity == "error"]
    text = str(found)
    assert "is, as `pl.multiple_of` promises, a multiple of 16, but JAX does not see that here" in text
    assert "write the start as `(start // 16) * 16`" in text
    report = check(semantics, lambda i: i << 6)
    assert "i is a multiple of 16, but JAX does not see that here" in str(report.diagnostics[0])


def test_mask_keeps_multiples():
    for width, dtype in ((32, np.int32), (32, np.uint32)):
        for tile in (8, 16, 32, 64, 128):
            limits = np.iinfo(dtype)
            multiples = np.array([limits.min // tile * tile, 0, tile, 7 * tile, limits.max // tile * tile], dtype)
            mask = np.array((1 << width) - tile, np.uint32).astype(dtype)
            assert (multiples & mask == multiples).all()
