"""Compares diagnostics with the `expected-*` designators of a test file (`--verify-diagnostics`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mosaic_verify.diagnostics.designators import Designator, read_designators
from mosaic_verify.diagnostics.diagnostic import ERROR, NOTE, Diagnostic, Location
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.text import render_message

SEE_CURRENT_OPERATION = "see current operation: "


class ExpectedVerifier:
    """A sink that matches each diagnostic and each of its notes with a designator on the line that it names.

    A designator is not used up. Notes that print the current operation, and fixes, take no part.

    Args:
      write: takes the text of what does not match.
      sources: gives lines; designators of other files are read from there when a diagnostic points into one.
      only_expected: ignore diagnostics that no designator expects.
    """

    def __init__(
        self, write: Callable[[str], object], sources: Sources, only_expected: bool = False, color: bool = False
    ):
        self._write, self._sources, self._only_expected, self._color = write, sources, only_expected, color
        self._files: dict[str, list[Designator]] = {}
        self.ok = True

    def add(self, file: str, text: str, first_line: int = 1) -> None:
        """Takes the designators of one file (or of one chunk of a split file), and reports malformed ones."""
        self._files[file], malformed = read_designators(file, text, first_line)
        for bad in malformed:
            self._fail(bad.location, bad.message, bad.end_column)

    def __call__(self, diagnostic: Diagnostic) -> None:
        self._match(diagnostic.severity, diagnostic.location, diagnostic.text)
        for note in diagnostic.notes:
            if not note.message.startswith(SEE_CURRENT_OPERATION):
                self._match(NOTE, note.location, note.message)

    def finish(self) -> bool:
        """Reports what was expected and not produced. Returns True when everything matched."""
        for designators in self._files.values():
            for designator in designators:
                if not designator.found:
                    message = f'expected {designator.severity} "{designator.text}" was not produced'
                    where = Location() if designator.line is None else designator.location
                    self._fail(where, message, designator.end_column)
        return self.ok

    def _match(self, severity: str, location: Location, message: str) -> None:
        near_miss: Designator | None = None
        for designator in sorted(self._candidates(location), key=lambda candidate: candidate.found):
            if designator.matches(message):
                if designator.severity == severity:
                    designator.found = True
                    return
                near_miss = designator
        if self._only_expected:
            return
        if near_miss is not None:
            message = f"'{severity}' diagnostic emitted when expecting a '{near_miss.severity}'"
            self._fail(near_miss.location, message, near_miss.end_column)
        else:
            self._fail(location, f"unexpected {severity}: {message}")

    def _candidates(self, location: Location) -> list[Designator]:
        if location.file is None:
            return [each for designators in self._files.values() for each in designators if each.line is None]
        if location.file not in self._files:
            lines = self._sources.lines(location.file)
            self.add(location.file, "\n".join(lines or ()))
        return [each for each in self._files[location.file] if each.line == location.line]

    def _fail(self, location: Location, message: str, end_column: int = 0) -> None:
        self.ok = False
        self._write(render_message(location, ERROR, message, self._sources, self._color, end_column))


def without_current_operation(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic without MLIR's notes that print the operation at hand."""
    kept = tuple(note for note in diagnostic.notes if not note.message.startswith(SEE_CURRENT_OPERATION))
    return replace(diagnostic, notes=kept)
