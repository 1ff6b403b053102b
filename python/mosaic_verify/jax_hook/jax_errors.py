"""Exceptions that JAX raises itself, as diagnostics at the user's own line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from mosaic_verify.diagnostics.diagnostic import ERROR, UNKNOWN, Diagnostic, Location, Note
from mosaic_verify.jax_hook import scratch_frames
from mosaic_verify.jax_hook.frames import is_user_file
from mosaic_verify.rules.page import load_rule

if TYPE_CHECKING:
    from mosaic_verify.rules.matching import Match

# The Python passes of Mosaic GPU: frames of theirs hold the op that they are at in a local variable.
_PASSES = ("dialect_lowering.py", "layout_inference.py")

# What to do about assertions without a text.
_FIXES = {"MV901": ('lower a kernel of Mosaic TPU for TPU: `--platform tpu`, or `platforms=("tpu",)` in `check`',)}


def to_diagnostic(
    error: BaseException, known: Sequence[Diagnostic] = (), default: Location = UNKNOWN
) -> Diagnostic | None:
    """The diagnostic of the rule behind `error`, at the user's own line, or at `default` where no frame tells.

    None when no rule is known for it, or when `known` holds its cause already: the same code, or any error that JAX
    does not accept silently (JAX stops at its consequence).
    """
    errors = [d for d in known if d.severity == ERROR]
    if any(d.code and not load_rule(d.code).silent for d in errors):
        return None
    match = _match(error)
    if match is None or any(d.code == match.rule.code for d in errors):
        return None
    bare = not str(error).strip()
    text = (scratch_frames.refused_tiling(error.__traceback__) or match.rule.summary) if bare else _first_line(error)
    said = _from_verifier(error) or Diagnostic(ERROR, text)
    explained = ", without a text" if bare else f"; {match.rule.summary}"
    location = said.location if said.location.file is not None else user_location(error)
    location = location if location.file is not None else default
    scratch = scratch_frames.scratch_note(error.__traceback__)
    return replace(
        said,
        severity=ERROR,  # also where the rule warns of what JAX accepts
        location=location,
        code=match.rule.code,
        rule=match.rule.name,
        notes=(Note(f"raised by JAX as {type(error).__name__}{explained}", location), *((scratch,) if scratch else ())),
        fixes=_FIXES.get(match.rule.code, ()) if bare else (),
    )


def _match(error: BaseException) -> Match | None:
    """The rule behind `error`, with what only its frames can tell."""
    from mosaic_verify.rules.matching import match_exception

    match = next(iter(match_exception(error)), None)
    if match is not None and match.rule.code == "MV901" and not str(error):
        # JAX 0.12 has no rule for a `pallas_call` with params of Mosaic GPU either, on any platform.
        params = [step[0].f_locals.get("compiler_params") for step in _walk(error.__traceback__)]
        if not any(type(each).__module__.startswith("jax._src.pallas.mosaic.") for each in params):
            return None
    return match


def without_rule(error: BaseException) -> Diagnostic | None:
    """What JAX said, at the user's own line, for a refusal that no rule explains; None when JAX did not raise it."""
    steps = list(_walk(error.__traceback__))
    if _match(error) is not None or not steps or not _in_jax(steps[-1][0].f_code.co_filename):
        return None  # explained, or a fault of the program itself
    said = _from_verifier(error) or Diagnostic(ERROR, _first_line(error))
    location = said.location if said.location.file is not None else user_location(error)
    note = Note(f"raised by JAX as {type(error).__name__}; no rule is known for it", location)
    return replace(said, severity=ERROR, location=location, code="", rule="", notes=(note,))


def _from_verifier(error: BaseException) -> Diagnostic | None:
    """What MLIR's verifier said: JAX 0.10 lets its exception through, 0.12 makes it the cause of its own."""
    from mosaic_verify.ir.capture import from_error

    present: BaseException | None = error
    while present is not None:
        if getattr(present, "error_diagnostics", None):
            return from_error(present)[0]  # type: ignore[arg-type]
        present = present.__cause__
    return None


def _first_line(error: BaseException) -> str:
    line = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    return line.rstrip(".")


def user_location(error: BaseException) -> Location:
    """The place in the user's code that leads to `error`, the most precise one that is known.

    That is the op at which a pass of Mosaic GPU stopped; else the equation that JAX was lowering, whose traceback JAX
    hangs below the exception (`source_info_util.UserContextManager`); else the innermost frame of the user's code;
    else the body of the kernel.
    """
    places = (_op_location(error.__traceback__), *map(_frame_location, _tracebacks(error)))
    places = (*places, *_equation_locations(error.__traceback__), scratch_frames.body_location(error.__traceback__))
    known = [place for place in places if place is not None]
    # Kernels that JAX ships (megablox) count as code of users; the call of one of them tells more than their inside.
    return next((place for place in known if not _in_jax(place.file)), next(iter(known), UNKNOWN))


def _in_jax(file: str | None) -> bool:
    import jax

    return file is not None and file.startswith(os.path.dirname(jax.__file__) + os.sep)


def _equation_locations(traceback: TracebackType | None) -> Iterator[Location]:
    """Places of the equations that JAX was lowering, innermost first.

    The traceback of an equation inside of a jitted function may end at that function; its call is another equation,
    in a local variable of `jaxpr_subcomp` (`jax/_src/interpreters/mlir.py`).
    """
    from jax._src import source_info_util

    for frame, _ in reversed(list(_walk(traceback))):
        source = getattr(frame.f_locals.get("eqn"), "source_info", None)
        if isinstance(source, source_info_util.SourceInfo) and source.traceback is not None:
            for user in source_info_util.user_frames(source.traceback):
                yield Location(user.file_name, user.start_line, user.start_column + 1)


def _op_location(traceback: TracebackType | None) -> Location | None:
    from jaxlib.mlir import ir

    from mosaic_verify.ir.locations import op_location

    for frame, _ in reversed(list(_walk(traceback))):
        op = frame.f_locals.get("op") if frame.f_code.co_filename.endswith(_PASSES) else None
        # The frames of the traceback keep the module, and thereby the op, alive.
        if isinstance(op, (ir.OpView, ir.Operation)):
            location = op_location(op.operation)
            if location.file is not None:
                return location
    return None


def _tracebacks(error: BaseException) -> Iterator[TracebackType | None]:
    cause = error.__cause__
    while cause is not None:
        if type(cause).__name__ == "JaxStackTraceBeforeTransformation":
            yield cause.__traceback__
        cause = cause.__cause__
    yield error.__traceback__


def _frame_location(traceback: TracebackType | None) -> Location | None:
    users = [step for step in reversed(list(_walk(traceback))) if is_user_file(step[0].f_code.co_filename)]
    users.sort(key=lambda step: _in_jax(step[0].f_code.co_filename))  # stable: the innermost one stays first
    for frame, entry in users[:1]:
        return Location(frame.f_code.co_filename, entry.tb_lineno, _column(entry))
    return None


def _walk(traceback: TracebackType | None) -> Iterator[tuple[FrameType, TracebackType]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback
        traceback = traceback.tb_next


def _column(entry: TracebackType) -> int:
    """The column where the frame was, from 1; 0 when Python does not know it."""
    positions: list[Any] = list(entry.tb_frame.f_code.co_positions())
    index = entry.tb_lasti // 2  # bytecode units are two bytes
    column = positions[index][2] if 0 <= index < len(positions) else None
    return 0 if column is None else column + 1
