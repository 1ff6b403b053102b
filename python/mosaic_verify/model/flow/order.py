"""Which steps happen before which others in every interleaving.

Each thread carries a clock. Its entries count, for every thread, the steps known to have been issued, those known to be
visible to the asynchronous proxy (behind `commit_smem`), and the copies and MMAs known to be complete; and for every
barrier the phases known to be complete. A wait takes over the clocks of the arrivals that complete its phase.

What is assumed of the hardware (PTX ISA, "tcgen05 memory consistency model"): copies and MMAs of one thread execute in
the order in which they were issued; a commit arrives when all earlier ones of its thread are complete; a TMA load
arrives when it has written ("mbarrier complete_tx").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field

from mosaic_verify.model.flow.machine import ForkStep, Run, Step
from mosaic_verify.model.flow.program import Program

Instance = tuple[Hashable, int, int]  # allocation, index, CTA


@dataclass(slots=True)
class Order:
    """The order of a run.

    Attributes:
      run: what was ordered.
      doubts: why an order may exist that is not seen here; empty when all is understood.
      stuck: waits that never come to an end, with the arrivals at their barrier in all and those that they need.
      executed: number of steps per thread that are reached.
      overrun: a barrier may complete a second phase before somebody has waited for the first.
    """

    run: Run
    doubts: list[str] = field(default_factory=list)
    stuck: list[tuple[Step, int, int]] = field(default_factory=list)
    executed: list[int] = field(default_factory=list)
    overrun: bool = False
    slots: dict[Instance, int] = field(default_factory=dict)

    def issued_before(self, first: Step, second: Step) -> bool:
        """`first` is issued before `second` is."""
        if first.thread == second.thread:
            return first.index < second.index
        return second.clock is not None and second.clock[first.thread] >= first.index

    def visible_before(self, store: Step, step: Step) -> bool:
        """A `commit_smem` stands between a store and `step`."""
        return step.clock is not None and step.clock[len(self.run.threads) + store.thread] >= store.index

    def complete_before(self, first: Step, second: Step) -> bool:
        """A copy, MMA or load is known to be complete when `second` is issued."""
        if second.clock is None:
            return False
        if first.kind == "load":
            slot = self.slots.get(first.barriers[0]) if first.barriers else None
            return slot is not None and 0 <= first.phase < second.clock[slot]
        return second.clock[2 * len(self.run.threads) + first.thread] >= first.queue


class _Phases:
    """The arrivals at one barrier, sorted into phases."""

    def __init__(self, needed: int):
        self.needed = needed
        self.shares: dict[int, int] = {}  # arrivals of one phase by thread
        self.totals: dict[int, int] = defaultdict(int)
        self.seen: dict[int, list[tuple[int, ...]]] = defaultdict(list)

    def settle(self, complete: bool) -> bool:
        """Finds out which threads arrive how often per phase. False when that cannot be told."""
        totals = {thread: count for thread, count in self.totals.items() if count}
        if len(totals) <= 1:
            self.shares = dict.fromkeys(totals, self.needed)
            return True
        every = sum(totals.values())
        phases = every // self.needed
        if complete and phases and every % self.needed == 0 and all(count % phases == 0 for count in totals.values()):
            self.shares = {thread: count // phases for thread, count in totals.items()}
            return True
        if len(set(totals.values())) == 1 and self.needed % len(totals) == 0:
            self.shares = dict.fromkeys(totals, self.needed // len(totals))
            return True
        if not complete and self.needed % len(totals) == 0:
            self.shares = dict.fromkeys(totals, self.needed // len(totals))
            return self.needed == len(totals)
        return False

    def clocks(self, phase: int) -> list[tuple[int, ...]] | None:
        """The clocks of the arrivals up to and with a phase; None while it is not complete."""
        found = []
        for thread, share in self.shares.items():
            seen = self.seen[thread]
            if len(seen) < (phase + 1) * share:
                return None
            found += seen[phase * share : (phase + 1) * share]
        return found if self.shares else None


def order(program: Program, run: Run) -> Order:
    """Orders the steps of a run, and gives each a clock."""
    result = Order(run, executed=[0] * len(run.threads))
    phases = _settle(program, run, result)
    size = 3 * len(run.threads)
    for number, instance in enumerate(phases):
        result.slots[instance] = size + number
    _Schedule(run, result, phases, size + len(phases)).run()
    return result


def _settle(program: Program, run: Run, result: Order) -> dict[Instance, _Phases]:
    phases: dict[Instance, _Phases] = {}
    complete = not any(thread.ended for thread in run.threads)
    waits: dict[Instance, set[int]] = defaultdict(set)
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
                    both = run.ctas if known.cluster else 1
                    here = phases[instance] = _Phases(known.arrivals * both)
                if step.kind == "wait":
                    waits[instance].add(number)
                    continue
                here.totals[number] += step.event.arrives
                if step.kind == "load" and step.event.leader_tracked and here.needed == known.arrivals:
                    here.needed = known.arrivals * run.ctas
    for instance, here in phases.items():
        if not here.settle(complete):
            result.doubts.append("several threads arrive at one barrier in a way that is not understood")
        if any(run.threads[thread].parent in waits[instance] for thread in waits[instance]):
            result.doubts.append("a warpgroup and one of its warps wait for the same barrier")
    return phases


class _Schedule:
    """Runs the threads until none can go on."""

    def __init__(self, run: Run, result: Order, phases: dict[Instance, _Phases], size: int):
        self._run = run
        self._result = result
        self._phases = phases
        self._clocks = [[0] * size for _ in run.threads]
        self._at = [0] * len(run.threads)
        self._released = [len(t.steps) if t.parent is None else 0 for t in run.threads]
        self._waits: dict[tuple[int, Instance], int] = defaultdict(int)
        self._forked: set[int] = set()
        self._passed: list[tuple[int, int, int, Instance]] = []  # thread, index, phase, barrier

    def run(self) -> None:
        progress = True
        while progress:
            progress = False
            for number in range(len(self._run.threads)):
                progress |= self._advance(number)
        threads = self._run.threads
        self._result.executed = list(self._at)
        self._result.overrun = any(map(self._overrun, self._passed))
        if not any(thread.ended for thread in threads):
            for number, thread in enumerate(threads):
                if self._at[number] < self._released[number]:
                    step = thread.steps[self._at[number]]
                    if isinstance(step, Step) and step.barriers:
                        self._stuck(step, number)

    def _overrun(self, passed: tuple[int, int, int, Instance]) -> bool:
        """Phases are told apart by their parity alone: the next one must not end before this one was waited for."""
        thread, index, phase, instance = passed
        here = self._phases[instance]
        following = [
            clock
            for other, share in here.shares.items()
            for clock in here.seen[other][(phase + 1) * share : (phase + 2) * share]
        ]
        return len(following) >= here.needed and not any(clock[thread] >= index for clock in following)

    def _stuck(self, step: Step, number: int) -> None:
        instance = step.barriers[0]  # type: ignore[index]
        here = self._phases[instance]
        needed = (self._waits[number, instance] + 1) * here.needed
        self._result.stuck.append((step, sum(here.totals.values()), needed))

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
                    seen = here.seen[number]
                    if kind == "load" and here.shares.get(number):
                        step.phase = (len(seen) - (not step.event.arrives)) // here.shares[number]
                        if step.phase < 0:
                            self._result.doubts.append("a load comes before the arrival at its barrier")
                    if step.event.arrives:
                        seen.append(frozen)
        return True

    def _wait(self, number: int, step: Step, clock: list[int]) -> bool:
        if step.barriers is None:
            return True
        [instance] = step.barriers
        here = self._phases.get(instance)
        if here is None:
            return True
        phase = self._waits[number, instance]
        found = here.clocks(phase)
        if found is None:
            return False
        for other in found:
            _merge(clock, other)
        slot = self._result.slots[instance]
        clock[slot] = max(clock[slot], phase + 1)
        self._waits[number, instance] = phase + 1
        self._passed.append((number, step.index, phase, instance))
        step.clock = tuple(clock)
        return True


def _merge(clock: list[int], other: list[int] | tuple[int, ...]) -> None:
    for number, value in enumerate(other):
        if value > clock[number]:
            clock[number] = value
