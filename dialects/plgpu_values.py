"""Run-time numbers of a kernel: what defines them, constants, how a note spells them."""

from __future__ import annotations

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import integers, number_of, string


def owner(value: ir.Value) -> ir.Operation | None:
    """The op that defines a value, None for a block argument."""
    defining = value.owner
    return None if isinstance(defining, ir.Block) else defining.operation


def constant(value: ir.Value) -> int | float | bool | None:
    """The number behind a `plgpu.constant`, else None."""
    op = owner(value)
    if op is None or op.name != "plgpu.constant":
        return None
    return number_of(op)


def spell(value: ir.Value, depth: int = 3) -> str:
    """A short text for an index: "64", "i * 16", "axis_index"; "i" where nothing better is known."""
    op = owner(value)
    if op is None or depth < 0:
        return "i"
    number = constant(value)
    if number is not None:
        return str(number)
    if op.name == "plgpu.axis_index":
        return string(op, "axis") or "axis_index"
    name = string(op, "name") or ""
    operands = list(op.operands)
    sign = {"mul": "*", "add": "+", "sub": "-"}.get(name)
    if op.name == "plgpu.primitive" and sign and len(operands) == 2:
        left, right = (spell(operand, depth - 1) for operand in operands)
        if sign == "*":
            left, right = (f"({part})" if " + " in part or " - " in part else part for part in (left, right))
        return f"{left} {sign} {right}"
    if op.name == "plgpu.multiple_of":
        return f"pl.multiple_of({spell(operands[0], depth - 1)}, {', '.join(map(str, integers(op, 'values') or ()))})"
    if name == "convert_element_type" and operands:
        return spell(operands[0], depth)
    return "i"
