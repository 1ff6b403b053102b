"""Sessions: who collects what the hook finds."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Iterator, Sequence

from mosaic_verify.diagnostics.diagnostic import Report
from mosaic_verify.jax_hook import patches, state
from mosaic_verify.jax_hook.said import Said
from mosaic_verify.jax_hook.state import HookState
from mosaic_verify.jax_hook.suppression import make_suppression

_numbers = itertools.count(1)
_open: dict[int, Session] = {}


class Session:
    """One `verifying` block or one `check`.

    Attributes:
      report: what was found and rewritten while the session was open, in order. It stays readable afterwards.
      suppression: what is not reported.
      mode: "report", "enforce", "rewrite" or "rewrite-exact".
      warns: True when findings that do not block are given to Python's `warnings` too.
    """

    def __init__(self, mode: str, ignore: tuple[str, ...], *, warns: bool):
        self.report = Report()
        self.suppression = make_suppression(ignore)
        self.mode = mode
        self.warns = warns
        self._said = Said()
        self._lock = threading.Lock()

    def add(self, report: Report, levels: Sequence[str]) -> None:
        """Takes what one lowering found; `levels` says which level made each finding."""
        with self._lock:
            for diagnostic, level in zip(report.diagnostics, levels, strict=True):
                if self._said.first(diagnostic, level):
                    self.report.diagnostics.append(diagnostic)
            self.report.rewrites.extend(report.rewrites)
            self.report.error = report.error or self.report.error


def session_of(current: HookState) -> Session | None:
    """The session that a state belongs to; None for the installed hook (and for a session that is closed)."""
    return _open.get(current.session)


@contextlib.contextmanager
def open_session(
    mode: str,
    ignore: tuple[str, ...] = (),
    arch: str | None = None,
    *,
    warns: bool = True,
    arch_named: bool = False,
) -> Iterator[Session]:
    """Puts the hook in force in this thread, with a new session.

    A session has a number of its own in the state, so that a function that was lowered before is lowered, and thereby
    verified, again. Sessions nest: the innermost one collects.
    """
    session = Session(state.check_mode(mode), ignore, warns=warns)
    number = next(_numbers)
    patches.acquire()
    _open[number] = session
    try:
        with state.local(HookState(mode, ignore, arch, number, arch_named)):
            yield session
    finally:
        del _open[number]
        patches.release()
