"""The engine between whoever finds something and whoever shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic, Location, Note, Report, Rewrite
from mosaic_verify.diagnostics.suppression import Suppression

if TYPE_CHECKING:
    from mosaic_verify.rules.finding import Finding

Sink = Callable[[Diagnostic], None]


class Engine:
    """Collects diagnostics and rewrites of one run into a `Report`, after suppression.

    Args:
      suppression: what is selected, ignored or raised to an error; None lets everything pass.
      sinks: called with each diagnostic that was not suppressed, in order.

    Attributes:
      report: what was collected.
      suppression: what it was made with.
      errors: number of errors so far.
      files: names by which the user knows files that locations name otherwise, such as {"-": "kernel.mlir"}.
    """

    def __init__(self, suppression: Suppression | None = None, *sinks: Sink):
        self.report = Report()
        self.errors = 0
        self.files: dict[str | None, str] = {}
        self.suppression = suppression or Suppression()
        self._sinks = sinks

    def emit(self, diagnostic: Diagnostic) -> bool:
        """Takes one diagnostic. Returns True when it was not suppressed."""
        shown = self.suppression.apply(rename_files(diagnostic, self.files) if self.files else diagnostic)
        if shown is None:
            return False
        self.report.diagnostics.append(shown)
        self.errors += shown.severity == ERROR
        for sink in self._sinks:
            sink(shown)
        return True

    def report_finding(self, finding: Finding, locations: Mapping[str, Location], op: str = "") -> bool:
        """Turns a finding into a diagnostic; `locations` maps places ("" at least) to locations. Returns as `emit`."""
        from mosaic_verify.rules.page import load_rule  # only a run with findings pays for reading pages

        rule = load_rule(finding.code)
        notes = tuple(Note(note.text, locate(note.place, locations)) for note in finding.notes)
        return self.emit(
            Diagnostic(
                severity=finding.severity or rule.severity,
                message=finding.message,
                location=locate(finding.place, locations),
                code=finding.code,
                rule=rule.name,
                op=op,
                notes=notes,
                fixes=finding.fixes,
            )
        )

    def ignores(self, code: str, location: Location) -> bool:
        """Whether a finding of this code would not be shown there: who ignores it does not want it repaired either."""
        from mosaic_verify.rules.page import load_rule

        rule = load_rule(code)
        finding = Diagnostic(rule.severity, "", _rename(location, self.files), code, rule.name)
        return self.suppression.apply(finding) is None

    def rewrote(self, rewrite: Rewrite) -> None:
        """Records one rewrite."""
        self.report.rewrites.append(replace(rewrite, location=_rename(rewrite.location, self.files)))

    @property
    def failed(self) -> bool:
        """True when an error was emitted."""
        return self.errors > 0


def locate(place: str, locations: Mapping[str, Location]) -> Location:
    """The location of a place, or of its nearest known prefix ("metadata.chain[1]" -> "metadata" -> "")."""
    while place not in locations and place:
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return locations.get(place, Location())


def rename_files(diagnostic: Diagnostic, files: Mapping[str | None, str]) -> Diagnostic:
    """The same diagnostic with files renamed in all of its locations."""
    notes = tuple(replace(note, location=_rename(note.location, files)) for note in diagnostic.notes)
    return replace(diagnostic, location=_rename(diagnostic.location, files), notes=notes)


def _rename(location: Location, files: Mapping[str | None, str]) -> Location:
    if location.file not in files and not location.callers:
        return location
    callers = tuple(_rename(caller, files) for caller in location.callers)
    return replace(location, file=files.get(location.file, location.file), callers=callers)


def with_severity(diagnostic: Diagnostic, severity: str) -> Diagnostic:
    """The same diagnostic with another severity."""
    return replace(diagnostic, severity=severity)
