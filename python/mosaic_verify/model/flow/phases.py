"""The arrivals at one barrier, sorted into phases."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple


class Arrival(NamedTuple):
    """An arrival at a barrier.

    Attributes:
      clock: what its thread knows there, the arrival itself included; see `order`.
      at_once: it has arrived when it is issued; False for one that comes when something else is complete.
    """

    thread: int
    clock: tuple[int, ...]
    at_once: bool

    def knows(self, other: Arrival) -> bool:
        """The other one has arrived before this one is issued."""
        return other.at_once and self.clock[other.thread] >= other.clock[other.thread]


class Phases:
    """One barrier of one CTA.

    Attributes:
      needed: arrivals that complete a phase.
      shares: of the arrivals of one phase, how many come from each thread.
      totals, waits: arrivals and waits in the traces, by thread.
      seen: arrivals that have happened, by thread.
      by_order: arrivals belong to phases in the order in which they come, whoever they are from: `shares` do not tell.
      arrived: where `by_order`, those that have happened; `latest` is the phase of the last one of each thread.
    """

    def __init__(self, needed: int):
        self.needed = needed
        self.by_order = False
        self.arrived: list[Arrival] = []
        self.latest: dict[int, int] = {}
        self.shares: dict[int, int] = {}
        self.totals: dict[int, int] = defaultdict(int)
        self.waits: dict[int, int] = defaultdict(int)
        self.seen: dict[int, list[Arrival]] = defaultdict(list)

    @property
    def arrivals(self) -> int:
        """In the traces of all threads."""
        return sum(self.totals.values())

    @property
    def happened(self) -> int:
        """Arrivals that no wait holds back for ever."""
        return sum(map(len, self.seen.values()))

    def per_wait(self, thread: int) -> int | None:
        """How many arrivals there are for each wait of a thread; None where that is not always the same number."""
        waits = self.waits.get(thread, 0)
        return self.arrivals // waits if waits and self.arrivals % waits == 0 else None

    def settle(self, complete: bool, by_order: bool = False) -> bool:
        """Finds out which threads arrive how often per phase. False when that cannot be told.

        Args:
          complete: the traces are whole.
          by_order: does not look for shares where several threads arrive.
        """
        totals = {thread: count for thread, count in self.totals.items() if count}
        if len(totals) <= 1:
            self.shares = dict.fromkeys(totals, self.needed)
            return True
        if by_order:
            self.by_order = True
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

    @property
    def shared(self) -> bool:
        """Several threads arrive."""
        return self.by_order or len(self.shares) > 1

    def arrive(self, arrival: Arrival) -> None:
        """One more arrival has happened."""
        self.seen[arrival.thread].append(arrival)
        if self.by_order:
            self.latest[arrival.thread] = len(self.arrived) // self.needed
            self.arrived.append(arrival)

    def phase_of(self, thread: int, arrives: bool) -> int | None:
        """The phase of a load: that of its own arrival, or of the last one of its thread where it has none.

        None where nothing is known to arrive.
        """
        if self.by_order:
            return len(self.arrived) // self.needed if arrives else self.latest.get(thread, -1)
        share = self.shares.get(thread)
        return (len(self.seen[thread]) - (not arrives)) // share if share else None

    def of_phase(self, phase: int) -> list[Arrival]:
        """The arrivals of a phase that have happened."""
        if self.by_order:
            return self.arrived[phase * self.needed : (phase + 1) * self.needed]
        return [
            arrival
            for thread, share in self.shares.items()
            for arrival in self.seen[thread][phase * share : (phase + 1) * share]
        ]

    def complete(self, phase: int) -> list[Arrival] | None:
        """The arrivals of a phase; None while it is not complete."""
        found = self.of_phase(phase)
        return found if len(found) == self.needed else None

    def in_turn(self, slot: int, last: int) -> bool:
        """Each arrival, up to those behind phase `last`, knows the phase before to be complete: none comes too early.

        Args:
          slot: where clocks have the completed phases of this barrier.
        """
        before = self.of_phase(0)
        for phase in range(1, last + 2):
            here = self.of_phase(phase)
            for arrival in here:
                if arrival.clock[slot] < phase and not all(map(arrival.knows, before)):
                    return False
            before = here
        return True
