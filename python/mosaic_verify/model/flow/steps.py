"""What a running program leaves behind: one trace of steps per thread."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from mosaic_verify.model.flow.linear import Number
from mosaic_verify.model.flow.program import Event


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
      operands: (role, piece, where K starts within it) of A and B.
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
    operands: tuple[tuple[str, Piece, int | None], ...] = ()
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


@dataclass(frozen=True, slots=True)
class Steady:
    """The part of a long loop in which each period does the same.

    Attributes:
      begin: number of the steps in front of it.
      length: steps of one period.
      kept: periods that are in the trace.
      removed: periods that happen as well, but are not in the trace.
    """

    begin: int
    length: int
    kept: int
    removed: Number

    @property
    def end(self) -> int:
        """Number of the steps up to the end of what is in the trace."""
        return self.begin + self.length * self.kept

    def period(self, index: int) -> int | None:
        """The period that a step with this index is in, None when it is in another part."""
        return (index - 1 - self.begin) // self.length if self.begin < index <= self.end else None


@dataclass(slots=True)
class Thread:
    """One warpgroup, or one warp of it.

    Attributes:
      parent: thread of the warpgroup, for a warp.
      steps: the trace.
      steady: long loops of which the trace has a part only, in order.
      ended: why the trace ends early, "" when it is complete.
    """

    cta: int
    parent: int | None = None
    steps: list[Step | ForkStep] = field(default_factory=list)
    steady: list[Steady] = field(default_factory=list)
    ended: str = ""
    queued: int = 0


@dataclass(slots=True)
class Run:
    """What happens in one cluster of blocks (CTAs).

    Attributes:
      cluster: sizes of its axes, minor one last.
      decisions: how conditions that are known only at run time were decided: (number of choices, choice), in order.
      asked: axes of the grid and the cluster on which something depended, beside addresses in global memory.
      many: a loop of a length that is known only at run time runs often; None when there is no such loop.
    """

    threads: list[Thread]
    ctas: int
    cluster: dict[str, int]
    decisions: list[tuple[int, int]]
    asked: set[str]
    many: bool | None = None

    def along(self, axes: tuple[str, ...]) -> int:
        """How many CTAs there are along axes of the cluster."""
        return math.prod([self.cluster.get(axis, 1) for axis in axes])

    @property
    def shortened(self) -> bool:
        """Parts of long loops are not in the traces."""
        return any(thread.steady for thread in self.threads)
