"""Runs a function as soon as a module is imported, without importing it.

JAX without Pallas starts as fast with the hook as without.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_lock = threading.RLock()
_callbacks: dict[str, list[Callable[[ModuleType], None]]] = {}


def when_imported(name: str, callback: Callable[[ModuleType], None]) -> None:
    """Calls `callback(module)` now if `name` is imported completely, else right behind its import."""
    with _lock:
        module = sys.modules.get(name)
        spec = getattr(module, "__spec__", None)
        if module is None or getattr(spec, "_initializing", False):
            _callbacks.setdefault(name, []).append(callback)
            if _FINDER not in sys.meta_path:
                sys.meta_path.insert(0, _FINDER)
            return
    callback(module)


def forget(callback: Callable[[ModuleType], None]) -> None:
    """Takes a callback back; without any left, our finder leaves `sys.meta_path`."""
    with _lock:
        for name in list(_callbacks):
            _callbacks[name] = [other for other in _callbacks[name] if other is not callback]
            if not _callbacks[name]:
                del _callbacks[name]
        _retire()


def module_exists(name: str) -> bool:
    """True when a module of an imported top-level package has a file, found without importing anything."""
    top, *rest = name.split(".")
    paths = getattr(sys.modules.get(top), "__path__", ())
    return any(
        os.path.exists(os.path.join(path, *rest) + ".py") or os.path.isdir(os.path.join(path, *rest)) for path in paths
    )


def _retire() -> None:
    if not _callbacks and _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds awaited modules through the other finders, and wraps their loader."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _callbacks:
            return None
        for finder in list(sys.meta_path):
            find_spec = getattr(finder, "find_spec", None)
            if finder is self or find_spec is None:
                continue
            spec = find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                _wrap_loader(spec.loader, fullname)
                return spec
        return None


def _wrap_loader(loader: importlib.abc.Loader, name: str) -> None:
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module  # the instance's attribute: the class's method is back for a reload
        execute(module)
        with _lock:
            callbacks = _callbacks.pop(name, [])
            _retire()
        for callback in callbacks:
            callback(module)

    loader.exec_module = exec_module  # finders make a loader per module


_FINDER = _Finder()


def flush() -> None:
    """Calls what waits for modules that somebody else was importing when it was registered."""
    if not _callbacks:
        return
    for name in list(_callbacks):
        module = sys.modules.get(name)
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            with _lock:
                callbacks = _callbacks.pop(name, [])
                _retire()
            for callback in callbacks:
                callback(module)
