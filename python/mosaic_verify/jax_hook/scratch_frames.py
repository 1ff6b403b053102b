"""What the frames of an exception tell about the scratch refs of a kernel whose body was not traced yet."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any

from mosaic_verify.diagnostics.diagnostic import Location, Note
from mosaic_verify.jax_hook.frames import is_user_file


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    """The frames of a traceback, outermost first."""
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def body_location(traceback: TracebackType | None) -> Location | None:
    """Where the body of the kernel is defined that JAX was about to trace (`kernel_body` in `plgpu.kernel`)."""
    body = _kernel(traceback)[0]
    code = getattr(body, "__code__", None)
    if code is None or not is_user_file(code.co_filename):
        return None
    return Location(code.co_filename, code.co_firstlineno, 1)


def refused_tiling(traceback: TracebackType | None) -> str | None:
    """Tiles and shape that `TilingTransform.transform_type` refuses without a text."""
    for frame in _frames(traceback):
        tiling = getattr(frame.f_locals.get("self"), "tiling", None)
        shape = getattr(frame.f_locals.get("x"), "shape", None)
        if frame.f_code.co_name == "transform_type" and tiling is not None and shape is not None:
            return f"the tiling {tuple(tiling)} of an SMEM ref does not divide its shape {tuple(shape)}"
    return None


def scratch_note(traceback: TracebackType | None) -> Note | None:
    """The name of the scratch ref that was being made."""
    body, scratch = _kernel(traceback)
    made = [frame.f_locals.get("self") for frame in _frames(traceback) if frame.f_code.co_name == "get_ref_aval"]
    location = body_location(traceback)
    if body is None or not made or location is None:
        return None
    for name, each in _named(body, scratch):
        if each is made[-1]:
            return Note(f"`{name}`, scratch of `{getattr(body, '__name__', 'the kernel')}`", location)
    return None


def _kernel(traceback: TracebackType | None) -> tuple[Callable[..., Any] | None, object]:
    """Body and scratch types of the innermost kernel."""
    for frame in reversed(list(_frames(traceback))):
        body = frame.f_locals.get("body")
        if frame.f_code.co_name == "kernel_body" and callable(body):
            return inspect.unwrap(body), frame.f_locals.get("scratch_types")
    return None, None


def _named(body: Callable[..., Any], scratch: object) -> list[tuple[str, object]]:
    if isinstance(scratch, Mapping):
        return [(str(name), each) for name, each in scratch.items()]
    if not isinstance(scratch, (list, tuple)) or not scratch:
        return []
    code = body.__code__
    names = code.co_varnames[: code.co_argcount][-len(scratch) :]  # scratch refs come last
    return list(zip(names, scratch, strict=False))
