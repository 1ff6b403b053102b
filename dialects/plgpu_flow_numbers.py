"""Integers of the `plgpu` dialect as expressions of the event model."""

from __future__ import annotations

from collections.abc import Collection

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_numbers import WARP, ScalarReader
from mosaic_verify.dialects.plgpu import string
from mosaic_verify.dialects.plgpu_values import constant, owner
from mosaic_verify.model.flow import Apply, Axis, Const, Expr
from mosaic_verify.model.flow.values import fold

_SAME = frozenset(("convert_element_type", "copy", "squeeze", "stop_gradient", "reshape", "broadcast_in_dim"))
_OPERATIONS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "rem": "rem",
    "max": "max",
    "min": "min",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "neg": "neg",
    "sign": "sign",
    "eq": "eq",
    "ne": "ne",
    "lt": "lt",
    "le": "le",
    "gt": "gt",
    "ge": "ge",
    "shift_left": "shl",
    "shift_right_arithmetic": "shr",
    "select_n": "select",
    "clamp": "clamp",
}


ARITHMETIC = frozenset((*_OPERATIONS, *_SAME, "not"))  # primitives that take no refs


class Expressions(ScalarReader):
    """Scalars of a `plgpu` kernel.

    Args:
      axes: names of the axes of the launch.
    """

    def __init__(self, axes: Collection[str]):
        super().__init__()
        self._axes = axes

    def _make(self, value: ir.Value) -> Expr:
        op = owner(value)
        if op is None or len(op.results) != 1:
            return self.opaque(op)
        name = op.name
        if name == "plgpu.constant":
            number = constant(value)
            return Const(int(number)) if isinstance(number, int) else self.opaque(op)
        if name == "plgpu.axis_index":
            text = string(op, "axis") if isinstance(op.attributes.get("axis"), ir.StringAttr) else None
            return Axis(text if text is not None and text in self._axes else WARP)
        if name == "plgpu.multiple_of":
            return self.of(op.operands[0])
        if name != "plgpu.primitive" or len(op.regions) or not isinstance(value.type, ir.IntegerType):
            return self.opaque(op)
        return self._primitive(op, string(op, "name") or "", value)

    def _primitive(self, op: ir.Operation, name: str, value: ir.Value) -> Expr:
        operands = list(op.operands)
        if not operands or not all(isinstance(operand.type, ir.IntegerType) for operand in operands):
            return self.opaque(op)
        if name in _SAME:
            return self.of(operands[0])
        args = tuple(map(self.of, operands))
        if name == "not":
            return Apply("not", args) if value.type.width == 1 else self.opaque(op)
        operation = _OPERATIONS.get(name)
        return fold(operation, args) if operation is not None else self.opaque(op)
