"""What was said already."""

from __future__ import annotations

from dataclasses import replace

from mosaic_verify.diagnostics.diagnostic import ERROR, REMARK, WARNING, Diagnostic

_WEIGHTS = {REMARK: 1, WARNING: 2, ERROR: 3}


class Said:
    """Keeps a finding from being reported twice.

    Levels see the same operation at the same place, so what one level found is not repeated by another. One level may
    find the same code at one place several times (a line in a loop, a function with other shapes), if the text differs,
    or if it is worse than before (one of several calls that a gradient makes of a line).
    """

    def __init__(self) -> None:
        self._said: dict[tuple[str, object], tuple[str, dict[str, int]]] = {}

    def first(self, diagnostic: Diagnostic, level: str) -> bool:
        """True when this is news. A diagnostic without a code always is."""
        place = replace(diagnostic.location, callers=(), name="", column=0)
        said_by, messages = self._said.setdefault((diagnostic.code, place), (level, {}))
        weight = _WEIGHTS.get(diagnostic.severity, 0)
        if diagnostic.code and (said_by != level or messages.get(diagnostic.message, -1) >= weight):
            return False
        messages[diagnostic.message] = weight
        return True
