"""Equations for the arithmetic on indices that rewrites add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax
from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import string
from mosaic_verify.jax_hook.exporter.transforms import ExportError

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lax.add,
    "and": lax.bitwise_and,
    "mul": lax.mul,
    "sub": lax.sub,
}


def equation_for(op: ir.Operation, atoms: list[Any]) -> Any:
    """An equation that does what a `plgpu.primitive` does to `atoms`. Raises ExportError for other than simple sums."""
    import jax

    name = string(op, "name") or ""
    function = _FUNCTIONS.get(name)
    if function is None:
        raise ExportError(f"no equation is made for '{name}'")
    shapes = [jax.ShapeDtypeStruct(atom.aval.shape, atom.aval.dtype) for atom in atoms]
    # Tracing gives the parameters that this version of JAX wants.
    [eqn] = jax.make_jaxpr(function)(*shapes).jaxpr.eqns
    return eqn.replace(invars=list(atoms))
