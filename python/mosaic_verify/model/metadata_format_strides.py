"""Index maps as mixed-radix digits with strides: exact, and independent of the size of the array.

Each dimension of a value is a list of modes (extent, stride), major first: the dimension's index is read as digits of
these extents, and the address is the offset plus the sum of digit times stride. Transpose, slice, reverse and
broadcast keep this form; a reshape keeps it when its cuts fall between digits or split one evenly.
"""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_verify.model.metadata_format_graph import Node, row_major_strides

Mode = tuple[int, int]
Modes = tuple[Mode, ...]


@dataclass(frozen=True, slots=True)
class StridedMap:
    """Address of an element: `offset` plus digits times strides, per dimension."""

    dims: tuple[Modes, ...]
    offset: int = 0

    @property
    def flat(self) -> Modes:
        """Normal form of the whole map: two maps of one size are equal if and only if offset and this are."""
        return coalesce(mode for dim in self.dims for mode in dim)


def coalesce(modes) -> Modes:
    """Merges neighbours that count on evenly and drops extent 1. The result is unique for a function of the index."""
    merged: list[Mode] = []
    for extent, stride in modes:
        if extent == 1:
            continue
        if merged and merged[-1][1] == extent * stride:
            merged[-1] = (merged[-1][0] * extent, stride)
        else:
            merged.append((extent, stride))
    return tuple(merged)


def strided_map(node: Node, target: Node) -> StridedMap | None:
    """The map from indices of `node` to row-major indices of `target`, or None when it is not of this form."""
    path = []
    while node is not target:
        if node.kind not in ("reshape", "strided", "selected", "convert", "elementwise"):
            return None
        path.append(node)
        (node,) = node.inputs
    strides = row_major_strides(target.shape)
    current: StridedMap | None = StridedMap(tuple(((n, s),) for n, s in zip(target.shape, strides, strict=True)))
    for step in reversed(path):
        if step.kind in ("convert", "elementwise"):
            continue
        current = _reshape(current, step.shape) if step.kind == "reshape" else _strided(current, step)
        if current is None:
            return None
    return current


def _reshape(source: StridedMap, shape: tuple[int, ...]) -> StridedMap | None:
    if 0 in shape:
        return None
    modes = list(source.flat)
    dims = []
    for size in reversed(shape):
        taken: list[Mode] = []
        while size > 1:
            extent, stride = modes.pop()
            if size % extent == 0:
                taken.append((extent, stride))
                size //= extent
            elif extent % size == 0:
                taken.append((size, stride))
                modes.append((extent // size, stride * size))
                size = 1
            else:
                return None
        dims.append(tuple(reversed(taken)))
    return StridedMap(tuple(reversed(dims)), source.offset)


def _strided(source: StridedMap, node: Node) -> StridedMap | None:
    offset = source.offset
    dims = []
    for size, (dim, start, step) in zip(node.shape, node.axes, strict=True):
        if dim is None:
            dims.append(((size, 0),))
            continue
        part = _range(coalesce(source.dims[dim]), start, size, step)
        if part is None:
            return None
        modes, moved = part
        offset += moved
        dims.append(modes)
    return StridedMap(tuple(dims), offset)


def _range(modes: Modes, start: int, size: int, step: int) -> tuple[Modes, int] | None:
    """Digits of `start + step * i` for i in 0..size-1: the new modes and what they add to the offset."""
    if not modes:
        return (), 0
    if len(modes) == 1:
        ((_, stride),) = modes
        return ((size, step * stride),), start * stride
    inner = 1
    for extent, _ in modes[1:]:
        inner *= extent
    (extent, stride), rest = modes[0], modes[1:]
    if step == 1 and start % inner == 0 and size % inner == 0:
        return ((size // inner, stride), *rest), start // inner * stride
    if step == -1 and start == extent * inner - 1 and size == extent * inner:
        return tuple((n, -s) for n, s in modes), sum((n - 1) * s for n, s in modes)
    last = start + step * (size - 1)
    if start // inner == last // inner:
        below = _range(rest, start % inner, size, step)
        return None if below is None else (below[0], below[1] + start // inner * stride)
    return None
