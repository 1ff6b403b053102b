"""Is the K range of an MMA's metadata that of its A and B, followed back through the copies to the arrays?"""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.flow.program import Apply, Axis, Contraction, Source
from mosaic_verify.model.flow.steps import Piece, Step
from mosaic_verify.model.flow.trace import Trace, overlap
from mosaic_verify.model.flow.violation import Violation

_ROWS, _TILE = 128, 64  # of metadata, in one tile
_BITS = 2
_TILE_ROW = _TILE * _BITS  # bits of a tile in tensor memory, along a row
_TILE_BITS = _ROWS * _TILE * _BITS  # bits of a tile in shared memory
_STEPS = 4  # of an MMA in a loop that are looked at

Range = tuple[int, int]  # K of the whole array, and where the slice starts


def k_ranges(trace: Trace) -> Iterator[Violation]:
    """Violations at MMAs, one for each place: A and B agree about K, the metadata does not."""
    said: set[str] = set()
    looked: dict[str, int] = {}
    for mma in trace.mmas:
        place = mma.event.place
        looked[place] = looked.get(place, 0) + 1
        if place in said or mma.event.contraction is None or looked[place] > _STEPS:
            continue
        other = _other_k(trace, mma, mma.event.contraction)
        if other is not None:
            said.add(place)
            yield Violation("other-k", place, (), mma.path, (), (("k", other[0]), ("metadata_k", other[1])))


def _other_k(trace: Trace, mma: Step, shape: Contraction) -> tuple[int, int] | None:
    """K of the first tile of metadata that is not where A and B are: theirs and its own."""
    found = {role: (piece, start) for role, piece, start in mma.operands}
    if "a" not in found or "b" not in found or not mma.reads:
        return None
    a = _of_operand(trace, mma, *found["a"], shape.a_axis, 2)
    b = _of_operand(trace, mma, *found["b"], shape.b_axis, 1)
    if a is None or a != b:
        return None
    whole, k = a
    for number, tile in enumerate(_tiles(trace, mma, shape)):
        wanted = k + number * _TILE * (shape.k // shape.columns)
        if tile is not None and tile[0] == whole and tile[1] != wanted:
            return wanted, tile[1]
    return None


def _load_of(trace: Trace, piece: Piece, reader: Step) -> Step | None:
    """The load whose data a step reads; None where that is not plain."""
    if piece.low is None or piece.high is None or trace.obscure(piece):
        return None
    before = trace.before(trace.written, piece, reader)
    if not before or len({step.thread for step in before}) != 1:
        return None
    last = max(before, key=lambda step: step.index)
    if last.kind != "load" or last.source is None or not trace.order.complete_before(last, reader):
        return None
    [written] = [other for other in last.writes if other.space == piece.space] or [None]
    if written is None or written.low is None or written.high is None:
        return None
    return last if written.low <= piece.low and piece.high <= written.high else None


def _moves(trace: Trace, source: Source, dim: int) -> bool:
    """Where a slice starts depends on the block."""
    todo, seen = [expr for expr, _ in source.starts[dim][1]], set()
    while todo:
        expr = todo.pop()
        if isinstance(expr, Axis) and expr.name in trace.program.grid:
            return True
        if isinstance(expr, Apply) and id(expr) not in seen:  # what is used twice is looked at once
            seen.add(id(expr))
            todo += expr.args
    return False


def _of_operand(trace: Trace, mma: Step, piece: Piece, origin: int | None, axis: int, per_element: int) -> Range | None:
    """K of A's or B's array, and where the slice starts that an MMA reads; an element stands for `per_element` of K."""
    load = _load_of(trace, piece, mma)
    if load is None or origin is None or load.writes[0].low != piece.low:
        return None
    source, starts = load.event.source, load.source
    if source is None or starts is None or len(source.shape) < 2:
        return None
    size, whole, start = source.sizes[axis], source.shape[axis], starts[axis]
    if start is None:
        return None
    trace.k_moves = trace.k_moves or _moves(trace, source, axis)
    if whole != size:
        return whole * per_element, (start + origin) * per_element
    steps = [dim for dim in range(len(source.shape) - 2) if source.shape[dim] > 1]
    trace.k_moves = trace.k_moves or any(_moves(trace, source, dim) for dim in steps)
    return _in_steps(load, steps, size * per_element, origin * per_element)


def _in_steps(load: Step, steps: list[int], k: int, origin: int) -> Range | None:
    """An array with `k` in each place of a leading dimension, or with a single one."""
    source, starts = load.event.source, load.source
    if source is None or starts is None or len(steps) > 1:
        return None
    if not steps:
        return k, origin
    start = starts[steps[0]]
    if source.sizes[steps[0]] != 1 or start is None:
        return None
    return source.shape[steps[0]] * k, start * k + origin


def _tiles(trace: Trace, mma: Step, shape: Contraction) -> Iterator[Range | None]:
    """Where each tile of an MMA's metadata comes from; None where that is not plain."""
    wanted = mma.reads[0]
    if wanted.low is None or wanted.high is None or trace.obscure(wanted):
        return
    copies = trace.before(trace.copied, wanted, mma)
    if any(copy.thread != mma.thread for copy in copies):
        return
    for low in range(wanted.low, wanted.high, _TILE_ROW):
        tile = Piece(wanted.space, low, low + _TILE_ROW)
        over = [copy for copy in copies if any(overlap(tile, piece) for piece in copy.writes)]
        yield _of_tile(trace, max(over, key=lambda copy: copy.index), tile, shape) if over else None


def _of_tile(trace: Trace, copy: Step, tile: Piece, shape: Contraction) -> Range | None:
    """K of an array of tiles (..., M / 128, columns / 64, 128, 64), and where one tile that was copied begins."""
    target, origin = copy.writes[0], copy.reads[0]
    if target.low is None or target.high is None or origin.low is None or tile.low is None or tile.high is None:
        return None
    number, rest = divmod(tile.low - target.low, _TILE_ROW)
    if rest or tile.low < target.low or tile.high > target.high:
        return None
    low = origin.low + number * _TILE_BITS
    load = _load_of(trace, Piece(origin.space, low, low + _TILE_BITS), copy)
    if load is None or load.event.source is None or load.source is None or load.writes[0].low is None:
        return None
    source = load.event.source
    if len(source.shape) < 4 or source.shape[-2:] != (_ROWS, _TILE) or source.sizes[-2:] != (_ROWS, _TILE):
        return None
    number, rest = divmod(low - load.writes[0].low, _TILE_BITS)
    if rest:
        return None
    lead = len(source.shape) - 4
    steps = [dim for dim in range(lead) if source.shape[dim] > 1]
    partial = source.sizes[-3] != source.shape[-3]
    if len(steps) > 1 or (steps and partial):
        return None
    # Tiles of the loaded part are counted with the last dimension running fastest.
    index = list(load.source[:-2])
    for dim in reversed(range(len(index))):
        number, here = divmod(number, source.sizes[dim])
        index[dim] = None if index[dim] is None else index[dim] + here  # type: ignore[operator]
    trace.k_moves = trace.k_moves or any(_moves(trace, source, dim) for dim in (*steps, lead + 1))
    column, step = index[-1], index[steps[0]] if steps else 0
    if column is None or step is None:
        return None
    per_tile, columns = _TILE * (shape.k // shape.columns), source.shape[-3]
    return (source.shape[steps[0]] if steps else 1) * columns * per_tile, (step * columns + column) * per_tile
