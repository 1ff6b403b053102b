"""Installing the hook for the whole process."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mosaic_verify.jax_hook import frames, patches, refusals, sessions, state
from mosaic_verify.jax_hook.lowering import guarded
from mosaic_verify.jax_hook.sessions import Session
from mosaic_verify.jax_hook.state import HookState
from mosaic_verify.jax_hook.suppression import check_codes

_lock = threading.Lock()


def install(mode: str, ignore: Iterable[str] = ()) -> None:
    """See `mosaic_verify.install`."""
    new = HookState(state.check_mode(mode), check_codes(tuple(ignore)))
    frames.exclude()
    with _lock:
        old = state.installed()
        if old is None:
            patches.acquire()
        state.set_installed(new)
    if old is not None:
        changed = "nothing changes" if old == new else f"mode {old.mode!r} is replaced by {new.mode!r}"
        warnings.warn(f"mosaic-verify is installed already: {changed}", RuntimeWarning, stacklevel=3)


def uninstall() -> None:
    """See `mosaic_verify.uninstall`."""
    with _lock:
        installed = state.installed() is not None
        if installed:
            state.set_installed(None)
            patches.release()
    if not installed:
        warnings.warn("mosaic-verify is not installed: nothing to uninstall", RuntimeWarning, stacklevel=3)


@contextmanager
def verifying(mode: str, ignore: Iterable[str] = ()) -> Iterator[Session]:
    """See `mosaic_verify.verifying`."""
    frames.exclude()
    with sessions.open_session(mode, check_codes(tuple(ignore))) as session:
        try:
            yield session
        except Exception as error:
            guarded("jax", refusals.note, session, error)
            raise
