"""Select, ignore and severity of codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mosaic_verify.diagnostics.diagnostic import ERROR, WARNING, Diagnostic


def matches(code: str, patterns: Iterable[str]) -> bool:
    """True when a pattern is the code or a prefix of it ("MV7" matches "MV701"); "ALL" matches every code."""
    return any(code.startswith(pattern) or pattern == "ALL" for pattern in patterns)


@dataclass(frozen=True)
class Suppression:
    """What is shown. `select` empty means all; `werror` None means never, empty means every warning."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    werror: tuple[str, ...] | None = None

    def apply(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """The diagnostic as it is to be shown, or None when it is suppressed. What has no code is always shown."""
        code = diagnostic.code
        if code and (matches(code, self.ignore) or (self.select and not matches(code, self.select))):
            return None
        if (
            diagnostic.severity == WARNING
            and self.werror is not None
            and (not self.werror or matches(code, self.werror))
        ):
            return replace(diagnostic, severity=ERROR)
        return diagnostic
