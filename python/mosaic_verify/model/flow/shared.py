"""Questions about metadata in shared memory: is the tile there when a copy reads it, and does it stay?"""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.flow.machine import Piece, Step
from mosaic_verify.model.flow.trace import Trace, missing, overlap, piece_in
from mosaic_verify.model.flow.violation import Kind, Violation


def shared_memory(trace: Trace) -> Iterator[Violation]:
    """Violations at copies, one for each place."""
    said: set[str] = set()
    for copy in trace.copies:
        if copy.event.place in said or not _used(trace, copy):
            continue
        for violation in _source(trace, copy):
            said.add(copy.event.place)
            yield violation
            break


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


def _source(trace: Trace, copy: Step) -> Iterator[Violation]:
    found: list[tuple[int, Kind, Step]] = []
    for piece in copy.reads:
        reason = trace.obscure(piece)
        if not piece.known:
            reason = "which tile it reads is known only at run time"
        if trace.doubtful:
            reason = trace.order.doubts[0]
        if reason:
            trace.give_up(copy, reason)
            return
        found += _writers(trace, copy, piece)
        written = any(overlap(other, piece) for step in trace.writers[piece.space] for other in step.writes)
        if not written and not trace.incomplete and not trace.unreached:
            yield Violation("never-loaded", copy.event.place, (), copy.path)
            return
    if found:
        _, kind, writer = min(found, key=lambda entry: entry[0])
        yield Violation(kind, copy.event.place, ((writer.kind, writer.event.place),), copy.path, writer.path)


# Of several things that are wrong with one copy the first is told.
_RANK: dict[Kind, int] = {"load-not-waited": 0, "peer-not-waited": 1, "not-committed": 2, "overwritten-source": 3}


def _writers(trace: Trace, copy: Step, wanted: Piece) -> Iterator[tuple[int, Kind, Step]]:
    order = trace.order
    writers = [
        step
        for step in trace.writers[wanted.space]
        if (piece := piece_in(step.writes, wanted.space)) is not None and overlap(piece, wanted)
    ]
    ready = [step for step in writers if _ready(trace, step, copy)]
    ready_ones = set(map(id, ready))
    issued = any(order.issued_before(step, copy) for step in writers)
    for step in writers:
        kind: Kind
        if id(step) in ready_ones:
            continue
        if order.complete_before(copy, step):
            if issued:
                continue
            kind = "load-not-waited"
        elif order.issued_before(step, copy):
            kind = "load-not-waited" if step.kind == "load" else "not-committed"
        elif issued:
            kind = "overwritten-source"
            if not order.issued_before(copy, step) and not ready:
                kind = "load-not-waited"
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
