"""What of a kernel nobody here knows: MV904."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A primitive, or a class of ref transforms, by name."""

    kind: Literal["primitive", "transform"]
    name: str


@check(UnknownPart, "MV904")
def unknown_part(part: UnknownPart) -> Iterable[Finding]:
    """Not wrong, but what depends on it is not verified."""
    what = "primitive" if part.kind == "primitive" else "class of ref transforms"
    yield Finding("MV904", f"unknown {what} '{part.name}': what depends on it is not verified")
