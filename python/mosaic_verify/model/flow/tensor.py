"""Questions about metadata in tensor memory: who wrote the columns that an MMA reads, and when."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from mosaic_verify.model.flow.steps import ForkStep, Piece, Step
from mosaic_verify.model.flow.trace import Trace, missing, overlap, piece_in
from mosaic_verify.model.flow.violation import Violation

_COLUMN = 32  # bits


def tensor_memory(trace: Trace) -> Iterator[Violation]:
    """Violations at MMAs, one for each place and cause."""
    said: set[str] = set()
    for mma in trace.mmas:
        if mma.event.place in said:
            continue
        for violation in _metadata(trace, mma):
            said.add(mma.event.place)
            yield violation
            break
    yield from _endless(trace)


def _columns(piece: Piece) -> tuple[int, int]:
    return (piece.low or 0) // _COLUMN, -(-(piece.high or 0) // _COLUMN)


def _metadata(trace: Trace, mma: Step) -> Iterator[Violation]:
    for wanted in mma.reads:
        if not wanted.known:
            trace.give_up(mma, "which metadata it reads is known only at run time")
            return
        reason = trace.obscure(wanted)
        if reason:
            trace.give_up(mma, reason)
            return
        for role, piece in mma.inputs:
            if overlap(piece, wanted):
                detail = (("role", role), ("columns", _columns(wanted)), ("other_columns", _columns(piece)))
                yield Violation("aliased", mma.event.place, (), mma.path, (), detail)
                return
        yield from _reaching(trace, mma, wanted)


def _reaching(trace: Trace, mma: Step, wanted: Piece) -> Iterator[Violation]:
    """Of each piece and thread the last copy before the MMA counts, and the first one that is not before it."""
    order = trace.order
    before, after, beside = [], [], []
    for _, thread, copies, indices in trace.copied[wanted.space].overlapping(wanted):
        known = mma.index if thread == mma.thread else mma.clock[thread] + 1 if mma.clock else 0
        at = bisect_left(indices, known)
        if at:
            before.append(copies[at - 1])
        if at < len(copies):
            (after if order.issued_before(mma, copies[at]) else beside).append(copies[at])
    gaps = missing(wanted, (piece for copy in before for piece in copy.writes if piece.space == wanted.space))
    if gaps:
        yield from _unwritten(trace, mma, wanted, gaps, after, beside)
        return
    yield from _lost(trace, mma, wanted, before)
    if trace.doubtful:
        return
    for copy in (*beside, *after):
        if copy.thread != mma.thread and not order.complete_before(mma, copy) and not _same_data(trace, copy, before):
            others = (("copy", copy.event.place),)
            yield Violation("overwritten-metadata", mma.event.place, others, mma.path, copy.path)
            return


def _same_data(trace: Trace, copy: Step, before: list[Step]) -> bool:
    """A copy writes what the cells hold already: the same tile, which nothing has changed since."""
    if any(other.reads != copy.reads or other.writes != copy.writes for other in before):
        return False
    return all(
        trace.order.complete_before(writer, other)
        if writer.kind == "load"
        else trace.order.visible_before(writer, other)
        for piece in copy.reads
        for writer in trace.writers[piece.space]
        if any(overlap(piece, part) for part in writer.writes)
        for other in before
    )


def _unwritten(
    trace: Trace, mma: Step, wanted: Piece, gaps: list[tuple[int, int]], after: list[Step], beside: list[Step]
) -> Iterator[Violation]:
    """Part of the metadata is written by no copy that comes before the MMA."""
    elsewhere = [copy for copy in (*trace.copies, *trace.beyond) if copy.thread != mma.thread]
    if trace.doubtful and elsewhere:
        trace.give_up(mma, trace.order.doubts[0])
        return
    lost = Piece(wanted.space, *gaps[0])
    unreached = [c for c in trace.beyond if any(overlap(piece, lost) or not piece.known for piece in c.writes)]
    beside = [copy for copy in beside if any(overlap(piece, lost) for piece in copy.writes)]
    beside += [copy for copy in unreached if copy.thread != mma.thread]
    after = [copy for copy in after if any(overlap(piece, lost) for piece in copy.writes)]
    after += [copy for copy in unreached if copy.thread == mma.thread]
    stray = _stray(trace, mma, wanted)
    if stray is not None and stray.path == mma.path and not any(copy.path == mma.path for copy in after):
        after = []  # what a later iteration copies was not meant for this one
    here, columns = mma.event.place, (("columns", _columns(wanted)), ("missing", _columns(lost)))
    if beside:
        copy = beside[0]
        yield Violation("other-thread", here, (("copy", copy.event.place),), mma.path, copy.path, columns)
    elif after:
        copy = after[0]
        yield Violation("copied-after", here, (("copy", copy.event.place),), mma.path, copy.path, columns)
    else:
        copy = stray
        if copy is None:
            yield Violation("not-copied", here, (), mma.path, (), columns)
            return
        piece = piece_in(copy.writes, wanted.space)
        found = (("found", None if piece is None else _columns(piece)),)
        yield Violation("other-columns", here, (("copy", copy.event.place),), mma.path, copy.path, columns + found)


def _stray(trace: Trace, mma: Step, wanted: Piece) -> Step | None:
    """A copy that was probably meant for an MMA: to other columns of its ref, or one whose columns nothing reads."""
    order = trace.order
    candidates = [copy for copy in trace.copies if order.issued_before(copy, mma)]
    for copy in reversed(candidates):
        if any(piece.space == wanted.space for piece in copy.writes):
            return copy
    for copy in reversed(candidates):
        if not any(overlap(piece, read) for piece in copy.writes for other in trace.mmas for read in other.reads):
            return copy
    return None


def _lost(trace: Trace, mma: Step, wanted: Piece, before: list[Step]) -> Iterator[Violation]:
    """Something else wrote over the metadata between its copy and the MMA, in the MMA's own thread."""
    copies = [copy for copy in before if copy.thread == mma.thread]
    if not copies or len(copies) != len(before):
        return
    last = max(copies, key=lambda copy: copy.index)
    for write in trace.overwriters[wanted.space]:
        if write.thread != mma.thread or not last.index < write.index < mma.index:
            continue
        if any(overlap(piece, wanted) for piece in write.writes):
            piece = next(piece for piece in write.writes if overlap(piece, wanted))
            detail = (("role", "write"), ("columns", _columns(wanted)), ("other_columns", _columns(piece)))
            yield Violation("aliased", mma.event.place, (("write", write.event.place),), mma.path, write.path, detail)
            return


