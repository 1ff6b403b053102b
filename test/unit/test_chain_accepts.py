"""`accepts` against JAX: real kernels with chains on each operand, in both semantics."""

from __future__ import annotations

import pytest
from chain_kernels import JAX, at, batched_b, refusal
from chain_strategies import chains
from hypothesis import given, settings

from mosaic_verify.model.chain import (
    Bitcast,
    Chain,
    Dynamic,
    ExpandBatch,
    RefType,
    Reshape,
    Slice,
    Transpose,
    Unswizzle,
    Untile,
    accepts,
    address_map,
)

META = RefType((128, 64), "i2", "tmem", 2)
WIDE = RefType((128, 128), "i2", "tmem", 2)
TILE = RefType((1, 1, 128, 64), "i2", "smem", 2)
A = RefType((16, 2, 8, 32), "f16", "smem", 16)
PREFIX = (Unswizzle(64), Untile((8, 32)))
SEMANTICS = ("warpgroup", "lane")
T = Transpose((1, 0))
CUT = Slice((0, 0), (128, 64))


def block(multiple_of=1, promised=1):
    return Dynamic("block", "block", multiple_of, promised)


def compare(chain, role, semantics, shape, **options):
    """Our verdict and JAX's; where the shape does not fit, JAX refuses for that reason."""
    verdict = accepts(chain, role, semantics, JAX, (128, 16))
    error = refusal(semantics, **options)
    context = f"{chain.spell()} {semantics}\nours: {verdict}\nJAX: {type(error).__name__}: {error}"
    if verdict is not None:
        assert error is not None, context
    elif chain.result.shape == shape:
        assert error is None, context
    return verdict, error


METADATA = {
    "plain": ((), ""),
    "transpose": ((T,), "MV202"),
    "identity transpose": ((Transpose((0, 1)),), "MV202"),
    "transposed twice": ((T, T), "MV202"),
    "reshape": ((Reshape((64, 128)),), "MV203"),
    "reshape and back": ((Reshape((64, 128)), Reshape((128, 64))), {"lane": "MV203", "warpgroup": ""}),
    "reshape to itself": ((Reshape((128, 64)),), {"lane": "MV203", "warpgroup": ""}),
    "one dimension and back": ((Reshape((8192,)), Reshape((128, 64))), {"lane": "MV203", "warpgroup": ""}),
    "full slice": ((CUT,), ""),
    "full slices": ((CUT, CUT), ""),
    "full slice, transposed twice": ((CUT, T, T), {"lane": "MV202", "warpgroup": ""}),
    "full slice, identity": ((CUT, Transpose((0, 1))), {"lane": "MV202", "warpgroup": ""}),
    "transposed twice, full slice": ((T, T, CUT), "MV202"),
    "transpose, reshape": ((T, Reshape((128, 64))), {"lane": "MV202", "warpgroup": "MV204"}),
    "bitcast": ((Bitcast("ui2", 2, (128, 64)),), "MV201"),
    "rows": ((Slice((0, 0), (64, 64)),), "MV207"),
    "row": ((Slice((0, 0), (1, 64), dropped=(0,)),), "MV207"),
    "stride": ((Slice((0, 0), (128, 32), (1, 2)),), "MV207"),
    "index of a reshape": ((Reshape((1, 128, 64)), Slice((0, 0, 0), (1, 128, 64), dropped=(0,))), "MV203"),
}


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("label", METADATA)
def test_metadata(label, semantics):
    steps, code = METADATA[label]
    chain = Chain(META, steps, "meta_tmem")
    verdict, _ = compare(chain, "metadata", semantics, (128, 64), at_mma=at(steps))
    assert (verdict.code if verdict else "") == (code if isinstance(code, str) else code[semantics])


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize(
    "start", [0, 16, 32, 8, 63, block(64), block(16), block(8), block(), block(promised=16)], ids=str
)
def test_metadata_columns(start, semantics):
    size = 64 if start != 63 else 65
    steps = (Slice((0, start), (128, size)),)
    verdict, error = compare(
        Chain(WIDE, steps),
        "metadata",
        semantics,
        (128, 64),
        meta_shape=(128, 128),
        copy=False,
        blocks=2,
        at_mma=at(steps),
    )
    assert (verdict is None) == (error is None)
    if verdict:
        assert verdict.code == "MV207"
        assert ("promises" in verdict.why) == (getattr(start, "promised", 1) == 16)


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((), "MV201"),
        ((Slice((1, 0, 0), (1, 128, 64), dropped=(0,)),), ""),
        ((Slice((block(), 0, 0), (1, 128, 64), dropped=(0,)),), ""),
        ((Slice((1, 0, 0), (1, 128, 64), dropped=(0,)), T, T), {"lane": "MV202", "warpgroup": ""}),
        ((Slice((0, 0, 0), (1, 128, 64)), Slice((0, 0, 0), (1, 128, 64), dropped=(0,))), "MV204"),
        ((Transpose((0, 2, 1)), Transpose((0, 2, 1)), Slice((1, 0, 0), (1, 128, 64), dropped=(0,))), "MV204"),
        ((Reshape((128, 128)), CUT), "MV204"),
    ],
)
def test_metadata_with_a_leading_dimension(steps, code, semantics):
    chain = Chain(WIDE, (ExpandBatch((2,)), *steps), "meta_tmem")
    options = dict(meta_shape=(2, 128, 64), copy=False, blocks=2, at_mma=at(steps))
    verdict, _ = compare(chain, "metadata", semantics, (128, 64), **options)
    assert (verdict.code if verdict else "") == (code if isinstance(code, str) else code[semantics])


