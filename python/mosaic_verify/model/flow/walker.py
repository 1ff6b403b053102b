"""Executes a program as one thread."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from mosaic_verify.model.flow.linear import Linear, Number, plus
from mosaic_verify.model.flow.periods import KEPT, Plan, counter_of
from mosaic_verify.model.flow.program import BarrierUse, Block, Branch, Event, Fork, Loop, Region
from mosaic_verify.model.flow.steps import ForkStep, Piece, Steady, Step, Thread
from mosaic_verify.model.flow.values import Assumptions, Numbers, Unknown, Value

if TYPE_CHECKING:
    from mosaic_verify.model.flow.machine import Machine

ITERATIONS = 128  # of a loop that does not do the same after a while, before the trace ends
PREFIX = 6  # of a loop whose count is not known: twice around a ring of three
STEPS = 2000  # of one thread


class End(Exception):  # control flow
    """Ends the trace of a thread."""


class Walker:
    """Executes blocks of a program as one thread of a machine."""

    def __init__(self, machine: Machine, thread: int, axes: Mapping[str, int]):
        self._machine = machine
        self._number = thread
        self._thread = machine.threads[thread]
        self._numbers = Numbers(axes, machine.assumptions)
        self._path: tuple[int, ...] = ()  # as numbers, for the steps

    def whole(self, block: Block) -> None:
        """Runs a block to its end, or as far as it is understood."""
        try:
            self._block(block)
        except End as end:
            self._thread.ended = self._thread.ended or str(end)
        self._machine.asked |= self._numbers.asked

    def _block(self, block: Block) -> None:
        for statement in block.statements:
            kind = type(statement)
            if kind is Event:
                self._event(statement)  # type: ignore[arg-type]
            elif kind is Loop:
                self._loop(statement)  # type: ignore[arg-type]
            elif kind is Branch:
                self._branch(statement)  # type: ignore[arg-type]
            else:
                self._fork(statement)  # type: ignore[arg-type]

    # Loops

    def _loop(self, loop: Loop) -> None:
        numbers, variables = self._numbers, self._numbers.variables
        values = [numbers.value(expr) for expr in loop.initial]
        outer, shown = numbers.path, self._path
        count = None if loop.count is None else numbers.value(loop.count)
        quiet = self._machine.quiet(loop.body)
        if isinstance(count, Unknown) and not quiet:
            count = self._assume(count, 0)
        trips = count if not isinstance(count, Unknown) and count is not None else None
        plan: Plan | None = None
        done: Number = 0
        looked = 0
        once = count == 1  # its iteration needs no number
        while True:
            variables.update(zip(loop.variables, values, strict=True))
            numbers.path = (*outer, done)
            numbers.moved()
            more = None if isinstance(count, Unknown) or count is None else self._below(done, count)
            if loop.condition is not None:
                condition = numbers.value(loop.condition)
                if not looked and not quiet:
                    trips = self._trips(loop, values, condition)
                    numbers.moved()
                    condition = numbers.value(loop.condition)
                more = bool(condition) if isinstance(condition, int) else None
            if not looked and not quiet:
                plan = self._plan(trips)
            if more is False:
                break
            if plan is not None and looked == plan.first:
                at_first, begin = values, len(self._thread.steps)
            elif plan is not None and looked == plan.first + plan.period:
                a_period_later = values
            elif plan is not None and looked == plan.last:
                behind = self._behind(loop, plan, at_first, a_period_later, values, begin)  # type: ignore[possibly-undefined]
                plan_was, plan = plan, None
                if behind is not None:
                    values, done = behind, plus(done, plan_was.removed, plan_was.period)
                    continue
            limit = ITERATIONS if more else PREFIX
            if looked >= limit or (quiet and more is None):
                numbers.path = outer
                if quiet:  # only its results are not known
                    values = [Unknown(("result", key, outer)) for key in loop.variables]
                    break
                raise End("a loop runs longer than was looked at" if more else "it is not known how often a loop runs")
            if once:
                numbers.path = outer
                numbers.moved()
            else:
                self._path = (*shown, done if isinstance(done, int) else done.constant)
            if not quiet:
                self._block(loop.body)
            values = [numbers.value(expr) for expr in loop.next]
            done = plus(done, 1)
            looked += 1
        numbers.path, self._path = outer, shown
        variables.update(zip(loop.results, values, strict=True))
        numbers.moved()

    def _plan(self, trips: Number | None) -> Plan | None:
        return self._machine.plan(trips)

    def _below(self, done: Number, count: Number) -> bool | None:
        left = plus(count, done, -1)
        if isinstance(left, int):
            return left > 0
        found = {left.at(corner) > 0 for corner in self._numbers.assumptions.corners}
        return found.pop() if len(found) == 1 else None

    def _trips(self, loop: Loop, values: Sequence[Value], condition: Value) -> Number | None:
        """How often a loop runs that counts up to a bound; assumes that where it is known only at run time."""
        found = counter_of(loop)
        if found is None:
            return None
        position, bound = found
        start = values[position]
        if isinstance(start, Unknown):
            return None
        end = self._numbers.value(bound)
        if isinstance(end, Unknown):
            if not isinstance(condition, Unknown):
                return None
            return self._assume(end, start)
        return plus(end, start, -1)

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

    # Branches and warps

    def _branch(self, branch: Branch) -> None:
        numbers = self._numbers
        selector = numbers.value(branch.selector)
        last = len(branch.bodies) - 1
        if isinstance(selector, int):
            chosen = min(max(selector, 0), last)
        elif all(map(self._machine.quiet, branch.bodies)):
            choices = zip(*branch.yields, strict=True)
            for key, exprs in zip(branch.results, choices, strict=False):
                values = [numbers.value(expr) for expr in exprs]
                same = all(value == values[0] for value in values)
                unknown = Unknown(("branch", _key(selector), key, numbers.path))
                numbers.variables[key] = values[0] if same else unknown
            numbers.moved()
            return
        else:
            chosen = self._decide(_key(selector), last + 1)
        self._block(branch.bodies[chosen])
        values = [numbers.value(expr) for expr in branch.yields[chosen]] if branch.yields else []
        if branch.results:
            numbers.variables.update(zip(branch.results, values, strict=False))
            numbers.moved()

    def _decide(self, key: Hashable, count: int) -> int:
        return self._machine.decide(key, count)

    def _fork(self, fork: Fork) -> None:
        machine, parts = self._machine, {}
        for warp in range(fork.count):
            number = machine.warp(self._number, warp)
            child = Walker(machine, number, {**self._numbers.axes, fork.axis: warp})
            child._numbers.variables = dict(self._numbers.variables)
            child._numbers.path, child._path = self._numbers.path, self._path
            if not child._thread.ended:
                child.whole(fork.body)
            parts[number] = len(child._thread.steps)
        self._thread.steps.append(ForkStep(parts))
        if any(machine.threads[number].ended for number in parts):
            raise End("what one of its warps does is not understood")

    # Events

    def _event(self, event: Event) -> None:
        if event.predicate is not None:
            value = self._numbers.value(event.predicate)
            if not isinstance(value, int):
                value = self._decide(("predicate", _key(value)), 2)
            if not value:
                return
        thread = self._thread
        if event.collective and thread.cta % 2:
            return  # the first CTA of a pair issues it for both
        index = len(thread.steps) + 1
        if index > STEPS:
            raise End("the kernel is too long to be looked at as a whole")
        cta = thread.cta
        both = event.collective and self._machine.ctas > 1
        step = Step(event, self._number, index, self._path, cta)
        if event.reads is not None:
            piece = self._piece(event.reads, cta)
            step.reads = (piece, self._piece(event.reads, cta + 1)) if both else (piece,)
        if event.writes is not None:
            piece = self._piece(event.writes, cta)
            step.writes = (piece, self._piece(event.writes, cta + 1)) if both else (piece,)
        if event.barrier is not None:
            step.barriers = self._barriers(event, event.barrier)
        if event.source is not None:
            step.source = tuple([self._numbers.total(start, terms) for start, terms in event.source.starts])
        if event.kind in ("copy", "mma"):
            thread.queued += 1
            step.inputs = tuple([(role, self._piece(region, cta)) for role, region in event.inputs])
            step.operands = tuple(
                [
                    (found.role, self._piece(found.region, cta), self._numbers.total(found.start, found.terms))
                    for found in event.operands
                ]
            )
        step.queue = thread.queued
        thread.steps.append(step)

    def _piece(self, region: Region, cta: int) -> Piece:
        if not region.terms or not region.exact:
            return self._machine.fixed(region, cta)
        start = self._numbers.total(region.start, region.terms)
        space = (region.allocation, cta)
        return Piece(space, None, None) if start is None else Piece(space, start, start + region.length)

    def _barriers(self, event: Event, use: BarrierUse) -> tuple[tuple[Hashable, int, int], ...] | None:
        if use.start is None:
            return None
        index = self._numbers.total(use.start, use.terms)
        if index is None:
            return None
        machine, cta = self._machine, self._thread.cta
        if machine.ctas == 1:
            return ((use.allocation, index, cta),)
        barrier = machine.program.barriers.get(use.allocation)
        ctas: tuple[int, ...] = (cta,)
        if event.kind in ("commit", "mma") and event.collective:
            ctas = (cta, cta + 1)
        elif event.kind == "arrive" and barrier is not None and barrier.cluster:
            ctas = (0,) if barrier.leader_tracked else tuple(range(machine.ctas))
        elif event.kind == "load" and event.leader_tracked:
            ctas = (0,)
        return tuple((use.allocation, index, at) for at in ctas)


class Rehearsal(Walker):
    """Executes one period of a loop with linear numbers: for all periods of the steady part at once."""

    def __init__(self, walker: Walker, plan: Plan):
        super().__init__(walker._machine, walker._number, walker._numbers.axes)
        self._thread = Thread(walker._thread.cta)
        known = walker._numbers.assumptions
        self._numbers = Numbers(walker._numbers.axes, Assumptions(known.numbers, plan.corners(known.corners)))
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


def _key(value: Value) -> Hashable:
    return value.key if isinstance(value, Unknown) else value


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
