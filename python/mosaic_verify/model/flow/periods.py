"""Long loops: after how many iterations they do the same again, and which of them need not be looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mosaic_verify.model.flow.linear import Corner, Linear, Number, plus, times
from mosaic_verify.model.flow.program import Apply, Block, Branch, Const, Event, Expr, Fork, Loop, Program, Var

_LONGEST = 16  # period that is looked at
_STAGES = 8  # that a counter may be compared with
KEPT = 4  # periods of the steady part
_MOST = 1 << 31  # iterations of a loop


def _shortest(period: int) -> int:
    """Iterations in front of the steady part, and at least as many behind it."""
    return -(-max(2 * period, 4) // period) * period


def _whole(period: int) -> int:
    """Iterations of the shortest loop with a steady part."""
    return 2 * _shortest(period) + KEPT * period


@dataclass(frozen=True, slots=True)
class Plan:
    """Iterations of a loop: `first` in front of the steady part, `KEPT` periods, `removed` periods, the rest.

    What is removed depends on the number of iterations and the period alone: it is the same for all threads.
    """

    LONG: ClassVar[int] = 40

    period: int
    first: int
    removed: Number

    @classmethod
    def of(cls, trips: Number, period: int) -> Plan | None:
        """None where nothing is worth being left out, or the number of iterations does not go by periods."""
        more = plus(trips, -_whole(period))
        if isinstance(more, int):
            return cls(period, _shortest(period), more // period) if more >= 2 * period else None
        if more.periods or more.length != period or more.constant < 0:
            return None
        return cls(period, _shortest(period), Linear(more.constant // period, 0, 1))

    @property
    def last(self) -> int:
        """Iterations up to where some are left out."""
        return self.first + KEPT * self.period

    def corners(self, corners: tuple[Corner, ...]) -> tuple[Corner, ...]:
        """Where the parameters lie within the steady part."""
        found = []
        for _, length in corners:
            removed = self.removed if isinstance(self.removed, int) else self.removed.at((0, length))
            found += [(0, length), (removed + KEPT - 1, length)]
        return tuple(found)

    def behind(self, value: Number, per_period: Number) -> Number | None:
        """A carried value behind the removed periods; None where it is not linear any more."""
        if isinstance(per_period, int):
            return plus(value, times(self.removed, per_period))
        return plus(value, per_period, self.removed) if isinstance(self.removed, int) else None


def lengths(period: int) -> int:
    """How many numbers of iterations stand for all."""
    return period + _whole(period)


def length_of_choice(choice: int, period: int) -> Number:
    """First the large ones, one for each remainder, then all that are too small for a steady part."""
    if choice < period:
        return Linear(_whole(period) + choice, 0, period)
    return choice - period


def corners_of(number: Linear) -> tuple[Corner, ...]:
    """Where the parameter of a length lies."""
    return ((0, 0), (0, _MOST // max(number.length, 1)))


def period_of(program: Program) -> int:
    """The common multiple of what the program divides by, and of the stages that it counts.

    No more than a guess: whether each period does the same is found out in the loop.
    """
    period, seen = 1, set()
    for expr in _expressions(program.body):
        for factor in _factors(expr, seen):
            together = math.lcm(period, factor)
            period = together if together <= _LONGEST else period
    return period


def _factors(expr: Expr, seen: set[int]) -> Iterator[int]:
    if not isinstance(expr, Apply) or id(expr) in seen:
        return
    seen.add(id(expr))
    last = expr.args[-1]
    number = last.value if isinstance(last, Const) else 0
    if expr.op in ("rem", "div", "floordiv") and number > 1:
        yield number
    elif expr.op == "and" and number > 0 and not number & (number + 1):
        yield number + 1
    elif expr.op in ("eq", "ne", "ge") and 1 < number <= _STAGES:
        if any(isinstance(arg, Apply) and arg.op == "add" for arg in expr.args):  # a counter that starts anew
            yield number
    elif expr.op in ("xor", "not"):
        yield 2
    for arg in expr.args:
        yield from _factors(arg, seen)


def _expressions(block: Block) -> Iterator[Expr]:
    for statement in block.statements:
        match statement:
            case Event():
                regions = (statement.reads, statement.writes, *(operand.region for operand in statement.operands))
                for use in (*regions, statement.barrier):
                    if use is not None:
                        yield from (expr for expr, _ in use.terms)
                if statement.predicate is not None:
                    yield statement.predicate
            case Loop():
                yield from statement.next
                if statement.condition is not None:
                    yield statement.condition
                yield from _expressions(statement.body)
            case Branch():
                yield statement.selector
                for body in statement.bodies:
                    yield from _expressions(body)
                for values in statement.yields:
                    yield from values
            case Fork():
                yield from _expressions(statement.body)


def counter_of(loop: Loop) -> tuple[int, Expr] | None:
    """The carried value that a loop counts up by one, and the bound that it stays below."""
    test = loop.condition
    if not isinstance(test, Apply) or test.op not in ("lt", "gt", "ne") or len(test.args) != 2:
        return None
    counter, bound = test.args if test.op != "gt" else test.args[::-1]
    if not isinstance(counter, Var) or counter.key not in loop.variables:
        return None
    position = loop.variables.index(counter.key)
    if loop.next[position] not in (Apply("add", (counter, Const(1))), Apply("add", (Const(1), counter))):
        return None
    return position, bound


def bounds(block: Block) -> Iterator[tuple[int, Expr]]:
    """Where the loops of a program start to count that are in no other loop, and their bounds as seen from outside."""
    for statement in block.statements:
        match statement:
            case Loop(count=None):
                found = counter_of(statement)
                start = statement.initial[found[0]] if found is not None else None
                if found is None or not isinstance(start, Const):
                    continue
                bound = found[1]
                if isinstance(bound, Var) and bound.key in statement.variables:
                    position = statement.variables.index(bound.key)
                    bound = statement.initial[position] if statement.next[position] == bound else bound
                if not isinstance(bound, Const | Var):
                    yield start.value, bound
            case Loop(count=Const(value=1), body=body):
                yield from bounds(body)
            case Loop(count=count):
                if not isinstance(count, Const | None):
                    yield 0, count
            case Branch(bodies=bodies):
                for body in bodies:
                    yield from bounds(body)
            case Fork(body=body):
                yield from bounds(body)