A_CHAINS = {
    "plain": ((), ""),
    "transposed twice": ((T, T), {"lane": "MV205", "warpgroup": ""}),
    "identity": ((Transpose((0, 1)),), {"lane": "MV205", "warpgroup": ""}),
    "full slice": ((CUT,), ""),
    "bitcast and back": ((Bitcast("bf16", 16, (128, 64)), Bitcast("f16", 16, (128, 64))), "MV205"),
    "unfold and back": ((Reshape((8, 16, 64)), Reshape((128, 64))), "MV204"),
    "transpose and fold": ((T, Reshape((8192,)), Reshape((128, 64))), "MV204"),
    "cut tile": ((Slice((0, 16), (128, 32)),), "MV204"),
    "index": ((Slice((0, 0), (1, 64), dropped=(0,)),), "MV204"),
}


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("label", A_CHAINS)
def test_a(label, semantics):
    steps, code = A_CHAINS[label]
    verdict, _ = compare(Chain(A, PREFIX + steps, "a_smem"), "a", semantics, (128, 64), a_at_mma=at(steps))
    assert (verdict.code if verdict else "") == (code if isinstance(code, str) else code[semantics])


@settings(max_examples=60, deadline=None)
@given(chains(bases=(META,), most=3, dynamic=False))
def test_random_metadata_chains(drawn):
    chain, _ = drawn
    for semantics in SEMANTICS:
        compare(chain, "metadata", semantics, (128, 64), at_mma=at(chain.steps))


@settings(max_examples=60, deadline=None)
@given(chains(bases=(RefType((128, 64), "f16", "smem", 16),), most=3, dynamic=False))
def test_random_a_chains(drawn):
    chain, _ = drawn
    for semantics in SEMANTICS:
        compare(Chain(A, PREFIX + chain.steps), "a", semantics, (128, 64), a_at_mma=at(chain.steps))


@settings(max_examples=60, deadline=None)
@given(chains(bases=(TILE,), most=3, dynamic=False))
def test_random_copy_sources(drawn):
    chain, _ = drawn
    for semantics in SEMANTICS:
        verdict = accepts(chain, "copy_source", semantics, JAX)
        if verdict is None and chain.result.shape != TILE.shape:
            continue
        if verdict is None and not address_map(TILE, chain.steps).contiguous:
            continue
        compare(chain, "copy_source", semantics, TILE.shape, at_copy_source=at(chain.steps))


B3 = RefType((2, 16, 4, 8, 32), "f16", "smem", 16)


@pytest.mark.parametrize(
    ("permutation", "dim", "lane", "warpgroup"),
    [
        ((0, 1, 2), 0, "MV205", ""),
        ((0, 2, 1), 0, "", "slice"),
        ((1, 2, 0), 2, "MV210", "MV205"),
        ((2, 1, 0), 2, "", "MV205"),
        ((2, 0, 1), 1, "", "MV205"),
        ((1, 0, 2), 1, "MV205", "MV205"),
    ],
)
def test_index_behind_a_transpose(permutation, dim, lane, warpgroup):
    """JAX numbers the indexed dimension behind the transpose and looks for it in front: wrong for one three-cycle."""
    shape = tuple((2, 128, 128)[d] for d in permutation)
    sizes = tuple(1 if d == dim else n for d, n in enumerate(shape))
    steps = (Transpose(permutation), Slice((0, 0, 0), sizes, dropped=(dim,)))
    if warpgroup == "slice":
        warpgroup = "MV205" if JAX < (0, 11) else ""
    for semantics, code in (("lane", lane), ("warpgroup", warpgroup)):
        verdict = accepts(Chain(B3, (*PREFIX, *steps), "b"), "b", semantics, JAX)
        assert (verdict.code if verdict else "") == code, semantics
        text = batched_b(semantics, steps)
        if code == "MV210":
            # JAX lowers it, to the very program of the transposed matrix.
            assert text == batched_b(semantics, (Slice((0, 0, 0), (1, 128, 128), dropped=(0,)), T))
            assert text != batched_b(semantics, (Slice((0, 0, 0), (1, 128, 128), dropped=(0,)),))
        else:
            assert (text is None) == bool(code), semantics
