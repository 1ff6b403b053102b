"""Exact exchanges of neighbouring steps: same type and same addresses, in the other order."""

from __future__ import annotations

import math

from mosaic_verify.model.chain.steps import Reshape, Shape, Slice, Start, Step, Transpose


def slice_before_transpose(first: Transpose, second: Slice) -> tuple[Step, Step]:
    """`transpose, slice` as `slice, transpose`. Indexed dimensions leave the permutation."""
    position = {dim: j for j, dim in enumerate(first.permutation)}  # where each source dimension went
    rank = len(first.permutation)
    dropped = tuple(sorted(first.permutation[j] for j in second.dropped))
    moved = Slice(
        tuple(second.starts[position[d]] for d in range(rank)),
        tuple(second.sizes[position[d]] for d in range(rank)),
        tuple(second.strides[position[d]] for d in range(rank)),
        dropped,
    )
    kept = [d for d in range(rank) if d not in dropped]
    permutation = tuple(kept.index(d) for j, d in enumerate(first.permutation) if j not in second.dropped)
    return moved, Transpose(permutation)


def slice_before_reshape(shape: Shape, first: Reshape, second: Slice) -> tuple[Step, Step] | None:
    """`reshape, slice` as `slice, reshape`, where the slice takes whole rows of what was folded; None elsewhere.

    `shape` is the shape in front of the reshape.
    """
    starts: list[Start] = []
    sizes: list[int] = []
    strides: list[int] = []
    for source, target in _groups(shape, first.shape):
        cut = _group_slice(tuple(shape[d] for d in source), tuple(first.shape[d] for d in target), target, second)
        if cut is None:
            return None
        starts += cut[0]
        sizes += cut[1]
        strides += cut[2]
    kept = tuple(n for d, n in enumerate(second.sizes) if d not in second.dropped)
    return Slice(tuple(starts), tuple(sizes), tuple(strides)), Reshape(kept)


def _groups(source: Shape, target: Shape) -> list[tuple[list[int], list[int]]]:
    """The finest pairs of neighbouring dimensions with equal products; extent 1 joins the group in front of it."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(source) or j < len(target):
        left, right = [], []
        a = b = 1
        while True:
            if a == b and (left or right) and (a > 1 or (i >= len(source) and j >= len(target))):
                break
            if a <= b and i < len(source):
                a *= source[i]
                left.append(i)
                i += 1
            elif j < len(target):
                b *= target[j]
                right.append(j)
                j += 1
            else:
                a *= source[i]
                left.append(i)
                i += 1
        while i < len(source) and source[i] == 1:
            left.append(i)
            i += 1
        while j < len(target) and target[j] == 1:
            right.append(j)
            j += 1
        groups.append((left, right))
    return groups


def _group_slice(source: Shape, target: Shape, dims: list[int], cut: Slice):
    """Starts, sizes and strides over `source` for the slice of one group; None where it has no such form."""
    whole = [0] * len(source), list(source), [1] * len(source)
    partial = [
        n for n, d in enumerate(dims) if not (cut.starts[d] == 0 and cut.sizes[d] == target[n] and cut.strides[d] == 1)
    ]
    if not partial:
        return whole
    if len(partial) > 1:
        return None
    n, d = partial[0], dims[partial[0]]
    if math.prod(target[:n]) != 1:
        return None  # an outer dimension is taken as well: the rows do not lie together
    # Elements of the group behind one step of the sliced dimension, on either side.
    inner = math.prod(target[n + 1 :])
    start, size, stride = cut.starts[d], cut.sizes[d], cut.strides[d]
    outer = next((m for m, extent in enumerate(source) if extent != 1), None)
    if outer is None:
        return None
    row = math.prod(source[outer + 1 :])
    if row == inner:
        moved = start, size, stride
    elif stride == 1 and isinstance(start, int) and not start * inner % row and not size * inner % row:
        moved = start * inner // row, size * inner // row, 1
    else:
        return None
    starts: list[Start] = [0] * len(source)
    _, sizes, strides = whole
    starts[outer], sizes[outer], strides[outer] = moved
    return starts, sizes, strides
