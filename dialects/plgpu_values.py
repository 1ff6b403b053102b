"""What is known about run-time numbers of a kernel: divisors of indices, constants, how a note spells them."""

from __future__ import annotations

import math

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import integers, number_of, string

_DEPTH = 10  # as far as JAX itself looks (`mosaic/gpu/utils.py`, `is_known_divisible`)
_BOTH = frozenset(("add", "sub", "rem", "max", "min", "select_n"))


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


def divisors(value: ir.Value, depth: int = _DEPTH) -> tuple[int, int]:
    """(visible, promised): the largest numbers known to divide an index.

    "visible" follows constants, multiplications and sums, as JAX does; "promised" also believes `pl.multiple_of`.
    0 means that everything divides the index (it is 0).
    """
    op = owner(value)
    if op is None or depth < 0:
        return 1, 1
    if op.name == "plgpu.constant":
        number = number_of(op)
        known = 1 if number is None or isinstance(number, float) else abs(int(number))
        return known, known
    operands = list(op.operands)
    if op.name == "plgpu.multiple_of":
        visible, promised = divisors(operands[0], depth - 1)
        return visible, math.lcm(promised, *(integers(op, "values") or (1,))) if promised else 0
    if op.name != "plgpu.primitive" or not operands:
        return 1, 1
    name = string(op, "name") or ""
    if name == "convert_element_type":
        return divisors(operands[0], depth)
    if name == "mul" and len(operands) == 2:
        (v0, p0), (v1, p1) = (divisors(operand, depth - 1) for operand in operands)
        return v0 * v1, p0 * p1
    if name in _BOTH:
        known = [divisors(operand, depth - 1) for operand in (operands[1:] if name == "select_n" else operands)]
        return math.gcd(*(v for v, _ in known)), math.gcd(*(p for _, p in known))
    return 1, 1


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
