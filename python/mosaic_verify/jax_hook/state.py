"""The hook's state, kept where JAX's caches see it.

JAX keys its caches (C++ jit fast path, traces, lowerings, executables) by its configuration. The state is one more
entry of that configuration: nothing that was traced, lowered or rewritten under one state is ever served under another.
Its global value is what `install` sets, its thread-local value is what `verifying` and `check` set.

Where JAX does not offer that facility, the state lives in a module variable and beside the threads, and every change
clears JAX's caches.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from mosaic_verify.jax_hook.policy import warn_once

MODES = ("report", "enforce", "rewrite", "rewrite-exact")
REWRITING = ("rewrite", "rewrite-exact")


class HookState(NamedTuple):
    """One state of the hook. A tuple, since JAX hashes and compares it at every call of a jitted function.

    Attributes:
      mode: one of `MODES`.
      ignore: codes, or prefixes of codes, that are not reported.
      arch: name of the virtual device's architecture, or None for the device that JAX has.
      session: number of the session that collects the findings; 0 is the installed hook.
      arch_named: the user named `arch`; otherwise it is what JAX is made to believe, and proves nothing.
    """

    mode: str
    ignore: tuple[str, ...] = ()
    arch: str | None = None
    session: int = 0
    arch_named: bool = False

    @property
    def rewrites(self) -> bool:
        """True when programs are rewritten."""
        return self.mode in REWRITING

    @property
    def exact_only(self) -> bool:
        """True when only rewrites that keep every value are applied."""
        return self.mode == "rewrite-exact"

    @property
    def blocks(self) -> bool:
        """True when an error stops the compile."""
        return self.mode != "report"


def check_mode(mode: str) -> str:
    """`mode` itself. Raises ValueError with one line for an unknown one."""
    if mode not in MODES:
        raise ValueError(f"unknown mode {mode!r} (known: {', '.join(MODES)})")
    return mode


class _Blocks(threading.local):
    """The states that blocks of this thread have set and not left, the innermost one last.

    Blocks may be left in any order, as those of generators and asyncio tasks are, and by another thread.
    """

    def __init__(self) -> None:
        self.states: list[HookState] = []


class _Holder:
    """What both holders share: the thread's blocks."""

    def __init__(self) -> None:
        self._blocks = _Blocks()

    def _changed(self) -> None:
        """This thread has entered or left a block."""
        raise NotImplementedError

    @contextlib.contextmanager
    def local(self, state: HookState) -> Iterator[None]:
        """`state` in this thread, until the block is left."""
        states = self._blocks.states
        states.append(state)
        self._changed()
        try:
            yield
        finally:
            del states[len(states) - 1 - states[::-1].index(state)]
            self._changed()


class _ConfigHolder(_Holder):
    """The state as an entry of JAX's configuration."""

    def __init__(self) -> None:
        super().__init__()
        from jax._src import config

        self._unset = config.config_ext.unset
        self._entry = config.config_ext.Config(
            "mosaic_verify_state", None, include_in_jit_key=True, include_in_trace_context=True
        )
        self._probe(config)

    def _probe(self, config: Any) -> None:
        """Raises when a thread-local value does not reach the key of JAX's caches."""
        mark = HookState("report", (), None, -1)
        previous = self._entry.swap_local(mark)
        try:
            if self._entry.value != mark or mark not in config.trace_context():
                raise RuntimeError("a new configuration entry is not part of JAX's trace context")
        finally:
            self._entry.set_local(previous)

    def get(self) -> HookState | None:
        state = self._entry.value
        if state is not None and state.session and state not in self._blocks.states:
            self._changed()  # another thread has left this thread's block
            state = self._entry.value
        return state

    def get_global(self) -> HookState | None:
        return self._entry.get_global()

    def set_global(self, state: HookState | None) -> None:
        self._entry.set_global(state)

    def _changed(self) -> None:
        states = self._blocks.states
        self._entry.set_local(states[-1] if states else self._unset)


class _ClearingHolder(_Holder):
    """The state beside JAX's configuration: every change clears all of JAX's caches."""

    def __init__(self) -> None:
        super().__init__()
        self._global: HookState | None = None

    def get(self) -> HookState | None:
        states = self._blocks.states
        return states[-1] if states else self._global

    def get_global(self) -> HookState | None:
        return self._global

    def set_global(self, state: HookState | None) -> None:
        self._global = state
        self._changed()

    def _changed(self) -> None:
        _clear_caches()


def _clear_caches() -> None:
    import jax

    jax.clear_caches()


def _make_holder() -> _ConfigHolder | _ClearingHolder:
    try:
        return _ConfigHolder()
    except Exception as error:
        warn_once("state", f"JAX's configuration cannot hold the state, so its caches are cleared instead ({error!r})")
        return _ClearingHolder()


_holder = _make_holder()

current = _holder.get
installed = _holder.get_global
set_installed = _holder.set_global
local = _holder.local
