"""Runs the module of a rewritten call with JAX: the few StableHLO ops that rewrites add, and the call itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.dialects.megablox import SEGMENTS
from mosaic_verify.jax_hook.megablox.call_module import OPERANDS

Call = Callable[[Mapping[str, Any]], Any]


def evaluate(module: ir.Module, arguments: Mapping[str, Any], call: Call) -> Any:
    """The result of the module's only function on the operands in `arguments`.

    `call` receives what the rewritten op changes: its operands and its tiling.
    Raises KeyError for an op that no rewrite makes.
    """
    function = module.body.operations[0].operation
    block = function.regions[0].blocks[0]
    present = [name for name in OPERANDS if arguments.get(name) is not None]
    values = dict(zip(map(_key, block.arguments), (arguments[name] for name in present), strict=True))
    for op in block.operations:
        one = op.operation
        operands = [values[_key(operand)] for operand in one.operands]
        if one.name == "func.return":
            return operands[0]
        if one.name.startswith("megablox."):
            values[_key(one.results[0])] = call(_changed(one, operands))
        else:
            values[_key(one.results[0])] = _EVALUATE[one.name](one, *operands)
    raise KeyError("func.return")


def _key(value: ir.Value) -> tuple[str, int]:
    return (value.get_name(), hash(value))


def _changed(op: ir.Operation, operands: list[Any]) -> dict[str, Any]:
    counts = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    names = [name for name, count in zip(SEGMENTS, counts, strict=True) if count]
    changed: dict[str, Any] = dict(zip(names, operands, strict=True))
    if "tiling" in op.attributes:
        changed["tiling"] = tuple(ir.DenseI64ArrayAttr(op.attributes["tiling"]))
    return changed


def _integers(op: ir.Operation, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def _convert(op: ir.Operation, value: Any) -> Any:
    import jax.numpy as jnp

    from mosaic_verify.model.elements import jax_name

    return jnp.asarray(value).astype(jax_name(str(op.results[0].type.element_type)))


def _reshape(op: ir.Operation, value: Any) -> Any:
    from jax import lax

    return lax.reshape(value, tuple(op.results[0].type.shape))


def _constant(op: ir.Operation) -> Any:
    import jax.numpy as jnp

    from mosaic_verify.model.elements import jax_name

    # Padding is the only constant that a rewrite makes, and it is zero.
    return jnp.zeros((), jax_name(str(op.results[0].type.element_type)))


def _pad(op: ir.Operation, value: Any, fill: Any) -> Any:
    from jax import lax

    low, high, interior = (
        _integers(op, name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding")
    )
    return lax.pad(value, fill, list(zip(low, high, interior, strict=True)))


def _slice(op: ir.Operation, value: Any) -> Any:
    from jax import lax

    return lax.slice(value, *(_integers(op, name) for name in ("start_indices", "limit_indices", "strides")))


_EVALUATE: dict[str, Callable[..., Any]] = {
    "stablehlo.convert": _convert,
    "stablehlo.reshape": _reshape,
    "stablehlo.constant": _constant,
    "stablehlo.pad": _pad,
    "stablehlo.slice": _slice,
}
