"""Integers of the `plgpu` dialect as expressions of the event model."""

from __future__ import annotations

from collections.abc import Collection

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_numbers import WARP, ScalarReader
from mosaic_verify.dialects.plgpu import number_of, string
from mosaic_verify.model.flow import Apply, Axis, Const, Expr
from mosaic_verify.model.flow.values import fold, unsigned

_SAME = frozenset(("copy", "squeeze", "stop_gradient", "reshape", "broadcast_in_dim"))
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
_WRAPS = frozenset(("add", "sub", "mul", "neg", "shl"))  # may leave the range of integers without a sign

ARITHMETIC = frozenset((*_OPERATIONS, *_SAME, "convert_element_type", "not"))  # primitives that take no refs


class Expressions(ScalarReader):
    """Scalars of a `plgpu` kernel.

    Args:
      axes: names of the axes of the launch.
    """

    def __init__(self, axes: Collection[str]):
        super().__init__()
        self._axes = axes

    def _make(self, value: ir.Value) -> Expr:
        defining = value.owner
        if isinstance(defining, ir.Block):
            return self.opaque()
        op = defining.operation
        name = op.name
        if name == "plgpu.primitive":
            return self._primitive(op)
        if name == "plgpu.constant":
            number = number_of(op)
            return Const(int(number)) if isinstance(number, int) else self.opaque(op)
        if name == "plgpu.axis_index":
            text = string(op, "axis") if isinstance(op.attributes.get("axis"), ir.StringAttr) else None
            return Axis(text if text is not None and text in self._axes else WARP)
        if name == "plgpu.multiple_of":
            return self.of(op.operands[0])
        return self.opaque(op)

    def compute(self, op: ir.Operation, called: str) -> None:
        """Reads a `plgpu.primitive` of ARITHMETIC whose operands were read."""
        expr = self._arithmetic(op, called)
        if expr is not None:
            self.define(op.results[0], expr)

    def _primitive(self, op: ir.Operation) -> Expr:
        called = string(op, "name") or ""
        expr = self._arithmetic(op, called) if called in ARITHMETIC else None
        return self.opaque(op) if expr is None else expr

    def _arithmetic(self, op: ir.Operation, called: str) -> Expr | None:
        operands = list(op.operands)
        # All operands are of one type, but for the condition of a selection.
        if not operands or not isinstance(operands[-1].type, ir.IntegerType):
            return None
        if called in _SAME:
            return self.of(operands[0])
        if called == "convert_element_type":
            return self._converted(self.of(operands[0]), operands[0].type, op.results[0].type)
        args = self.all(operands)
        kind = operands[-1].type
        if called == "not":
            return Apply("not", args) if kind.width == 1 else None
        found = fold(_OPERATIONS[called], args)
        wraps = kind.is_unsigned and _OPERATIONS[called] in _WRAPS
        return unsigned(found, kind.width) if wraps and found not in args else found

    def _converted(self, value: Expr, source: ir.IntegerType, target: ir.Type) -> Expr | None:
        """An integer as one of another type."""
        if not isinstance(target, ir.IntegerType):
            return None
        if target.width == 1:
            return value if source.width == 1 else Apply("ne", (value, Const(0)))
        narrower = source.width > target.width
        if target.is_unsigned:
            signed = not source.is_unsigned and source.width > 1
            return unsigned(value, target.width) if signed or narrower else value
        if narrower or (source.is_unsigned and source.width == target.width):
            return value if isinstance(value, Const) else Apply("wrap", (value, Const(target.width)))
        return value
