"""`mosaic-verify run`: a script under the hook, otherwise as `python script.py` runs it."""

from __future__ import annotations

import argparse
import builtins
import os
import pkgutil
import sys
import traceback
import types
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from types import TracebackType
from typing import Any

from mosaic_verify.tools.cli_console import UsageError


def run(options: argparse.Namespace) -> int:
    """Runs the script as `__main__`, with the hook in JAX. Its exit code, or 1 after an uncaught exception."""
    script = options.script
    path = os.path.abspath(script)
    if not os.path.exists(script):
        raise UsageError(f"cannot open '{script}': No such file or directory")
    importer: Any = pkgutil.get_importer(path)  # for a folder or a zip file, whatever its name
    try:
        code, names = _read(script, path) if importer is None else _find_main(importer, script)
    except UsageError:
        raise
    except OSError as error:
        raise UsageError(f"cannot open '{script}': {error.strerror}") from None
    except (ImportError, EOFError) as error:  # compiled for another Python, or cut off
        raise UsageError(f"cannot run '{script}': {error}") from None
    except Exception as error:  # no program: too deep, not only SyntaxError
        _show(error, None)
        return 1
    _install_with_jax(options.mode)
    sys.argv = [script, *options.arguments]
    if not sys.flags.safe_path:
        del sys.path[:1]
        if importer is None:
            sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    if importer is not None:
        sys.path.insert(0, path)
    try:
        _run_as_main(code, names)
    except SystemExit:
        raise
    except BaseException as error:
        _show(error, _below(error.__traceback__))
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _read(script: str, path: str) -> tuple[types.CodeType, dict[str, Any]]:
    """The program in a file, and what its `__main__` says of where it comes from."""
    if script.endswith(".pyc"):
        loader: Any = SourcelessFileLoader("__main__", path)
        code = loader.get_code("__main__")
    else:
        loader = SourceFileLoader("__main__", path)
        with open(script, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    return code, dict(__file__=path, __loader__=loader, __spec__=None, __cached__=None)


def _find_main(importer: Any, script: str) -> tuple[types.CodeType, dict[str, Any]]:
    """The same for the `__main__` of a folder or a zip file."""
    spec = importer.find_spec("__main__")
    code = spec.loader.get_code("__main__") if spec is not None and spec.loader is not None else None
    if code is None:
        raise UsageError(f"cannot run '{script}': it has no __main__.py")
    origin = dict(__file__=code.co_filename, __cached__=spec.cached, __package__=spec.parent)
    return code, dict(origin, __loader__=spec.loader, __spec__=spec)


def _install_with_jax(mode: str) -> None:
    """Installs the hook as soon as JAX is imported: a script may set variables first that JAX reads at its import."""
    from mosaic_verify.jax_hook import imports, policy

    def install(jax: types.ModuleType) -> None:
        try:
            from mosaic_verify.jax_hook.install import install

            install(mode)
        except Exception as error:  # the script goes on whatever is wrong with us
            if policy.strict():
                raise
            policy.warn_once("install", f"could not install its hook, NOTHING IS VERIFIED: {error!r}")

    imports.when_imported("jax", install)


def _run_as_main(code: types.CodeType, names: dict[str, Any]) -> None:
    """As runpy does it, but `__main__` stays: threads, exit handlers and pickles of the script still need it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(names, __builtins__=builtins)
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def _below(below: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that `python script.py` would show: without our frames."""
    while below is not None and below.tb_frame.f_code.co_filename == __file__:
        below = below.tb_next
    return below


def _show(error: BaseException, below: TracebackType | None) -> None:
    """What Python does with an uncaught exception; a hook that the script has set is respected."""
    error.with_traceback(below)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, below
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    try:
        sys.excepthook(type(error), error, below)
    except Exception as failed:
        failed.__context__ = None
        print("Error in sys.excepthook:", file=sys.stderr)
        traceback.print_exception(failed.with_traceback(_below(failed.__traceback__)))
        print("\nOriginal exception was:", file=sys.stderr)
        traceback.print_exception(error)
