"""What `mosaic-verify run` runs as `__main__`: a file, a folder, a zip file or a module, read as Python reads them."""

from __future__ import annotations

import importlib.util
import os
import pkgutil
import types
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader, SourcelessFileLoader
from typing import Any

from mosaic_verify.tools.cli_console import UsageError


@dataclass(frozen=True)
class Program:
    """One program.

    Attributes:
      code: of its `__main__`.
      names: what that module says of where it comes from: `__file__`, `__spec__`, ...
      name: what `sys.argv[0]` is.
      folder: what it has in front of `sys.path`.
      safe: whether `python -P` leaves that folder out.
    """

    code: types.CodeType
    names: dict[str, Any]
    name: str
    folder: str
    safe: bool = True


def read_program(script: str) -> Program:
    """The program of a path. Raises UsageError, and what compiling it raises."""
    path = os.path.abspath(script)
    if not os.path.exists(script):
        raise UsageError(f"cannot open '{script}': No such file or directory")
    importer: Any = pkgutil.get_importer(path)  # for a folder or a zip file, whatever its name
    try:
        if importer is None:
            code, names = _read_file(script, path)
            return Program(code, names, script, os.path.dirname(os.path.realpath(path)))
        code, names = _code_of(importer.find_spec("__main__"), f"'{script}': it has no __main__.py")
        return Program(code, {**names, "__file__": code.co_filename}, script, path, safe=False)
    except OSError as error:
        raise UsageError(f"cannot open '{script}': {error.strerror}") from None
    except (ImportError, EOFError) as error:  # compiled for another Python, or cut off
        raise UsageError(f"cannot run '{script}': {error}") from None


def find_program(module: str) -> Program:
    """The program of a module, or of the `__main__` of a package, as `python -m` finds it; imports parent packages.

    Raises UsageError, and what importing the packages and compiling the program raise.
    """
    spec, fault = _find_spec(module), "there is no such module"
    if spec is not None and spec.submodule_search_locations is not None:
        spec, fault = _find_spec(f"{module}.__main__"), "the package has no __main__"
    code, names = _code_of(spec, f"module {module}: {fault}")
    return Program(code, {**names, "__file__": code.co_filename}, code.co_filename, os.getcwd())


def _find_spec(module: str) -> ModuleSpec | None:
    if module.startswith("."):  # relative to nothing
        return None
    try:
        return importlib.util.find_spec(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            return None
        raise
    except ValueError:  # such as `__main__`, which has no spec
        return None


def _read_file(script: str, path: str) -> tuple[types.CodeType, dict[str, Any]]:
    code: types.CodeType
    if script.endswith(".pyc"):
        loader: Any = SourcelessFileLoader("__main__", path)
        code = loader.get_code("__main__")
    else:
        loader = SourceFileLoader("__main__", path)
        with open(script, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    return code, dict(__file__=path, __loader__=loader, __spec__=None, __cached__=None)


def _code_of(spec: ModuleSpec | None, otherwise: str) -> tuple[types.CodeType, dict[str, Any]]:
    loader: Any = None if spec is None else spec.loader
    code = loader.get_code(spec.name) if spec is not None and hasattr(loader, "get_code") else None
    if spec is None or code is None:
        raise UsageError(f"cannot run {otherwise}")
    return code, dict(__cached__=spec.cached, __package__=spec.parent, __loader__=loader, __spec__=spec)
