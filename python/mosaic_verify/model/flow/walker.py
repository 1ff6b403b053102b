"""Executes a program as one thread: events, branches and warps; `loops` has the loops."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

from mosaic_verify.model.flow.program import BarrierUse, Block, Branch, Event, Fork, Loop, Region
from mosaic_verify.model.flow.steps import ForkStep, Piece, Step
from mosaic_verify.model.flow.values import Numbers, Unknown, Value

if TYPE_CHECKING:
    from mosaic_verify.model.flow.machine import Machine

STEPS = 1300  # of one thread: 128 iterations of ten


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

    @abstractmethod
    def _loop(self, loop: Loop) -> None: ...

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
            child = type(self)(machine, number, {**self._numbers.axes, fork.axis: warp})
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
            step.source = tuple([self._numbers.total_aside(start, terms) for start, terms in event.source.starts])
        if event.kind in ("copy", "mma"):
            thread.queued += 1
            step.inputs = tuple([(role, self._piece(region, cta)) for role, region in event.inputs])
            step.operands = tuple(
                [
                    (found.role, self._piece(found.region, cta), self._numbers.total_aside(found.start, found.terms))
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
        elif event.kind == "arrive" and barrier is not None and barrier.axes:
            ctas = machine.peers(cta, barrier.axes)[: 1 if barrier.leader_tracked else None]
        elif event.kind == "load" and event.leader_tracked:
            ctas = machine.peers(cta, event.axes)[:1]
        return tuple((use.allocation, index, at) for at in ctas)


def _key(value: Value) -> Hashable:
    return value.key if isinstance(value, Unknown) else value
