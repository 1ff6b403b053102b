"""Is the K range of an MMA's metadata that of its A and B, followed back through the copies to the arrays?"""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.flow.machine import Piece, Step
from mosaic_verify.model.flow.program import Contraction
from mosaic_verify.model.flow.trace import Trace, overlap
from mosaic_verify.model.flow.violation import Violation

_COLUMN = 32  # bits of a cell of tensor memory: 16 columns of metadata
_ROWS, _TILE = 128, 64  # of metadata, in one tile
_BITS = 2
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
        found = _ranges(trace, mma, mma.event.contraction)
        if found is None:
            continue
        (whole, of_a), (whole_b, of_b), (whole_metadata, of_metadata) = found
        if whole == whole_b == whole_metadata and of_a == of_b != of_metadata:
            said.add(mma.event.place)
            detail = (("k", of_a), ("metadata_k", of_metadata))
            yield Violation("other-k", mma.event.place, (), mma.path, (), detail)


def _ranges(trace: Trace, mma: Step, shape: Contraction) -> tuple[Range, Range, Range] | None:
    pieces = dict(mma.operands)
    if "a" not in pieces or "b" not in pieces or not mma.reads:
        return None
    a = _of_operand(trace, mma, pieces["a"], shape.a_axis, shape.k, 2)
    b = _of_operand(trace, mma, pieces["b"], shape.b_axis, shape.k, 1)
    metadata = _of_metadata(trace, mma, shape)
    return None if a is None or b is None or metadata is None else (a, b, metadata)


def _load_of(trace: Trace, piece: Piece, reader: Step) -> Step | None:
    """The load whose data a step reads; None where that is not plain."""
    if not piece.known or trace.obscure(piece):
        return None
    writers = [step for step in trace.writers[piece.space] if any(overlap(piece, other) for other in step.writes)]
    before = [step for step in writers if trace.order.issued_before(step, reader)]
    if not before or len({step.thread for step in before}) != 1:
        return None
    last = max(before, key=lambda step: step.index)
    if last.kind != "load" or last.source is None or not trace.order.complete_before(last, reader):
        return None
    return last


def _of_operand(trace: Trace, mma: Step, piece: Piece, axis: int, k: int, per_element: int) -> Range | None:
    load = _load_of(trace, piece, mma)
    if load is None or load.writes[0].low != piece.low:
        return None
    return _along(load, axis, k, k // per_element, per_element)


def _along(load: Step, axis: int, k: int, extent: int, per_element: int) -> Range | None:
    """K of an array and of the slice that was loaded; `extent` elements along `axis` are one MMA's `k`."""
    source, starts = load.event.source, load.source
    if source is None or starts is None or len(source.shape) < 2:
        return None
    size, whole, start = source.sizes[axis], source.shape[axis], starts[axis]
    if size != extent or start is None:
        return None
    if whole != size:
        return whole * per_element, start * per_element
    steps = [dim for dim in range(len(source.shape) - 2) if source.shape[dim] > 1]
    return _in_steps(load, steps, k)


def _in_steps(load: Step, steps: list[int], k: int) -> Range | None:
    """An array with one K step in each place of a leading dimension, or with a single one."""
    source, starts = load.event.source, load.source
    if source is None or starts is None or len(steps) > 1:
        return None
    if not steps:
        return k, 0
    start = starts[steps[0]]
    return None if source.sizes[steps[0]] != 1 or start is None else (source.shape[steps[0]] * k, start * k)


def _of_metadata(trace: Trace, mma: Step, shape: Contraction) -> Range | None:
    wanted = mma.reads[0]
    copies = [copy for copy in trace.copies_to[wanted.space] if any(overlap(wanted, piece) for piece in copy.writes)]
    copies = [copy for copy in copies if trace.order.issued_before(copy, mma)]
    if not copies or any(copy.thread != mma.thread for copy in copies) or trace.obscure(wanted):
        return None
    copy = max(copies, key=lambda copy: copy.index)
    target, tile = copy.writes[0], copy.reads[0]
    load = _load_of(trace, tile, copy)
    if load is None or wanted.low is None or wanted.high is None or target.low is None or target.high is None:
        return None
    if wanted.low < target.low or wanted.high > target.high:
        return None
    bits = (tile.low or 0) - (load.writes[0].low or 0)
    tile_bits = _ROWS * _TILE * _BITS
    if bits % tile_bits:
        return None
    columns = bits // tile_bits * _TILE + (wanted.low - target.low) * _TILE // (4 * _COLUMN)
    per_column = shape.k // shape.columns
    found = _tiles(load, shape, per_column)
    return None if found is None else (found[0], found[1] + columns * per_column)


def _tiles(load: Step, shape: Contraction, per_column: int) -> Range | None:
    """K of an array of tiles (..., M / 128, columns / 64, 128, 64), and where the loaded part begins."""
    source, starts = load.event.source, load.source
    if source is None or starts is None or len(source.shape) < 4 or source.shape[-2:] != (_ROWS, _TILE):
        return None
    per_tile = _TILE * per_column
    steps = [dim for dim in range(len(source.shape) - 4) if source.shape[dim] > 1]
    start = starts[-3]
    if start is None:
        return None
    if source.sizes[-3] != source.shape[-3]:
        return None if steps else (source.shape[-3] * per_tile, start * per_tile)
    of_step = source.shape[-3] * per_tile
    return _in_steps(load, steps, of_step)
