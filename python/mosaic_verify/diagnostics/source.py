"""Lines of the files that diagnostics point into."""

from __future__ import annotations

import os
import sys


class Sources:
    """Texts by file name: those that were added, and readable files, which are loaded when a line is asked for."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str] | None] = {}
        self._texts: dict[str, str | bytes] = {}

    def add(self, file: str, text: str | bytes) -> None:
        """Registers the text of a file, such as standard input, whose name leads nowhere or whose text is at hand."""
        self._texts[file] = text
        self._lines.pop(file, None)

    def __contains__(self, file: str) -> bool:
        return file in self._texts

    def lines(self, file: str | None) -> list[str] | None:
        """All lines of a file without their ends; None when it cannot be read as a regular file."""
        if file is None:
            return None
        if file not in self._lines:
            self._lines[file] = _split(self._texts[file]) if file in self._texts else _read(file)
        return self._lines[file]

    def line(self, file: str | None, number: int) -> str | None:
        """One line, counted from 1; None where there is none."""
        lines = self.lines(file)
        if lines is None or not 1 <= number <= len(lines):
            return None
        return lines[number - 1].removesuffix("\r")


def _split(text: str | bytes) -> list[str]:
    return (text.decode("utf-8", errors="replace") if isinstance(text, bytes) else text).split("\n")


def _read(file: str) -> list[str] | None:
    if not os.path.isfile(file):
        cached = sys.modules["linecache"].cache.get(file) if "linecache" in sys.modules else None
        return [line.rstrip("\n") for line in cached[2]] if cached and len(cached) == 4 else None  # a notebook's cell
    try:
        with open(file, "rb") as stream:
            return _split(stream.read())
    except OSError:
        return None
