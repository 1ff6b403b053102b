"""Random chains through the hook: what we call clean lowers, what we fold lowers, what we refuse JAX refuses."""

from __future__ import annotations

import os
import warnings

import jax.numpy as jnp
import pytest
import sparse_mma
from chain_kernels import at
from chain_strategies import chains
from hypothesis import given, settings
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import mosaic_verify as mv
from mosaic_verify.model.chain import RefType, Transpose

SEMANTICS = ("warpgroup", "lane")
EXAMPLES = int(os.environ.get("CHAIN_EXAMPLES", "8"))  # each lowers four kernels; 250 take four minutes
HOOKS = {
    "at_mma": RefType((128, 64), "i2", "tmem", 2),
    "at_copy_target": RefType((128, 64), "i2", "tmem", 2),
    "at_copy_source": RefType((1, 1, 128, 64), "i2", "smem", 2),
    "a_at_mma": RefType((128, 64), "f16", "smem", 16),
}


def check(semantics, mode="report", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fn, args = sparse_mma.kernel(semantics, **options)
        return mv.check(fn, *args, mode=mode)


def text(report):
    return None if report.lowered is None else report.lowered.as_text()


def errors(report):
    return sorted({d.code for d in report.diagnostics if d.severity == "error"})


PLAIN: dict[str, str | None] = {}


def plain(semantics):
    """Lowered text of the kernel without a chain."""
    if semantics not in PLAIN:
        PLAIN[semantics] = text(check(semantics))
    return PLAIN[semantics]


@pytest.mark.parametrize("hook", HOOKS)
def test_random_chains(hook):
    base = HOOKS[hook]

    @settings(max_examples=EXAMPLES, deadline=None, database=None)
    @given(chains(bases=(base,), most=3, dynamic=False))
    def run(drawn):
        chain, _ = drawn
        for semantics in SEMANTICS:
            seen = f"{chain.spell()} {semantics}"
            report = check(semantics, **{hook: at(chain.steps)})
            # A refusal at trace time has its own rule, or is none of ours; it says nothing about chains.
            if not errors(report):
                assert report.lowered is not None or chain.result.shape != base.shape, f"{seen}: {report.error!r}"
            else:
                assert report.lowered is None, f"{seen}: JAX lowers what we call {errors(report)}"
            folded = check(semantics, "rewrite", **{hook: at(chain.steps)})
            if folded.ok:
                assert folded.lowered is not None, f"{seen}: {folded.error!r}"
            if folded.rewrites:
                assert not report.ok, f"{seen}: JAX lowers it as it stands"

    run()


T = Transpose((1, 0))
IDENTITIES = {
    "metadata twice": dict(at_mma=at((T, T))),
    "metadata there and back": dict(at_mma=lambda r: r.reshape(64, 128).reshape(128, 64)),
    "metadata full slices": dict(at_mma=lambda r: r.transpose((1, 0)).at[0:64].transpose((1, 0))),
    "metadata three-cycle": dict(
        at_mma=lambda r: r.reshape(2, 64, 64).transpose((1, 2, 0)).transpose((2, 0, 1)).reshape(128, 64)
    ),
    "metadata bitcast": dict(at_mma=lambda r: r.bitcast(jnp.int2).bitcast(jnp.uint2)),
    "copy target": dict(at_copy_target=at((T, T))),
    "copy source bitcast": dict(at_copy_source=lambda r: r.bitcast(jnp.int2).bitcast(jnp.uint2)),
    "A twice": dict(a_at_mma=at((T, T))),
    "A unfolded": dict(a_at_mma=lambda r: r.reshape(8, 16, 64).reshape(128, 64)),
    "metadata allocated transposed": dict(meta_shape=(64, 128), at_mma=at((T,)), at_copy_target=at((T,))),
    "metadata tile with tiling": dict(meta_smem_transforms=(plgpu.TilingTransform((8, 64)),)),
}


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("label", IDENTITIES)
def test_folded_program_is_the_plain_program(label, semantics):
    """The strongest oracle: the folded kernel lowers to the very text of the kernel without the chain."""
    report = check(semantics, "rewrite", **IDENTITIES[label])
    assert report.ok, [d.text for d in report.diagnostics]
    assert all(rewrite.kind == "exact" for rewrite in report.rewrites)
    if report.rewrites:
        assert text(report) == plain(semantics)
    else:
        assert text(report) == text(check(semantics, **IDENTITIES[label])), "JAX lowers it as it stands"


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_allocation_with_another_layout(semantics):
    """`packed=False` gives metadata the default layout; JAX refuses it at the copy."""

    def with_layout(**options):
        original = plgpu.TMEM

        def tmem(*args, **kwargs):
            if kwargs.get("layout") is sparse_mma.SPARSE:
                kwargs = {"packed": False}
            return original(*args, **kwargs)

        sparse_mma.plgpu.TMEM, saved = tmem, original
        try:
            return check(semantics, **options)
        finally:
            sparse_mma.plgpu.TMEM = saved

    assert errors(with_layout()) == ["MV103"]
    folded = with_layout(mode="rewrite")
    assert folded.ok and any("sparse layout" in rewrite.message for rewrite in folded.rewrites)
    assert text(folded) == plain(semantics)


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("start", [0, 1, "block"])
def test_k_tile(semantics, start):
    """A K tile of the metadata differs from a contiguous ref in the stride of an extent-1 dimension only."""

    def tile(ref):
        return ref.at[:, pl.ds(lax.axis_index("block") if start == "block" else start, 1)]

    options = dict(blocks=2, meta_smem=(1, 2, 128, 64), at_copy_source=tile)
    assert errors(check(semantics, **options)) == ["MV132"]
    folded = check(semantics, "rewrite", **options)
    assert folded.ok and folded.lowered is not None


@pytest.mark.parametrize(("a", "b"), [(64, 128), (32, 128), (32, 64), (128, 64)])
def test_unequal_swizzles(a, b):
    """Lane: both get one swizzle, and the program is that of a kernel which was written so."""
    options = dict(a_swizzle=a, b_swizzle=b, k=256)
    assert errors(check("lane", **options)) == ["MV209"]
    folded = check("lane", "rewrite", **options)
    assert folded.ok and len(folded.rewrites) == 1
    common = max(min(a, b), 64)
    assert text(folded) == text(check("lane", a_swizzle=common, b_swizzle=common, k=256))
    assert check("warpgroup", **options).ok
