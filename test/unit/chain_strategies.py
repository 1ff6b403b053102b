"""Random transform chains over the refs of a sparse MMA."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from mosaic_verify.model.chain import Bitcast, Chain, Dynamic, RefType, Reshape, Slice, Transpose

BASES = (
    RefType((128, 64), "i2", "tmem", 2),
    RefType((128, 128), "i2", "tmem", 2),
    RefType((64, 128), "i2", "tmem", 2),
    RefType((1, 2, 128, 64), "i2", "smem", 2),
    RefType((2, 1, 1, 128, 64), "i2", "smem", 2),
    RefType((128, 64), "f16", "smem", 16),
    RefType((2, 64, 128), "bf16", "smem", 16),
    RefType((4, 6, 10), "i8", "smem", 8),
)

_OTHER = {"i2": "ui2", "ui2": "i2", "i8": "ui8", "ui8": "i8", "f16": "bf16", "bf16": "f16"}  # as wide


def factorizations(draw, total, most=5):
    """A shape with `total` elements."""
    shape = []
    while total > 1 and len(shape) < most - 1:
        divisors = [d for d in range(1, total + 1) if not total % d]
        shape.append(draw(st.sampled_from(divisors)))
        total //= shape[-1]
    return (*shape, total)


@st.composite
def steps(draw, ref, number, dynamic=True):
    """One step that fits `ref`."""
    kind = draw(st.sampled_from(("transpose", "transpose", "reshape", "slice", "full", "bitcast")))
    if kind == "transpose":
        return Transpose(tuple(draw(st.permutations(range(len(ref.shape))))))
    if kind == "reshape":
        return Reshape(factorizations(draw, math.prod(ref.shape)))
    if kind == "bitcast":
        element = draw(st.sampled_from((ref.element, _OTHER[ref.element])))
        return Bitcast(element, ref.bits, ref.shape)
    if kind == "full":
        return Slice((0,) * len(ref.shape), ref.shape)
    starts, sizes, strides, dropped = [], [], [], []
    for dim, extent in enumerate(ref.shape):
        stride = draw(st.sampled_from((1, 1, 1, 2)))
        size = draw(st.integers(1, (extent + stride - 1) // stride))
        if draw(st.booleans()):
            size, stride = extent, 1
        room = extent - (size - 1) * stride
        start = draw(st.integers(0, room - 1))
        if dynamic and room > 1 and draw(st.integers(0, 3)) == 0:
            multiple = draw(st.sampled_from([m for m in (1, 2, 4, 8, 16) if m < room]))
            starts.append(Dynamic((number, dim, (room - 1) // multiple), f"i{dim}", multiple))
        else:
            starts.append(start)
        sizes.append(size)
        strides.append(stride)
        if size == 1 and draw(st.booleans()) and len(dropped) + 1 < len(ref.shape):
            dropped.append(dim)
    return Slice(tuple(starts), tuple(sizes), tuple(strides), tuple(dropped))


@st.composite
def chains(draw, bases=BASES, most=6, dynamic=True):
    """A chain and run-time starts that keep it in bounds."""
    base = draw(st.sampled_from(bases))
    chain, values = Chain(base, (), "ref"), {}
    for number in range(draw(st.integers(0, most))):
        step = draw(steps(chain.result, number, dynamic))
        # Half of the transposes and reshapes are undone at once, so that identities are common.
        chain = chain.then(step)
        if isinstance(step, Transpose) and draw(st.booleans()):
            inverse = tuple(step.permutation.index(d) for d in range(len(step.permutation)))
            chain = chain.then(Transpose(inverse))
        if isinstance(step, Reshape) and draw(st.booleans()):
            chain = chain.then(Reshape(chain.types[-2].shape))
        if isinstance(step, Slice):
            for start in step.starts:
                if isinstance(start, Dynamic):
                    values[start.key] = start.multiple_of * draw(st.integers(0, start.key[2]))
    return chain, values
