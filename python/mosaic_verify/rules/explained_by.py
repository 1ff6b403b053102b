"""One cause, one error: which findings explain which others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from mosaic_verify.model.facts import Kernel, Operand
from mosaic_verify.rules.finding import Finding, FindingNote

Scope = Literal["operand", "op", "metadata", "kernel"]


@dataclass(frozen=True, slots=True)
class Explains:
    """A finding with one of `causes` silences findings with one of `effects`.

    Attributes:
      scope: how near the effect must be: at the same "operand" of the same op, at the same "op", at the same op and at
        all ops that use the same "metadata" allocation, or anywhere in the "kernel".
      at: operands at which the cause must be, () for any.
    """

    causes: tuple[str, ...]
    effects: tuple[str, ...]
    scope: Scope
    at: tuple[str, ...] = ()


_CHAIN = ("MV201", "MV202", "MV203", "MV204", "MV208")
_COPY = ("MV130", "MV131", "MV132")
_FLOW = tuple(f"MV7{number:02}" for number in range(1, 15))
_METADATA = ("MV101", "MV103")

EXPLAINED_BY: tuple[Explains, ...] = (
    # A ref that is transformed in a way that the op does not take has no shape, layout or place to speak of.
    Explains((*_CHAIN, "MV207"), ("MV101", "MV103", "MV104", "MV107", "MV207"), "operand", ("metadata",)),
    Explains((*_CHAIN, "MV207"), _FLOW, "metadata", ("metadata", "source", "destination")),
    Explains((*_CHAIN, "MV207"), ("MV103", *_COPY, "MV207"), "op", ("source", "destination")),
    Explains(
        _CHAIN, ("MV105", "MV107", "MV110", "MV113", "MV205", "MV206", "MV209", "MV117", "MV128"), "op", ("a", "b")
    ),
    Explains(_CHAIN, ("MV105", "MV107", "MV108", "MV109"), "operand", ("accumulator",)),
    Explains(_CHAIN, ("MV120", "MV121", "MV122", "MV124", "MV125", "MV107"), "operand", ("a_scale", "b_scale")),
    # An element type decides about widths, and with them about layouts, tiles and columns.
    Explains(("MV102",), (*_METADATA, *_COPY, *_FLOW), "metadata"),
    Explains(("MV102",), ("MV601",), "kernel"),
    Explains(("MV131",), ("MV103", "MV130", "MV132", *_FLOW), "op"),
    Explains(
        ("MV114", "MV140"),
        ("MV101", "MV106", "MV112", "MV115", "MV117", "MV118", "MV120", "MV122", "MV124", "MV128", "MV206", "MV209"),
        "op",
    ),
    Explains(("MV114", "MV140"), ("MV601",), "kernel"),
    Explains(("MV116",), ("MV112", "MV115", "MV117", "MV206"), "op"),
    Explains(("MV116",), ("MV140",), "op"),
    # An M that no sparse instruction has.
    Explains(("MV110",), (*_METADATA, *_COPY), "metadata"),
    Explains(("MV110",), ("MV108", "MV109", "MV120", "MV125", "MV128", "MV206"), "op"),
    # Operands that are no matrices, or lie elsewhere.
    Explains(("MV104", "MV107"), ("MV101", "MV102", "MV103", *_COPY, *_FLOW), "metadata", ("metadata",)),
    Explains(("MV107",), ("MV104", "MV105"), "operand"),
    Explains(("MV105",), ("MV109", "MV125", "MV128", "MV205", "MV206", "MV117"), "operand"),
    # K and K / 2: every other condition on K would be measured with one of two contradicting sizes.
    Explains(("MV113",), ("MV101", "MV106", "MV112", "MV120", "MV122", "MV124", "MV206"), "op"),
    Explains(("MV106", "MV141"), ("MV101",), "op"),
    Explains(("MV106",), ("MV130",), "metadata"),
    # Tiles.
    Explains(("MV117",), ("MV206",), "operand"),
    Explains(("MV205", "MV206"), ("MV117", "MV209"), "op"),
    Explains(("MV112",), ("MV120", "MV122", "MV206"), "op"),
    Explains(("MV120", "MV124"), ("MV122",), "op"),
    Explains(("MV118", "MV111"), ("MV206",), "operand"),
    # Copies.
    Explains(("MV130",), ("MV132",), "op"),
    Explains((*_COPY, "MV101"), _FLOW, "metadata"),
    Explains(("MV201",), ("MV132",), "op", ("source",)),
    Explains(("MV133",), (*_COPY, "MV103", *_FLOW), "op"),
    # One wrong allocation shows at the copy and at the MMA.
    Explains(("MV103",), ("MV103",), "metadata", ("metadata",)),
    Explains(("MV103",), _FLOW, "metadata"),
    # A copy in the wrong place is not covered by the commit behind its MMA either.
    Explains(("MV702", "MV707"), ("MV704",), "metadata"),
    # Flags that contradict each other: for which CTA an op runs is anybody's guess.
    Explains(("MV602", "MV604", "MV605", "MV606"), _FLOW, "kernel"),
    # Memory of the kernel.
    Explains(("MV602",), ("MV604",), "kernel"),
    Explains(("MV605",), ("MV606",), "kernel"),
)

_PLACE = re.compile(r"(?P<op>(?:mmas|copies|other_copies|commits)\[\d+\])(?:\.(?P<operand>\w+))?")


def explain(kernel: Kernel, findings: Iterable[Finding]) -> list[Finding]:
    """The findings that are causes, each with a note for every finding that it explains.

    Places are paths into `kernel`. Of two findings with one code at one place the first is kept.
    """
    unique: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        unique.setdefault((finding.code, finding.place), finding)
    found = list(unique.values())
    cause_of: dict[int, int] = {}
    for number, effect in enumerate(found):
        for other, cause in enumerate(found):
            if other != number and cause_of.get(other) != number and _explains(kernel, cause, effect):
                cause_of[number] = other
                break
    notes: dict[int, list[FindingNote]] = {}
    for number, cause in cause_of.items():
        root, seen = cause, {number}
        while root in cause_of and root not in seen:
            seen.add(root)
            root = cause_of[root]
        notes.setdefault(root, []).append(FindingNote(found[number].place, f"also: {found[number].message}"))
    return [
        replace(finding, notes=(*finding.notes, *notes.get(number, ())))
        for number, finding in enumerate(found)
        if number not in cause_of
    ]


def _explains(kernel: Kernel, cause: Finding, effect: Finding) -> bool:
    if cause.severity == "warning" and effect.severity != "warning":
        return False  # what lets the program compile does not explain why it does not
    return any(
        cause.code in row.causes and effect.code in row.effects and _near(kernel, cause.place, effect.place, row)
        for row in EXPLAINED_BY
    )


def _near(kernel: Kernel, cause: str, effect: str, row: Explains) -> bool:
    if row.scope == "kernel":
        return True
    here, there = _PLACE.match(cause), _PLACE.match(effect)
    if here is None or there is None or (row.at and here["operand"] not in row.at):
        return False
    if here["op"] == there["op"]:
        return row.scope != "operand" or here["operand"] == there["operand"]
    return row.scope == "metadata" and not _metadata_of(kernel, here["op"]).isdisjoint(
        _metadata_of(kernel, there["op"])
    )


def _metadata_of(kernel: Kernel, op: str) -> set[int]:
    """Indices of the allocations that an op uses as metadata."""
    kind, _, number = op[:-1].partition("[")
    return {ref.allocation.index for ref in _metadata_refs(kernel, kind, int(number)) if ref.allocation is not None}


def _metadata_refs(kernel: Kernel, kind: str, number: int) -> Iterator[Operand]:
    if kind == "mmas" and (metadata := kernel.mmas[number].metadata) is not None:
        yield metadata
    elif kind == "copies":
        yield kernel.copies[number].destination
