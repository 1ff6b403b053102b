"""Replacing attributes of JAX while somebody needs it, and putting them back.

A level (see `levels/`) names the attributes that it wraps. They are replaced while the hook is installed or a session
is open, in the modules that are imported by then and in the others as soon as they are. A level whose attributes are
not there any more is left out with one warning; the others work on.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from mosaic_verify.jax_hook import imports
from mosaic_verify.jax_hook.policy import own_fault, warn_once

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass(frozen=True)
class Patch:
    """One attribute of JAX.

    Attributes:
      module: the module that callers look the attribute up in.
      attribute: its name there.
      wrap: makes the replacement from the original. The replacement must call the original with unchanged arguments
        when `state.current()` is None, and must not let an exception of ours out (`lowering.guarded`).
      parameters: names that the original's signature must have; without one of them the level is left out.
    """

    module: str
    attribute: str
    wrap: Wrap
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diversion:
    """A function whose calls are diverted in place, since users hold references to it.

    Attributes:
      module, attribute, parameters: as for `Patch`.
      divert: changes the function that it is given, and returns what changes it back.
    """

    module: str
    attribute: str
    divert: Callable[[Callable[..., Any]], Callable[[], None]]
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Level:
    """One place in JAX's pipeline. A module of `levels/` defines one as `LEVEL`; adding a level is adding a file.

    Attributes:
      name: as in the design: "plgpu", "mosaic_gpu", "host", ...
      patches: the attributes that it needs.
    """

    name: str
    patches: tuple[Patch | Diversion, ...]


@cache
def all_levels() -> tuple[Level, ...]:
    """The levels, by file name. One that cannot be imported is left out with a warning."""
    from mosaic_verify.jax_hook import levels

    found = []
    for info in pkgutil.iter_modules(levels.__path__):
        try:
            found.append(importlib.import_module(f"{levels.__name__}.{info.name}").LEVEL)
        except Exception as error:
            own_fault(info.name, error)
    return tuple(found)


class _Applied:
    """The patches that are in force, and who needs them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users = 0
        self._waiting: list[Callable[[ModuleType], None]] = []
        self._replaced: list[tuple[ModuleType, str, Any, Any]] = []
        self._diverted: list[tuple[str, str, Callable[[], None]]] = []

    def acquire(self) -> None:
        """Puts the patches in force for one more user."""
        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            for level in all_levels():
                for patch in level.patches:
                    self._await(level, patch)

    def release(self) -> None:
        """One user less; with the last one JAX is as it was."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
            for callback in self._waiting:
                imports.forget(callback)
            self._waiting.clear()
            while self._diverted:
                self._diverted.pop()[-1]()
            while self._replaced:
                module, attribute, original, replacement = self._replaced.pop()
                # Somebody may have wrapped the attribute after us: ours then stays below theirs, and passes calls on.
                if module.__dict__.get(attribute) is replacement:
                    setattr(module, attribute, original)

    def _await(self, level: Level, patch: Patch | Diversion) -> None:
        if not imports.module_exists(patch.module):
            self._moved(level, f"there is no module {patch.module}")
            return
        callback = functools.partial(self._apply, level, patch)
        self._waiting.append(callback)
        imports.when_imported(patch.module, callback)

    def _apply(self, level: Level, patch: Patch | Diversion, module: ModuleType) -> None:
        with self._lock:
            if not self._users:
                return
            original = module.__dict__.get(patch.attribute)
            if not callable(original):
                self._moved(level, f"{patch.module} has no function {patch.attribute}")
                return
            missing = [name for name in patch.parameters if name not in _parameters(original)]
            if missing:
                self._moved(level, f"{patch.module}.{patch.attribute} has no parameter {missing[0]!r}")
                return
            if isinstance(patch, Diversion):
                try:
                    self._diverted.append((patch.module, patch.attribute, patch.divert(original)))
                except Exception as error:
                    own_fault(level.name, error)
                return
            try:
                replacement = functools.wraps(original)(patch.wrap(original))
            except Exception as error:
                own_fault(level.name, error)
                return
            setattr(module, patch.attribute, replacement)
            self._replaced.append((module, patch.attribute, original, replacement))

    def _moved(self, level: Level, what: str) -> None:
        """Leaves a level out: what it has replaced so far is put back."""
        warn_once(
            f"moved:{level.name}",
            f"this JAX is not known: {what}; the {level.name} level of the hook is off, the others are not affected",
        )
        mine = {(patch.module, patch.attribute) for patch in level.patches}
        for diverted in [entry for entry in self._diverted if entry[:2] in mine]:
            diverted[-1]()
            self._diverted.remove(diverted)
        for entry in list(self._replaced):
            module, attribute, original, replacement = entry
            if (module.__name__, attribute) in mine and module.__dict__.get(attribute) is replacement:
                setattr(module, attribute, original)
                self._replaced.remove(entry)


def arguments_by_name(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """What tells the arguments of a call of `function` by name. Takes the positional ones and the others."""
    import inspect

    names = tuple(inspect.signature(function).parameters)
    return lambda args, kwargs: {**dict(zip(names, args, strict=False)), **kwargs}


def _parameters(function: Callable[..., Any]) -> frozenset[str]:
    import inspect

    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


_applied = _Applied()
acquire = _applied.acquire
release = _applied.release
