"""`file.py::name`: a function without arguments that returns kernels and the shapes of their arguments."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

from mosaic_verify.diagnostics.diagnostic import Diagnostic, Report
from mosaic_verify.diagnostics.suppression import UNUSED_IGNORE, Suppression
from mosaic_verify.tools.cli_console import UsageError, suggest
from mosaic_verify.tools.cli_targets import CheckOptions, Job

_WANTED = "it must return (fn, args) or a list of (label, fn, args)"


def open_function(target: str, options: CheckOptions) -> Sequence[Job]:
    """Imports the file, calls the function and makes a job of each kernel. Raises UsageError for anything amiss."""
    path, _, name = target.partition("::")
    if not os.path.isfile(path):
        reason = "Is a directory" if os.path.isdir(path) else "No such file or directory"
        raise UsageError(f"cannot open '{path}': {reason}")
    module = import_file(os.path.abspath(path))
    function: Any = module
    for part in name.split("."):
        if not hasattr(function, part):
            names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            raise UsageError(f"'{path}' has no '{name}'{suggest(name, names)}")
        function = getattr(function, part)
    if not callable(function):
        raise UsageError(f"'{target}' is not a function but {_a(function)}")
    _check_signature(target, function)
    with _user_output():
        value = _guard(f"'{target}'", function)
    return [_job(path, label, fn, args, options) for label, fn, args in read_kernels(target, value)]


def read_kernels(target: str, value: Any) -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """(label, fn, args) of each kernel in what a target's function returned. Raises UsageError."""
    if isinstance(value, tuple) and len(value) == 2 and callable(value[0]):
        value = [(target, *value)]
    if not isinstance(value, (list, tuple)) or not value:
        found = "nothing" if value is None else f"an empty {type(value).__name__}" if value in ([], ()) else _a(value)
        raise UsageError(f"'{target}' returned {found}: {_WANTED}")
    kernels = []
    for index, entry in enumerate(value):
        if not isinstance(entry, (list, tuple)) or len(entry) != 3:
            raise UsageError(f"entry {index} of '{target}' is {_a(entry)}: {_WANTED}")
        label, fn, args = entry
        if not callable(fn):
            raise UsageError(f"entry {index} of '{target}': fn is {_a(fn)}, not a function")
        if not isinstance(args, (list, tuple)):
            raise UsageError(f"entry {index} of '{target}': args is {_a(args)}, not a tuple")
        kernels.append((str(label), fn, tuple(args)))
    return kernels


@cache
def import_file(path: str) -> ModuleType:
    """The module of a Python file, imported as `python path` would see its neighbours. Raises UsageError."""
    folder, stem = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = f"_mosaic_verify_target_{stem}" if stem in sys.modules else stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"'{path}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _user_output():
        _guard(f"importing '{os.path.relpath(path)}'", spec.loader.exec_module, module)
    return module


def describe_functions(path: str) -> str:
    """`FILE::NAME` of the functions in a Python file that can be called without arguments."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return f"{path}::NAME"
    names = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and len(node.args.args) + len(node.args.posonlyargs) == len(node.args.defaults)
    ]
    return " or ".join(f"{path}::{name}" for name in names[:3]) or f"{path}::NAME"


def _job(path: str, label: str, fn: Callable[..., Any], args: tuple[Any, ...], options: CheckOptions) -> Job:
    def run() -> Report:
        from mosaic_verify.api import check
        from mosaic_verify.jax_hook.suppression import configured_from

        options.suppression(path)  # says what is wrong with the configuration
        with _user_output(), configured_from(path, options.used_comments):
            report = check(
                fn,
                *args,
                mode=options.mode,
                arch=options.arch,
                platforms=None if options.platform is None else (options.platform,),
                ignore=options.ignore,
            )
        idle = [each for each in report.diagnostics if _is_idle_comment(each)]
        options.idle_comments.extend(idle)
        report.diagnostics[:] = [each for each in report.diagnostics if each not in idle]
        report.examined = _examined(report)
        # The configuration and `ignore` have been applied; --select and --werror are the command's own.
        own = Suppression(select=options.select, werror=options.werror)
        shown = map(own.apply, report.diagnostics)
        return replace(report, diagnostics=[diagnostic for diagnostic in shown if diagnostic is not None])

    return Job(label, run)


def _is_idle_comment(diagnostic: Diagnostic) -> bool:
    return diagnostic.code == UNUSED_IGNORE[0] and diagnostic.location.file is not None


def _examined(report: Report) -> bool:
    """False for a program that was lowered and has nothing in it that is checked."""
    if not report.ok or report.diagnostics or report.rewrites or report.lowered is None:
        return True
    from mosaic_verify.ir.automatic import has_kernel

    module: Any = report.lowered
    return has_kernel(module.compiler_ir().operation)


def _check_signature(target: str, function: Callable[..., Any]) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind()
    except TypeError:
        raise UsageError(f"'{target}' takes arguments {signature}, but is called without any") from None


def _guard(what: str, function: Callable[..., Any], *args: Any) -> Any:
    """Calls the user's code; what it raises becomes one line with its place."""
    try:
        return function(*args)
    except (Exception, SystemExit) as error:
        traceback, place = error.__traceback__, ""
        while traceback is not None:
            file = traceback.tb_frame.f_code.co_filename
            if os.path.isfile(file) and file != __file__ and os.sep + "site-packages" + os.sep not in file:
                place = f"{os.path.relpath(file)}:{traceback.tb_lineno}: "
            traceback = traceback.tb_next
        if isinstance(error, SyntaxError) and error.filename:
            place = f"{os.path.relpath(error.filename)}:{error.lineno}: "
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        text = next(iter(said.strip().splitlines()), "")
        raise UsageError(f"{what} failed: {place}{type(error).__name__}{': ' if text else ''}{text}") from None


def _user_output() -> contextlib.AbstractContextManager[Any]:
    """What the user's code prints goes to standard error, so that standard output is ours."""
    return contextlib.redirect_stdout(sys.stderr)


def _a(value: Any) -> str:
    name = type(value).__name__
    if isinstance(value, (tuple, list)):
        return f"a {name} of {len(value)}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