def _endless(trace: Trace) -> Iterator[Violation]:
    """MMAs that nobody can wait for, and waits that never end."""
    stuck = [] if trace.doubtful else trace.order.stuck
    unseen: set[str] = set()
    for mma in trace.mmas:
        if mma.event.place not in unseen and _unobserved(trace, mma):
            unseen.add(mma.event.place)
            others = tuple(("wait", entry.step.event.place) for entry in stuck if not entry.got)
            yield Violation("never-observed", mma.event.place, others, mma.path)
    if unseen or any(map(trace.unfilled, trace.beyond)):
        return  # a wait for such an MMA, or for the load that is missing, does not end either
    short = [] if trace.run.shortened else [entry for entry in stuck if entry.got < entry.needed]
    # Of waits for one another the one is told for which some arrivals have come, or else the first.
    begun = [entry for entry in stuck if 0 < entry.happened < entry.size]
    for entry in short or (begun or stuck)[:1]:
        if not entry.got or trace.run.ctas == 1:
            other = next((one for one in stuck if one is not entry), None)
            others = () if short or other is None else (("wait", other.step.event.place),)
            detail = {
                "got": entry.got,
                "needed": entry.needed,
                "happened": entry.happened,
                "size": entry.size,
                "per_wait": entry.per_wait,
                "short": bool(short),
            }
            yield Violation("never-arrives", entry.step.event.place, others, entry.step.path, (), tuple(detail.items()))


def _unobserved(trace: Trace, mma: Step) -> bool:
    """No commit comes behind an MMA."""
    if mma.event.barrier is not None or trace.incomplete:
        return False
    number: int | None = mma.thread
    while number is not None:
        thread = trace.run.threads[number]
        for step in thread.steps:
            if isinstance(step, ForkStep):
                continue
            if step.kind in ("unknown", "sync"):
                return False
            later = step.index > mma.index if number == mma.thread else True
            if later and (step.kind == "commit" or (step.kind == "mma" and step.event.barrier is not None)):
                return False
        number = thread.parent
    return True
