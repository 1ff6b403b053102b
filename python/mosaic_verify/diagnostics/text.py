"""Diagnostics as text, in the format of mlir-opt: location, message, source line, caret, notes."""

from __future__ import annotations

import re
from collections.abc import Callable

from mosaic_verify.diagnostics.diagnostic import NOTE, Diagnostic, Location
from mosaic_verify.diagnostics.source import Sources

_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LONGEST = 200  # characters of a source line; a kernel's bytecode in a custom call has 100 kB
_TAB = 8  # llvm::SMDiagnostic expands tabs to multiples of 8
_COLORS = {"error": "\033[0;1;31m", "warning": "\033[0;1;35m", "remark": "\033[0;1;34m", "note": "\033[0;1;30m"}
_BOLD, _GREEN, _RESET = "\033[1m", "\033[0;1;32m", "\033[0m"


class TextSink:
    """Writes each diagnostic with its notes.

    Args:
      write: takes text.
      sources: where source lines come from.
      color: whether to write terminal colours.
    """

    def __init__(self, write: Callable[[str], object], sources: Sources, color: bool = False):
        self._write, self._sources, self._color = write, sources, color

    def __call__(self, diagnostic: Diagnostic) -> None:
        self._write(render(diagnostic, self._sources, self._color))


def render(diagnostic: Diagnostic, sources: Sources | None, color: bool = False) -> str:
    """The text of one diagnostic; without source lines when `sources` is None.

    A note shows its source line only where its location differs from the one before.
    """

    def show(location: Location, severity: str, text: str, with_line: bool = True) -> None:
        parts.append(render_message(location, severity, text, sources if with_line else None, color))

    parts: list[str] = []
    location = diagnostic.location
    show(location, diagnostic.severity, diagnostic.text)
    for caller in location.callers:
        show(caller, NOTE, "called from")
    for note in diagnostic.notes:
        show(note.location, NOTE, note.message, note.location != location)
        location = note.location
    for fix in diagnostic.fixes:
        show(diagnostic.location, NOTE, f"fix: {fix}", False)
    return "".join(parts)


def render_message(
    location: Location,
    severity: str,
    text: str,
    sources: Sources | None = None,
    color: bool = False,
    end_column: int = 0,
) -> str:
    """One message with its source line and caret; `end_column` (exclusive) extends the caret with `~`."""
    if location.file is None and location.name:
        text = f'loc("{location.name}"): {text}'
    if color:
        head = f"{_BOLD}{location}: {_COLORS[severity]}{severity}: {_RESET}{_BOLD}{text}{_RESET}\n"
    else:
        head = f"{location}: {severity}: {text}\n"
    if sources is None or location.line < 1 or location.column < 1:
        return head
    line = sources.line(location.file, location.line)
    if line is None or location.column > len(line) + 1:
        return head
    column = _column(line, location)
    line, cut = _excerpt(_CONTROLS.sub("?", line), column)  # a terminal would obey control characters
    if not line.isascii():  # columns count bytes, so no caret can be placed
        return f"{head}{_expand(line, line)}\n"
    at = column - 1 - cut
    marks = " " * at + "^" + "~" * (min(end_column - 1 - cut, len(line)) - at - 1)
    caret = _expand(marks, line)
    return f"{head}{_expand(line, line)}\n{_GREEN + caret + _RESET if color else caret}\n"


def _column(line: str, location: Location) -> int:
    """Column 1 of an indented line of Python stands for the statement: where a function is, only its line is known."""
    indented = location.column == 1 and line[:1].isspace() and (location.file or "").endswith(".py")
    return len(line) - len(line.lstrip()) + 1 if indented else location.column


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """The part of a long line around a column, and by how much columns move to the left in it."""
    if len(line) <= _LONGEST:
        return line, 0
    start = max(0, min(column - 1 - _LONGEST // 2, len(line) - _LONGEST))
    head, tail = "..." if start else "", "..." if start + _LONGEST < len(line) else ""
    return f"{head}{line[start : start + _LONGEST]}{tail}", start - len(head)


def _expand(marks: str, line: str) -> str:
    """`marks` with the character under each tab of `line` repeated up to the next tab stop."""
    out: list[str] = []
    for index, mark in enumerate(marks):
        if index < len(line) and line[index] == "\t":
            mark = " " if mark == "\t" else mark
            out.extend(mark * (_TAB - len(out) % _TAB))
        else:
            out.append(mark)
    return "".join(out)


def wants_color(stream: object) -> bool:
    """True for a terminal, unless NO_COLOR is set or the terminal is dumb."""
    import os

    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
