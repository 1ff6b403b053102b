"""What the order of a kernel's steps means for its metadata: proved, refuted with a witness, or not decidable."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from mosaic_verify.model.flow.k_range import k_ranges
from mosaic_verify.model.flow.machine import Machine
from mosaic_verify.model.flow.periodic import periods_repeat
from mosaic_verify.model.flow.program import Program
from mosaic_verify.model.flow.schedule import order
from mosaic_verify.model.flow.shared import shared_memory
from mosaic_verify.model.flow.steps import Run
from mosaic_verify.model.flow.tensor import tensor_memory
from mosaic_verify.model.flow.trace import Trace
from mosaic_verify.model.flow.violation import Violation

_PLACES = 6  # of a launch that are looked at where something depends on the block
_THREADS = 256  # warpgroups of a cluster: CUDA has at most 16 blocks of 8, and what is written by hand may say anything
_STEPS = 3000  # of all the ways in which conditions are decided that are known only at run time, and of all places


@dataclass(slots=True)
class Answer:
    """What is known about a kernel.

    Attributes:
      violations: refuted, each with a witness.
      undecided: (place, reason) of MMAs and copies about which nothing can be said.
      proved: places of MMAs and copies that are right in every interleaving.
      steps: how many steps of all threads were put in order.
    """

    violations: tuple[Violation, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    proved: tuple[str, ...] = ()
    steps: int = 0


@dataclass(slots=True)
class _Found:
    """What the runs at one place of the launch have in common."""

    violations: dict[tuple[str, str], Violation] = field(default_factory=dict)
    held_back: dict[tuple[str, str], str] = field(default_factory=dict)


def analyse(program: Program) -> Answer:
    """Runs a kernel at a few places of its launch and looks at the metadata of its MMAs in each."""
    answer = Answer()
    if math.prod(size for _, size in program.cluster) * program.threads[1] > _THREADS:
        answer.undecided = (("", f"more than {_THREADS} warpgroups in a cluster"),)
        return answer
    violations: dict[tuple[str, str], Violation] = {}
    undecided: dict[str, str] = {}
    seen: set[str] = set()
    sampled, looked = _count(program) > _PLACES, 0
    for number, place in enumerate(_places(program)):
        found, asked, traces = _at(program, place)
        answer.steps += sum(trace.steps for trace in traces)
        for key, violation in found.violations.items():
            violations.setdefault(key, violation)
        for (_, where), reason in found.held_back.items():
            undecided.setdefault(where, reason)
        for trace in traces:
            seen.update(trace.places)
            for where, reason in trace.undecided.items():
                undecided.setdefault(where, reason)
        looked += sum(len(thread.steps) for trace in traces for thread in trace.run.threads)
        if not asked & set(program.grid):
            sampled = False  # nothing depends on the block: one stands for all
            # Where K starts may still depend on it: in the last block it does not start at 0.
            if number == 1 or not any(trace.k_moves for trace in traces):
                break
        elif looked > _STEPS and number + 1 < _count(program):
            sampled = True
            break
    if sampled:
        for where in seen:
            undecided.setdefault(where, "what happens depends on the block, and not every block was looked at")
    answer.violations = tuple(violations.values())
    wrong = {violation.place for violation in answer.violations}
    answer.undecided = tuple((where, reason) for where, reason in undecided.items() if where not in wrong)
    answer.proved = tuple(sorted(seen - wrong - set(undecided)))
    return answer


def _count(program: Program) -> int:
    count = 1
    for size in program.grid.values():
        count *= size
    return count


def _places(program: Program) -> Iterator[dict[str, int]]:
    """Places of the launch: all of a small one, else corners and a few more."""
    axes = list(program.grid)
    if _count(program) <= _PLACES:
        numbers = list(itertools.product(*(range(program.grid[axis]) for axis in axes)))
        for number in (*numbers[:1], *numbers[:0:-1]):  # the last block comes second
            yield dict(zip(axes, number, strict=True))
        return
    for pick in (lambda n: 0, lambda n: n - 1, lambda n: n // 2, lambda n: min(1, n - 1), lambda n: max(n - 2, 0)):
        yield {axis: pick(program.grid[axis]) for axis in axes}


def _at(program: Program, place: dict[str, int]) -> tuple[_Found, set[str], list[Trace]]:
    """What happens at one place of the launch, with as little of long loops as tells all of them."""
    return every_way(program, place, True) or every_way(program, place, False) or (_Found(), set(), [])


def every_way(program: Program, place: dict[str, int], shorten: bool) -> tuple[_Found, set[str], list[Trace]] | None:
    """Decides conditions that are known only at run time in every way; what is wrong must be so whenever it happens.

    Of loops whose length is known only at run time, long ones count: that a loop runs a few times, or never, may be
    excluded by what the kernel is called with. None when long loops must be looked at as a whole.
    """
    traces: list[Trace] = []
    results: list[dict[tuple[str, str], Violation]] = []
    asked: set[str] = set()
    choices: tuple[int, ...] | None = ()
    steps = 0
    while choices is not None and steps <= _STEPS:
        run = Machine(program, place, choices, shorten=shorten).run()
        ordered = order(program, run)
        if run.shortened and not periods_repeat(ordered):
            return None
        trace = Trace(program, run, ordered)
        found_here = (*tensor_memory(trace), *shared_memory(trace))
        # Which K the metadata belongs to is worth asking only where it arrives at all.
        found_here = found_here or tuple(k_ranges(trace))
        results.append({violation.key: violation for violation in found_here})
        traces.append(trace)
        asked |= run.asked
        steps += sum(len(thread.steps) for thread in run.threads)
        choices = _next(run)
    found = _Found()
    if choices is not None:
        for trace in traces:
            trace.give_up_all("it is not known how often a loop runs, and not every number was looked at")
    long = [
        (result, trace.places.keys() | trace.waits)
        for result, trace in zip(results, traces, strict=True)
        if trace.run.many is not False
    ]
    # Numbers of iterations are tried last, large ones first: of those that are left all are small.
    certain = choices is None or (len(choices) == 1 and len(long) < len(traces))
    for result in results:
        for key, violation in result.items():
            everywhere = all(key in other or violation.place not in places for other, places in long)
            if certain and everywhere and any(key in other for other, _ in long):
                found.violations.setdefault(key, violation)
            else:
                found.held_back[key] = "it depends on what is known only at run time"
    return found, asked, traces


def _next(run: Run) -> tuple[int, ...] | None:
    """The choices behind those of a run, counting like an odometer."""
    chosen = [choice for _, choice in run.decisions]
    for at in reversed(range(len(chosen))):
        if chosen[at] + 1 < run.decisions[at][0]:
            return (*chosen[:at], chosen[at] + 1)
    return None
