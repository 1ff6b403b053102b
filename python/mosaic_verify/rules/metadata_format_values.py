"""Rules about the values of sparse metadata that are known before the program runs."""

from __future__ import annotations

from collections.abc import Iterator

import mosaic_verify.rules.metadata_format
import mosaic_verify.rules.metadata_format_array  # noqa: F401  (what is wrong with types and layout comes first)
from mosaic_verify.model.metadata_format_facts import ConstantPairs, MetadataArray, MetadataOperand
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check


@check(MetadataOperand, "MV307", "MV312")
def operand_values(operand: MetadataOperand) -> Iterator[Finding]:
    """Values of a constant behind a kernel's operand."""
    if operand.constant is not None:
        yield from _values(operand.constant, f"metadata operand {operand.index}", "source")


@check(MetadataArray, "MV307", "MV312")
def array_values(array: MetadataArray) -> Iterator[Finding]:
    """Values of an array in Python."""
    if array.constant is not None:
        yield from _values(array.constant, "metadata", "")


def _values(constant: ConstantPairs, what: str, place: str) -> Iterator[Finding]:
    if constant.out_of_range is not None:
        index, value = constant.out_of_range
        yield Finding(
            "MV312",
            f"{what} holds {value} at row-major index {index}, but positions inside a group are 0 to 3",
            place,
        )
        return
    faults = constant.faults
    if faults is None:
        return
    shown = ", ".join(
        f"({low}, {high}) at {_position(position, constant.logical)}"
        for (_, low, high), position in zip(faults.first, constant.positions, strict=True)
    )
    more = ", ..." if faults.count > len(faults.first) else ""
    kinds = " and ".join(
        f"{count} {name}" for count, name in ((faults.equal, "equal"), (faults.descending, "descending")) if count
    )
    noun = "pair" if faults.count == 1 else "pairs"
    yield Finding(
        "MV307",
        f"{what} has {faults.count} invalid index {noun} ({kinds}): {shown}{more}; the two positions of a group must "
        "be ascending",
        place,
        notes=(FindingNote("", "the hardware multiplies with elements that it selects by these positions"),),
    )


def _position(position: tuple[int, ...], logical: bool) -> str:
    if logical:
        return f"row {position[0]}, group {position[1]}"
    return f"[{', '.join(map(str, position))}]"
