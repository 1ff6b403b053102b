"""The jaxpr of a Pallas Mosaic GPU kernel, in both lowering semantics, before any of it is lowered."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location
from mosaic_verify.jax_hook import state
from mosaic_verify.jax_hook.frames import is_user_file
from mosaic_verify.jax_hook.jaxprs import nested_jaxprs
from mosaic_verify.jax_hook.lowering import Lowering, entered, guarded
from mosaic_verify.jax_hook.patches import Level, Patch, arguments_by_name

_NAME = "plgpu"
_IMPORTER = "mosaic_verify.jax_hook.plgpu_level"


def _wrap(original: Callable[..., Any]) -> Callable[..., Any]:
    """`lowering.lower_jaxpr_to_module` of Pallas Mosaic GPU."""
    named = arguments_by_name(original)

    def lower_jaxpr_to_module(*args: Any, **kwargs: Any) -> Any:
        current = state.current()
        if current is None:
            return original(*args, **kwargs)
        with entered(_NAME, current) as lowering:
            if lowering is None:
                return original(*args, **kwargs)
            lowering.kernel = None
            try:
                changed = guarded(_NAME, _process, lowering, named, args, kwargs)
                return original(*args, **kwargs) if changed is None else original(**changed)
            except BaseException:
                lowering.kernel = None  # it will have no custom call
                raise
            finally:
                lowering.verified.discard(_NAME)

    return lower_jaxpr_to_module


def _process(
    lowering: Lowering, named: Callable[..., dict[str, Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Gives the kernel to `plgpu_level.process`. The arguments with its jaxpr, or None when it left the jaxpr alone."""
    arguments = named(args, kwargs)
    jaxpr = arguments["jaxpr"]
    lowering.locate(lambda: _kernel_location(jaxpr))
    process = _processor()
    if process is None:
        return None
    lowering.engine.level = _NAME
    changed = process(jaxpr, lowering=lowering, arguments=arguments)
    lowering.enforce()
    return None if changed is None or changed is jaxpr else {**arguments, "jaxpr": changed}


def _kernel_location(jaxpr: Any) -> Location:
    """Where the kernel function is defined: JAX wraps it, so it is the first function of the user's in the jaxpr."""
    for present in nested_jaxprs(jaxpr):
        _, _, place = str(present.debug_info.func_src_info).rpartition(" at ")  # "body at kernel.py:40"
        file, _, line = place.rpartition(":")
        if line.isdigit() and is_user_file(file):
            return Location(file, int(line), 1)
    return UNKNOWN


@cache
def _processor() -> Callable[..., Any] | None:
    if importlib.util.find_spec(_IMPORTER) is None:
        return None
    return importlib.import_module(_IMPORTER).process


LEVEL = Level(
    _NAME,
    (Patch("jax._src.pallas.mosaic_gpu.lowering", "lower_jaxpr_to_module", _wrap, ("jaxpr", "params", "cluster")),),
)
