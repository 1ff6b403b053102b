"""Checks of the SMEM tiles of A and B: MV117 of a sparse MMA, MV205, MV206 and MV209 of any."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import Operand, SparseMma
from mosaic_verify.model.operand_tiles import (
    SWIZZLES,
    TILE_ROWS,
    k_group,
    operand_tile,
    swizzle_elements,
    tile_divides,
)
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.operand_swizzles import choices, swizzle_pairs
from mosaic_verify.rules.registry import check
from mosaic_verify.rules.sparse_mma_sizes import scale_block


@check(SparseMma, "MV117")
def b_tile_holds_an_instruction(mma: SparseMma) -> Iterable[Finding]:
    """One sparse instruction reads 64 bytes of K of B; a K-major tile with a 32-byte swizzle holds half of that."""
    if not mma.sparse or not mma.b_k_major or set(choices(mma.b)) != {32}:
        return
    yield Finding(
        "MV117",
        "B tiling too small. Increase swizzle or transpose the input.",
        "b",
        (FindingNote("b", "B is K-major with a 32-byte swizzle; one sparse instruction reads 64 bytes along K"),),
        ("use a 64-byte or 128-byte swizzle for B", "or store B as (K, N) and pass it without transpose"),
    )


@check(SparseMma, "MV205")
def transforms_present(mma: SparseMma) -> Iterable[Finding]:
    """An operand whose transforms the user chose has both a tiling and a swizzle."""
    if mma.target.semantics != "warpgroup":
        return  # in Lane semantics the transforms are part of the operand's chain
    for place, operand in (("a", mma.a), ("b", mma.b)):
        if operand.space != "smem" or not operand.smem_known or (operand.tiling and operand.swizzle):
            continue
        missing = "tiling" if not operand.tiling else "swizzle"
        if not operand.tiling and not operand.swizzle:
            missing = "tiling and swizzle"
        yield Finding(
            "MV205",
            f"operand `{place}` of an MMA needs a tiling and a swizzle, but its SMEM ref has no {missing}",
            place,
            (FindingNote(place, "layout inference would stop with 'Failed to infer a possible set of layouts'"),),
            (_allocate(operand),),
        )


def _allocate(operand: Operand) -> str:
    bits = bit_width(operand.element) if operand.element else None
    swizzle = operand.swizzle if operand.swizzle in SWIZZLES else 128
    if bits and operand.rank == 2 and operand.shape is not None:
        fits = [s for s in SWIZZLES if tile_divides(operand.shape, operand_tile(s, bits), bool(operand.transposed))]
        swizzle = operand.swizzle if operand.swizzle in fits else next(iter(fits), swizzle)
    tile = operand_tile(swizzle, bits or 16)
    return f"allocate it with transforms=(plgpu.TilingTransform({tile}), plgpu.SwizzleTransform({swizzle}))"


@check(SparseMma, "MV206")
def tiles(mma: SparseMma) -> Iterable[Finding]:
    """Tiles have 8 rows and are as wide as the swizzle; they divide what one group of instructions reads."""
    for place, operand in (("a", mma.a), ("b", mma.b)):
        found = list(_tile_of(place, operand, mma))
        yield from found
        if not found and mma.sparse:
            yield from _group_of(place, operand, mma)


def _tile_of(place: str, operand: Operand, mma: SparseMma) -> Iterable[Finding]:
    bits = bit_width(operand.element) if operand.element else None
    if operand.space != "smem" or operand.rank != 2 or operand.shape is None or bits is None:
        return
    if not operand.smem_known:
        if not operand.swizzle_candidates and operand.transposed is not None:
            tile = operand_tile(SWIZZLES[-1], bits)
            sides = tuple(reversed(tile)) if operand.transposed else tile
            yield Finding(
                "MV206",
                f"No valid tiling found for SMEM reference. {operand.shape} not divisible by candidate tiling {sides}",
                place,
                (FindingNote(place, f"this is the smallest tile that an MMA takes, of a {SWIZZLES[-1]}-byte swizzle"),),
            )
        return
    if not operand.tiling or not operand.swizzle:
        return  # MV205
    expected = operand_tile(operand.swizzle, bits)
    side = "lhs" if place == "a" else "rhs"
    if operand.swizzle not in SWIZZLES:
        yield Finding("MV206", "No swizzle is not supported", place, (), (_allocate(operand),))
    elif operand.tiling[-2:] != expected or len(operand.tiling) != 2:
        colon = "." if place == "a" else ""
        yield Finding(
            "MV206",
            f"MMA {side} tiling does not fit swizzle{colon} {side}_tiling={operand.tiling} expected={expected}",
            place,
            (
                FindingNote(
                    place, f"a {operand.swizzle}-byte swizzle of {operand.element} is {expected[1]} elements wide"
                ),
            ),
            (_allocate(operand),),
        )
    elif operand.transposed is not None and not tile_divides(operand.shape, expected, operand.transposed):
        yield Finding(
            "MV206",
            f"the tiling {expected} of operand `{place}` does not divide its shape {operand.shape}"
            + (" (transposed)" if operand.transposed else ""),
            place,
            (),
            (_allocate(operand),),
        )


def _group_of(place: str, operand: Operand, mma: SparseMma) -> Iterable[Finding]:
    """The conditions of `mma_utils.create_descriptor` that are left once the tile itself fits."""
    bits = bit_width(operand.element) if operand.element else None
    n, m = mma.n, mma.m
    if operand.space != "smem" or operand.transposed is None or bits is None or n is None or m is None:
        return
    k_major = mma.a_k_major if place == "a" else mma.b_k_major
    mn_group = m if place == "a" else min(n, 128 if mma.collective else 256)
    messages = []
    pairs = swizzle_pairs(mma) if mma.a.space == "smem" else [(b, b) for b in choices(mma.b)]
    a_bits = bit_width(mma.a.element) if mma.a.element else None
    if a_bits is None:
        return
    for a_swizzle, b_swizzle in pairs:
        swizzle = a_swizzle if place == "a" else b_swizzle
        wide = swizzle_elements(swizzle, bits)
        if not wide:
            return  # a swizzle that is none
        group = k_group(a_swizzle, b_swizzle, a_bits, sparse=mma.sparse, scale_block=scale_block(mma))
        k_in_group = group // 2 if place == "a" and mma.sparse else group
        k_tile, mn_tile = (wide, TILE_ROWS) if k_major else (TILE_ROWS, wide)
        if mn_group % mn_tile:
            messages.append(
                f"The M or N MMA instruction size was chosen to be {mn_group}, which is not a multiple of the tiling "
                f"of the non-contracting dimension {mn_tile}"
            )
        elif k_in_group % k_tile:
            messages.append(
                f"The K MMA instruction size was chosen to be {k_in_group}, which is not a multiple of the tiling "
                f"of the contracting dimension {k_tile}"
            )
        else:
            return
    if messages:
        yield Finding("MV206", messages[0], place, (), ("use a smaller swizzle", "or pad the operand to whole tiles"))


@check(SparseMma, "MV209")
def equal_swizzles(mma: SparseMma) -> Iterable[Finding]:
    """In Lane semantics A and B in SMEM have one swizzle; Warpgroup semantics does not ask for it."""
    a, b = mma.a, mma.b
    if mma.target.semantics != "lane" or a.space != "smem" or not a.swizzle or not b.swizzle or a.swizzle == b.swizzle:
        return
    smaller = min(a.swizzle, b.swizzle)
    common = max(smaller, 64) if mma.sparse and mma.b_k_major else smaller
    yield Finding(
        "MV209",
        f"MMA rhs swizzle must match lhs swizzle. lhs_swizzle={a.swizzle} rhs_swizzle={b.swizzle}",
        "b",
        (FindingNote("a", f"A has a {a.swizzle}-byte swizzle, B a {b.swizzle}-byte one"),),
        (
            f"use a {common}-byte swizzle for both",
            "or compile with lowering_semantics=plgpu.LoweringSemantics.Warpgroup, which takes different swizzles",
        ),
    )
