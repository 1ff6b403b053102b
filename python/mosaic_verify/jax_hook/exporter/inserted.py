"""What rewrites add to a kernel beside transforms: `commit_smem` in front of an equation, and collective axes."""

from __future__ import annotations

from typing import Any

import jax
from jax.experimental.pallas import mosaic_gpu as plgpu
from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import integer, string
from mosaic_verify.jax_hook.exporter.transforms import ExportError

_MADE = {"commit_smem": plgpu.commit_smem}
_AXIS = "collective_axis"


def inserted_ops(module: ir.Operation) -> dict[int, list[str]]:
    """Names of the primitives with the attribute `inserted`, by the number of the equation that they stand in front of.

    Raises ExportError when no equation follows one in its block.
    """
    found: dict[int, list[str]] = {}
    _walk(module, found)
    return found


def _walk(op: ir.Operation, found: dict[int, list[str]]) -> None:
    for region in op.regions:
        for block in region.blocks:
            waiting: list[str] = []
            for view in block.operations:
                inner = view.operation
                if "inserted" in inner.attributes:
                    waiting.append(string(inner, "name") or "")
                    continue
                number = integer(inner, "eqn")
                if number is not None and waiting:
                    found[number], waiting = waiting, []
                if len(inner.regions):
                    _walk(inner, found)
            if waiting:
                raise ExportError(f"'{waiting[0]}' was inserted where no equation follows")


def equation_of(name: str, following: Any) -> Any:
    """The equation of an inserted primitive, with the source location of the one that it stands in front of."""
    function = _MADE.get(name)
    if function is None:
        raise ExportError(f"no equation is made for '{name}'")
    [eqn] = jax.make_jaxpr(function)().jaxpr.eqns
    return eqn.replace(source_info=following.source_info)


def with_collective_axis(params: dict[str, Any], op: ir.Operation | None) -> dict[str, Any]:
    """The parameters of an equation with the collective axis that its op has; `params` itself when it is the same."""
    if op is None or _AXIS not in params or not isinstance(params[_AXIS], (str, type(None))):
        return params
    axis = string(op, _AXIS)
    return params if axis == params[_AXIS] else {**params, _AXIS: axis}


def with_new_effects(effects: Any, equations: list[Any]) -> Any:
    """Effects of a jaxpr with those of equations that have no inputs, as inserted ones."""
    new = {effect for eqn in equations if not eqn.invars for effect in eqn.effects} - set(effects)
    return type(effects)({*effects, *new}) if new else effects
