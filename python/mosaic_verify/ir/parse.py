"""Parsing with right line numbers, and the rule for dialects that nobody registered."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import ERROR, UNKNOWN, Diagnostic
from mosaic_verify.ir.bytecode import MAGIC
from mosaic_verify.ir.capture import forward_diagnostics, from_error
from mosaic_verify.ir.locations import op_location

BUFFER = "-"  # the bindings name every buffer that is not a file so
OWN_DIALECTS = ("plgpu", "megablox", "block_sparse")
_REPRODUCER = "'mlir_reproducer'"
_UNREGISTERED_OP = (
    "operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect "
    "with the MLIR tool used"
)
_UNREGISTERED_ATTRIBUTE = (
    "{} created with unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the "
    "MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool used"
)


class ParseError(Exception):
    """A text that MLIR refused: by its grammar, or by the verifier of an op (jaxlib's parser always verifies).

    Attributes:
      diagnostics: what MLIR said.
    """

    def __init__(self, diagnostics: list[Diagnostic]):
        super().__init__(diagnostics[0].text if diagnostics else "cannot parse")
        self.diagnostics = diagnostics


def parse(
    data: bytes,
    context: ir.Context,
    *,
    file: str | None = None,
    first_line: int = 1,
    allow_unregistered: bool = False,
    implicit_module: bool = True,
    warn: Callable[[Diagnostic], object] | None = None,
) -> ir.Operation:
    """Parses text or bytecode to its top-level op, a module unless `implicit_module` is False.

    Args:
      file: the regular file whose whole content `data` is, so that locations name it; otherwise they name `BUFFER`.
      first_line: number of the first line of `data` in its file.
      allow_unregistered: allow ops, attributes and types of any dialect; ours are always allowed.

      warn: takes warnings and remarks of a text that parses; those of one that does not are in the exception.

    Behind this call the context allows unregistered dialects, as passes that build ops of ours need.

    Raises:
      ParseError: MLIR refused the text.
    """
    own = not allow_unregistered and _has_own_dialect(data)
    context.allow_unregistered_dialects = allow_unregistered or own
    try:
        root = _parse(data, context, file, first_line, implicit_module, warn)
    finally:
        context.allow_unregistered_dialects = True
    foreign = _foreign_namespaces(root, context) if own else ()
    if foreign:
        raise ParseError(foreign)
    return root


def is_bytecode(data: bytes) -> bool:
    """True for MLIR bytecode."""
    return data.startswith(MAGIC)


def _parse(
    data: bytes,
    context: ir.Context,
    file: str | None,
    first_line: int,
    implicit_module: bool,
    warn: Callable[[Diagnostic], object] | None,
) -> ir.Operation:
    warnings: list[Diagnostic] = []
    try:
        with forward_diagnostics(context, warnings.append):
            root = _parse_root(data, context, file, first_line, implicit_module)
    except ir.MLIRError as error:
        raise ParseError(warnings + _explain(from_error(error), data)) from None
    if warn is not None:
        for warning in warnings:
            if _REPRODUCER not in warning.message:  # the parser drops it; `ir/reproducer.py` reads it from the text
                warn(warning)
    return root


def _parse_root(
    data: bytes, context: ir.Context, file: str | None, first_line: int, implicit_module: bool
) -> ir.Operation:
    if implicit_module or is_bytecode(data):
        if file is not None and os.path.isfile(file):
            return ir.Module.parseFile(file, context).operation
        return ir.Module.parse(b"\n" * (first_line - 1) + data, context).operation
    text = "\n" * (first_line - 1) + data.decode("utf-8", errors="replace")
    return ir.Operation.parse(text, source_name=file or BUFFER, context=context).operation


def _explain(refused: list[Diagnostic], data: bytes) -> list[Diagnostic]:
    """Input that is no MLIR at all gets one line that says so."""
    if is_bytecode(data):
        return [each if each.op or each.location.line else _bytecode_error(each) for each in refused]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return refused
    where = refused[0].location if refused else UNKNOWN
    return [Diagnostic(ERROR, "the input is neither MLIR text nor bytecode", replace(where, column=0))]


def _bytecode_error(diagnostic: Diagnostic) -> Diagnostic:
    parts = [diagnostic.message, *(note.message for note in diagnostic.notes)]
    return replace(diagnostic, message=f"cannot read bytecode: {'; '.join(parts)}", notes=())


def _has_own_dialect(data: bytes) -> bool:
    if is_bytecode(data):
        return any(name.encode() + b"\0" in data for name in OWN_DIALECTS)
    return any(mark + name.encode() + b"." in data for name in OWN_DIALECTS for mark in (b'"', b"!", b"#"))


def _foreign_namespaces(root: ir.Operation, context: ir.Context) -> list[Diagnostic]:
    """The first thing that a context without unregistered dialects would have refused, apart from our dialects."""
    registered: dict[str, bool] = {}
    refused: list[Diagnostic] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = op.name
        if name not in registered:
            registered[name] = context.is_registered_operation(name) or name.partition(".")[0] in OWN_DIALECTS
        message = "" if registered[name] else _UNREGISTERED_OP
        message = message or _foreign_value(op)
        if message:
            refused.append(Diagnostic(ERROR, message, op_location(op)))
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return refused


def _foreign_value(op: ir.Operation) -> str:
    """The refusal of an attribute or result type of `op` from an unknown dialect, or ""."""
    for name in op.attributes:
        key = name if isinstance(name, str) else name.name
        try:
            attribute = op.attributes[key]
        except TypeError:  # dense complex numbers, and locations: the bindings cannot hand them out
            continue
        if isinstance(attribute, ir.OpaqueAttr) and _namespace(attribute.dialect_namespace) not in OWN_DIALECTS:
            return _UNREGISTERED_ATTRIBUTE.format(f"{attribute} : 'none' attribute")
    for result in op.results:
        kind = result.type
        if isinstance(kind, ir.OpaqueType) and _namespace(kind.dialect_namespace) not in OWN_DIALECTS:
            return _UNREGISTERED_ATTRIBUTE.format(f"`{kind}` type")
    return ""


def _namespace(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
