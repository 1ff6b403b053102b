"""Exceptions that JAX raises itself, as diagnostics at the user's own line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType

from mosaic_verify.diagnostics.diagnostic import ERROR, UNKNOWN, Diagnostic, Location, Note
from mosaic_verify.rules.page import load_rule


def to_diagnostic(error: BaseException, known: Sequence[Diagnostic] = ()) -> Diagnostic | None:
    """The diagnostic of the rule behind `error`, at the user's frame.

    None when no rule is known for it, or when `known` holds its cause already: the same code, or any error that JAX does
    not accept silently (JAX stops at its consequence).
    """
    from mosaic_verify.rules.matching import match_exception

    errors = [d for d in known if d.severity == ERROR]
    if any(d.code and not load_rule(d.code).silent for d in errors):
        return None
    match = next(iter(match_exception(error)), None)
    if match is None or any(d.code == match.rule.code for d in errors):
        return None
    return Diagnostic(
        severity=match.rule.severity,
        message=_first_line(error),
        location=user_location(error),
        code=match.rule.code,
        rule=match.rule.name,
        notes=(Note(f"raised by JAX as {type(error).__name__}; {match.rule.summary}"),),
    )


def _first_line(error: BaseException) -> str:
    """The part of the text that says what is wrong: JAX puts sentences of its own before a verifier's message."""
    text = str(error).strip()
    for lead in ("Error details:", "Verification failed:"):
        _, found, rest = text.partition(lead)
        if found:
            text = rest.strip()
            break
    line = next(iter(text.splitlines()), "") or type(error).__name__
    return line.rstrip(".")


def user_location(error: BaseException) -> Location:
    """The innermost frame of the user's code that leads to `error`.

    While JAX lowers an equation it hangs the traceback of the equation below the exception, as a cause
    (`source_info_util.UserContextManager`): that is where the user wrote the operation, so it comes first.
    """
    for traceback in _tracebacks(error):
        for frame, line, column in reversed(list(_frames(traceback))):
            if _is_user_file(frame):
                return Location(frame, line, column)
    return UNKNOWN


def _tracebacks(error: BaseException) -> Iterator[TracebackType | None]:
    cause: BaseException | None = error.__cause__
    while cause is not None:
        if type(cause).__name__ == "JaxStackTraceBeforeTransformation":
            yield cause.__traceback__
        cause = cause.__cause__
    yield error.__traceback__


def _frames(traceback: TracebackType | None) -> Iterable[tuple[str, int, int]]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        column = 0
        if traceback.tb_lasti >= 0:
            positions = list(code.co_positions())
            index = traceback.tb_lasti // 2
            if index < len(positions) and positions[index][2] is not None:
                column = (positions[index][2] or 0) + 1
        yield code.co_filename, traceback.tb_lineno, column
        traceback = traceback.tb_next


def _is_user_file(name: str) -> bool:
    from jax._src import source_info_util

    return not name.startswith("<") and source_info_util.is_user_filename(name)
