"""What a rule says: a finding names places in facts, never IR."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FindingNote:
    """A further place and what it has to do with the finding. `place` "" is the fact itself."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation of one rule.

    Attributes:
      code: the rule, such as "MV111".
      message: MLIR style: lower case, no final period, the found and the wanted value. No code, no op name.
      place: path of the primary fact, such as "b", "metadata.chain[1]", "allocations[2]"; "" is the fact as a whole.
        Views map paths to locations; a path that a view does not know falls back to its nearest known prefix.
      notes: what else the user should look at, most useful first.
      fixes: texts that can be pasted or followed literally.
      severity: overrides the severity on the rule's page ("error", "warning", "remark"); None takes the page's.
    """

    code: str
    message: str
    place: str = ""
    notes: tuple[FindingNote, ...] = ()
    fixes: tuple[str, ...] = ()
    severity: str | None = None
