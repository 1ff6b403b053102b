"""Numbers of a running program: known ones are Python ints, others are known by how they came about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from mosaic_verify.model.flow.program import Apply, Axis, Const, Expr, Var


@dataclass(frozen=True, slots=True)
class Unknown:
    """A number that is known only at run time; two with the same key are equal."""

    key: Hashable


Value = int | Unknown


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
    "clamp": lambda low, a, high: min(max(low, a), high),
}


class Numbers:
    """Evaluates expressions for one thread.

    Args:
      axes: where the thread stands along each named axis.

    Attributes:
      variables: values of loop variables and results.
      path: iterations of the loops around the present place; an opaque number is another one in each.
      asked: axes whose position was needed so far.
    """

    def __init__(self, axes: Mapping[str, int]):
        self.axes = axes
        self.variables: dict[Hashable, Value] = {}
        self.path: tuple[int, ...] = ()
        self.asked: set[str] = set()
        self._seen: dict[int, Value] = {}

    def moved(self) -> None:
        """Variables or the path have changed: what was computed from them is forgotten."""
        self._seen.clear()

    def value(self, expr: Expr) -> Value:
        """The number that an expression has here."""
        kind = type(expr)
        if kind is Const:
            return expr.value  # type: ignore[union-attr]
        if kind is Var:
            key = expr.key  # type: ignore[union-attr]
            found = self.variables.get(key)
            return Unknown(("variable", key, self.path)) if found is None else found
        found = self._seen.get(id(expr))
        if found is None:
            found = self._seen[id(expr)] = self._fresh(expr)
        return found

    def _fresh(self, expr: Expr) -> Value:
        if isinstance(expr, Apply):
            return self._apply(expr)
        if isinstance(expr, Axis):
            position = self.axes.get(expr.name)
            if position is None:
                return Unknown(("axis", expr.name))
            self.asked.add(expr.name)
            return position
        return Unknown(("opaque", getattr(expr, "key", None), self.path))

    def _apply(self, expr: Apply) -> Value:
        args = [self.value(arg) for arg in expr.args]
        if expr.op == "select":  # (which, case 0, case 1)
            which = args[0]
            if isinstance(which, int):
                return args[1 + min(max(which, 0), len(args) - 2)]
            if all(arg == args[1] for arg in args[2:]):
                return args[1]
        elif expr.op in ("and", "mul") and 0 in args:
            return 0
        operation = OPERATIONS.get(expr.op)
        if operation is not None and not any(type(arg) is Unknown for arg in args):
            try:
                return operation(*args)
            except (ArithmeticError, TypeError, ValueError):
                pass
        return Unknown((expr.op, *(arg.key if isinstance(arg, Unknown) else arg for arg in args)))

    def total(self, start: int, terms: tuple[tuple[Expr, int], ...]) -> int | None:
        """`start` plus the terms, None when one of them is not known."""
        for expr, factor in terms:
            value = self.value(expr)
            if not isinstance(value, int):
                return None
            start += value * factor
        return start
