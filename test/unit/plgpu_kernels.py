"""Helpers for tests of the plgpu level: what JAX hands to `lower_jaxpr_to_module`, and what it makes of it."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import jax
from jax._src.pallas.mosaic_gpu import lowering
from jax.experimental.pallas import mosaic_gpu as plgpu

from mosaic_verify.jax_hook.importer.scopes import Imported
from mosaic_verify.jax_hook.plgpu_level import import_kernel


class Captured(Exception):  # control flow
    """Carries the arguments of `lower_jaxpr_to_module` out of JAX."""


@contextlib.contextmanager
def semantics_of(name: str | None) -> Iterator[None]:
    """Kernels are lowered with these semantics, whatever they ask for; None leaves them as they are."""
    original = plgpu.CompilerParams
    if name is not None:
        chosen = getattr(plgpu.LoweringSemantics, name)
        plgpu.CompilerParams = lambda **given: original(**{**given, "lowering_semantics": chosen})  # type: ignore[misc]
    try:
        yield
    finally:
        plgpu.CompilerParams = original  # type: ignore[misc]


def lower(fn: Any, *args: Any) -> Any:
    """Lowers for CUDA without a GPU."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))


def arguments_of(fn: Any, *args: Any) -> dict[str, Any]:
    """The arguments of `lower_jaxpr_to_module` for the first kernel of `fn`, by name."""
    original = lowering.lower_jaxpr_to_module
    signature = inspect.signature(original)

    def stop(*a: Any, **k: Any) -> None:
        raise Captured(signature.bind(*a, **k).arguments)

    lowering.lower_jaxpr_to_module = stop
    try:
        lower(fn, *args)
    except Captured as captured:
        return captured.args[0]
    finally:
        lowering.lower_jaxpr_to_module = original
    raise AssertionError("no Mosaic GPU kernel was lowered")


def module_of(fn: Any, *args: Any) -> tuple[dict[str, Any], Imported]:
    """A kernel's arguments and its plgpu module."""
    arguments = arguments_of(fn, *args)
    return arguments, import_kernel(arguments["jaxpr"], arguments)


def lowered_text(fn: Any, *args: Any, change: Any = None) -> str:
    """Text of the lowered program; `change` maps the arguments of each kernel to the jaxpr that is lowered."""
    original = lowering.lower_jaxpr_to_module
    signature = inspect.signature(original)

    def changed(*a: Any, **k: Any) -> Any:
        bound = signature.bind(*a, **k)
        if change is not None:
            bound.arguments["jaxpr"] = change(bound.arguments)
        return original(*bound.args, **bound.kwargs)

    lowering.lower_jaxpr_to_module = changed
    try:
        jax.clear_caches()
        return lower(fn, *args).as_text()
    finally:
        lowering.lower_jaxpr_to_module = original
