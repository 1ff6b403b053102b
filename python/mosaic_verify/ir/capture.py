"""MLIR's own diagnostics as ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import ERROR, REMARK, WARNING, Diagnostic, Location, Note
from mosaic_verify.ir.locations import to_location

_OP_MESSAGE = re.compile(r"'([\w$]+\.[\w$.]+)' op (.*)", re.S)
_SEVERITIES = {"WARNING": WARNING, "REMARK": REMARK}


def from_mlir(info: ir.DiagnosticInfo | ir.Diagnostic) -> Diagnostic:
    """One diagnostic of MLIR with its notes; the prefix `'op' op ` becomes `op`."""
    match = _OP_MESSAGE.fullmatch(info.message)
    op, message = match.groups() if match else ("", info.message)
    return Diagnostic(
        severity=_SEVERITIES.get(info.severity.name, ERROR),
        message=message.rstrip(),
        location=_location(info.location),
        op=op,
        notes=tuple(Note(note.message, _location(note.location)) for note in info.notes),
    )


def _location(loc: ir.Location) -> Location:
    """Diagnostics carry locations of the base class; through the attribute they get their own."""
    return to_location(ir.Location.from_attr(loc.attr, loc.context))


def from_error(error: ir.MLIRError) -> list[Diagnostic]:
    """The diagnostics that the bindings put into an exception; an exception without any becomes one itself."""
    found = [from_mlir(info) for info in error.error_diagnostics]
    return found or [Diagnostic(ERROR, str(error).strip().partition("\n")[0])]


@contextmanager
def forward_diagnostics(context: ir.Context, emit: Callable[[Diagnostic], object]) -> Iterator[None]:
    """Sends warnings and remarks of MLIR to `emit` (errors come with `MLIRError`) while the block runs."""

    def handle(diagnostic: ir.Diagnostic) -> bool:
        emit(from_mlir(diagnostic))
        return True

    handler = context.attach_diagnostic_handler(handle)
    try:
        yield
    finally:
        handler.detach()  # pyright: ignore[reportAttributeAccessIssue]: typed as object in jaxlib's stubs
