"""Diagnostics as JSON lines: one object per diagnostic."""

from __future__ import annotations

from collections.abc import Callable

from mosaic_verify.diagnostics.diagnostic import Diagnostic, Location, Rewrite


class JsonSink:
    """Writes each diagnostic as one line of JSON."""

    def __init__(self, write: Callable[[str], object]):
        self._write = write

    def __call__(self, diagnostic: Diagnostic) -> None:
        import json

        self._write(json.dumps(to_dict(diagnostic)) + "\n")


def to_dict(diagnostic: Diagnostic) -> dict[str, object]:
    """A diagnostic as plain values. `file` is None and `line` 0 where the location is unknown."""
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code or None,
        "rule": diagnostic.rule or None,
        "op": diagnostic.op or None,
        "message": diagnostic.message,
        **_place(diagnostic.location),
        "callers": [_place(caller) for caller in diagnostic.location.callers],
        "notes": [{"message": note.message, **_place(note.location)} for note in diagnostic.notes],
        "fixes": list(diagnostic.fixes),
    }


def rewrite_to_dict(rewrite: Rewrite) -> dict[str, object]:
    """A rewrite as plain values."""
    return {
        "kind": rewrite.kind,
        "pass": rewrite.pass_name,
        "message": rewrite.message,
        "code": rewrite.code or None,
        **_place(rewrite.location),
    }


def _place(location: Location) -> dict[str, object]:
    return {"file": location.file, "line": location.line, "column": location.column, "name": location.name or None}
