"""Lists as dense block matrices, and what is compared there: overlaps, transposes, write orders."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

import numpy as np

from mosaic_verify.model.block_sparse.geometry import Blocks
from mosaic_verify.model.block_sparse.rows import Hits, Position, row_blocks

Lists = dict[str, tuple[np.ndarray, np.ndarray]]
"""Class name -> counts (B, H, rows) and indices (B, H, rows, N)."""


def dense(cnt: np.ndarray, idx: np.ndarray, columns: int) -> np.ndarray:
    """(rows, columns) bool of one (batch, head): which blocks the lists name. Entries must be in range."""
    matrix = np.zeros((cnt.shape[-1], columns), bool)
    for block in row_blocks(cnt, idx, columns):
        if block.idx.shape[1]:
            rows, positions = np.nonzero(block.valid())
            matrix[rows + block.start, block.idx[rows, positions]] = True
    return matrix


def overlaps(lists: Lists, columns: int | None, skip: np.ndarray) -> dict[tuple[str, str], Hits]:
    """Blocks that two classes name in one row: (earlier class, later class) -> entries of the later one.

    `skip` (B, H, rows) marks rows that are not looked at: their lists are wrong in themselves.
    """
    found: dict[tuple[str, str], Hits] = {}
    names = [name for name, (cnt, _) in lists.items() if cnt.any()]
    if len(names) < 2:
        return found
    lead = skip.shape
    used = sum((np.broadcast_to(lists[name][0] > 0, lead).astype(np.int8) for name in names), np.int8(0))
    for at in map(tuple, np.argwhere(((used > 1) & ~skip).any(axis=-1))):
        rows = np.flatnonzero((used[at] > 1) & ~skip[at])
        step = max(1, (1 << 20) // max([columns or 1, *(lists[name][1].shape[-1] for name in names)]))
        for first in range(0, rows.size, step):
            _row_overlaps(lists, names, at, rows[first : first + step], found)
    return found


def _row_overlaps(
    lists: Lists, names: list[str], at: tuple[int, ...], rows: np.ndarray, found: dict[tuple[str, str], Hits]
) -> None:
    entries = {name: _entries(*plane(lists[name], at), rows) for name in names}
    for second, later in enumerate(names):
        for earlier in names[:second]:
            keys = [row * (1 << 32) + values for row, _, values in (entries[earlier], entries[later])]
            shared = np.flatnonzero(np.isin(keys[1], keys[0]))
            if shared.size:
                row, position, values = entries[later]
                where = (((*map(int, at), int(rows[row[i]]), int(position[i])), int(values[i])) for i in shared)
                found.setdefault((earlier, later), Hits()).add(shared.size, where)


def _entries(cnt: np.ndarray, idx: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row (numbered within `rows`), position and value of each valid entry."""
    valid = np.arange(idx.shape[-1]) < cnt[rows][:, None]
    row, position = np.nonzero(valid)
    return row.astype(np.int64), position, idx[rows[row], position].astype(np.int64)


def plane(pair: tuple[np.ndarray, np.ndarray], at: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Counts (rows,) and indices (rows, N) of one (batch, head)."""
    cnt, idx = pair
    return cnt[broadcast_at(cnt, at)], idx[broadcast_at(idx, at)]


def broadcast_at(array: np.ndarray, at: tuple[int, ...]) -> tuple[int, ...]:
    """`at` for an array whose leading dims may be 1."""
    return tuple(0 if size == 1 else index for index, size in zip(at, array.shape, strict=False))


def transpose_mismatches(
    forward: tuple[np.ndarray, np.ndarray],
    backward: tuple[np.ndarray, np.ndarray],
    forward_blocks: Blocks,
    backward_blocks: Blocks,
) -> tuple[Hits, Hits]:
    """Where the lists of one class differ: (only in forward, only in backward), as (batch, head, Q block, KV block).

    Where the block sizes differ, both are compared, and counted, in blocks of their greatest common divisors.
    """
    only: tuple[Hits, Hits] = Hits(), Hits()
    size_q = gcd(forward_blocks.q_block, backward_blocks.q_block)
    size_k = gcd(forward_blocks.kv_block, backward_blocks.kv_block)
    for at in lead_indices(forward[0], backward[0]):
        ahead = dense(*plane(forward, at), forward_blocks.kv_blocks)
        back = dense(*plane(backward, at), backward_blocks.q_blocks).T
        ahead = _refined(ahead, forward_blocks, size_q, size_k)
        back = _refined(back, backward_blocks, size_q, size_k)
        for hits, matrix in zip(only, (ahead & ~back, back & ~ahead), strict=True):
            if total := int(np.count_nonzero(matrix)):
                hits.add(total, _cells(matrix, at))
    return only


def _refined(matrix: np.ndarray, blocks: Blocks, size_q: int, size_k: int) -> np.ndarray:
    if blocks.q_block != size_q:
        matrix = np.repeat(matrix, blocks.q_block // size_q, axis=0)
    if blocks.kv_block != size_k:
        matrix = np.repeat(matrix, blocks.kv_block // size_k, axis=1)
    return matrix[: -(-blocks.seq_len_q // size_q), : -(-blocks.seq_len_k // size_k)]


def _cells(matrix: np.ndarray, at: tuple[int, ...]) -> Iterator[tuple[Position, int]]:
    for row, column in zip(*np.nonzero(matrix), strict=True):
        yield (*map(int, at), int(row), int(column)), 1


def lead_indices(*arrays: np.ndarray) -> Iterator[tuple[int, ...]]:
    """The (batch, head) pairs of counts (B, H, rows), each dim of which may be 1."""
    return iter(np.ndindex(*np.broadcast_shapes(*(array.shape[:-1] for array in arrays))))
