"""Rules about how a kernel's metadata operand is laid out."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.metadata_format import BITS_8, BITS_16, ROW_MAJOR
from mosaic_verify.model.metadata_format_classify import Laid
from mosaic_verify.model.metadata_format_facts import MetadataOperand, Region
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check

_FORMAT = "plgpu.format_tcgen05_sparse_metadata"
_WIDTH = {BITS_16: "16-bit operands", BITS_8: "8-bit operands"}


@check(MetadataOperand, "MV301", "MV305", "MV306", "MV308", "MV310", "MV311")
def layout(operand: MetadataOperand) -> Iterator[Finding]:
    """One finding at most: what is wrong with the type explains what is wrong with the layout."""
    if operand.element and bit_width(operand.element) != 2:
        yield Finding(
            "MV301",
            f"metadata operand {operand.index} has elements of type {operand.element}, but the kernel reads 2-bit ones",
            fixes=("meta.astype(jnp.uint2), with positions 0..3 as values",),
        )
        return
    found = _judge(operand)
    if found is not None:
        yield found
    elif operand.region and operand.a_region and operand.region != operand.a_region:
        yield Finding(
            "MV311",
            f"metadata operand {operand.index} describes {_region(operand.region)}, but A is "
            f"{_region(operand.a_region)} of a matrix of the same size",
            notes=(FindingNote("source", f"the metadata comes from {operand.source}"),),
        )


def _judge(operand: MetadataOperand) -> Finding | None:
    """What is to be said about the layout; None when it is the one that the kernel needs."""
    wanted = operand.wanted
    if operand.unknown or wanted is None:
        return _unknown(operand, operand.unknown or _no_width(operand))
    right = [laid for laid in operand.laid if wanted in laid.formats]
    if any(laid.in_order for laid in right):
        return None
    if right:
        reason = f"its tiles are in the {wanted} format, but in another order than the rows and columns of "
        return _unknown(operand, reason + _name(operand, right[0]))
    wrong = next((laid for laid in operand.laid if laid.logical and laid.formats), None)
    if wrong is not None:
        return _mismatch(operand, wrong, wanted)
    if any(_is_whole(operand, laid) and not laid.formats for laid in operand.laid):
        return _other(operand, wanted)
    shown = f"{operand.source} does not show rows and groups"
    if operand.source_is_tiles:
        shown = f"{operand.source} already has the shape of tiles"
    return _unknown(operand, shown)


def _is_whole(operand: MetadataOperand, laid: Laid) -> bool:
    """Pairs by row and group, with as many groups per row as the tiles: others may be stored by group."""
    per_row = operand.shape[-3] * operand.shape[-1] if len(operand.shape) == 4 else laid.entries
    return laid.logical and len(laid.source.shape) >= 3 and laid.entries == per_row


def _mismatch(operand: MetadataOperand, laid: Laid, wanted: str) -> Finding:
    index, kind = operand.index, _kinds(operand)
    other = BITS_8 if wanted == BITS_16 else BITS_16
    from_where = FindingNote("source", f"the metadata comes from {operand.source}")
    if other in laid.formats and (operand.transposed or ROW_MAJOR not in laid.formats):
        return Finding(
            "MV305",
            f"metadata operand {index} is laid out for {_WIDTH[other]}, but the kernel multiplies {operand.bits}-bit "
            f"ones ({kind})",
            notes=(
                FindingNote("layout", f"laid out in the {other} format here; half of the entries land in other places"),
                from_where,
            ),
            fixes=(f"{_FORMAT}(meta, a.dtype), where a is the {operand.bits}-bit operand",),
        )
    return Finding(
        "MV306",
        f"metadata operand {index} is not laid out: its entries are in row-major order, but the kernel needs the "
        f"{wanted} format ({kind})",
        notes=(FindingNote("layout", "only reshaped here"), from_where),
        fixes=(f"{_FORMAT}(meta, a.dtype), where a is the {operand.bits}-bit operand",),
    )


def _other(operand: MetadataOperand, wanted: str) -> Finding:
    return Finding(
        "MV310",
        f"metadata operand {operand.index} is laid out in no format of sparse metadata, but the kernel needs the "
        f"{wanted} format ({_kinds(operand)})",
        notes=(
            FindingNote("layout", "laid out here"),
            FindingNote("source", f"the metadata comes from {operand.source}"),
        ),
        fixes=(f"{_FORMAT}(meta, a.dtype) instead of other reshapes and transpositions",),
    )


def _unknown(operand: MetadataOperand, reason: str) -> Finding:
    return Finding(
        "MV308",
        f"cannot tell whether metadata operand {operand.index} is laid out as the kernel needs it: {reason}",
        notes=(FindingNote("source", f"the metadata comes from {operand.source}"),) if operand.source else (),
    )


def _no_width(operand: MetadataOperand) -> str:
    if not operand.kinds:
        return "the kernel has no sparse MMA"
    if len(operand.kinds) == 1:
        return f"no format is known for {_kinds(operand)}"
    return f"the kernel has sparse MMAs of several kinds ({', '.join(operand.kinds)})"


def _name(operand: MetadataOperand, laid: Laid) -> str:
    return operand.source if laid.source.kind == "root" else f"the {_shape(laid.source.shape)} value behind it"


def _kinds(operand: MetadataOperand) -> str:
    return ", ".join(f"kind::{kind}" for kind in operand.kinds)


def _region(region: Region) -> str:
    rows, columns = region.rows, region.columns
    return f"rows {rows[0]} to {rows[1] - 1} and K {columns[0]} to {columns[1] - 1}"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "()"
