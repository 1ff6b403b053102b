"""One thing that is wrong, with the events that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "not-copied",
    "copied-after",
    "other-columns",
    "overwritten-source",
    "not-committed",
    "aliased",
    "other-thread",
    "overwritten-metadata",
    "peer-not-waited",
    "load-not-waited",
    "never-loaded",
    "never-observed",
    "never-arrives",
    "other-k",
]


@dataclass(frozen=True, slots=True)
class Violation:
    """A witness.

    Attributes:
      kind: what is wrong.
      place: of the MMA, copy or wait that it is about.
      others: (role, place) of the other events.
      iteration: of the loops around `place`, outermost first, counted from 0.
      other_iteration: of the loops around the first of `others`.
      detail: numbers and words for a message, by name.
    """

    kind: Kind
    place: str
    others: tuple[tuple[str, str], ...] = ()
    iteration: tuple[int, ...] = ()
    other_iteration: tuple[int, ...] = ()
    detail: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What makes two witnesses one finding."""
        return (self.kind, self.place)
