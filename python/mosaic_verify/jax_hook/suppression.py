"""What is not reported: `ignore=`, MOSAIC_VERIFY_IGNORE, and `[tool.mosaic-verify]` above the program.

The configuration is the one above the file that is checked (`configured_from`), else above the script that runs, else
above the working directory.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache

from mosaic_verify.diagnostics.config import ConfigError, configured_suppression, find_configuration, read_codes
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.jax_hook.policy import warn_once


class _FreshSources(Sources):
    """Source lines that are read again when a file has changed: programs run long, and notebooks edit modules."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: dict[str, int] = {}

    def lines(self, file: str | None) -> list[str] | None:
        if file is not None:
            try:
                changed = os.stat(file).st_mtime_ns
            except OSError:
                changed = 0
            if self._changed.get(file) != changed:
                self._changed[file] = changed
                self._lines.pop(file, None)
        return super().lines(file)


_sources = _FreshSources()
_start: ContextVar[str | None] = ContextVar("mosaic_verify_configuration", default=None)
_used_comments: ContextVar[set[tuple[str, int, str]] | None] = ContextVar("mosaic_verify_used_comments", default=None)


@contextlib.contextmanager
def configured_from(start: str, used_comments: set[tuple[str, int, str]] | None = None) -> Iterator[None]:
    """In this thread, the configuration is the one above `start`, a file or folder.

    `used_comments` takes (file, line, pattern) of each ignore comment that was of use.
    """
    tokens = _start.set(os.path.abspath(start)), _used_comments.set(used_comments)
    try:
        yield
    finally:
        _start.reset(tokens[0])
        _used_comments.reset(tokens[1])


def check_codes(ignore: tuple[str, ...]) -> tuple[str, ...]:
    """`ignore` itself. Raises ValueError with one line for a code that matches no rule."""
    read_codes(ignore, "ignore")
    return ignore


def make_suppression(ignore: tuple[str, ...], sources: Sources = _sources) -> Suppression:
    """The suppression for one session, lowering or call. A configuration that makes no sense is warned about once.

    `sources`: where lines with comments come from, if not from files.
    """
    starts = (_start.get(),) if _start.get() is not None else (_script(), _working_directory())
    found = _configured(ignore, tuple(filter(None, starts)), os.environ.get("MOSAIC_VERIFY_IGNORE", ""))
    # A new object: it records what was used.
    return Suppression(
        found.select,
        found.ignore,
        found.werror,
        standing_ignore=found.standing_ignore,
        severity=found.severity,
        per_file_ignores=found.per_file_ignores,
        folder=found.folder,
        sources=sources,
        used_comments=_used_comments.get(),
    )


@lru_cache(maxsize=64)
def _configured(ignore: tuple[str, ...], starts: tuple[str, ...], environment: str) -> Suppression:
    """Keyed by everything that it depends on but the configuration file, which is read once.

    The first of `starts` that has a configuration above it counts.
    """
    try:
        start = next((each for each in starts if find_configuration(each)[0] is not None), os.sep)
        return configured_suppression(start, ignore=ignore)
    except ConfigError as error:
        warn_once(f"configuration:{error}", f"{error}; the configuration is not used")
        return Suppression(ignore=ignore)


def _script() -> str | None:
    """The file that Python runs; None in an interpreter or a notebook."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.abspath(file) if isinstance(file, str) else None


def _working_directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None
