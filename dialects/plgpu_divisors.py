"""What divides a run-time integer of a kernel: what is certain, and what JAX can see of it.

JAX asks `is_known_divisible` (`jax/experimental/mosaic/gpu/utils.py`), which follows some ops of the `arith` dialect
and knows nothing of all others. In Warpgroup semantics MLIR's canonicalizer has been over the arithmetic before it
asks: constants that stand apart have met, so that of a sum of sums, or of an op that folds, nothing is said here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import integer, integers, names, string
from mosaic_verify.dialects.plgpu_values import constant, owner

_DEPTH = 10  # as far as JAX itself looks
_SUMS = frozenset(("add", "sub"))
_BOTH = frozenset((*_SUMS, "rem", "max", "min", "select_n", "clamp"))
_CALLS = frozenset(("jit", "pjit", "closed_call", "core_call"))  # of these, Pallas lowers the body in place


class Divisors(NamedTuple):
    """Numbers that divide an integer; 0 where all do, or may.

    Attributes:
      known: a divisor that follows from the arithmetic.
      promised: the same with `pl.multiple_of` believed.
      seen: no number that JAX finds to be a divisor has a power of two that this one lacks.
      trusted: the same for a JAX that believes `pl.multiple_of`.
    """

    known: int = 1
    promised: int = 1
    seen: int = 0
    trusted: int = 0


_UNKNOWN = Divisors()
_OPAQUE = Divisors(1, 1, 1, 1)  # JAX sees nothing in it, whatever is done to the module before


def divisors(value: ir.Value) -> Divisors:
    """What divides `value`."""
    return _Reader(_function(value)).read(value, _DEPTH)


class _Reader:
    def __init__(self, function: ir.Operation | None):
        self._function = function
        # Without a kernel around it, the value is looked at as in the semantics in which more can be seen.
        self._lane = function is not None and string(function, "plgpu.semantics") == "lane"

    def read(self, value: ir.Value, depth: int) -> Divisors:
        if depth < 0:
            return _UNKNOWN
        op = owner(value)
        if op is None:
            return _OPAQUE if _is_loop_index(value) else _UNKNOWN
        number = constant(value)
        if number is not None:
            return _UNKNOWN if isinstance(number, float) else Divisors(*(abs(int(number)),) * 4)
        operands = list(op.operands)
        match op.name:
            case "plgpu.axis_index":
                return _UNKNOWN if self._extent(op) == 1 else _OPAQUE
            case "plgpu.get" | "plgpu.load":
                return _OPAQUE
            case "plgpu.multiple_of":
                found, multiple = self.read(operands[0], depth - 1), integers(op, "values") or (1,)
                promised, trusted = (math.lcm(part, *multiple) for part in (found.promised, found.trusted))
                return found._replace(promised=promised, trusted=trusted)
            case "plgpu.primitive" if len(op.regions):
                return self._call(op, value, depth)
            case "plgpu.primitive" if operands:
                return self._primitive(string(op, "name") or "", op, operands, depth)
        return _UNKNOWN

    def _extent(self, op: ir.Operation) -> int | None:
        """Size of the axis of an `axis_index`; an index into a single block may be the constant 0."""
        if self._function is None:
            return None
        named = op.attributes.get("axis")
        axis = named.value if isinstance(named, ir.StringAttr) else None
        for kind in ("grid", "cluster"):
            known = names(self._function, f"plgpu.{kind}_names") or ()
            sizes = integers(self._function, f"plgpu.{kind}") or ()
            if axis in known and len(known) == len(sizes):
                return sizes[known.index(axis)]
        return None

    def _call(self, op: ir.Operation, value: ir.Value, depth: int) -> Divisors:
        if string(op, "name") not in _CALLS or len(op.regions) != 1:
            return _UNKNOWN
        *_, last = op.regions[0].blocks[0].operations
        results, number = list(last.operation.operands), ir.OpResult(value).result_number
        return self.read(results[number], depth - 1) if number < len(results) else _UNKNOWN

    def _primitive(self, name: str, op: ir.Operation, operands: list[ir.Value], depth: int) -> Divisors:
        if name == "convert_element_type":
            return self._convert(op, operands[0], depth)
        parts = [self.read(operand, depth - 1) for operand in (operands[1:] if name == "select_n" else operands)]
        known, promised, seen, trusted = zip(*parts, strict=True)
        if name == "mul" and len(parts) == 2:
            # JAX finds a product divisible when one factor is; constants that meet make one factor.
            meet = math.lcm if self._lane else lambda x, y: x * y
            return Divisors(math.prod(known), math.prod(promised), meet(*seen), meet(*trusted))
        if name == "square":
            return Divisors(known[0] ** 2, promised[0] ** 2, seen[0] if self._lane else 0, 0)
        if name == "and" and len(parts) == 2:
            most = [max(map(_power, part), key=_order) for part in (known, promised, seen, trusted)]
            return Divisors(*most) if self._lane else Divisors(*most[:2])
        if name == "shift_left":
            return self._shift(parts[0], operands)
        if name in _BOTH:
            found = Divisors(*(math.gcd(*part) for part in (known, promised, seen, trusted)))
            visible = self._lane or (name in _SUMS and not any(map(_is_sum, operands)) and all(seen))
            return found if visible else found._replace(seen=0, trusted=0)
        return _UNKNOWN

    def _convert(self, op: ir.Operation, operand: ir.Value, depth: int) -> Divisors:
        """JAX looks through a conversion to fewer bits, not through one to more, which MLIR may fold."""
        source, target = operand.type, op.results[0].type
        if not isinstance(source, ir.IntegerType) or not isinstance(target, ir.IntegerType):
            return _UNKNOWN
        found = self.read(operand, depth - 1)
        if target.width < source.width:
            parts = [_power(part) if part else 0 for part in found]
            return Divisors(*(math.gcd(part, 1 << target.width) if part else 0 for part in parts))
        if target.width > source.width:
            return found._replace(seen=1, trusted=1) if self._lane else found._replace(seen=0, trusted=0)
        return found

    def _shift(self, shifted: Divisors, operands: list[ir.Value]) -> Divisors:
        by = constant(operands[1]) if len(operands) == 2 else None
        if isinstance(by, bool) or not isinstance(by, int) or not 0 < by < 32:
            return _UNKNOWN
        opaque = self._lane or (op := owner(operands[0])) is None or op.name == "plgpu.axis_index"
        hidden = 1 if opaque and shifted.seen == 1 else 0
        return Divisors(shifted.known << by, shifted.promised << by, hidden, hidden)


def _power(number: int) -> int:
    """The largest power of two in a number, 0 for 0."""
    return number & -number


def _order(power: int) -> float:
    return power or math.inf


def _is_sum(value: ir.Value) -> bool:
    op = owner(value)
    return op is not None and op.name == "plgpu.primitive" and string(op, "name") in (*_SUMS, "convert_element_type")


def _is_loop_index(value: ir.Value) -> bool:
    """True for the counter of a loop that runs more than once: it grows by one from step to step."""
    block = value.owner
    loop = block.owner.operation if isinstance(block, ir.Block) else None
    if loop is None or loop.name not in ("plgpu.scan", "plgpu.while"):
        return False
    if loop.name == "plgpu.scan" and (integer(loop, "length") or 0) < 2:
        return False
    *_, last = loop.regions[-1].blocks[0].operations
    number = ir.BlockArgument(value).arg_number
    results = list(last.operation.operands)
    step = owner(results[number]) if number < len(results) else None
    if step is None or step.name != "plgpu.primitive" or string(step, "name") != "add" or len(step.operands) != 2:
        return False
    return step.operands[0] == value and constant(step.operands[1]) == 1


def _function(value: ir.Value) -> ir.Operation | None:
    """The kernel that a value belongs to."""
    inside = value.owner.owner if isinstance(value.owner, ir.Block) else value.owner
    while inside is not None and inside.operation.name != "func.func":
        inside = inside.operation.parent
    return None if inside is None else inside.operation
