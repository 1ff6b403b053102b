"""The algebra of transform chains against element addresses computed with numpy."""

from __future__ import annotations

import numpy as np
import pytest
from address_oracle import addresses
from chain_strategies import chains
from hypothesis import given, settings

from mosaic_verify.model.chain import (
    Bitcast,
    Chain,
    ChainError,
    Dynamic,
    ExpandBatch,
    NotAffine,
    RefType,
    Remote,
    Reshape,
    Slice,
    Transpose,
    Unswizzle,
    Untile,
    address_map,
    index,
    is_identity,
    same_addresses,
    simplify,
)

META = RefType((128, 64), "i2", "tmem", 2)
TILES = RefType((1, 2, 128, 64), "i2", "smem", 2)
I = Dynamic("i", "i")  # noqa: E741


def simplified(base, *steps):
    return simplify(Chain(base, steps)).steps


@settings(max_examples=1000, deadline=None)
@given(chains())
def test_simplified_chain_has_the_same_addresses(drawn):
    chain, values = drawn
    short = simplify(chain)
    assert short.result == chain.result
    assert len(short.steps) <= len(chain.steps)
    before = addresses(chain.base.shape, chain.steps, values)
    np.testing.assert_array_equal(addresses(short.base.shape, short.steps, values), before)
    assert simplify(short) == short


@settings(max_examples=500, deadline=None)
@given(chains())
def test_address_map_is_what_numpy_says(drawn):
    chain, values = drawn
    try:
        mapped = address_map(chain.base, chain.steps)
    except NotAffine:
        return
    expected = addresses(chain.base.shape, chain.steps, values)
    assert mapped.shape == expected.shape
    actual = np.full(expected.shape, mapped.offset + sum(values[key] * factor for key, factor in mapped.terms))
    for dim, digits in enumerate(mapped.dims):
        positions = np.arange(expected.shape[dim])
        along = np.zeros_like(positions)
        for extent, stride in reversed(digits):
            along += positions % extent * stride
            positions //= extent
        actual = actual + along.reshape([-1 if d == dim else 1 for d in range(expected.ndim)])
    np.testing.assert_array_equal(actual, expected)


@settings(max_examples=300, deadline=None)
@given(chains(most=4, dynamic=False), chains(most=4, dynamic=False))
def test_same_addresses_agrees_with_numpy(left, right):
    left, right = left[0], right[0]
    verdict = same_addresses(left, right)
    if verdict is None or left.base != right.base:
        return
    a, b = addresses(left.base.shape, left.steps), addresses(right.base.shape, right.steps)
    assert verdict == (a.shape == b.shape and bool((a == b).all()))


@pytest.mark.parametrize(
    "steps",
    [
        (Transpose((1, 0)), Transpose((1, 0))),
        (Transpose((0, 1)),),
        (Reshape((64, 128)), Reshape((128, 64))),
        (Reshape((64, 128)), Reshape((8192,)), Reshape((128, 64))),
        (Slice((0, 0), (128, 64)),),
        (Bitcast("i2", 2, (128, 64)),),
        (Bitcast("ui2", 2, (128, 64)), Bitcast("i2", 2, (128, 64))),
        (Bitcast("i8", 8, (32, 64)), Bitcast("i2", 2, (128, 64))),
        (Transpose((1, 0)), Bitcast("ui2", 2, (64, 128)), Transpose((1, 0)), Bitcast("i2", 2, (128, 64))),
        (Reshape((2, 64, 64)), Transpose((1, 2, 0)), Transpose((2, 0, 1)), Reshape((128, 64))),
        (Reshape((2, 64, 64)), Transpose((2, 0, 1)), Transpose((2, 0, 1)), Transpose((2, 0, 1)), Reshape((128, 64))),
        (Transpose((1, 0)), Slice((0, 0), (64, 128)), Transpose((1, 0))),
        (Transpose((1, 0)), Reshape((8, 8, 128)), Reshape((64, 128)), Transpose((1, 0))),
        (Reshape((1, 128, 64)), Transpose((1, 0, 2)), Transpose((0, 2, 1)), Reshape((128, 64))),
        (Reshape((1, 1, 128, 64)), Transpose((1, 0, 2, 3)), Reshape((128, 64))),
    ],
)
def test_identities_vanish(steps):
    assert simplified(META, *steps) == ()


