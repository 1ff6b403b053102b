"""What is shown, and how severe it is: select, ignore, comments in the source, severities."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mosaic_verify.diagnostics.diagnostic import ERROR, REMARK, WARNING, Diagnostic, Location
from mosaic_verify.diagnostics.ignore_comments import read_comment, read_comments
from mosaic_verify.diagnostics.source import Sources

UNUSED_IGNORE = ("MV990", "unused-ignore")
OFF = "ignore"  # as a severity


def matches(code: str, patterns: Iterable[str], rule: str = "") -> bool:
    """True when a pattern is the code, a prefix of it ("MV7" matches "MV701"), the rule's name, or "ALL"."""
    return any(_specificity(code, rule, pattern) for pattern in patterns)


class Suppression:
    """Decides about each diagnostic. A diagnostic without a code (MLIR's own) can only be raised by `werror`.

    Attributes:
      select: patterns of what is shown; empty means all. A longer pattern wins over a shorter one in `ignore`.
      ignore: patterns of what is not shown; one that matched nothing is in `unused()`.
      werror: None never, empty every warning, else patterns of warnings that become errors.
      standing_ignore: as `ignore`, for what a project always ignores: never in `unused()`.
      severity: patterns with "error", "warning", "remark" or "ignore"; the longest that matches counts.
      per_file_ignores: (glob, patterns) relative to `folder`; the glob is matched against paths and base names.
      folder: the folder of the configuration file.
      sources: where the lines with comments come from.
      used_comments: (file, line, pattern) of each ignore comment that was of use. Several suppressions may share it.
      comments: False where comments in the source do not count.
    """

    def __init__(
        self,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        werror: tuple[str, ...] | None = None,
        *,
        standing_ignore: tuple[str, ...] = (),
        severity: Mapping[str, str] | None = None,
        per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = (),
        folder: str = "",
        sources: Sources | None = None,
        used_comments: set[tuple[str, int, str]] | None = None,
        comments: bool = True,
    ):
        self.select, self.ignore, self.werror = select, ignore, werror
        self.standing_ignore, self.severity = standing_ignore, severity or {}
        self.per_file_ignores, self.folder = per_file_ignores, folder
        self.sources = Sources() if sources is None else sources
        self.comments = comments
        self._used: set[str] = set()
        self.used_comments: set[tuple[str, int, str]] = set() if used_comments is None else used_comments

    def apply(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """The diagnostic as it is to be shown, or None when it is suppressed."""
        code, rule, severity = diagnostic.code, diagnostic.rule, diagnostic.severity
        if code:
            if self._ignored(diagnostic):
                return None
            pattern = max(self.severity, key=lambda each: _specificity(code, rule, each), default="")
            if pattern and _specificity(code, rule, pattern):
                severity = self.severity[pattern]
        if severity == WARNING and self.werror is not None and (not self.werror or matches(code, self.werror, rule)):
            severity = ERROR
        return diagnostic if severity == diagnostic.severity else replace(diagnostic, severity=severity)

    def unused(self) -> list[Diagnostic]:
        """A remark for each pattern of `ignore` that matched nothing so far."""
        return [
            _unused(f"ignored code '{pattern}' matched nothing", Location())
            for pattern in dict.fromkeys(self.ignore)
            if pattern not in self._used and not matches(UNUSED_IGNORE[0], (pattern,))
        ]

    def unused_comments(self, file: str, first_line: int = 1, last_line: int | None = None) -> list[Diagnostic]:
        """A remark for each code of an ignore comment in these lines of `file` that matched nothing so far."""
        lines = self.sources.lines(file) or []
        found: list[Diagnostic] = []
        for number, comment in read_comments(lines[first_line - 1 : last_line], first_line):
            for pattern in comment.patterns:
                shown = f"`ignore[{pattern}]`" if comment.explicit else "`ignore`"
                if not _exists(pattern):
                    unknown = f"{shown} has no effect: there is no rule with this code or name"
                    found.append(_unused(unknown, Location(file, number, comment.column)))
                    continue
                enabled = pattern == "ALL" or not self._ignored_by_patterns(pattern, pattern)
                if enabled and (file, number, pattern) not in self.used_comments:
                    found.append(_unused(f"{shown} matched nothing", Location(file, number, comment.column)))
        return found

    def _ignored(self, diagnostic: Diagnostic) -> bool:
        code, rule = diagnostic.code, diagnostic.rule
        self._used.update(pattern for pattern in self.ignore if _specificity(code, rule, pattern))
        by_comment = self._ignored_by_comment(diagnostic)  # asked in any case: it notes which comments are of use
        return by_comment or self._ignored_by_patterns(code, rule) or self._ignored_by_file(diagnostic)

    def _ignored_by_patterns(self, code: str, rule: str) -> bool:
        selected = max((_specificity(code, rule, each) for each in self.select), default=0)
        ignored = max((_specificity(code, rule, each) for each in (*self.ignore, *self.standing_ignore)), default=0)
        off = max((_specificity(code, rule, each) for each, what in self.severity.items() if what == OFF), default=0)
        return (max(ignored, off) > 0 and max(ignored, off) >= selected) or (bool(self.select) and not selected)

    def _ignored_by_file(self, diagnostic: Diagnostic) -> bool:
        file = diagnostic.location.file
        if file is None or not self.per_file_ignores:
            return False
        from fnmatch import fnmatch

        path = os.path.abspath(file)
        return any(
            matches(diagnostic.code, patterns, diagnostic.rule)
            and (fnmatch(path, os.path.join(self.folder, glob)) or fnmatch(os.path.basename(path), glob))
            for glob, patterns in self.per_file_ignores
        )

    def _ignored_by_comment(self, diagnostic: Diagnostic) -> bool:
        file, line = diagnostic.location.file, diagnostic.location.line
        text = self.sources.line(file, line) if self.comments else None
        comment = read_comment(text) if text is not None else None
        if comment is None or file is None:
            return False
        hits = [each for each in comment.patterns if _specificity(diagnostic.code, diagnostic.rule, each)]
        self.used_comments.update((file, line, pattern) for pattern in hits)
        return bool(hits)


def _specificity(code: str, rule: str, pattern: str) -> int:
    """0 when the pattern does not match, else the more the longer it is; a rule's name counts as its code."""
    if pattern == "ALL":
        return 1
    if rule and pattern == rule:
        return 1 + len(code)
    return 1 + len(pattern) if pattern and code.startswith(pattern) else 0


def _exists(pattern: str) -> bool:
    from mosaic_verify.rules.page import all_rules

    return pattern in ("ALL", "MV") or any(_specificity(rule.code, rule.name, pattern) for rule in all_rules())


def _unused(message: str, location: Location) -> Diagnostic:
    code, rule = UNUSED_IGNORE
    return Diagnostic(REMARK, message, location, code=code, rule=rule)
