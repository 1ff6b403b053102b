"""Finds wrong values in one list pair: counts, indices, duplicates, the sequence end, order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mosaic_verify.model.block_sparse.rows import Hits, Position, RowBlock, places, row_blocks


@dataclass
class ListScan:
    """What is wrong with one list pair. A row is reported for its first cause only, in the order of the fields.

    Attributes:
      counts: rows whose count is negative or larger than N: (batch, head, row), count.
      indices: entries outside 0 .. columns - 1: (batch, head, row, position), index.
      duplicates: entries that repeat an earlier one of their row.
      tails: entries of the block with the sequence end that are not the last of their row.
      disorder: entries that are smaller than the one before; rows that have one of the above do not count.
      empty: (rows,) bool, flat: rows without an entry.
      faulty: (rows,) bool, flat: rows with a wrong count, index or duplicate.
    """

    counts: Hits = field(default_factory=Hits)
    indices: Hits = field(default_factory=Hits)
    duplicates: Hits = field(default_factory=Hits)
    tails: Hits = field(default_factory=Hits)
    disorder: Hits = field(default_factory=Hits)
    empty: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    faulty: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))


def scan_lists(
    cnt: np.ndarray, idx: np.ndarray, columns: int | None, tail: int | None = None, *, ordered: bool = False
) -> ListScan:
    """Scans `cnt` (..., rows) and `idx` (..., rows, N) of integers.

    Args:
      columns: number of blocks that an entry may name; None when unknown (then only negative indices are wrong).
      tail: the block that holds the sequence end where it must be a row's last entry, else None.
      ordered: look for disorder, too.

    Takes one comparison of neighbours for a row in ascending order (about five passes of `np.max` over `idx`); rows in
    any other order are looked at entry by entry. Temporaries are of a fixed size, beside two flags per row.
    """
    lead, entries = cnt.shape, idx.shape[-1]
    result = ListScan(empty=(cnt == 0).reshape(-1), faulty=((cnt < 0) | (cnt > entries)).reshape(-1))
    if result.faulty.any():
        wrong = np.flatnonzero(result.faulty)
        where = ((tuple(map(int, np.unravel_index(row, lead))), int(cnt.reshape(-1)[row])) for row in wrong)
        result.counts.add(wrong.size, where)
    for block in row_blocks(cnt, idx, columns or 0):
        if block.idx.shape[1]:
            _scan_block(block, lead, columns, tail, ordered, result)
    return result


def _scan_block(
    block: RowBlock, lead: tuple[int, ...], columns: int | None, tail: int | None, ordered: bool, result: ListScan
) -> None:
    idx, cnt = block.idx, block.cnt
    limit = np.iinfo(idx.dtype).max if columns is None else columns - 1
    # Strictly ascending rows have no duplicates, their tail block can only be last, and their ends bound the rest.
    falls = np.less_equal(idx[:, 1:], idx[:, :-1])
    if block.ragged:
        falls &= block.valid(1)
        last = idx[np.arange(cnt.size), np.maximum(cnt, 1) - 1]
        odd = ((idx[:, 0] < 0) | (last > limit)) & (cnt > 0)
    else:
        odd = (idx[:, 0] < 0) | (idx[:, -1] > limit)
    if falls.any():
        odd |= falls.any(axis=1)
    numbers = np.flatnonzero(odd)
    start = block.start
    if numbers.size == 0:
        return
    if numbers.size < cnt.size:
        block, falls = RowBlock(0, cnt[numbers], idx[numbers]), falls[numbers]
    _scan_odd_rows(block, numbers + start, falls, lead, limit, tail, ordered, result)


def _scan_odd_rows(
    block: RowBlock,
    numbers: np.ndarray,
    falls: np.ndarray,
    lead: tuple[int, ...],
    limit: int,
    tail: int | None,
    ordered: bool,
    result: ListScan,
) -> None:
    """Entry by entry. `numbers` (R,) number the rows, `falls` (R, W - 1) marks entries not above the one before."""
    idx, valid = block.idx, block.valid() if block.ragged else None
    bad = np.zeros(idx.shape[0], bool)
    if int(idx.min()) < 0 or int(idx.max()) > limit:
        outside = (idx < 0) | (idx > limit)
        if valid is not None:
            outside &= valid
        bad = outside.any(axis=1)
        if bad.any():
            result.indices.add(int(np.count_nonzero(outside)), _places(outside, idx, numbers, lead))
            result.faulty[numbers[bad]] = True
        # The rest of the scan needs entries that are inside, also behind the counts.
        idx = np.where(outside | (idx < 0) | (idx > limit), 0, idx)
        valid = (np.ones(idx.shape, bool) if valid is None else valid) & ~bad[:, None]
    repeated = repeats(idx, valid, limit)
    if repeated is not None:
        result.duplicates.add(int(np.count_nonzero(repeated)), _places(repeated, idx, numbers, lead))
        bad |= repeated.any(axis=1)
        result.faulty[numbers[bad]] = True
    if tail is not None:
        early = (idx == tail) & np.less(np.arange(1, idx.shape[1] + 1), block.cnt[:, None]) & ~bad[:, None]
        if early.any():
            result.tails.add(int(np.count_nonzero(early)), _places(early, idx, numbers, lead))
            bad |= early.any(axis=1)
    if ordered and (falls := falls & ~bad[:, None]).any():
        falls = np.concatenate([np.zeros_like(falls[:, :1]), falls], axis=1)
        result.disorder.add(int(np.count_nonzero(falls)), _places(falls, idx, numbers, lead))


def repeats(idx: np.ndarray, valid: np.ndarray | None, limit: int) -> np.ndarray | None:
    """(R, W) bool: valid entries that repeat an earlier valid one of their row; None when there is none.

    Entries are 0 .. limit; `valid` None means that all count.
    """
    rows, width = idx.shape
    columns = limit + 1
    if columns <= 4 * width:
        # One flag per row and block, and one more per row for entries that do not count.
        inside = idx if valid is None else np.where(valid, idx, idx.dtype.type(columns))
        flat = np.add(inside, (np.arange(rows) * (columns + 1))[:, None], dtype=np.int64)
        seen = np.zeros(rows * (columns + 1), bool)
        seen[flat.reshape(-1, order="A")] = True
        spare = 0 if valid is None else int(np.count_nonzero(seen[columns :: columns + 1]))
        total = idx.size if valid is None else int(np.count_nonzero(valid))
        if int(np.count_nonzero(seen)) - spare == total:
            return None
    valid = np.ones(idx.shape, bool) if valid is None else valid
    key = np.where(valid, idx, -1 - np.arange(width))  # invalid entries differ from all others
    order = np.argsort(key, axis=1, kind="stable")
    ordered = np.take_along_axis(key, order, axis=1)
    same = np.zeros(idx.shape, bool)
    same[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    if not same.any():
        return None
    repeated = np.zeros(idx.shape, bool)
    np.put_along_axis(repeated, order, same, axis=1)
    return repeated


def _places(hits: np.ndarray, idx: np.ndarray, numbers: np.ndarray, lead: tuple[int, ...]):
    """As `places`, for rows that are numbered by `numbers`."""
    for (row, position), value in places(0, hits, idx, (idx.shape[0],)):
        yield _place(int(numbers[row]), lead, position), value


def _place(row: int, lead: tuple[int, ...], position: int) -> Position:
    return (*map(int, np.unravel_index(row, lead)), position)
