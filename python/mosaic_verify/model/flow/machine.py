"""Runs a program for one block (or one pair of blocks) of a launch: one trace per thread.

No thread of a kernel decides anything by how far another one has come, so a thread's trace is the same in every
interleaving. What a trace contains really happens; where something is not understood the trace ends and says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from mosaic_verify.model.flow.program import (
    BarrierUse,
    Block,
    Branch,
    Event,
    Fork,
    Loop,
    Program,
    Region,
    Source,
)
from mosaic_verify.model.flow.values import Numbers, Unknown

ITERATIONS = 128  # of a loop whose count is known, before the trace ends
PREFIX = 6  # of a loop whose count is not known: twice around a ring of three
STEPS = 2000  # of one thread
DECISIONS = 3  # about conditions that are known only at run time


@dataclass(frozen=True, slots=True)
class Piece:
    """A region with numbers; `low` and `high` (bits) are None where its place within the allocation is not known."""

    space: tuple[Hashable, int]  # allocation and CTA
    low: int | None
    high: int | None

    @property
    def known(self) -> bool:
        """True when the place is known."""
        return self.low is not None


@dataclass(eq=False, slots=True)
class Step:
    """An event as one thread executes it.

    Attributes:
      thread: index into `Run.threads`.
      index: position in the thread's trace, from 1.
      path: iterations of the loops around it, outermost first.
      reads, writes: one piece per CTA that is touched.
      barriers: instances (allocation, index, CTA) at which it arrives, or for which it waits; None when not known.
      clock: what the thread knows before the step, see `order`.
      queue: number of the step among the thread's copies and MMAs, from 1.
    """

    event: Event
    thread: int
    index: int
    path: tuple[int, ...]
    cta: int
    reads: tuple[Piece, ...] = ()
    writes: tuple[Piece, ...] = ()
    inputs: tuple[tuple[str, Piece], ...] = ()
    operands: tuple[tuple[str, Piece], ...] = ()
    source: tuple[int | None, ...] | None = None
    barriers: tuple[tuple[Hashable, int, int], ...] | None = ()
    clock: tuple[int, ...] | None = None
    queue: int = 0
    phase: int = -1  # of its barrier, for a load that arrives there

    @property
    def kind(self) -> str:
        """Kind of the event."""
        return self.event.kind


@dataclass(slots=True)
class ForkStep:
    """The place in a trace where the warps of a warpgroup run their parts: `parts` maps threads to how far they go."""

    parts: dict[int, int]


@dataclass(slots=True)
class Thread:
    """One warpgroup, or one warp of it.

    Attributes:
      parent: thread of the warpgroup, for a warp.
      steps: the trace.
      ended: why the trace ends early, "" when it is complete.
    """

    cta: int
    parent: int | None = None
    steps: list[Step | ForkStep] = field(default_factory=list)
    ended: str = ""
    queued: int = 0


@dataclass(slots=True)
class Run:
    """What happens in one block, or one pair of blocks.

    Attributes:
      decisions: how conditions that are known only at run time were decided: (number of choices, choice), in order.
      asked: axes of the grid and the cluster on which something depended.
    """

    threads: list[Thread]
    ctas: int
    decisions: list[tuple[int, int]]
    asked: set[str]


class _End(Exception):  # control flow
    """Ends the trace of a thread."""


class Machine:
    """Runs `program` at one place of the launch.

    Args:
      place: position along each axis of the grid.
      choices: how to decide the first conditions that are known only at run time; further ones are decided by 0.
    """

    def __init__(self, program: Program, place: Mapping[str, int], choices: tuple[int, ...] = ()):
        self._program = program
        self._place = place
        self._choices = choices
        self._decided: dict[Hashable, int] = {}
        self._decisions: list[tuple[int, int]] = []
        self._threads: list[Thread] = []
        self._warps: dict[tuple[int, int], int] = {}
        self._asked: set[str] = set()
        self._quiet: dict[int, bool] = {}
        self._ctas = 1
        for _, size in program.cluster:
            self._ctas *= size

    def run(self) -> Run:
        """All traces."""
        axis, count = self._program.threads
        for cta in range(self._ctas):
            position, rest = {}, cta
            for name, size in reversed(self._program.cluster):
                position[name], rest = rest % size, rest // size
            for number in range(count):
                thread = len(self._threads)
                self._threads.append(Thread(cta))
                axes = {**self._place, **position, axis: number}
                _Walker(self, thread, axes).whole(self._program.body)
        return Run(self._threads, self._ctas, self._decisions, self._asked)

    def decide(self, key: Hashable, count: int) -> int:
        """The choice for a condition that is known only at run time, the same for all threads."""
        found = self._decided.get(key)
        if found is None:
            if len(self._decisions) >= DECISIONS:
                raise _End("too much depends on values that are known only at run time")
            number = len(self._decisions)
            found = self._choices[number] if number < len(self._choices) else 0
            self._decided[key] = found
            self._decisions.append((count, found))
        return found

    def quiet(self, block: Block) -> bool:
        """True when nothing in a block is an event."""
        found = self._quiet.get(id(block))
        if found is None:
            found = self._quiet[id(block)] = all(map(self._is_quiet, block.statements))
        return found

    def _is_quiet(self, statement: object) -> bool:
        match statement:
            case Loop(body=body) | Fork(body=body):
                return self.quiet(body)
            case Branch(bodies=bodies):
                return all(map(self.quiet, bodies))
        return False

    def warp(self, parent: int, number: int) -> int:
        """The thread of a warp."""
        found = self._warps.get((parent, number))
        if found is None:
            found = self._warps[parent, number] = len(self._threads)
            self._threads.append(Thread(self._threads[parent].cta, parent))
        return found


class _Walker:
    """Executes the program as one thread."""

    def __init__(self, machine: Machine, thread: int, axes: Mapping[str, int]):
        self._machine = machine
        self._number = thread
        self._thread = machine._threads[thread]
        self._numbers = Numbers(axes)

    def whole(self, block: Block) -> None:
        try:
            self._block(block)
        except _End as end:
            self._thread.ended = self._thread.ended or str(end)
        self._machine._asked |= self._numbers.asked

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

    def _loop(self, loop: Loop) -> None:
        numbers, variables = self._numbers, self._numbers.variables
        values = [numbers.value(expr) for expr in loop.initial]
        outer = numbers.path
        count = None if loop.count is None else numbers.value(loop.count)
        quiet = self._machine.quiet(loop.body)
        done = 0
        once = count == 1  # its iteration needs no number
        while True:
            variables.update(zip(loop.variables, values, strict=True))
            numbers.moved()
            more = done < count if isinstance(count, int) else None
            if loop.condition is not None:
                numbers.path = (*outer, done)
                numbers.moved()
                condition = numbers.value(loop.condition)
                more = bool(condition) if isinstance(condition, int) else None
            if more is False:
                break
            limit = ITERATIONS if more else PREFIX
            if done >= limit or (quiet and more is None):
                numbers.path = outer
                if quiet:  # only its results are not known
                    values = [Unknown(("result", key, outer)) for key in loop.variables]
                    break
                raise _End("a loop runs longer than was looked at" if more else "it is not known how often a loop runs")
            numbers.path = outer if once else (*outer, done)
            numbers.moved()
            if not quiet:
                self._block(loop.body)
            values = [numbers.value(expr) for expr in loop.next]
            done += 1
        numbers.path = outer
        variables.update(zip(loop.results, values, strict=True))
        numbers.moved()

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
                numbers.variables[key] = values[0] if same else Unknown(("branch", selector.key, key, numbers.path))
            numbers.moved()
            return
        else:
            chosen = self._machine.decide(selector.key, last + 1)
        self._block(branch.bodies[chosen])
        values = [numbers.value(expr) for expr in branch.yields[chosen]] if branch.yields else []
        if branch.results:
            numbers.variables.update(zip(branch.results, values, strict=False))
            numbers.moved()

    def _fork(self, fork: Fork) -> None:
        machine, parts = self._machine, {}
        for warp in range(fork.count):
            number = machine.warp(self._number, warp)
            child = _Walker(machine, number, {**self._numbers.axes, fork.axis: warp})
            child._numbers.variables = dict(self._numbers.variables)
            child._numbers.path = self._numbers.path
            if not child._thread.ended:
                child.whole(fork.body)
            parts[number] = len(child._thread.steps)
        self._thread.steps.append(ForkStep(parts))
        if any(machine._threads[number].ended for number in parts):
            raise _End("what one of its warps does is not understood")

    # Events

    def _event(self, event: Event) -> None:
        if event.predicate is not None:
            value = self._numbers.value(event.predicate)
            if not isinstance(value, int):
                value = self._machine.decide(("predicate", value.key), 2)
            if not value:
                return
        thread = self._thread
        if event.collective and thread.cta % 2:
            return  # the first CTA of a pair issues it for both
        if len(thread.steps) >= STEPS:
            raise _End("the kernel is too long to be looked at as a whole")
        ctas = (thread.cta, thread.cta + 1) if event.collective and self._machine._ctas > 1 else (thread.cta,)
        step = Step(event, self._number, len(thread.steps) + 1, self._numbers.path, thread.cta)
        if event.reads is not None:
            step.reads = tuple(self._piece(event.reads, cta) for cta in ctas)
        if event.writes is not None:
            step.writes = tuple(self._piece(event.writes, cta) for cta in ctas)
        step.inputs = tuple((role, self._piece(region, thread.cta)) for role, region in event.inputs)
        step.operands = tuple((role, self._piece(region, thread.cta)) for role, region in event.operands)
        if event.source is not None:
            step.source = self._source(event.source)
        if event.barrier is not None:
            step.barriers = self._barriers(event, event.barrier)
        if event.kind in ("copy", "mma"):
            thread.queued += 1
        step.queue = thread.queued
        thread.steps.append(step)

    def _piece(self, region: Region, cta: int) -> Piece:
        start = self._numbers.total(region.start, region.terms) if region.exact else None
        space = (region.allocation, cta)
        return Piece(space, None, None) if start is None else Piece(space, start, start + region.length)

    def _source(self, source: Source) -> tuple[int | None, ...]:
        return tuple(self._numbers.total(start, terms) for start, terms in source.starts)

    def _barriers(self, event: Event, use: BarrierUse) -> tuple[tuple[Hashable, int, int], ...] | None:
        if use.start is None:
            return None
        index = self._numbers.total(use.start, use.terms)
        if index is None:
            return None
        machine, cta = self._machine, self._thread.cta
        barrier = machine._program.barriers.get(use.allocation)
        ctas: tuple[int, ...] = (cta,)
        if event.kind in ("commit", "mma") and event.collective:
            ctas = (cta, cta + 1) if machine._ctas > 1 else (cta,)
        elif event.kind == "arrive" and barrier is not None and barrier.cluster:
            ctas = (0,) if barrier.leader_tracked else tuple(range(machine._ctas))
        elif event.kind == "load" and event.leader_tracked:
            ctas = (0,)
        return tuple((use.allocation, index, at) for at in ctas)
