"""The passes, one per file. A pass named `a-b` lives in `a_b.py`; nothing is imported before it is asked for."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mosaic_verify.ir.passes import Pass


@cache
def pass_names() -> tuple[str, ...]:
    """Names of all passes, sorted, from the file names alone."""
    names = {
        entry[:-3].replace("_", "-")
        for folder in __path__
        for entry in os.listdir(folder)
        if entry.endswith(".py") and not entry.startswith("_")
    }
    return tuple(sorted(names))


def check_architecture(name: str) -> None:
    """Raises ValueError, with one line, for an architecture that options `arch` do not know."""
    from mosaic_verify.model.architectures import find_architecture

    find_architecture(name)


@cache
def load_pass(name: str) -> type[Pass]:
    """The class of one pass. Raises KeyError for a name that is not in `pass_names()`."""
    if name not in pass_names():
        raise KeyError(name)
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__dict__.get("name") == name and value.__module__ == module.__name__
    )
