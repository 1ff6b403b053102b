"""MLIR locations as plain ones."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MAX_CALLERS = 10  # mlir-opt prints at most ten "called from" notes


def to_location(loc: ir.Location, depth: int = _MAX_CALLERS) -> Location:
    """The innermost file position of `loc`, with up to `depth` callers.

    JAX writes Python columns from 0 (`source_info_util.Frame.start_column`), MLIR counts from 1: columns of Python
    are moved by one, so that carets point at the right character.
    """
    name = ""
    callers: list[Location] = []
    while True:
        if isinstance(loc, ir.NameLoc):
            name = name or loc.name_str.removesuffix(":")
            loc = loc.child_loc
        elif isinstance(loc, ir.CallSiteLoc):
            caller = to_location(loc.caller, depth - 1) if depth > 0 else UNKNOWN
            if caller.file is not None:
                flat = (caller,)
                if caller.callers:  # nested ones would double per frame
                    flat = (replace(caller, callers=()), *caller.callers)
                callers[:0] = [each for each in flat if not _starts_us(each.file or "")]
            loc = loc.callee
        elif isinstance(loc, ir.FusedLoc):
            found = next((place for place in map(_inner, loc.locations) if place.file is not None), UNKNOWN)
            return Location(
                found.file, found.line, found.column, (*found.callers, *callers)[:_MAX_CALLERS], name or found.name
            )
        elif isinstance(loc, ir.FileLineColLoc):
            if _starts_us(loc.filename):  # a command called the program's function itself
                return replace(callers[0], callers=tuple(callers[1:])) if callers else UNKNOWN
            column = loc.start_col + _is_python(loc.filename)
            return Location(loc.filename, loc.start_line, column, tuple(callers[:_MAX_CALLERS]), name)
        else:
            return Location(callers=tuple(callers[:_MAX_CALLERS]), name=name) if callers or name else UNKNOWN


def _is_python(file: str) -> bool:
    """True for a Python file, and for what stands for one in a notebook or in `exec`; "<stdin>" is MLIR's as well."""
    return file.endswith(".py") or (file.startswith("<") and file != "<stdin>")


@lru_cache(maxsize=256)
def _starts_us(file: str) -> bool:
    """True for frames that say nothing about the program: ours, of the script that starts us, of Python's importer."""
    name = os.path.basename(file)
    return (
        file.startswith((_PACKAGE, "<frozen "))
        or os.path.splitext(name)[0] in ("mosaic-verify", "mosaic-verify-opt")
        or file == runpy.__file__
        or f"{os.sep}importlib{os.sep}" in file
    )


def _inner(loc: object) -> Location:
    assert isinstance(loc, ir.Location)
    return to_location(loc)


def op_location(op: ir.Operation) -> Location:
    """The location of an op."""
    return to_location(op.location)


class OpLocations(Mapping[str, Location]):
    """Locations of ops by place, read when somebody asks: most kernels are clean and nobody does."""

    def __init__(self):
        self.ops: dict[str, ir.Operation] = {}

    def __getitem__(self, place: str) -> Location:
        return op_location(self.ops[place])

    def __contains__(self, place: object) -> bool:
        return place in self.ops

    def __iter__(self) -> Iterator[str]:
        return iter(self.ops)

    def __len__(self) -> int:
        return len(self.ops)
