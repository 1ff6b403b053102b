"""Checks of where the operands of a sparse MMA lie and of the accumulator: MV105, MV107 to MV109, MV128."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import Operand, SparseMma
from mosaic_verify.model.tmem_layout import default_layout, inferred_layout
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check
from mosaic_verify.rules.sparse_mma_metadata import allocated_note


def operands(mma: SparseMma) -> dict[str, Operand]:
    """The operands that are present, by place."""
    named = {
        "accumulator": mma.accumulator,
        "a": mma.a,
        "b": mma.b,
        "metadata": mma.metadata,
        "a_scale": mma.a_scale,
        "b_scale": mma.b_scale,
    }
    return {place: operand for place, operand in named.items() if operand is not None}


_SPACES = {
    "accumulator": (("tmem",), "The accumulator must be in TMEM, but got {}."),
    "a": (("tmem", "smem"), "The `a` input must be in TMEM or SMEM, but got {}."),
    "b": (("smem",), "The `b` input must be in SMEM, but got {}."),
    "a_scale": (("tmem",), "The `a_scale` input must be in TMEM, but got {}."),
    "b_scale": (("tmem",), "The `b_scale` input must be in TMEM, but got {}."),
}


@check(SparseMma, "MV105")
def spaces(mma: SparseMma) -> Iterable[Finding]:
    """Each operand has its memory space (the metadata's is MV104)."""
    if not mma.sparse:
        return
    for place, operand in operands(mma).items():
        if place in _SPACES and operand.space is not None and operand.space not in _SPACES[place][0]:
            yield Finding(
                "MV105", _SPACES[place][1].format(operand.space.upper()), place, allocated_note(operand, place)
            )


@check(SparseMma, "MV107")
def ranks(mma: SparseMma) -> Iterable[Finding]:
    """All operands are two-dimensional."""
    if not mma.sparse:
        return
    for place, operand in operands(mma).items():
        if operand.rank not in (None, 2):
            yield Finding(
                "MV107",
                f"operand `{place}` must be 2D, but got shape {operand.shape}",
                place,
                allocated_note(operand, place),
                ("index the leading dimensions: `ref.at[i]`",) if (operand.rank or 0) > 2 else (),
            )


@check(SparseMma, "MV108")
def accumulator_shape(mma: SparseMma) -> Iterable[Finding]:
    """The accumulator holds M rows and the columns of both CTAs."""
    if not mma.sparse or mma.m is None or mma.n is None or mma.accumulator.rank != 2:
        return
    expected = (mma.m, mma.n * (2 if mma.collective else 1))
    if mma.accumulator.shape != expected:
        yield Finding(
            "MV108",
            f"Accumulator shape mismatch: expected {expected}, got {mma.accumulator.shape}",
            "accumulator",
            (FindingNote("b", f"two CTAs share the accumulator's columns: each B has N={mma.n}"),)
            if mma.collective
            else (),
        )


@check(SparseMma, "MV109")
def accumulator_layout(mma: SparseMma) -> Iterable[Finding]:
    """Each accumulator element has a 32-bit cell of its own, also a 16-bit one."""
    layout = mma.accumulator.layout
    if not mma.sparse or layout is None or mma.accumulator.rank != 2 or mma.m != 128:
        return
    expected = default_layout()
    if layout != expected:
        packed = layout == default_layout(layout.packing)
        yield Finding(
            "MV109",
            f"Accumulator layout mismatch: expected {expected.attribute}, got {layout.attribute}",
            "accumulator",
            allocated_note(mma.accumulator, "accumulator"),
            ("allocate the accumulator with packed=False",)
            if packed
            else ("allocate the accumulator without a layout",),
        )


@check(SparseMma, "MV128")
def a_in_tmem(mma: SparseMma) -> Iterable[Finding]:
    """A in TMEM is packed: as many elements per 32-bit cell as fit."""
    a = mma.a
    bits = bit_width(a.element) if a.element else None
    if not mma.sparse or a.space != "tmem" or a.layout is None or a.rank != 2 or a.shape is None or bits is None:
        return
    expected = inferred_layout((a.shape[0], a.shape[1]), mma.collective, 32 // bits)
    if expected is not None and a.layout != expected:
        yield Finding(
            "MV128",
            f"A layout mismatch: expected {expected.attribute}, got {a.layout.attribute}",
            "a",
            allocated_note(a, "a"),
            ("allocate A with packed=True",),
        )
