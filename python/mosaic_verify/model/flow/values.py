"""Numbers of a running program: known ones are Python ints, others are known by how they came about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from mosaic_verify.model.flow.linear import NOWHERE, Corner, Linear, apply_linear, plus, times
from mosaic_verify.model.flow.program import Apply, Axis, Const, Expr, Opaque, Var


@dataclass(frozen=True, slots=True)
class Unknown:
    """A number that is known only at run time; two with the same key are equal."""

    key: Hashable


Value = int | Linear | Unknown


@dataclass(slots=True)
class Assumptions:
    """What numbers are taken to be that are known only at run time, by key, and where their parameters lie.

    Attributes:
      short: a key for each way to come about. The key of a number that is computed from another one contains the
        short key of that; else keys would double in size with each step of `x = x * x`.
    """

    numbers: dict[Hashable, int | Linear] = field(default_factory=dict)
    corners: tuple[Corner, ...] = NOWHERE
    short: dict[Hashable, tuple[str, int]] = field(default_factory=dict)


def wrap(value: int, bits: int) -> int:
    """What a number is as an integer of so many bits with a sign."""
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def _quotient(a: int, b: int) -> int:
    """Division as in XLA and C: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _quotient,
    "rem": lambda a, b: a - b * _quotient(a, b),
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "max": max,
    "min": min,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "neg": lambda a: -a,
    "sign": lambda a: (a > 0) - (a < 0),
    "not": lambda a: int(not a),
    "wrap": wrap,
    "clamp": lambda low, a, high: min(max(low, a), high),
}


_LOWEST, _HIGHEST = -(1 << 31), 1 << 32  # what integers of 32 bits hold, with a sign or without


def compute(op: str, args: Sequence[int]) -> int | None:
    """An operation on numbers; None where it is not defined, or leaves the range in which nothing wraps around."""
    operation = OPERATIONS.get(op)
    if operation is None or (op in ("shl", "shr") and not 0 <= args[1] < 64):
        return None
    try:
        found = operation(*args)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return found if _LOWEST <= found < _HIGHEST else None


_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "div": 1, "floordiv": 1, "ceildiv": 1, "shl": 0, "shr": 0}


def fold(op: str, args: tuple[Expr, ...]) -> Expr:
    """An operation as an expression; a simpler one where arguments are constants, or change nothing."""
    if len(args) == 2 and op in _NEUTRAL:
        one, other = args
        if type(other) is Const:
            if other.value == _NEUTRAL[op]:
                return one
            if type(one) is Const and op in ("add", "sub", "mul"):
                return Const(OPERATIONS[op](one.value, other.value))
        elif type(one) is Const and op in ("add", "mul") and one.value == _NEUTRAL[op]:
            return other
    return Apply(op, args)


def unsigned(expr: Expr, bits: int) -> Expr:
    """What an integer is without a sign: -1 is the largest one of so many bits."""
    return (
        expr
        if isinstance(expr, Const) and 0 <= expr.value < 1 << bits
        else Apply("and", (expr, Const((1 << bits) - 1)))
    )


class Numbers:
    """Evaluates expressions for one thread.

    Args:
      axes: where the thread stands along each named axis.
      assumptions: shared by all threads.

    Attributes:
      variables: values of loop variables and results.
      path: iterations of the loops around the present place; an opaque number is another one in each.
      asked: axes whose position was needed so far.
    """

    def __init__(self, axes: Mapping[str, int], assumptions: Assumptions | None = None):
        self.axes = axes
        self.variables: dict[Hashable, Value] = {}
        self.path: tuple[int | Linear, ...] = ()
        self.asked: set[str] = set()
        self.assumptions = Assumptions() if assumptions is None else assumptions
        self._seen: dict[int, Value] = {}
        self._aside: dict[int, Value] = {}

    def moved(self) -> None:
        """Variables or the path have changed: what was computed from them is forgotten."""
        self._seen.clear()
        self._aside.clear()

    def value(self, expr: Expr) -> Value:
        """The number that an expression has here."""
        kind = type(expr)
        if kind is Const:
            return expr.value  # type: ignore[union-attr]
        if kind is Var:
            key = expr.key  # type: ignore[union-attr]
            found = self.variables.get(key)
            return self._unknown(("variable", key, self.path)) if found is None else found
        found = self._seen.get(id(expr))
        if found is None:
            found = self._seen[id(expr)] = self._fresh(expr)  # type: ignore[arg-type]
        return found

    def _fresh(self, expr: Apply | Axis | Opaque) -> Value:
        if isinstance(expr, Apply):
            return self._apply(expr)
        if isinstance(expr, Axis):
            position = self.axes.get(expr.name)
            if position is None:
                return self._unknown(("axis", expr.name))
            self.asked.add(expr.name)
            return position
        return self._unknown(("opaque", expr.key, self.path[: expr.depth]))

    def _unknown(self, key: Hashable) -> Value:
        short = self.assumptions.short
        key = short.setdefault(key, ("number", len(short)))
        found = self.assumptions.numbers.get(key)
        return Unknown(key) if found is None else found

    def _apply(self, expr: Apply) -> Value:
        op, exprs = expr.op, expr.args
        if len(exprs) == 2:
            one, other = self.value(exprs[0]), self.value(exprs[1])
            if type(one) is int and type(other) is int:
                known = compute(op, (one, other))
                return self._unknown((op, one, other)) if known is None else known
            return self._general(op, [one, other])
        return self._general(op, [self.value(arg) for arg in exprs])

    def _general(self, op: str, args: list[Value]) -> Value:
        kinds = set(map(type, args))
        if op == "select":  # (which, case 0, case 1)
            which = args[0]
            if isinstance(which, int):
                return args[1 + min(max(which, 0), len(args) - 2)]
            if all(arg == args[1] for arg in args[2:]):
                return args[1]
        elif op in ("and", "mul") and 0 in args:
            return 0
        elif Unknown in kinds:
            pass
        elif Linear in kinds:
            found = apply_linear(op, args, self.assumptions.corners)  # type: ignore[arg-type]
            if found is not None:
                return found
        else:
            known = compute(op, args)  # type: ignore[arg-type]
            if known is not None:
                return known
        return self._unknown((op, *(arg.key if isinstance(arg, Unknown) else arg for arg in args)))

    def total(self, start: int, terms: tuple[tuple[Expr, int], ...]) -> int | None:
        """`start` plus the terms, None when one of them is not known, or the sum depends on a parameter."""
        total: int | Linear = start
        for expr, factor in terms:
            value = self.value(expr)
            if type(value) is int and type(total) is int:
                total += value * factor
            elif isinstance(value, Unknown):
                return None
            else:
                total = plus(total, times(value, factor))
        return total if isinstance(total, int) else None

    def total_aside(self, start: int, terms: tuple[tuple[Expr, int], ...]) -> int | None:
        """The same for a number on which nothing depends that is done: no axis was needed for it."""
        if not terms:
            return start
        seen, asked = self._seen, self.asked
        self._seen, self.asked = self._aside, set()
        try:
            return self.total(start, terms)
        finally:
            self._seen, self.asked = seen, asked
