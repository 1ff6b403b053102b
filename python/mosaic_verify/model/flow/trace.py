"""The steps of a run by what they do, for the questions of `tensor` and `shared`."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping

from mosaic_verify.model.flow.order import Order
from mosaic_verify.model.flow.program import ANY, Program
from mosaic_verify.model.flow.steps import Piece, Run, Step

Space = tuple[Hashable, int]


class Writes:
    """Steps that write to one space, by the piece that they write and by thread: few pieces, each many times."""

    def __init__(self) -> None:
        self.pieces: dict[tuple[int, int], dict[int, list[Step]]] = {}
        self.indices: dict[tuple[int, int], dict[int, list[int]]] = {}

    def add(self, piece: Piece, step: Step) -> None:
        """Steps of a thread come in order."""
        key = (piece.low or 0, piece.high or 0)
        self.pieces.setdefault(key, {}).setdefault(step.thread, []).append(step)
        self.indices.setdefault(key, {}).setdefault(step.thread, []).append(step.index)

    def overlapping(self, wanted: Piece) -> Iterator[tuple[tuple[int, int], int, list[Step], list[int]]]:
        """(piece, thread, its steps in order, their indices) for pieces that share a cell with `wanted`."""
        for key, threads in self.pieces.items():
            if key[0] < (wanted.high or 0) and (wanted.low or 0) < key[1]:
                for thread, steps in threads.items():
                    yield key, thread, steps, self.indices[key][thread]


class Trace:
    """A run in order.

    Attributes:
      copies, mmas: in order of threads, then of execution.
      copies_to, writers: copies, and loads and stores, by the memory that they write to; `copied` and `written` have
        them by piece.
      overwriters: other writes to tensor memory.
      tainted: allocations that something touches which is not understood, with the reason.
      stained: the same for known pieces of memory.
      blurred: of writes to an allocation at a place that is not known.
      places, unreached: of copies and MMAs that were executed, and of those that were not.
      waits: places of waits that came to an end.
      undecided: by place, why nothing can be said.
      k_moves: where an MMA's K starts in an array depends on the block; known behind `k_ranges`.
      beyond: copies that no thread reaches.
      fillable: shared memory that some load or store writes, whether a thread reaches it or not.
    """

    def __init__(self, program: Program, run: Run, order: Order):
        self.program, self.run, self.order = program, run, order
        self.copies: list[Step] = []
        self.mmas: list[Step] = []
        self.beyond: list[Step] = []
        self.copies_to: dict[Space, list[Step]] = defaultdict(list)
        self.writers: dict[Space, list[Step]] = defaultdict(list)
        self.copied: dict[Space, Writes] = defaultdict(Writes)
        self.written: dict[Space, Writes] = defaultdict(Writes)
        self.overwriters: dict[Space, list[Step]] = defaultdict(list)
        self.tainted: dict[Hashable, str] = {}
        self.stained: list[tuple[Piece, str]] = []
        self.blurred: dict[Space, str] = {}
        self.places: dict[str, None] = {}  # in order
        self.unreached: dict[str, None] = {}
        self.waits: set[str] = set()
        self.fillable: set[tuple[Hashable, int | None, int | None]] = set()
        self.undecided: dict[str, str] = {}
        self.k_moves = False
        self.steps = sum(order.executed)
        for number, thread in enumerate(run.threads):
            for at, step in enumerate(thread.steps):
                if isinstance(step, Step):
                    self._sort(step, at < order.executed[number])
        ended = [thread.ended for thread in run.threads if thread.ended]
        self.incomplete = ended[0] if ended else ""
        reason = self.incomplete or (order.doubts[0] if order.doubts else "")
        if not reason and order.stuck:
            reason = "a thread waits for something that never happens"
        if not reason and order.mixed:
            reason = "threads that arrive at one barrier do not wait for one another"
        if not reason and order.overrun:
            reason = "a barrier may complete two phases before a wait for the first"
        if reason:
            self.give_up_all(reason)

    def _sort(self, step: Step, executed: bool) -> None:
        kind = step.kind
        if kind == "unknown":
            for allocation in step.event.regions:
                self.tainted.setdefault(allocation, step.event.reason)
            for piece in step.writes:
                if piece.known:
                    self.stained.append((piece, step.event.reason))
                else:
                    self.tainted.setdefault(piece.space[0], step.event.reason)
            return
        if kind == "wait" and executed:
            self.waits.add(step.event.place)
        if kind in ("copy", "mma"):
            (self.places if executed else self.unreached)[step.event.place] = None
        if kind == "copy":
            if not executed:
                self.beyond.append(step)
                return
            self.copies.append(step)
            into = self.copies_to
        elif kind in ("load", "store"):
            into = self.writers
            self.fillable.update([(piece.space[0], piece.low, piece.high) for piece in step.writes])
        elif kind == "tmem_write":
            into = self.overwriters
        elif kind == "mma":
            if executed and step.reads:
                self.mmas.append(step)
            into = self.overwriters
        else:
            return
        if executed:
            for piece in step.writes:
                into[piece.space].append(step)
                if piece.known and into is self.copies_to:
                    self.copied[piece.space].add(piece, step)
                elif piece.known and into is self.writers:
                    self.written[piece.space].add(piece, step)
                if not piece.known:
                    self.blurred.setdefault(piece.space, "which part of a ref is written is known only at run time")

    def before(self, writes: Mapping[Space, Writes], piece: Piece, reader: Step) -> list[Step]:
        """Of `copied` or `written`, for each piece that shares a cell and each thread the last step before `reader`."""
        found = []
        for _, thread, steps, indices in writes[piece.space].overlapping(piece):
            if thread == reader.thread:
                known = reader.index
            else:
                known = reader.clock[thread] + 1 if reader.clock else 0
            at = bisect_left(indices, known)
            if at:
                found.append(steps[at - 1])
        return found

    def obscure(self, piece: Piece) -> str:
        """Why it is not known what a piece of memory holds, "" when it is."""
        space = piece.space
        for stained, reason in self.stained:
            if overlap(stained, piece):
                return reason
        return self.tainted.get(space[0]) or self.tainted.get(ANY) or self.blurred.get(space) or ""

    def unfilled(self, copy: Step) -> bool:
        """Nothing in the kernel writes the shared memory that a copy reads."""
        return not self.incomplete and not any(self._fillable(piece) for piece in copy.reads)

    def _fillable(self, piece: Piece) -> bool:
        if piece.low is None or piece.high is None or self.obscure(piece):
            return True
        return any(
            allocation == piece.space[0] and (low is None or high is None or (low < piece.high and piece.low < high))
            for allocation, low, high in self.fillable
        )

    @property
    def doubtful(self) -> bool:
        """An order may exist that is not seen."""
        return bool(self.order.doubts)

    def give_up_all(self, reason: str) -> None:
        """Nothing can be said about any step."""
        for place in (*self.places, *self.unreached):
            self.undecided.setdefault(place, reason)

    def give_up(self, step: Step, reason: str) -> None:
        """Nothing can be said about a step."""
        self.undecided.setdefault(step.event.place, reason)


def overlap(one: Piece, other: Piece) -> bool:
    """Both are known, and share a cell."""
    if one.low is None or other.low is None or one.high is None or other.high is None or one.space != other.space:
        return False
    return one.low < other.high and other.low < one.high


def piece_in(pieces: tuple[Piece, ...], space: Space) -> Piece | None:
    """The piece that lies in a space."""
    return next((piece for piece in pieces if piece.space == space), None)


def missing(wanted: Piece, pieces: Iterator[Piece]) -> list[tuple[int, int]]:
    """What of `wanted` no piece covers, as ranges of bits."""
    gaps = [(wanted.low or 0, wanted.high or 0)]
    for piece in pieces:
        if piece.low is None or piece.high is None:
            continue
        gaps = [
            part
            for low, high in gaps
            for part in ((low, min(high, piece.low)), (max(low, piece.high), high))
            if part[0] < part[1]
        ]
        if not gaps:
            break
    return gaps
