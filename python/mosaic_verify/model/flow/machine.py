"""Runs a program for one block (or one cluster of blocks) of a launch: one trace per thread.

No thread of a kernel decides anything by how far another one has come, so a thread's trace is the same in every
interleaving. What a trace contains really happens; where something is not understood the trace ends and says so.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

from mosaic_verify.model.flow.linear import Number, plus
from mosaic_verify.model.flow.loops import LoopWalker
from mosaic_verify.model.flow.periods import Plan, bounds, corners_of, length_of_choice, lengths, period_of
from mosaic_verify.model.flow.program import Block, Branch, Fork, Loop, Program, Region
from mosaic_verify.model.flow.steps import Piece, Run, Thread
from mosaic_verify.model.flow.values import Assumptions, Numbers, Unknown
from mosaic_verify.model.flow.walker import End

DECISIONS = 3  # about conditions that are known only at run time


class Machine:
    """Runs `program` at one place of the launch.

    Args:
      place: position along each axis of the grid.
      choices: how to decide the first conditions that are known only at run time; further ones are decided by 0.
      shorten: leaves out periods of long loops.
    """

    def __init__(
        self, program: Program, place: Mapping[str, int], choices: tuple[int, ...] = (), *, shorten: bool = True
    ):
        self.program = program
        self.threads: list[Thread] = []
        self.asked: set[str] = set()
        self.cluster = dict(program.cluster)
        self.ctas = math.prod(self.cluster.values())
        self.assumptions = Assumptions()
        self._place = place
        self._choices = choices
        self._shorten = shorten
        self._decided: dict[Hashable, int] = {}
        self._decisions: list[tuple[int, int]] = []
        self._many: bool | None = None
        self._warps: dict[tuple[int, int], int] = {}
        self._quiet: dict[int, bool] = {}
        self._pieces: dict[tuple[int, int], Piece] = {}
        self._period = 0

    def run(self) -> Run:
        """All traces."""
        axis, count = self.program.threads
        self._assume_bounds()
        for cta in range(self.ctas):
            position = self._position(cta)
            for number in range(count):
                thread = len(self.threads)
                self.threads.append(Thread(cta))
                axes = {**self._place, **position, axis: number}
                LoopWalker(self, thread, axes).whole(self.program.body)
        return Run(self.threads, self.ctas, self.cluster, self._decisions, self.asked, self._many)

    def _position(self, cta: int) -> dict[str, int]:
        """Where a CTA stands in its cluster; along the minor axis its neighbour has the next number."""
        position = {}
        for name, size in reversed(self.program.cluster):
            cta, position[name] = divmod(cta, size)
        return position

    def peers(self, cta: int, axes: tuple[str, ...]) -> tuple[int, ...]:
        """The CTAs along axes of the cluster from a CTA, with itself; the leader comes first."""
        found = [0]
        here = self._position(cta)
        stride = self.ctas
        for name, size in self.program.cluster:
            stride //= size
            numbers = range(size) if name in axes else (here[name],)
            found = [start + number * stride for start in found for number in numbers]
        return tuple(found)

    def _assume_bounds(self) -> None:
        """Decides how often loops run before something else depends on it."""
        numbers = Numbers(self._place, self.assumptions)
        for start, bound in bounds(self.program.body):
            value = numbers.value(bound)
            if isinstance(value, Unknown):
                trips = self.decide_length(value.key)
                if trips is not None:
                    self.assumptions.numbers[value.key] = plus(start, trips)
                return

    def decide(self, key: Hashable, count: int) -> int:
        """The choice for a condition that is known only at run time, the same for all threads."""
        found = self._decided.get(key)
        if found is None:
            if len(self._decisions) >= DECISIONS:
                raise End("too much depends on values that are known only at run time")
            number = len(self._decisions)
            found = self._choices[number] if number < len(self._choices) else 0
            self._decided[key] = found
            self._decisions.append((count, found))
        return found

    def decide_length(self, key: Hashable) -> Number | None:
        """How often a loop runs that is known only at run time: a few small numbers, and all large ones at once.

        None where a second loop has a length of its own.
        """
        if self._many is not None and ("length", key) not in self._decided:
            return None
        period = self.period()
        choice = self.decide(("length", key), lengths(period))
        number = length_of_choice(choice, period)
        self._many = not isinstance(number, int)
        if not isinstance(number, int):
            self.assumptions.corners = corners_of(number)
        return number

    def period(self) -> int:
        """After how many iterations the stages of this program are probably in use again."""
        if not self._period:
            self._period = period_of(self.program)
        return self._period

    def plan(self, trips: Number | None) -> Plan | None:
        """Which iterations of a long loop to leave out."""
        if trips is None or not self._shorten or (isinstance(trips, int) and trips < Plan.LONG):
            return None
        return Plan.of(trips, self.period())

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
            found = self._warps[parent, number] = len(self.threads)
            self.threads.append(Thread(self.threads[parent].cta, parent))
        return found

    def fixed(self, region: Region, cta: int) -> Piece:
        """A region whose place is a constant."""
        key = (id(region), cta)
        found = self._pieces.get(key)
        if found is None:
            space = (region.allocation, cta)
            found = (
                Piece(space, region.start, region.start + region.length) if region.exact else Piece(space, None, None)
            )
            self._pieces[key] = found
        return found
