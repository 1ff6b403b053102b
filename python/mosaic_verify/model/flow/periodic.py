"""May periods be left out of a trace? Only where each period of the steady part stands to its neighbours as the next.

The trace of each thread is `pre`, KEPT periods, `post`, and in between there are periods of the same steps that are
not in it. What is asked about steps depends on their clocks, so it must be shown that the clocks of all periods, and of
what comes behind them, only move on by the same amount from period to period:

1. At each barrier waits and arrivals go on at the same rate, so the wait of a period belongs to arrivals of the same or
   of a neighbouring period, whichever period it is; none to those of `pre` or `post`.
2. The clocks of a thread grow by one vector from each kept period to the next: an entry by what its thread does in a
   period, or, where the thread never hears of it, not at all.
3. What a wait takes over does not grow where the clock of the waiting thread does not.

With 2 as the base and 1 as the step, an induction over periods gives the clocks of all further periods. Two steps that
are further apart than the kept periods are in order because nearer ones are: what a thread knows never becomes less.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from operator import sub

from mosaic_verify.model.flow.order import Instance, Order
from mosaic_verify.model.flow.steps import Steady, Step

_Growth = tuple[int, ...]


def periods_repeat(order: Order) -> bool:
    """True when what is left out of the traces of a run changes no answer."""
    run = order.run
    parts = {number: thread.steady for number, thread in enumerate(run.threads) if thread.steady}
    counts = {len(steady) for steady in parts.values()}
    if len(counts) != 1 or any(thread.ended for thread in run.threads) or order.doubts:
        return False
    if order.stuck:
        # Whatever holds a thread back in front of what is left out holds it back in the whole run as well.
        return all(order.executed[number] < steady[0].begin + steady[0].length for number, steady in parts.items())
    return all(
        _Group(order, {number: steady[at] for number, steady in parts.items()}).repeats() for at in range(*counts)
    )


class _Group:
    """The loops of a kernel that run side by side, by thread."""

    def __init__(self, order: Order, parts: dict[int, Steady]):
        self._order = order
        self._parts = parts
        self._arrivals: dict[tuple[int, Instance], int] = defaultdict(int)
        self._waits: dict[tuple[int, Instance], int] = defaultdict(int)
        self._full: list[int] = []
        self._growth: dict[int, _Growth] = {}

    def repeats(self) -> bool:
        if len({(steady.removed, steady.kept) for steady in self._parts.values()}) != 1:
            return False
        return (
            self._count() and self._rates() and all(map(self._grows, self._parts)) and all(map(self._near, self._parts))
        )

    def _steps(self, number: int, period: int) -> Iterator[Step]:
        steady = self._parts[number]
        begin = steady.begin + period * steady.length
        for step in self._order.run.threads[number].steps[begin : begin + steady.length]:
            assert isinstance(step, Step)  # what forks is never left out
            yield step

    def _count(self) -> bool:
        """Counts what happens in one period, and by how much clocks grow at most."""
        order, threads = self._order, len(self._order.run.threads)
        issued, queued = [0] * threads, [0] * threads
        for number, steady in self._parts.items():
            issued[number] = steady.length
            for step in self._steps(number, 0):
                queued[number] += step.kind in ("copy", "mma")
                for instance in step.barriers or ():
                    if step.kind == "wait":
                        self._waits[number, instance] += 1
                    else:
                        self._arrivals[number, instance] += step.event.arrives
        phases = []
        for instance, here in order.phases.items():
            every = sum(self._arrivals[number, instance] for number in self._parts)
            if here.waits and every % here.needed:
                return False
            phases.append(every // here.needed)
        self._full = [*issued, *issued, *queued, *phases]
        return True

    def _rates(self) -> bool:
        """Each thread waits for as many phases as the others complete."""
        for instance, here in self._order.phases.items():
            for number, share in here.shares.items():
                arrivals = self._arrivals[number, instance]
                if any(self._waits[waiting, instance] * share != arrivals for waiting in here.waits):
                    return False
        return True

    def _grows(self, number: int) -> bool:
        """Finds the growth of a thread's clock, which is the same for all its steps and from the second period on."""
        kept = self._parts[number].kept
        clocks = [[step.clock for step in self._steps(number, period)] for period in range(1, kept)]
        growth: _Growth | None = None
        for before, after in itertools.pairwise(clocks):
            for one, other in zip(before, after, strict=True):
                if one is None or other is None:
                    if one is not other:
                        return False
                    continue
                here = tuple(map(sub, other, one))
                if growth is None:
                    growth = here
                elif growth != here:
                    return False
        self._growth[number] = growth or (0,) * len(self._full)
        return all(entry in (0, full) for entry, full in zip(self._growth[number], self._full, strict=True))

    def _near(self, number: int) -> bool:
        """What the waits of a thread take over comes from the same or a neighbouring period, and grows no faster."""
        steady, growth = self._parts[number], self._growth[number]
        for wait, phase in self._order.passed:
            period = steady.period(wait.index) if wait.thread == number else None
            if not period:  # neither the first one, which nothing is concluded from
                continue
            here = self._order.phases[wait.barriers[0]]  # type: ignore[index]
            for other, share in here.shares.items():
                source = self._parts.get(other)
                if source is None:
                    return False
                for arrival in here.seen[other][phase * share : (phase + 1) * share]:
                    at = source.period(arrival.clock[other])
                    if at is None or period - at > 1:
                        return False
                if any(fast and not slow for fast, slow in zip(self._growth[other], growth, strict=True)):
                    return False
        return True
