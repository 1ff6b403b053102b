"""Rewrites of one list pair: counts (..., rows) and indices (..., rows, N). New arrays, int32; 0 behind the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mosaic_verify.model.block_sparse.dense import dense
from mosaic_verify.model.block_sparse.scan import repeats

Pair = tuple[np.ndarray, np.ndarray]

STEP_ENTRIES = 1 << 20  # entries that a rewrite holds beside its result


def split_columns(cnt: np.ndarray, idx: np.ndarray, factor: int, columns: int) -> Pair:
    """Names the `factor` small blocks of each block, in order, as far as they are among the `columns` that exist."""
    small = np.arange(factor, dtype=np.int64)

    def split(part_cnt: np.ndarray, part_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        entries = (part_idx[..., None].astype(np.int64) * factor + small).reshape(*part_idx.shape[:-1], -1)
        valid = np.arange(entries.shape[-1]) < part_cnt[..., None] * factor
        return entries, valid & (entries < columns)

    return _compact(cnt, idx, split, min(idx.shape[-1] * factor, columns))


def keep(cnt: np.ndarray, idx: np.ndarray, wanted: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Pair:
    """Keeps the entries for which `wanted(row numbers (R, 1), entries (R, N))` holds, in order."""
    rows = np.arange(idx.shape[-2])[:, None]

    def select(part_cnt: np.ndarray, part_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        valid = np.arange(part_idx.shape[-1]) < part_cnt[..., None]
        return part_idx, valid & wanted(rows, part_idx)

    return _compact(cnt, idx, select, idx.shape[-1], whole_planes=True)


def repeat_rows(cnt: np.ndarray, idx: np.ndarray, factor: int, rows: int) -> Pair:
    """Gives each of the `factor` small rows of a row its lists; rows behind the last of `rows` do not exist."""
    return np.repeat(cnt, factor, axis=-1)[..., :rows], np.repeat(idx, factor, axis=-2)[..., :rows, :]


def drop_duplicates(cnt: np.ndarray, idx: np.ndarray) -> Pair:
    """Keeps the first of equal entries of a row."""

    def select(part_cnt: np.ndarray, part_idx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        valid = np.arange(part_idx.shape[-1]) < part_cnt[..., None]
        flat = part_idx.reshape(-1, part_idx.shape[-1])
        repeated = repeats(flat, valid.reshape(flat.shape), int(part_idx.max(initial=0)))
        return part_idx, valid if repeated is None else valid & ~repeated.reshape(valid.shape)

    return _compact(cnt, idx, select, idx.shape[-1])


def reorder(cnt: np.ndarray, idx: np.ndarray, key: np.ndarray | None = None) -> np.ndarray:
    """(..., rows, N) positions that sort the valid entries of each row by `key` (default: by `idx`)."""
    valid = np.arange(idx.shape[-1]) < cnt[..., None]
    keys = np.where(valid, idx if key is None else key, np.int64(1 << 62))
    return np.argsort(keys, axis=-1, kind="stable")


def take(array: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Entries of `array` (..., rows, N) at `positions`."""
    return np.take_along_axis(np.broadcast_to(array, positions.shape), positions, axis=-1)


def tail_last(cnt: np.ndarray, idx: np.ndarray, tail: int) -> np.ndarray:
    """Positions, as of `reorder`, that move block `tail` to the end of each list and keep the rest as it is."""
    return reorder(cnt, idx, np.where(idx == tail, np.int64(1 << 40), np.arange(idx.shape[-1])))


def transpose(cnt: np.ndarray, idx: np.ndarray, columns: int) -> Pair:
    """The lists of the other direction: (..., columns) and (..., columns, largest count, at least 1), ascending."""
    lead = cnt.shape[:-1]
    counts = np.zeros((*lead, columns), np.int32)
    found: list[tuple[tuple[int, ...], np.ndarray, np.ndarray]] = []
    for at in np.ndindex(*lead):
        names, rows = np.nonzero(dense(cnt[at], idx[at], columns).T)
        counts[at] = np.bincount(names, minlength=columns)
        found.append((at, names, rows))
    indices = np.zeros((*lead, columns, max(int(counts.max(initial=0)), 1)), np.int32)
    for at, names, rows in found:
        starts = np.cumsum(counts[at]) - counts[at]
        indices[at][names, np.arange(names.size) - starts[names]] = rows
    return counts, indices


def resize(idx: np.ndarray, entries: int) -> np.ndarray:
    """`idx` with `entries` entries per row: cut, or filled up with 0."""
    if entries <= idx.shape[-1]:
        return idx[..., :entries]
    return np.concatenate([idx, np.zeros((*idx.shape[:-1], entries - idx.shape[-1]), idx.dtype)], axis=-1)


def _compact(
    cnt: np.ndarray,
    idx: np.ndarray,
    select: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    width: int,
    whole_planes: bool = False,
) -> Pair:
    """Moves the selected entries of each row to its front; `width` grows where a row has more of them."""
    counts = np.zeros(cnt.shape, np.int32)
    parts: list[tuple[tuple[int | slice, ...], np.ndarray, np.ndarray, np.ndarray]] = []
    for at in _steps(idx, whole_planes):
        entries, selected = select(cnt[at], idx[at])
        counts[at] = np.count_nonzero(selected, axis=-1)
        rows, positions = np.nonzero(selected)
        kept = entries[rows, positions].astype(np.int32)
        parts.append((at, rows, np.cumsum(selected, axis=-1)[rows, positions] - 1, kept))
    indices = np.zeros((*idx.shape[:-1], max(width, int(counts.max(initial=0)))), np.int32)
    for at, rows, positions, kept in parts:
        indices[at][rows, positions] = kept
    return counts, indices


def _steps(idx: np.ndarray, whole_planes: bool) -> Iterator[tuple[int | slice, ...]]:
    """Indices of (rows, N) parts of `idx`."""
    rows = idx.shape[-2]
    step = rows if whole_planes else max(1, STEP_ENTRIES // max(idx.shape[-1], 1))
    for at in np.ndindex(*idx.shape[:-2]):
        for first in range(0, rows, max(step, 1)):
            yield (*at, slice(first, first + step))
