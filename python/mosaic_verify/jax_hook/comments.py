"""Ignore comments in the Python code of a program that matched nothing."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any

from mosaic_verify.diagnostics.diagnostic import Diagnostic
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.jax_hook.frames import is_user_file
from mosaic_verify.jax_hook.jaxprs import nested_jaxprs


def unused_comments(jaxpr: Any, suppression: Suppression) -> list[Diagnostic]:
    """A remark for each comment that ignored nothing, in the functions that `jaxpr` was traced from.

    Functions that were defined there and not traced are left out: what they hold was not looked at.
    """
    traced = _functions(jaxpr)
    commented = {code.co_filename: False for code in traced}
    for file in commented:
        commented[file] = bool(suppression.unused_comments(file))
    found: dict[tuple[str, int, str], Diagnostic] = {}
    for code in traced:
        for first, last in _spans(code) if commented[code.co_filename] else ():
            for remark in suppression.unused_comments(code.co_filename, first, last):
                found[code.co_filename, remark.location.line, remark.message] = remark
    return [found[key] for key in sorted(found)]


def _functions(jaxpr: Any) -> list[CodeType]:
    """The user's functions that made the equations: per equation from the innermost one outwards, up to JAX."""
    found: dict[CodeType, None] = {}
    for inner in nested_jaxprs(jaxpr):
        for equation in inner.eqns:
            traceback = equation.source_info.traceback
            users = False
            for code in traceback.raw_frames()[0] if traceback is not None else ():
                if is_user_file(code.co_filename):
                    users = True
                    found[code] = None
                elif users:
                    break
    return [code for code in found if code.co_name != "<module>"]


def _spans(code: CodeType) -> Iterator[tuple[int, int]]:
    """First and last lines of a function, without the functions that are defined in it."""
    first, last = code.co_firstlineno, _last_line(code)
    for nested in sorted((each for each in code.co_consts if isinstance(each, CodeType)), key=_first_line):
        yield first, nested.co_firstlineno - 1
        first = max(first, _last_line(nested) + 1)
    yield first, last


def _first_line(code: CodeType) -> int:
    return code.co_firstlineno


def _last_line(code: CodeType) -> int:
    """The line where the last expression of a function ends."""
    ends = [end for _, end, _, _ in code.co_positions() if end is not None]
    nested = [_last_line(each) for each in code.co_consts if isinstance(each, CodeType)]
    return max((code.co_firstlineno, *ends, *nested))
