"""Puts rewritten lists in the place of the old ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo as hlo

from mosaic_verify.dialects.block_sparse import BACKWARD_SEGMENTS, FORWARD, FORWARD_SEGMENTS, operands_of
from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS

_KNOWN = (
    "tile_m",
    "tile_n",
    "q_stage",
    "block_size",
    "subtile_factor",
    "kv_subtile_factor",
    "packed_seq_len",
    "pack_gqa",
    "spt",
    "deterministic",
    "kernel",
)


def materialize(array: np.ndarray | ir.Value, at: ir.Operation) -> ir.Value:
    """A list operand as an IR value: itself, or a constant in front of `at`."""
    if isinstance(array, ir.Value):
        return array
    kind = ir.RankedTensorType.get(array.shape, ir.IntegerType.get_signless(32, at.context), loc=at.location)
    data = np.ascontiguousarray(array, np.int32)
    with ir.InsertionPoint(at), at.location:
        return hlo.constant(ir.DenseElementsAttr.get(data, type=kind))


def replace_call(
    op: ir.Operation, arrays: Mapping[str, np.ndarray | ir.Value], block_size: tuple[int, int] | None
) -> ir.Operation:
    """A `block_sparse` op with other list operands (added where it had none) and another `block_size`; erases `op`."""
    operands = operands_of(op) | {name: materialize(array, op) for name, array in arrays.items()}
    segments = FORWARD_SEGMENTS if op.name == FORWARD else BACKWARD_SEGMENTS
    if op.name != FORWARD and not any(name in operands for name in WRITE_ORDERS.values()):
        segments = segments[: -len(WRITE_ORDERS)]
    attributes = {name: op.attributes[name] for name in _attribute_names(op)}
    sizes = [int(name in operands) for name in segments]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes, context=op.context)
    if block_size is not None:
        attributes["block_size"] = ir.DenseI64ArrayAttr.get(list(block_size), context=op.context)
    new = ir.Operation.create(
        op.name,
        results=[result.type for result in op.results],
        operands=[operands[name] for name in segments if name in operands],
        attributes=attributes,
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()
    return new


def replace_values(op: ir.Operation, old: Mapping[str, ir.Value], arrays: Mapping[str, np.ndarray]) -> None:
    """Gives a custom call other constants of the same shapes in the place of operands `old`, in order of position."""
    positions = _positions(op, old)
    for name, array in arrays.items():
        op.operands[positions[name]] = materialize(array, op)


def _positions(op: ir.Operation, named: Mapping[str, ir.Value]) -> dict[str, int]:
    """Where the list operands of a custom call are: they stand in one run, in the order of their names."""
    values, run = list(op.operands), list(named.values())
    for start in range(len(values) - len(run) + 1):
        if values[start : start + len(run)] == run:
            return {name: start + i for i, name in enumerate(named)}
    raise ValueError("the list operands are not in one run")


def _attribute_names(op: ir.Operation) -> list[str]:
    """Names of all attributes; those in the `<{...}>` form are found by name only."""
    listed = [entry if isinstance(entry, str) else entry.name for entry in op.attributes]
    return list(dict.fromkeys([*listed, *(name for name in _KNOWN if name in op.attributes)]))
