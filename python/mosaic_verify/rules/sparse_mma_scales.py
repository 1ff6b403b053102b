"""Checks of a block-scaled sparse MMA: MV119 to MV126; MV119 of a dense one, too."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import SparseMma
from mosaic_verify.model.jax_versions import since
from mosaic_verify.model.mma_types import scale_blocks, scale_elements
from mosaic_verify.model.tmem_layout import B_SCALES_M64_COLLECTIVE, SCALES
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check
from mosaic_verify.rules.sparse_mma_metadata import allocated_note
from mosaic_verify.rules.sparse_mma_sizes import scale_block


@check(SparseMma, "MV119")
def scaled_a_in_tmem(mma: SparseMma) -> Iterable[Finding]:
    """A block-scaled sparse MMA takes A from SMEM; in JAX 0.10 a dense one, too."""
    dense_too = not since("scaled-a-in-tmem", mma.target.jax)
    if (mma.sparse or dense_too) and mma.scaled and mma.a.space == "tmem":
        which = "block-scaled matmuls" if dense_too else "block-scaled sparse matmuls"
        yield Finding("MV119", f"A in TMEM unsupported for {which}", "a", (), ("keep A in SMEM",))


@check(SparseMma, "MV123")
def scales_come_in_pairs(mma: SparseMma) -> Iterable[Finding]:
    """Both scales or none."""
    if mma.sparse and (mma.a_scale is None) != (mma.b_scale is None):
        yield Finding(
            "MV123", "Either none or both scales should be provided", "b_scale" if mma.a_scale is None else "a_scale"
        )


@check(SparseMma, "MV120", "MV124")
def a_scale_shape(mma: SparseMma) -> Iterable[Finding]:
    """A's scales are (128, K / block), and the block is one that the kind knows."""
    scale = mma.a_scale
    if not mma.sparse or not mma.scaled or scale is None or scale.rank != 2 or scale.shape is None or mma.k is None:
        return
    element, scale_element = mma.a.element, scale.element
    if element is None or scale_element not in scale_elements(element):
        return  # MV140
    block = scale_block(mma)
    if block is None:
        yield Finding("MV120", f"K={mma.k} is not divisible by A scale second dimension {scale.shape[1]}", "a_scale")
        return
    blocks = [2 * size for size in scale_blocks(element, scale_element, mma.target)]
    if block not in blocks:
        yield Finding(
            "MV124",
            f"Scale block size mismatch: expected {' or '.join(map(str, blocks))}, got {block}",
            "a_scale",
            (FindingNote("a_scale", f"the block is K / columns of a_scale = {mma.k} / {scale.shape[1]}"),),
            (f"pass scales with {mma.k // blocks[-1]} columns, one for {blocks[-1]} elements of logical K",),
        )
        return
    expected = (128, mma.k // block)
    if scale.shape != expected:
        yield Finding(
            "MV120",
            f"A scale shape mismatch: expected ({expected[0]}, {expected[1]}), got {scale.shape}",
            "a_scale",
            allocated_note(scale, "a_scale"),
        )


@check(SparseMma, "MV121", "MV122")
def b_scale_shape(mma: SparseMma) -> Iterable[Finding]:
    """B's scales have at least N rows, for both CTAs, in whole tiles of 128, and A's columns."""
    scale = mma.b_scale
    block = scale_block(mma)
    if not mma.sparse or scale is None or scale.rank != 2 or scale.shape is None or mma.n is None:
        return
    rows, columns = scale.shape
    needed = mma.n * (2 if mma.collective else 1)
    if rows % 128 or rows < needed:
        yield Finding(
            "MV121",
            f"B scale shape[0] must be a multiple of 128 and >= N={needed}, got {rows}",
            "b_scale",
            allocated_note(scale, "b_scale"),
            (f"pad the scales of B to {-(-needed // 128) * 128} rows",),
        )
    if block is not None and mma.k is not None and columns != mma.k // block:
        yield Finding(
            "MV122",
            f"B scale shape mismatch: expected ({rows}, {mma.k // block}), got {scale.shape}",
            "b_scale",
            allocated_note(scale, "b_scale"),
        )


@check(SparseMma, "MV125")
def scale_layouts(mma: SparseMma) -> Iterable[Finding]:
    """Scales lie in the layout of their own."""
    if not mma.sparse:
        return
    a, b = mma.a_scale, mma.b_scale
    if a is not None and a.layout is not None and a.layout != SCALES:
        yield Finding("MV125", f"A scale layout {a.layout.attribute} is not supported", "a_scale", (), (_ALLOCATE,))
    if b is not None and b.layout is not None:
        if mma.collective and mma.m == 64:
            if b.layout != B_SCALES_M64_COLLECTIVE:
                text = f"Expected B scales to have a M=64 collective layout, got {b.layout.attribute}"
                yield Finding("MV125", text, "b_scale")
        elif b.layout != SCALES:
            text = f"Expected B scales to have a M=128 layout, got {b.layout.attribute}"
            yield Finding("MV125", text, "b_scale", (), (_ALLOCATE,))


_ALLOCATE = "allocate the scales with layout=plgpu.TMEMLayout.SCALES_LAYOUT"


@check(SparseMma, "MV126")
def fp4_is_k_major(mma: SparseMma) -> Iterable[Finding]:
    """Block-scaled 4-bit kinds read K-major operands only."""
    if not mma.sparse or not mma.scaled or mma.a.element is None or bit_width(mma.a.element) != 4:
        return
    for place, operand, k_major, letter in (
        ("a", mma.a, mma.a_k_major, "A is M"),
        ("b", mma.b, mma.b_k_major, "B is N"),
    ):
        if operand.space == "smem" and k_major is False:
            yield Finding(
                "MV126",
                f"4-bit block scaled MMA only supports K-fastest operands, but {letter}-fastest",
                place,
                (),
                ("store A as (M, K / 2)" if place == "a" else "store B as (N, K) and pass it transposed",),
            )
