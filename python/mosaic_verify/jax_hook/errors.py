"""The exceptions that the hook raises. This module does not import JAX."""

from __future__ import annotations

import builtins
import sys
from dataclasses import replace
from functools import cache

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic, Report
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.text import render
from mosaic_verify.rules.page import load_rule

# Where classes that are no builtins live; looked up only when the module is imported already.
_JAX_MODULES = ("jax._src.pallas.mosaic.error_handling", "jax.errors")


class KernelVerificationError(Exception):
    """A kernel that would be refused, or would compute something wrong.

    What is raised is an instance of this class *and* of the classes that JAX documents for the same refusal
    (`NotImplementedError`, `ValueError`, ...), so that `except` clauses written for JAX hold.

    Attributes:
      report: everything that was found in this lowering.
      diagnostics: the findings of severity error; the text shows them in this order.
    """

    __module__ = "mosaic_verify"  # where users find it

    report: Report
    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, message: str = "", report: Report | None = None):
        super().__init__(message)
        self.report = report or Report()
        self.diagnostics = tuple(d for d in self.report.diagnostics if d.severity == ERROR)

    def __reduce__(self):
        return (_rebuild, (str(self), self.report))


def make_error(report: Report) -> KernelVerificationError:
    """The exception for a report with errors; its text starts with file and line of the first one."""
    errors = [d for d in report.diagnostics if d.severity == ERROR]
    sources = Sources()
    bases = tuple(dict.fromkeys(base for d in errors for base in _documented_classes(d.code)))
    return _exception_class(bases)("\n".join(text_of(d, sources) for d in errors), report)


def _rebuild(message: str, report: Report) -> KernelVerificationError:
    error = make_error(report)
    error.args = (message,)
    return error


@cache
def _exception_class(bases: tuple[type[BaseException], ...]) -> type[KernelVerificationError]:
    if not bases:
        return KernelVerificationError
    try:
        return type(
            "KernelVerificationError",
            (KernelVerificationError, *bases),
            {"__module__": KernelVerificationError.__module__, "__doc__": KernelVerificationError.__doc__},
        )
    except TypeError:  # two classes whose layouts in C do not go together: the first ones do
        return _exception_class(bases[:-1])


def _documented_classes(code: str) -> list[type[BaseException]]:
    try:
        names = load_rule(code).raises
    except KeyError:
        return []
    modules = [builtins, *(sys.modules[name] for name in _JAX_MODULES if name in sys.modules)]
    found = []
    for name in names:
        cls = next((vars(module)[name] for module in modules if name in vars(module)), None)
        if isinstance(cls, type) and issubclass(cls, Exception) and cls not in (Exception, KernelVerificationError):
            found.append(cls)
    return found


def text_of(diagnostic: Diagnostic, sources: Sources | None = None) -> str:
    """A diagnostic as exceptions and warnings show it: with its source line, notes and fixes.

    Without its callers: Python's traceback tells them.
    """
    notes = tuple(replace(note, location=replace(note.location, callers=())) for note in diagnostic.notes)
    shown = replace(diagnostic, location=replace(diagnostic.location, callers=()), notes=notes)
    return render(shown, sources or Sources()).rstrip("\n")
