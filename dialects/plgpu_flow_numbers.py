"""Integers of the `plgpu` dialect as expressions of the event model."""

from __future__ import annotations

from collections.abc import Collection

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import string
from mosaic_verify.dialects.plgpu_values import constant, owner
from mosaic_verify.model.flow import Apply, Axis, Const, Expr, Opaque

WARP = "warp of the warpgroup"  # the axis of a `core_map` over warps, whatever its name in the kernel

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


class Expressions:
    """SSA values as expressions, each value once.

    Args:
      axes: names of the axes of the launch.
    """

    def __init__(self, axes: Collection[str]):
        self._axes = axes
        self._known: dict[ir.Value, Expr] = {}
        self._count = 0

    def fresh(self) -> int:
        """A key that nothing else has."""
        self._count += 1
        return self._count

    def define(self, value: ir.Value, expr: Expr) -> None:
        """Says what a block argument or the result of an op with regions is."""
        self._known[value] = expr

    def of(self, value: ir.Value) -> Expr:
        """The expression of a scalar."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._make(value)
        return found

    def _make(self, value: ir.Value) -> Expr:
        op = owner(value)
        if op is None or len(op.results) != 1:
            return Opaque(self.fresh())
        name = op.name
        if name == "plgpu.constant":
            number = constant(value)
            return Const(int(number)) if isinstance(number, int) else Opaque(self.fresh())
        if name == "plgpu.axis_index":
            text = string(op, "axis") if isinstance(op.attributes.get("axis"), ir.StringAttr) else None
            return Axis(text if text is not None and text in self._axes else WARP)
        if name == "plgpu.multiple_of":
            return self.of(op.operands[0])
        if name != "plgpu.primitive" or len(op.regions) or not isinstance(value.type, ir.IntegerType):
            return Opaque(self.fresh())
        return self._primitive(op, string(op, "name") or "", value)

    def _primitive(self, op: ir.Operation, name: str, value: ir.Value) -> Expr:
        operands = list(op.operands)
        if not operands or not all(isinstance(operand.type, ir.IntegerType) for operand in operands):
            return Opaque(self.fresh())
        if name in _SAME:
            return self.of(operands[0])
        args = tuple(map(self.of, operands))
        if name == "not":
            return Apply("not", args) if value.type.width == 1 else Opaque(self.fresh())
        operation = _OPERATIONS.get(name)
        return Apply(operation, args) if operation is not None else Opaque(self.fresh())
