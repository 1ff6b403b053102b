"""Checks of the sizes of a sparse MMA: MV110 to MV113, MV118."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import SparseMma
from mosaic_verify.model.jax_versions import since
from mosaic_verify.model.mma_types import scale_blocks
from mosaic_verify.model.operand_tiles import k_group, swizzle_elements
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.operand_swizzles import swizzle_pairs
from mosaic_verify.rules.registry import check


@check(SparseMma, "MV110")
def rows(mma: SparseMma) -> Iterable[Finding]:
    """Sparse instructions take M = 128 per CTA."""
    if not mma.sparse or mma.m in (None, 128):
        return
    if mma.m == 64:
        message = "Sparse MMA not supported for M=64"
        fixes = ("pad A and its metadata to 128 rows (zero rows of A, metadata pairs (0, 1)) and use the upper half",)
    else:
        message = f"Only M=128 and M=64 are supported for MMA, but got M={mma.m}"
        fixes = ("split M into tiles of 128 rows",)
    yield Finding("MV110", message, "a", (FindingNote("a", "a sparse MMA takes M=128 per CTA"),), fixes)


@check(SparseMma, "MV111")
def columns(mma: SparseMma) -> Iterable[Finding]:
    """N, per CTA: a multiple of 16 (32 for int8 in two CTAs), at most 256, or 128 for each of two CTAs."""
    n = mma.n
    if not mma.sparse or n is None:
        return
    multiple = 32 if mma.collective and mma.a.element == "i8" else 16
    if n % multiple:
        message = f"N must be a multiple of {multiple} for sparse MMA, but got N={n}"
    elif mma.scaled and n % 32 and not since("scaled-n", mma.target.jax):
        multiple = 32
        message = f"N must be a multiple of 32 for block-scaled MMA, but got N={n}"
    elif mma.collective and n > 128:
        message = "Only N <= 128 are supported for collective MMA"
    elif n > 512:
        message = "Only N <= 512 are supported for MMA"
    elif n > 256 and n != 512:
        message = f"The only supported N > 256, is 512, but got N={n}"
    else:
        return
    if n % multiple:
        padded = -(-n // multiple) * multiple
        fixes = (f"pad B and the accumulator to N={padded} and use the first {n} columns of the result",)
        notes = ()
    else:
        limit = 128 if mma.collective else 256
        fixes = (f"split N into chunks of at most {limit} columns, each with its own MMA on the same A and metadata",)
        notes = (FindingNote("b", f"N={n} counts the columns of one CTA; a sparse MMA takes at most {limit}"),)
    yield Finding("MV111", message, "b", notes, fixes)


@check(SparseMma, "MV118")
def one_tile_of_columns(mma: SparseMma) -> Iterable[Finding]:
    """N = 512 would need two instructions per K step, for which JAX cannot address the metadata."""
    if not mma.sparse or mma.n != 512 or mma.collective:
        return
    yield Finding(
        "MV118",
        "A sparse metadata address calculation for multiple tiles",
        "b",
        (FindingNote("b", "N=512 takes two instructions of 256 columns; JAX implements that for dense MMAs only"),),
        ("split N into two MMAs of 256 columns on the same A and metadata",),
    )


def scale_block(mma: SparseMma) -> int | None:
    """Elements of logical K that one scale covers, as JAX derives it; None without scales or where it cannot."""
    if not mma.scaled or mma.a_scale is None or mma.k is None:
        return None
    if not since("scale-block-from-shape", mma.target.jax):
        if mma.a_scale.element is None or mma.a.element is None:
            return None
        return scale_blocks(mma.a.element, mma.a_scale.element, mma.target)[0] * (1 + mma.sparse)
    if mma.a_scale.rank != 2 or not mma.a_scale.shape or not mma.a_scale.shape[1] or mma.k % mma.a_scale.shape[1]:
        return None
    return mma.k // mma.a_scale.shape[1] or None


@check(SparseMma, "MV112")
def contracting(mma: SparseMma) -> Iterable[Finding]:
    """K is issued in groups that the wider of both tiles decides."""
    bits = bit_width(mma.a.element) if mma.a.element else None
    if not mma.sparse or mma.k is None or bits is None:
        return
    block = scale_block(mma)
    groups = [k_group(sa, sb, bits, sparse=True, scale_block=block) for sa, sb in swizzle_pairs(mma)]
    if not groups:  # swizzles unknown: the parts of the group that do not depend on them
        groups = [k_group(0, 0, bits, sparse=True, scale_block=block)]
    if any(mma.k % group == 0 for group in groups):
        return
    group = groups[0]
    notes = [FindingNote("b", "sparse MMAs are issued for at least 64 elements of K at a time")]
    for place, operand, factor in (("a", mma.a, 2), ("b", mma.b, 1)):
        if operand.swizzle and factor * swizzle_elements(operand.swizzle, bits) == group > 64:
            notes = [
                FindingNote(place, f"the {operand.swizzle}-byte swizzle of {place.upper()} makes K groups of {group}")
            ]
    if block is not None and 4 * block == group:
        notes = [FindingNote("a_scale", f"four scales, of {block} elements each, are read at a time")]
    smallest = k_group(0, 0, bits, sparse=True, scale_block=block)
    fixes = (f"pad K to {-(-mma.k // group) * group} with zeros in A and B and metadata pairs (0, 1)",)
    if mma.k % smallest == 0:
        fixes = ("use smaller swizzles for A and B", *fixes)
    yield Finding("MV112", f"K must be a multiple of {group}, got: {mma.k}", "b", tuple(notes), fixes)


@check(SparseMma, "MV113")
def contraction(mma: SparseMma) -> Iterable[Finding]:
    """A holds K / 2 elements per row."""
    if not mma.sparse or mma.k is None or mma.a.rank != 2 or mma.a.shape is None:
        return
    half = mma.a.shape[1]
    if 2 * half == mma.k:
        return
    uncompressed = half == mma.k
    yield Finding(
        "MV113",
        f"For sparse MMA, `a`'s contracting dimension {half} must be half the first dimension of `b`: {mma.k}.",
        "a",
        (FindingNote("a", "A looks uncompressed: of each four elements along K only two are passed"),)
        if uncompressed
        else (),
        ("pass the compressed A of shape (M, K / 2), or drop a_sparse_metadata for a dense MMA",)
        if uncompressed
        else (),
    )
