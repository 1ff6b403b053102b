"""Names of the dialects of a context."""

from __future__ import annotations

from jaxlib.mlir import ir

from mosaic_verify.ir.parse import OWN_DIALECTS

_MARK = "Available dialects: "


def dialect_names(context: ir.Context) -> list[str]:
    """All dialects that can be parsed, ours included, sorted.

    The bindings do not list them; the parser's note about an unknown dialect does.
    """
    names: set[str] = set(OWN_DIALECTS)
    try:
        ir.Module.parse("no_such_dialect.op", context)
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            for note in diagnostic.notes:
                if note.message.startswith(_MARK):
                    listed = note.message.removeprefix(_MARK).partition(" (* corresponding")[0].partition(";")[0]
                    names.update(name.removesuffix(" (*)").strip() for name in listed.split(","))
    return sorted(names)