@pytest.mark.parametrize(
    "steps",
    [
        (Transpose((1, 0)),),
        (Reshape((64, 128)),),
        (Transpose((1, 0)), Reshape((128, 64))),
        (Slice((0, 32), (128, 32)),),
        (Slice((0, I), (128, 64)),),
        (Bitcast("ui2", 2, (128, 64)),),
        (Reshape((2, 64, 64)), Transpose((1, 0, 2)), Reshape((128, 64))),
    ],
)
def test_what_moves_elements_stays(steps):
    assert simplified(META, *steps) == steps


def test_slices_merge():
    first, second = Slice((0, 16), (128, 48)), Slice((0, 16), (128, 32))
    assert simplified(META, first, second) == (Slice((0, 32), (128, 32)),)
    dynamic = Slice((0, I), (128, 32))
    assert simplified(META, dynamic, Slice((0, 0), (128, 16))) == (Slice((0, I), (128, 16)),)
    # Two run-time starts in one dimension have no sum that a slice could carry.
    both = (Slice((0, I), (128, 32)), Slice((0, Dynamic("j", "j")), (128, 16)))
    assert simplified(META, *both) == both


def test_slice_moves_before_transpose():
    assert simplified(META, Transpose((1, 0)), Slice((0, 0), (32, 128))) == (
        Slice((0, 0), (128, 32)),
        Transpose((1, 0)),
    )
    cube = RefType((2, 64, 32), "f16", "smem", 16)
    # Indexing a dimension that a three-cycle moved: what is left keeps its order.
    got = simplified(cube, Transpose((1, 2, 0)), Slice((0, 0, I), (64, 32, 1), dropped=(2,)))
    assert got == (Slice((I, 0, 0), (1, 64, 32), dropped=(0,)),)


def test_index_of_folded_tiles():
    flat = (Reshape((2, 128, 64)), Slice((I, 0, 0), (1, 128, 64)), Reshape((1, 1, 128, 64)))
    assert simplified(TILES, *flat) == (Slice((0, I, 0, 0), (1, 1, 128, 64)),)


def test_physical_steps_are_barriers():
    tiled = RefType((16, 2, 8, 32), "f16", "smem", 16)
    chain = (Unswizzle(64), Untile((8, 32)), Transpose((1, 0)), Transpose((1, 0)))
    assert simplified(tiled, *chain) == (Unswizzle(64), Untile((8, 32)))
    batch = RefType((128, 128), "i2", "tmem", 2)
    chain = (ExpandBatch((2,)), Slice((I, 0, 0), (1, 128, 64), dropped=(0,)))
    assert simplified(batch, *chain) == chain
    assert simplified(META, Transpose((1, 0)), Remote("peer"), Transpose((1, 0))) != (Remote("peer"),)


def test_contiguity_ignores_strides_of_extent_one():
    whole = address_map(TILES, (Slice((0, 1, 0, 0), (1, 1, 128, 64)),))
    assert whole.contiguous and whole.offset == 8192
    assert not address_map(META, (Slice((0, 0), (128, 32)),)).contiguous


def test_steps_that_do_not_fit_are_refused():
    for step in (Transpose((0, 0)), Reshape((3,)), Slice((0, 60), (128, 8)), index(META, (128,)), Untile((8, 32))):
        with pytest.raises(ChainError):
            step.apply(META)


def test_spelling_marks_the_step():
    chain = Chain(META, (Transpose((1, 0)), Slice((0, I), (64, 16))), "meta_tmem")
    assert chain.spell(0) == (
        "meta_tmem (128, 64) -> >>> .transpose(1, 0) <<< (64, 128) -> .at[0:64, pl.ds(i, 16)] (64, 16)"
    )
    assert is_identity(Transpose((0, 1)), META)


def test_transposed_unit_dimensions_vanish():
    assert simplified(RefType((1, 1, 128, 64), "i2", "smem", 2), Transpose((1, 0, 2, 3))) == ()
