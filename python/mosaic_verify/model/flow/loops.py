"""Executes the loops of a program: as often as they run, or as many of their iterations as tell all of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from mosaic_verify.model.flow.linear import Linear, Number, plus
from mosaic_verify.model.flow.periods import KEPT, Plan, counter_of
from mosaic_verify.model.flow.program import Fork, Loop
from mosaic_verify.model.flow.steps import ForkStep, Steady, Step, Thread
from mosaic_verify.model.flow.values import Assumptions, Numbers, Unknown, Value
from mosaic_verify.model.flow.walker import End, Walker

ITERATIONS = 128  # of a loop that does not do the same after a while, before the trace ends
PREFIX = 6  # of a loop whose count is not known: twice around a ring of three


class LoopWalker(Walker):
    """Executes blocks of a program as one thread of a machine."""

    def _loop(self, loop: Loop) -> None:
        numbers = self._numbers
        outer, shown = numbers.path, self._path
        values = [numbers.value(expr) for expr in loop.initial]
        run = self._without_events if self._machine.quiet(loop.body) else self._iterations
        values = run(loop, values)
        numbers.path, self._path = outer, shown
        numbers.variables.update(zip(loop.results, values, strict=True))
        numbers.moved()

    def _enter(self, loop: Loop, values: Sequence[Value], outer: tuple[Number, ...], done: Number) -> None:
        numbers = self._numbers
        numbers.variables.update(zip(loop.variables, values, strict=True))
        numbers.path = (*outer, done)
        numbers.moved()

    def _more(self, loop: Loop, count: Value | None, done: Number) -> bool | None:
        """Whether an iteration follows; None where that is not known."""
        if loop.condition is not None:
            condition = self._numbers.value(loop.condition)
            return bool(condition) if isinstance(condition, int) else None
        return None if count is None or isinstance(count, Unknown) else self._below(done, count)

    def _without_events(self, loop: Loop, values: list[Value]) -> list[Value]:
        """What a loop results in that does nothing else."""
        outer = self._numbers.path
        count = None if loop.count is None else self._numbers.value(loop.count)
        for done in range(ITERATIONS):
            self._enter(loop, values, outer, done)
            more = self._more(loop, count, done)
            if more is None:
                break
            if not more:
                return values
            values = [self._numbers.value(expr) for expr in loop.next]
        return [Unknown(("result", key, outer)) for key in loop.variables]

    def _iterations(self, loop: Loop, values: list[Value]) -> list[Value]:
        numbers, outer, shown = self._numbers, self._numbers.path, self._path
        count = None if loop.count is None else numbers.value(loop.count)
        if isinstance(count, Unknown):
            count = self._assume(count, 0)
        trips = self._trips(loop, values, outer) if count is None else count
        plan = self._plan(None if isinstance(trips, Unknown) else trips)
        at_first, a_period_later, begin = values, values, 0
        done: Number = 0
        looked = 0
        while True:
            self._enter(loop, values, outer, done)
            more = self._more(loop, count, done)
            if more is False:
                return values
            if plan is not None:
                if looked == plan.first:
                    at_first, begin = values, len(self._thread.steps)
                elif looked == plan.first + plan.period:
                    a_period_later = values
                elif looked == plan.last:
                    behind = self._behind(loop, plan, at_first, a_period_later, values, begin)
                    if behind is not None:
                        values, done, plan = behind, plus(done, plan.removed, plan.period), None
                        continue
                    plan = None
            if looked >= (ITERATIONS if more else PREFIX):
                raise End("a loop runs longer than was looked at" if more else "it is not known how often a loop runs")
            if count == 1:  # its iteration needs no number
                numbers.path = outer
            else:
                self._path = (*shown, done if isinstance(done, int) else done.constant)
            self._block(loop.body)
            values = [numbers.value(expr) for expr in loop.next]
            done = plus(done, 1)
            looked += 1

    def _plan(self, trips: Number | None) -> Plan | None:
        return self._machine.plan(trips)

    def _below(self, done: Number, count: Number) -> bool | None:
        left = plus(count, done, -1)
        if isinstance(left, int):
            return left > 0
        found = {left.at(corner) > 0 for corner in self._numbers.assumptions.corners}
        return found.pop() if len(found) == 1 else None

    def _trips(self, loop: Loop, values: Sequence[Value], outer: tuple[Number, ...]) -> Number | None:
        """How often a loop runs that counts up to a bound; assumes that where it is known only at run time."""
        found = counter_of(loop)
        start = None if found is None else values[found[0]]
        if found is None or start is None or isinstance(start, Unknown):
            return None
        self._enter(loop, values, outer, 0)
        end = self._numbers.value(found[1])
        return self._assume(end, start) if isinstance(end, Unknown) else plus(end, start, -1)

    def _assume(self, bound: Unknown, start: Number) -> Number | None:
        """Decides how often a loop runs, by what its bound is taken to be."""
        trips = self._machine.decide_length(bound.key)
        if trips is not None:
            self._numbers.assumptions.numbers[bound.key] = plus(start, trips)
        return trips

    def _behind(
        self,
        loop: Loop,
        plan: Plan,
        at_first: Sequence[Value],
        a_period_later: Sequence[Value],
        values: Sequence[Value],
        begin: int,
    ) -> list[Value] | None:
        """The carried values behind the removed periods; None where periods do not do the same."""
        changes: list[Number | None] = []
        for one, other in zip(at_first, a_period_later, strict=True):
            if isinstance(one, Unknown) or isinstance(other, Unknown):
                changes.append(0 if one == other else None)
            else:
                changes.append(plus(other, one, -1))
        found = Rehearsal(self, plan).steps(loop, at_first, changes)
        steps = self._thread.steps
        if found is None or len(steps) - begin != KEPT * len(found):
            return None
        if not all(map(_same, found, steps[begin : begin + len(found)])):
            return None
        behind: list[Value] = []
        for number, (value, change) in enumerate(zip(values, changes, strict=True)):
            if isinstance(value, Unknown) or change is None:
                key = ("behind", loop.variables[number], self._numbers.path)
                behind.append(Unknown(key) if change is None else value)
                continue
            later = plan.behind(value, change)
            if later is None:
                return None
            behind.append(later)
        if found:
            self._thread.steady.append(Steady(begin, len(found), KEPT, plan.removed))
        return behind


class Rehearsal(LoopWalker):
    """Executes one period of a loop with linear numbers: for all periods of the steady part at once."""

    def __init__(self, walker: Walker, plan: Plan):
        super().__init__(walker._machine, walker._number, walker._numbers.axes)
        self._thread = Thread(walker._thread.cta)
        known = walker._numbers.assumptions
        self._numbers = Numbers(
            walker._numbers.axes, Assumptions(known.numbers, plan.corners(known.corners), known.short)
        )
        self._numbers.variables = dict(walker._numbers.variables)
        self._numbers.path = walker._numbers.path[:-1]
        self._first, self._period = plan.first, plan.period

    def steps(self, loop: Loop, values: Sequence[Value], changes: Sequence[Number | None]) -> list[Step] | None:
        """The steps of each period; None where periods differ, or the values that it starts from do.

        Args:
          values: that the loop carries in front of the steady part.
          changes: of them in one period.
        """
        numbers = self._numbers
        outer = numbers.path
        starts: list[Value] = []
        for key, value, change in zip(loop.variables, values, changes, strict=True):
            if change is None:
                starts.append(Unknown(("each period", key)))
            elif isinstance(value, Unknown):
                starts.append(value)
            elif isinstance(change, int):
                starts.append(plus(value, Linear(0, change)))
            else:
                return None
        now = starts
        try:
            for number in range(self._period):
                numbers.variables.update(zip(loop.variables, now, strict=True))
                numbers.path = (*outer, Linear(self._first + number, self._period))
                numbers.moved()
                if loop.condition is not None and numbers.value(loop.condition) != 1:
                    return None
                self._block(loop.body)
                now = [numbers.value(expr) for expr in loop.next]
        except End:
            return None
        finally:
            self._machine.asked |= numbers.asked
        for start, end, change in zip(starts, now, changes, strict=True):
            if change is None:
                continue
            wanted = start if isinstance(start, Unknown) else plus(start, change)
            if end != wanted:
                return None
        return self._thread.steps  # type: ignore[return-value]

    def _plan(self, trips: Number | None) -> Plan | None:
        return None

    def _assume(self, bound: Unknown, start: Number) -> Number | None:
        return None

    def _decide(self, key: Hashable, count: int) -> int:
        raise End("differs from period to period")

    def _fork(self, fork: Fork) -> None:
        raise End("warps in a long loop")


def _same(one: Step | ForkStep, other: Step | ForkStep) -> bool:
    """Two steps do the same, wherever in global memory."""
    if not isinstance(one, Step) or not isinstance(other, Step):
        return False
    return (
        one.event is other.event
        and one.reads == other.reads
        and one.writes == other.writes
        and one.barriers == other.barriers
        and one.inputs == other.inputs
        and [operand[:2] for operand in one.operands] == [operand[:2] for operand in other.operands]
    )
