"""Questions about metadata in shared memory: is the tile there when a copy reads it, and does it stay?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mosaic_verify.model.flow.steps import Piece, Step
from mosaic_verify.model.flow.trace import Trace, missing, overlap
from mosaic_verify.model.flow.violation import Kind, Violation


def shared_memory(trace: Trace) -> Iterator[Violation]:
    """Violations at copies, one for each place."""
    said: set[str] = set()
    ready: Ready = {}
    for copy in trace.copies:
        if copy.event.place in said:
            continue
        for violation in _source(trace, copy, ready):
            if _used(trace, copy):
                said.add(copy.event.place)
                yield violation
            break
    for copy in trace.beyond:
        if copy.event.place not in said and trace.unfilled(copy):
            said.add(copy.event.place)
            waits = tuple(("wait", stuck.step.event.place) for stuck in trace.order.stuck if stuck.happened)
            yield Violation("never-loaded", copy.event.place, waits, copy.path)


def _used(trace: Trace, copy: Step) -> bool:
    """Some MMA may read what a copy writes, before another copy of its thread writes over it."""
    for piece in copy.writes:
        if not piece.known:
            return True
        for mma in trace.mmas:
            if not any(overlap(piece, read) or not read.known for read in mma.reads):
                continue
            if trace.order.issued_before(mma, copy):
                continue
            between = (
                other
                for other in trace.copies_to[piece.space]
                if other.thread == copy.thread and copy.index < other.index and trace.order.issued_before(other, mma)
            )
            if missing(piece, (part for other in between for part in other.writes if part.space == piece.space)):
                return True
    return False


def _source(trace: Trace, copy: Step, ready: Ready) -> Iterator[Violation]:
    found: list[tuple[int, Kind, Step]] = []
    if trace.unfilled(copy):
        yield Violation("never-loaded", copy.event.place, (), copy.path)
        return
    for piece in copy.reads:
        reason = trace.obscure(piece)
        if not piece.known:
            reason = "which tile it reads is known only at run time"
        if trace.doubtful:
            reason = trace.order.doubts[0]
        if reason:
            trace.give_up(copy, reason)
            return
        found += _writers(trace, copy, piece, ready)
        written = any(True for _ in trace.written[piece.space].overlapping(piece))
        if not written and not trace.incomplete and not trace.unreached:
            yield Violation("never-loaded", copy.event.place, (), copy.path)
            return
    if found:
        _, kind, writer = min(found, key=lambda entry: entry[0])
        others = ((writer.kind, writer.event.place),)
        detail: tuple[tuple[str, int], ...] = ()
        early = _early_wait(trace, copy, writer) if kind == "load-not-waited" else None
        if early is not None:
            wait, size, per_wait = early
            others, detail = (*others, ("wait", wait.event.place)), (("size", size), ("per_wait", per_wait))
        yield Violation(kind, copy.event.place, others, copy.path, writer.path, detail)


def _early_wait(trace: Trace, copy: Step, load: Step) -> tuple[Step, int, int] | None:
    """A wait for the load's barrier in front of the copy that other arrivals end: with them, and with what arrives."""
    here = trace.order.phases.get(load.barriers[0]) if load.kind == "load" and load.barriers else None
    per_wait = here.per_wait(copy.thread) if here is not None else None
    if here is None or per_wait is None or per_wait <= here.needed:
        return None
    for wait, _ in trace.order.passed:
        if wait.thread != copy.thread or wait.index > copy.index or wait.barriers != load.barriers:
            continue
        if wait.path == copy.path or trace.order.issued_before(load, wait):
            return wait, here.needed, per_wait
    return None


Ready = dict[Hashable, int]  # by copying thread, piece and writing thread: how many writes are known to be there

# Of several things that are wrong with one copy the first is told.
_RANK: dict[Kind, int] = {"load-not-waited": 0, "peer-not-waited": 1, "not-committed": 2, "overwritten-source": 3}


def _writers(trace: Trace, copy: Step, wanted: Piece, ready: Ready) -> Iterator[tuple[int, Kind, Step]]:
    order = trace.order
    issued, some, late = False, False, []
    for key, thread, steps, _ in trace.written[wanted.space].overlapping(wanted):
        issued = issued or order.issued_before(steps[0], copy)
        # What is there for one copy of a thread is there for its later ones.
        mark = (copy.thread, wanted.space, key, thread)
        at = ready.get(mark, 0)
        while at < len(steps) and _ready(trace, steps[at], copy):
            at += 1
        ready[mark] = at
        some = some or at > 0
        for step in steps[at:]:
            if order.complete_before(copy, step):
                late.append((step, True))
                break  # so are the later ones of its thread
            if _ready(trace, step, copy):
                some = True
            else:
                late.append((step, False))
    for step, behind in late:
        kind: Kind
        if behind:
            if issued:
                continue
            kind = "load-not-waited"
        elif order.issued_before(step, copy):
            kind = "load-not-waited" if step.kind == "load" else "not-committed"
        elif issued and (some or order.issued_before(copy, step)):
            kind = "overwritten-source"
        else:
            kind = "load-not-waited"
        if kind == "load-not-waited" and step.cta != copy.cta:
            kind = "peer-not-waited"
        yield _RANK[kind], kind, step


def _ready(trace: Trace, step: Step, copy: Step) -> bool:
    """What a step wrote is there, and visible to a copy."""
    order = trace.order
    if step.kind == "load":
        return order.complete_before(step, copy)
    return order.issued_before(step, copy) and order.visible_before(step, copy)
