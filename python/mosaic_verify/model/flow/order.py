"""Which steps happen before which others in every interleaving.

Each thread carries a clock. Its entries count, for every thread, the steps known to have been issued, those known to be
visible to the asynchronous proxy (behind `commit_smem`), and the copies and MMAs known to be complete; and for every
barrier the phases known to be complete. A wait takes over the clocks of the arrivals that complete its phase.

What is assumed of the hardware (PTX ISA, "tcgen05 memory consistency model"): copies and MMAs of one thread execute in
the order in which they were issued; a commit arrives when all earlier ones of its thread are complete; a TMA load
arrives when it has written ("mbarrier complete_tx").
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from mosaic_verify.model.flow.phases import Phases
from mosaic_verify.model.flow.steps import Run, Step

Instance = tuple[Hashable, int, int]  # allocation, index, CTA


@dataclass(frozen=True, slots=True)
class Stuck:
    """A wait that never comes to an end.

    Attributes:
      got: arrivals at its barrier in all.
      needed: those that it would take.
      happened: of the last phase, arrivals that do happen.
      size: arrivals that complete a phase.
      per_wait: how many arrivals there are for each wait, None where that is not always the same number.
    """

    step: Step
    got: int
    needed: int
    happened: int
    size: int
    per_wait: int | None


@dataclass(slots=True)
class Order:
    """The order of a run.

    Attributes:
      run: what was ordered.
      doubts: why an order may exist that is not seen here; empty when all is understood.
      stuck: waits that never come to an end.
      executed: number of steps per thread that are reached.
      overrun: a barrier may complete a second phase before somebody has waited for the first.
      mixed: arrivals at a barrier may belong to another phase than they do here: something else may happen as well.
      slots: where clocks have the completed phases of a barrier.
      phases: by barrier.
      passed: waits that came to an end, with their phase.
    """

    run: Run
    doubts: list[str] = field(default_factory=list)
    stuck: list[Stuck] = field(default_factory=list)
    executed: list[int] = field(default_factory=list)
    overrun: bool = False
    mixed: bool = False
    slots: dict[Instance, int] = field(default_factory=dict)
    phases: dict[Instance, Phases] = field(default_factory=dict)
    passed: list[tuple[Step, int]] = field(default_factory=list)

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
