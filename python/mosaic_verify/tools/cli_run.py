"""`mosaic-verify run`: a script under the hook, otherwise as `python script.py` runs it."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import types
from types import TracebackType

from mosaic_verify.tools.cli_console import UsageError


def run(options: argparse.Namespace) -> int:
    """Installs the hook, then runs the script as `__main__`. Its exit code, or 1 after an uncaught exception."""
    script = options.script
    if not os.path.exists(script):
        raise UsageError(f"cannot open '{script}': No such file or directory")
    code = None
    if os.path.isfile(script) and not script.endswith((".zip", ".pyz")):
        try:
            with open(script, "rb") as file:
                source = file.read()
        except OSError as error:
            raise UsageError(f"cannot open '{script}': {error.strerror}") from None
        try:
            code = compile(source, os.path.abspath(script), "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            _show(type(error), error, None)
            return 1
    from mosaic_verify.api import install

    install(mode=options.mode)
    sys.argv = [script, *options.arguments]
    sys.path[:1] = [os.path.dirname(os.path.abspath(script)) if code else script]
    try:
        if code is None:
            runpy.run_path(script, run_name="__main__")
        else:
            _run_as_main(code, os.path.abspath(script))
    except SystemExit:
        raise
    except BaseException as error:
        _show(type(error), error, _below(error.__traceback__))
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _run_as_main(code: types.CodeType, script: str) -> None:
    """As runpy does it, but `__main__` stays: threads, exit handlers and pickles of the script still need it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=script, __builtins__=__builtins__, __cached__=None, __spec__=None)
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def _below(traceback: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that `python script.py` would show: without our frames and those of runpy."""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file != __file__ and file != runpy.__file__ and not file.startswith("<frozen runpy"):
            break
        traceback = traceback.tb_next
    return traceback


def _show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """What Python does with an uncaught exception; a hook that the script has set is respected."""
    sys.excepthook(kind, error.with_traceback(traceback), traceback)
