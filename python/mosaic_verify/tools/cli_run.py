"""`mosaic-verify run`: a script under the hook, otherwise as `python script.py` runs it."""

from __future__ import annotations

import argparse
import builtins
import os
import sys
import traceback
import types
from types import TracebackType

from mosaic_verify.tools import cli_program
from mosaic_verify.tools.cli_console import UsageError
from mosaic_verify.tools.cli_program import Program, find_program, read_program


def run(options: argparse.Namespace) -> int:
    """Runs a program as `__main__`, with the hook in JAX. Its exit code, or 1 after an uncaught exception."""
    try:
        program = read_program(options.script) if options.module is None else _find(options)
    except UsageError:
        raise
    except Exception as error:  # no program: too deep, not only SyntaxError; or a package that cannot be imported
        _show(error, _below(error.__traceback__))
        return 1
    if options.module is None:
        _install_with_jax(options.mode)
        if not sys.flags.safe_path:
            del sys.path[:1]
        if not (program.safe and sys.flags.safe_path):
            sys.path.insert(0, program.folder)
    sys.argv = [program.name, *options.arguments]
    try:
        _run_as_main(program)
    except SystemExit:
        raise
    except BaseException as error:
        _show(error, _below(error.__traceback__))
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _find(options: argparse.Namespace) -> Program:
    """The module to run. Its packages may import JAX, and are looked for in the working directory first."""
    _install_with_jax(options.mode)
    if not sys.flags.safe_path:
        sys.path[:1] = [os.getcwd()]
    sys.argv = ["-m", *options.arguments]
    return find_program(options.module)


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


def _run_as_main(program: Program) -> None:
    """As runpy does it, but `__main__` stays: threads, exit handlers and pickles of the script still need it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(program.names, __builtins__=builtins)
    sys.modules["__main__"] = module
    exec(program.code, module.__dict__)


def _below(below: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that `python script.py` would show: without our frames."""
    while below is not None and below.tb_frame.f_code.co_filename in (__file__, cli_program.__file__):
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
