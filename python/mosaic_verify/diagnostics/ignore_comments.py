"""Comments that ignore findings on their line: `# mosaic-verify: ignore[MV207]`, in MLIR behind `//`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_MARK = "mosaic-verify:"
_COMMENT = re.compile(r"(?:#|//)[ \t]*mosaic-verify:[ \t]*ignore(?:\[([^\]]*)\])?")


class IgnoreComment(NamedTuple):
    """One comment. `patterns` are its codes, or "ALL" for one without brackets; `column` counts from 1."""

    patterns: tuple[str, ...]
    column: int
    explicit: bool


def read_comment(line: str) -> IgnoreComment | None:
    """The ignore comment of a line, if it has one."""
    match = _COMMENT.search(line) if _MARK in line else None
    if match is None:
        return None
    codes = match.group(1)
    if codes is None:
        return IgnoreComment(("ALL",), match.start() + 1, False)
    patterns = tuple(word for word in re.split(r"[,\s]+", codes) if word)
    return IgnoreComment(patterns, match.start() + 1, True)


def read_comments(lines: Iterable[str], first_line: int = 1) -> list[tuple[int, IgnoreComment]]:
    """All ignore comments with the numbers of their lines."""
    found = ((number, read_comment(line)) for number, line in enumerate(lines, first_line))
    return [(number, comment) for number, comment in found if comment is not None]
