"""One lowering under the hook: what is collected, what is raised, and how faults of ours are kept from JAX."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mosaic_verify.diagnostics.diagnostic import ERROR, REMARK, UNKNOWN, WARNING, Diagnostic, Location, Report, Rewrite
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.jax_hook import jax_errors, sessions
from mosaic_verify.jax_hook.errors import KernelVerificationError, make_error, text_of
from mosaic_verify.jax_hook.policy import KernelVerificationWarning, own_fault
from mosaic_verify.jax_hook.said import Said
from mosaic_verify.jax_hook.state import HookState
from mosaic_verify.jax_hook.suppression import make_suppression

_local = threading.local()
_rewrote: set[tuple[int, Rewrite]] = set()  # what was warned about, by session: nobody runs a changed program unawares


class Lowering:
    """What one outermost call into a hooked function of JAX collects.

    A finding that an earlier level has made already is not repeated by a later one: levels see the same operation at
    the same place.

    Attributes:
      state: the hook's state in this lowering.
      engine: takes findings and rewrites.
      verified: levels whose passes have seen the kernel that is being lowered.
      hears_remarks: False where a remark would be seen by nobody.
      suspicious: True once something was found in a kernel that JAX may refuse.
      kernel: record, description and compiler parameters of the Pallas kernel that was lowered last, until its custom
        call is made.
      known: facts about kernels, by the attribute that holds their serialised form.
    """

    def __init__(self, state: HookState):
        self.state = state
        session = sessions.session_of(state)
        self.engine = _LevelEngine(make_suppression(state.ignore) if session is None else session.suppression)
        # Warnings and exceptions do not show remarks; a configuration may make something else of them.
        self.hears_remarks = session is not None or bool(self.engine.suppression.severity)
        self.verified: set[str] = set()
        self.suspicious = False
        self.kernel: tuple[Any, Any, Any] | None = None
        self.known: dict[Any, Any] = {}

    @property
    def location(self) -> Location:
        """Where the kernel function that is being lowered stands, for what has no better location."""
        return self.engine.location()

    def locate(self, location: Callable[[], Location]) -> None:
        """Says what tells that location; it is asked when something is found."""
        self.engine.location = location

    @property
    def report(self) -> Report:
        return self.engine.report

    def enforce(self) -> None:
        """Raises what was found so far, if the mode blocks and there is an error."""
        if self.state.blocks and self.engine.failed:
            raise make_error(self.report)


class _LevelEngine(Engine):
    """An engine that knows which level is speaking, and keeps a later one from repeating an earlier one."""

    def __init__(self, suppression: Suppression):
        super().__init__(suppression)
        self.level = ""
        self.location: Callable[[], Location] = lambda: UNKNOWN  # for a diagnostic without one
        self.levels: list[str] = []  # of each diagnostic in the report
        self._said = Said()

    def emit(self, diagnostic: Diagnostic) -> bool:
        if diagnostic.location.file is None:
            here = self.location()
            notes = [note if note.location.file else replace(note, location=here) for note in diagnostic.notes]
            diagnostic = replace(diagnostic, location=here, notes=tuple(notes))
        if not self._said.first(diagnostic, self.level) or not super().emit(diagnostic):
            return False
        self.levels.append(self.level)
        return True


class entered:  # used as a context manager, like a function
    """`with entered(level, state) as lowering`: joins the lowering of this thread, or begins one.

    `lowering` is None when it could not be begun. At the end of the outermost block the findings go to the session, to
    Python's warnings, and, as a note, to an exception of JAX that passes through. Never raises anything of its own.
    """

    __slots__ = ("_enclosing", "_level", "_lowering", "_outermost", "_state")

    def __init__(self, level: str, state: HookState):
        self._level = level
        self._state = state

    def __enter__(self) -> Lowering | None:
        lowering = getattr(_local, "lowering", None)
        self._outermost = lowering is None or lowering.state != self._state
        if self._outermost:
            self._enclosing = lowering
            lowering = guarded(self._level, Lowering, self._state)
            _local.lowering = lowering
        self._lowering = lowering
        return lowering

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if not self._outermost:
            return
        _local.lowering = self._enclosing
        if self._lowering is not None:
            try:
                guarded(self._level, _finish, self._lowering, error)
            except KernelVerificationWarning:  # the filters make errors of warnings: not in place of another exception
                if error is None:
                    raise


def present() -> Lowering | None:
    """The lowering of this thread."""
    return getattr(_local, "lowering", None)


def guarded(level: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`; a fault of ours becomes a warning and gives None. What is meant for the user passes."""
    try:
        return function(*arguments)
    except (KernelVerificationError, KernelVerificationWarning):
        raise
    except Exception as error:
        own_fault(level, error)
        return None


def _finish(lowering: Lowering, error: BaseException | None) -> None:
    if isinstance(error, Exception) and not isinstance(error, (KernelVerificationError, KernelVerificationWarning)):
        _explain(lowering, error)
    session = sessions.session_of(lowering.state)
    if session is not None:
        session.add(lowering.report, lowering.engine.levels)
    if session is None or session.warns:
        for diagnostic in lowering.report.diagnostics:
            if diagnostic.severity == WARNING or (diagnostic.severity == ERROR and error is None):
                _warn(text_of(diagnostic), diagnostic.location)
        for rewrite in lowering.report.rewrites if error is None else ():
            key = (lowering.state.session, replace(rewrite, location=replace(rewrite.location, callers=())))
            if key not in _rewrote:
                _rewrote.add(key)
                _warn(str(rewrite).replace(": rewrite: ", ": warning: rewrote the program: ", 1), rewrite.location)


def _explain(lowering: Lowering, error: Exception) -> None:
    """JAX refused: its exception stays as it is, and gets our report as a note."""
    lowering.engine.level = "jax"
    cause = jax_errors.to_diagnostic(error, lowering.report.diagnostics, lowering.location)
    if cause is not None:
        lowering.engine.emit(cause)
    lowering.report.error = error
    shown = [d for d in lowering.report.diagnostics if d.severity != REMARK]
    if shown:
        error.add_note("\n".join(["mosaic-verify:", *map(text_of, shown)]))


def _warn(text: str, place: Location) -> None:
    """One Python warning at the user's own line."""
    message = KernelVerificationWarning(text)
    warnings.warn_explicit(message, None, place.file or "<unknown>", place.line)  # type: ignore[arg-type]
