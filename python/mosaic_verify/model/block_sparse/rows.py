"""Walks the rows of a list pair in blocks that stay in cache, without copying the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

BLOCK_ENTRIES = 1 << 16  # 256 KiB of int32: the temporaries of one block stay in a core's L2 cache
NARROW = 64  # rows shorter than this are transposed, so that numpy's inner loop runs over many of them

Position = tuple[int, ...]


@dataclass
class Hits:
    """Where a rule is broken: how often, and the first places with their values."""

    total: int = 0
    first: list[tuple[Position, int]] = field(default_factory=list)

    limit = 3

    def add(self, count: int, places: Iterator[tuple[Position, int]]) -> None:
        """Adds `count` places, of which only the first `limit` overall are looked at."""
        self.total += count
        while len(self.first) < self.limit and (place := next(places, None)) is not None:
            self.first.append(place)

    def __bool__(self) -> bool:
        return self.total > 0


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows of a list pair.

    Attributes:
      start: number of the first row, counted over batches and heads.
      cnt: (R,) int32, 0 .. N.
      idx: (R, W) view (or a transposed copy), W the largest count; entries behind the count are not part of a list.
    """

    start: int
    cnt: np.ndarray
    idx: np.ndarray

    def valid(self, first: int = 0) -> np.ndarray:
        """(R, W - first) bool: which entries from position `first` on belong to the lists, in the layout of `idx`."""
        positions = np.arange(first, self.idx.shape[1], dtype=self.cnt.dtype)
        if self.idx.strides[0] < self.idx.strides[1]:
            return np.less(positions[:, None], self.cnt[None, :]).T
        return np.less(positions, self.cnt[:, None])

    @property
    def ragged(self) -> bool:
        """True when some entries of `idx` belong to no list."""
        return int(self.cnt.min()) < self.idx.shape[1]


def row_blocks(cnt: np.ndarray, idx: np.ndarray, width: int = 0) -> Iterator[RowBlock]:
    """Blocks of rows of `cnt` (..., rows) and `idx` (..., rows, N), in order; rows without entries come along.

    A row with a count outside 0 .. N counts as one without entries: where its list ends nobody knows.
    `width` (entries) is what a caller needs per row beside the row itself; it bounds the rows of one block.
    """
    *lead, entries = idx.shape
    rows_per_block = max(1, BLOCK_ENTRIES // max(entries, width, 1))
    if idx.size == 0:
        return
    flat_cnt = np.where((cnt < 0) | (cnt > entries), 0, cnt).reshape(-1).astype(np.int32, copy=False)
    if idx.flags.c_contiguous or len(lead) == 1:
        planes = [idx.reshape(-1, entries)] if idx.flags.c_contiguous else [idx]
    else:
        planes = (idx[at] for at in np.ndindex(*lead[:-1]))
    start = 0
    for plane in planes:
        for first in range(0, plane.shape[0], rows_per_block):
            rows = plane[first : first + rows_per_block]
            counts = flat_cnt[start : start + rows.shape[0]]
            used = int(counts.max(initial=0))
            rows = rows[:, :used]
            if rows.dtype not in (np.int32, np.int64):
                rows = rows.astype(np.int64)
            if 1 < used < NARROW:
                rows = np.ascontiguousarray(rows.T).T
            yield RowBlock(start, counts, rows)
            start += rows.shape[0]


def places(start: int, hits: np.ndarray, values: np.ndarray, lead: tuple[int, ...]) -> Iterator[tuple[Position, int]]:
    """(batch, head, row, position) and value of each True in `hits` (R, W)."""
    for row, position in zip(*np.nonzero(hits), strict=True):
        index = np.unravel_index(start + int(row), lead)
        yield (*map(int, index), int(position)), int(values[row, position])
