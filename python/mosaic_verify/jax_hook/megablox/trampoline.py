"""Replaces the code of a plain Python function in place, so that names imported before the hook go through it too.

`gmm` and `tgmm` are jitted function objects that users import by name; JAX keeps a reference to the function below.
Only its code object can be changed for all of them.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location

Handler = Callable[[FunctionType, dict[str, Any]], Any]
_HANDLERS: dict[str, Handler] = {}
_HANDLER_GLOBAL = "__mosaic_verify_handlers__"


def divert(function: FunctionType, key: str, handler: Handler) -> Callable[[], None]:
    """Sends calls of `function` to `handler(original, arguments by name)` until the returned function is called.

    `original` is a function with the old code. Raises ValueError for a closure, whose code cannot be exchanged.
    """
    old = function.__code__
    if old.co_freevars:
        raise ValueError(f"{function.__qualname__} is a closure")
    original = FunctionType(old, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    original.__qualname__ = function.__qualname__
    original.__module__ = function.__module__
    _HANDLERS[key] = lambda _unused, arguments: handler(original, arguments)
    function.__globals__[_HANDLER_GLOBAL] = _HANDLERS
    function.__code__ = _code(function, key)
    new = function.__code__

    def restore() -> None:
        # The handler stays: another thread may have entered the new code already.
        if function.__code__ is new:
            function.__code__ = old

    return restore


def _code(function: FunctionType, key: str) -> CodeType:
    """Code with the parameters of `function` that hands them all to the handler."""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty, default=inspect.Parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
    ]
    signature = str(inspect.Signature(parameters))
    source = f"def {function.__name__}{signature}:\n    return {_HANDLER_GLOBAL}[{key!r}](None, locals())\n"
    namespace: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), namespace)
    return namespace[function.__name__].__code__


def user_frame() -> Location:
    """The innermost frame above the caller that is neither ours nor in JAX (megablox itself counts as a user there)."""
    import jax
    from jax._src import source_info_util

    package = os.path.dirname(jax.__file__) + os.sep
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(("<", package)) and source_info_util.is_user_filename(name):
            positions = list(frame.f_code.co_positions())
            index = frame.f_lasti // 2
            column = positions[index][2] if 0 <= index < len(positions) else None
            return Location(name, frame.f_lineno, 0 if column is None else column + 1)
        frame = frame.f_back
    return UNKNOWN
