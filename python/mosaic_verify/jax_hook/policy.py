"""What happens when the fault is ours: one warning, and JAX goes on as if the hook were not there."""

from __future__ import annotations

import os
import sys
import threading
import warnings

ISSUES = "the project's issue tracker"
_warned: set[str] = set()
_faults = 0
_lock = threading.Lock()


class HookWarning(RuntimeWarning):
    """The hook could not do its work; what JAX does is not affected."""


class KernelVerificationWarning(UserWarning):
    """A finding that does not stop the compile."""


def strict() -> bool:
    """True with MOSAIC_VERIFY_STRICT=1: faults of our own are raised."""
    return os.environ.get("MOSAIC_VERIFY_STRICT", "") not in ("", "0")


def fault_count() -> int:
    """How many faults of our own there were in this process."""
    return _faults


def warn_once(key: str, text: str) -> None:
    """Warns about one kind of fault, once per process. Never raises, whatever the warning filters say."""
    with _lock:
        if key in _warned:
            return
        _warned.add(key)
    message = f"mosaic-verify: {text}"
    try:
        warnings.warn(message, HookWarning, stacklevel=3)
    except Warning:  # the filters make errors of warnings; a fault of ours must not become one of the user's program
        print(message, file=sys.stderr)


def own_fault(level: str, error: BaseException) -> None:
    """Handles an exception out of our own code in the hook: raised when strict, else warned about.

    Once per level, and once per place: what several levels use does not warn for each of them.
    """
    global _faults
    _faults += 1
    if strict():
        raise error
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" at {frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame is not None else ""
    with _lock:
        if where and where in _warned:
            return
        _warned.add(where)
    warn_once(
        f"fault:{level}",
        f"internal fault at the {level} level, this compile was not verified: {error!r}{where}. JAX's result is not"
        f" affected. Please report it to {ISSUES} with the output of MOSAIC_VERIFY_STRICT=1",
    )
