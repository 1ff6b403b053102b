"""Puts the steps of a run in order: runs its threads side by side, and gives each step its clock."""

from __future__ import annotations

from collections import defaultdict

from mosaic_verify.model.flow.order import Instance, Order, Stuck
from mosaic_verify.model.flow.phases import Arrival, Phases
from mosaic_verify.model.flow.program import Program
from mosaic_verify.model.flow.steps import ForkStep, Run, Step


def order(program: Program, run: Run) -> Order:
    """Orders the steps of a run, and gives each a clock.

    Which phase an arrival belongs to is first told by equal shares: from each thread as many in each phase. Where that
    does not hold (one thread fills a ring, another one refills it), arrivals count in the order in which they come.
    """
    result, sure = _attempt(program, run, False)
    if not sure and not run.shortened and not any(thread.ended for thread in run.threads):
        result, sure = _attempt(program, run, True)
    if not sure:
        result.doubts.append("several threads arrive at one barrier in a way that is not understood")
    return result


def _attempt(program: Program, run: Run, by_order: bool) -> tuple[Order, bool]:
    """An order, and whether it can happen: arrivals can belong to the phases that they are taken for."""
    result = Order(run, executed=[0] * len(run.threads))
    settled = _settle(program, run, result, by_order)
    size = 3 * len(run.threads)
    for number, instance in enumerate(result.phases):
        result.slots[instance] = size + number
    schedule = Schedule(result, size + len(result.phases))
    schedule.run()
    return result, settled and schedule.sure()


def _settle(program: Program, run: Run, result: Order, by_order: bool) -> bool:
    """Counts arrivals and waits; False where it cannot be told what share of a phase a thread has."""
    phases, settled = result.phases, True
    complete = not any(thread.ended for thread in run.threads)
    for number, thread in enumerate(run.threads):
        for step in thread.steps:
            if isinstance(step, ForkStep):
                continue
            if step.kind == "unknown":
                continue
            if step.kind == "sync":
                result.doubts.append(step.event.reason)
                continue
            if step.barriers is None:
                result.doubts.append("which barrier of an array is used is known only at run time")
                continue
            for instance in step.barriers:
                known = program.barriers.get(instance[0])
                if known is None:
                    result.doubts.append("a barrier is not one of the kernel's own")
                    continue
                here = phases.get(instance)
                if here is None:
                    here = phases[instance] = Phases(known.arrivals * run.along(known.axes))
                if step.kind == "wait":
                    here.waits[number] += 1
                    continue
                here.totals[number] += step.event.arrives
                if step.kind == "load" and step.event.leader_tracked and here.needed == known.arrivals:
                    here.needed = known.arrivals * run.along(step.event.axes)
    for here in phases.values():
        settled &= here.settle(complete, by_order)
        if any(run.threads[thread].parent in here.waits for thread in here.waits):
            result.doubts.append("a warpgroup and one of its warps wait for the same barrier")
    return settled


