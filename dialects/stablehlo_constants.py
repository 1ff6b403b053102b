"""The integers behind a StableHLO value that only layout ops separate from a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_values import constant_value
from mosaic_verify.ir.dense import integer_dtype, integer_values
from mosaic_verify.model.metadata_format_graph import Node

_CONSTANTS = frozenset(("stablehlo.constant", "arith.constant", "mhlo.constant"))
_MAX_COPY = 1 << 28  # entries that an op may copy: 1 GiB of int32


@dataclass(frozen=True, slots=True)
class Constant:
    """What is known of a value: `values` (a view where possible), or why a constant could not be read."""

    values: np.ndarray | None = None
    unreadable: str = ""


_UNKNOWN = Constant()


def constant_behind(node: Node) -> Constant:
    """Evaluates a node of `Provenance` with numpy; unknown when a root is no constant of integers."""
    if node.kind == "root":
        return _root(node)
    if node.kind not in ("reshape", "strided", "convert", "concatenate"):
        return _UNKNOWN
    values: list[np.ndarray] = []
    for each in map(constant_behind, node.inputs):
        if each.values is None:
            return each
        values.append(each.values)
    if node.kind == "strided":
        return Constant(_strided(node, values[0]))
    if node.kind == "convert":
        return _converted(node, values[0])
    if node.size > _MAX_COPY and (node.kind == "concatenate" or not values[0].flags.c_contiguous):
        return Constant(None, f"a {node.kind} of {node.size} elements")
    if node.kind == "reshape":
        return Constant(values[0].reshape(node.shape))
    return Constant(np.concatenate(values, axis=node.axis))


def _root(node: Node) -> Constant:
    value = node.origin
    if not isinstance(value, ir.Value) or isinstance(value, ir.BlockArgument):
        return _UNKNOWN
    op = ir.OpResult(value).owner.operation
    if op.name == "stablehlo.iota":
        return _iota(op, node.shape)
    if op.name not in _CONSTANTS:
        return _UNKNOWN
    attribute = constant_value(op)
    if attribute is None:
        return _UNKNOWN
    if not isinstance(attribute, ir.DenseElementsAttr):
        # The bindings hand a resource out as a plain `Attribute`, without its data.
        return Constant(None, "dense_resource constants cannot be read")
    if not isinstance(value.type.element_type, ir.IntegerType):
        return _UNKNOWN
    return Constant(integer_values(attribute))


def _iota(op: ir.Operation, shape: tuple[int, ...]) -> Constant:
    dtype = integer_dtype(op.results[0].type.element_type)
    if dtype is None or dtype.kind == "b":
        return _UNKNOWN
    dim = ir.IntegerAttr(op.attributes["iota_dimension"]).value
    line = np.arange(shape[dim]).astype(dtype).reshape([-1 if i == dim else 1 for i in range(len(shape))])
    return Constant(np.broadcast_to(line, shape))


def _converted(node: Node, values: np.ndarray) -> Constant:
    op = node.origin
    kind = op.results[0].type.element_type
    dtype = integer_dtype(kind)
    if op.name != "stablehlo.convert" or dtype is None or "b" in (dtype.kind, values.dtype.kind):
        return _UNKNOWN
    source = _narrow(op.operands[0].type.element_type)
    target = _narrow(kind)
    if values.dtype == dtype and source is target is None:
        return Constant(values)
    if node.size > _MAX_COPY:
        return Constant(None, f"a conversion of {node.size} elements")
    if source is not None and source.is_signless:  # held as unsigned bytes: -1 of i4 is 15
        sign = 1 << (source.width - 1)
        values = (values.astype(np.int16) ^ sign) - sign
    values = values.astype(dtype)
    return Constant(values if target is None else values & ((1 << target.width) - 1))


def _narrow(kind: ir.Type) -> ir.IntegerType | None:
    """An integer type of less than a byte."""
    return kind if isinstance(kind, ir.IntegerType) and kind.width < 8 else None


def _strided(node: Node, values: np.ndarray) -> np.ndarray:
    """Transposes, slices, reverses and broadcasts, as a view."""
    index: list[slice | int] = [0] * values.ndim  # dims that no axis reads have size 1
    order: list[int] = []
    for size, (dim, start, step) in zip(node.shape, node.axes, strict=True):
        if dim is not None:
            stop = start + step * size
            index[dim] = slice(start, stop if stop >= 0 else None, step)
            order.append(dim)
    view = values[tuple(index)]
    kept = sorted(order)
    view = view.transpose([kept.index(dim) for dim in order])
    expand = tuple(slice(None) if dim is not None else None for dim, _, _ in node.axes)
    return np.broadcast_to(view[expand], node.shape)
