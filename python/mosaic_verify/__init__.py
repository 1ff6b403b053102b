"""mosaic-verify: checks and repairs accelerator kernels at MLIR level. JAX and jaxlib are not imported before use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mosaic_verify.api import check as check

__version__ = "0.1.0"

_API = frozenset(
    (
        "Diagnostic",
        "KernelVerificationError",
        "Location",
        "Report",
        "Rewrite",
        "all_rules",
        "annotate",
        "check",
        "explain",
        "install",
        "run",
        "uninstall",
        "verifying",
    )
)
_MODULES = frozenset(("block_sparse", "sparse_metadata"))


def __getattr__(name: str):
    import importlib

    if name in _API:
        return getattr(importlib.import_module("mosaic_verify.api"), name)
    if name in _MODULES:
        return importlib.import_module(f"mosaic_verify.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_API, *_MODULES})
