"""What was said already."""

from __future__ import annotations

from dataclasses import replace

from mosaic_verify.diagnostics.diagnostic import Diagnostic


class Said:
    """Keeps a finding from being reported twice.

    Levels see the same operation at the same place, so what one level found is not repeated by another. One level may
    find the same code at one place several times (a line in a loop, a function with other shapes), if the text differs.
    """

    def __init__(self) -> None:
        self._said: dict[tuple[str, object], tuple[str, set[str]]] = {}

    def first(self, diagnostic: Diagnostic, level: str) -> bool:
        """True when this is news. A diagnostic without a code always is."""
        place = replace(diagnostic.location, callers=(), name="", column=0)
        said_by, messages = self._said.setdefault((diagnostic.code, place), (level, set()))
        if diagnostic.code and (said_by != level or diagnostic.message in messages):
            return False
        messages.add(diagnostic.message)
        return True
