"""The arrivals at one barrier, sorted into phases."""

from __future__ import annotations

from collections import defaultdict


class Phases:
    """One barrier of one CTA.

    Attributes:
      needed: arrivals that complete a phase.
      shares: of the arrivals of one phase, how many come from each thread.
      totals, waits: arrivals and waits in the traces, by thread.
      seen: what each arrival that has happened knows, by thread; see `order`.
    """

    def __init__(self, needed: int):
        self.needed = needed
        self.shares: dict[int, int] = {}
        self.totals: dict[int, int] = defaultdict(int)
        self.waits: dict[int, int] = defaultdict(int)
        self.seen: dict[int, list[tuple[int, ...]]] = defaultdict(list)

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
