"""What the commands share on the console: one-line complaints, colours, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TextIO

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


class UsageError(Exception):
    """The command cannot run; the text is one line for the user, exit code 2."""


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"mosaic-verify: {' '.join(text.split())}", file=sys.stderr)


def suggest(word: str, candidates: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, or nothing."""
    close = get_close_matches(word, list(candidates), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def has_colours(stream: TextIO) -> bool:
    """Colours go to terminals only, and never when NO_COLOR is set (https://no-color.org) or TERM is "dumb"."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, *styles: str, stream: TextIO) -> str:
    """`text` in styles of `_STYLES` when `stream` shows colours."""
    if not has_colours(stream):
        return text
    return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"


class Progress:
    """A line on standard error that says what is being done; only on a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def show(self, text: str) -> None:
        if self._shown:
            print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