class Schedule:
    """Runs the threads until none can go on.

    Args:
      result: gets what is found out.
      size: of a clock.
    """

    def __init__(self, result: Order, size: int):
        self._run = run = result.run
        self._result = result
        self._phases = result.phases
        self._clocks = [[0] * size for _ in run.threads]
        self._at = [0] * len(run.threads)
        self._released = [len(t.steps) if t.parent is None else 0 for t in run.threads]
        self._waits: dict[tuple[int, Instance], int] = defaultdict(int)
        self._forked: set[int] = set()
        self._held = False  # an arrival waits for its turn for ever
        self._by_order = any(here.by_order for here in self._phases.values())

    def run(self) -> None:
        """Gives each step that is reached its clock."""
        progress = True
        while progress:
            progress = False
            for number in range(len(self._run.threads)):
                progress |= self._advance(number)
        threads = self._run.threads
        self._result.executed = list(self._at)
        self._result.overrun = any(self._overrun(wait, phase) for wait, phase in self._result.passed)
        if not any(thread.ended for thread in threads):
            for number, thread in enumerate(threads):
                if self._at[number] < self._released[number]:
                    step = thread.steps[self._at[number]]
                    if isinstance(step, Step) and step.barriers:
                        if step.kind == "wait":
                            self._stuck(step, number)
                        else:
                            self._held = True

    def sure(self) -> bool:
        """What was run can happen: arrivals of several threads at one barrier came in turn, phase by phase.

        That they always do is known where each one knows the phase before to be complete; else phases are mixed.
        """
        last: dict[Instance, int] = {}
        for wait, phase in self._result.passed:
            [instance] = wait.barriers  # type: ignore[misc]
            last[instance] = max(last.get(instance, 0), phase)
        slots = self._result.slots
        self._result.mixed = not all(
            here.in_turn(slots[at], last.get(at, -1)) for at, here in self._phases.items() if here.shared
        )
        if self._held or (self._by_order and self._result.mixed):
            return False
        return not any(
            self._phases[instance].shared and stuck.happened >= stuck.size  # enough has arrived
            for stuck in self._result.stuck
            for instance in stuck.step.barriers or ()
        )

    def _overrun(self, wait: Step, phase: int) -> bool:
        """Phases are told apart by their parity alone: the next one must not end before this one was waited for."""
        here = self._phases[wait.barriers[0]]  # type: ignore[index]
        following = here.of_phase(phase + 1)
        return len(following) >= here.needed and not any(
            arrival.clock[wait.thread] >= wait.index for arrival in following
        )

    def _stuck(self, step: Step, number: int) -> None:
        instance = step.barriers[0]  # type: ignore[index]
        here = self._phases[instance]
        phase = self._waits[number, instance]
        happened = max(here.happened - phase * here.needed, 0)
        needed = (phase + 1) * here.needed
        self._result.stuck.append(Stuck(step, here.arrivals, needed, happened, here.needed, here.per_wait(number)))

    def _advance(self, number: int) -> bool:
        steps, at, clock = self._run.threads[number].steps, self._at[number], self._clocks[number]
        start, end = at, self._released[number]
        while at < end:
            step = steps[at]
            if isinstance(step, ForkStep):
                if not self._fork(number, at, step):
                    break
            elif not self._step(number, step, clock):
                break
            at += 1
            clock[number] = at
            self._at[number] = at
        return at > start

    def _fork(self, number: int, at: int, fork: ForkStep) -> bool:
        key = (number << 32) | at
        if key not in self._forked:
            self._forked.add(key)
            for child, until in fork.parts.items():
                self._released[child] = until
                _merge(self._clocks[child], self._clocks[number])
        if any(self._at[child] < until for child, until in fork.parts.items()):
            return False
        for child in fork.parts:
            _merge(self._clocks[number], self._clocks[child])
        return True

    def _step(self, number: int, step: Step, clock: list[int]) -> bool:
        kind = step.kind
        threads = len(self._run.threads)
        if kind == "wait":
            return self._wait(number, step, clock)
        if kind == "fence":
            clock[number] = step.index
            clock[threads : 2 * threads] = clock[:threads]
            return True
        if step.barriers and step.event.arrives and kind != "unknown" and not self._in_turn(number, step.barriers):
            return False
        step.clock = tuple(clock)
        if step.barriers and kind != "unknown":
            arrival = list(clock)
            arrival[number] = step.index
            if kind in ("commit", "mma"):
                arrival[2 * threads + number] = step.queue
            frozen = tuple(arrival)
            for instance in step.barriers:
                here = self._phases.get(instance)
                if here is not None:
                    phase = here.phase_of(number, step.event.arrives) if kind == "load" else None
                    if phase is not None:
                        step.phase = phase
                        if phase < 0:
                            self._result.doubts.append("a load comes before the arrival at its barrier")
                    if step.event.arrives:
                        here.arrive(Arrival(number, frozen, kind == "arrive"))
        return True

    def _in_turn(self, number: int, barriers: tuple[Instance, ...]) -> bool:
        """The phases in front of those at which a thread arrives next are complete, where several threads arrive."""
        for instance in barriers:
            here = self._phases.get(instance)
            if here is not None and here.shared and not here.by_order:
                phase = len(here.seen[number]) // here.shares[number]
                if phase and here.complete(phase - 1) is None:
                    return False
        return True

    def _wait(self, number: int, step: Step, clock: list[int]) -> bool:
        if step.barriers is None:
            return True
        [instance] = step.barriers
        here = self._phases.get(instance)
        if here is None:
            return True
        phase = self._waits[number, instance]
        found = here.complete(phase)
        if found is None:
            return False
        for other in found:
            _merge(clock, other.clock)
        slot = self._result.slots[instance]
        clock[slot] = max(clock[slot], phase + 1)
        self._waits[number, instance] = phase + 1
        self._result.passed.append((step, phase))
        step.clock = tuple(clock)
        return True


def _merge(clock: list[int], other: list[int] | tuple[int, ...]) -> None:
    for number, value in enumerate(other):
        if value > clock[number]:
            clock[number] = value
