"""Flags that thin out what is printed of a diagnostic."""

from __future__ import annotations

from dataclasses import replace

from mosaic_verify.diagnostics.diagnostic import ERROR, REMARK, WARNING, Diagnostic
from mosaic_verify.diagnostics.engine import Sink
from mosaic_verify.tools.opt_flags import CommandLine

_ORDER = (ERROR, WARNING, REMARK)


def least_severity(line: CommandLine) -> int:
    """How many of error, warning and remark are printed. Raises UsageError."""
    level = line.choice("mlir-diagnostic-verbosity-level", ("remarks", "warnings", "errors"))
    return {"errors": 1, "warnings": 2, "remarks": 3}[level]


def filtered(sink: Sink, line: CommandLine) -> Sink:
    """`sink` behind the flags that leave out notes and severities."""
    printed = _ORDER[: least_severity(line)]
    without_op = not line.on("mlir-print-op-on-diagnostic", True)
    without_notes = line.on("mlir-disable-diagnostic-notes")
    if printed == _ORDER and not without_op and not without_notes:
        return sink

    def show(diagnostic: Diagnostic) -> None:
        if diagnostic.severity not in printed:
            return
        if without_notes:
            diagnostic = replace(diagnostic, notes=())
        elif without_op:
            from mosaic_verify.diagnostics.expected import without_current_operation

            diagnostic = without_current_operation(diagnostic)
        sink(diagnostic)

    return show
