"""Compression of a 2:4 sparse matrix into its kept elements and their metadata."""

from __future__ import annotations

import numpy as np


def compress_rows(a: np.ndarray, *, elements_per_index: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Splits A (M, K) into its kept elements (M, K / 2) and their metadata (M, K / (4 e), 2) of uint8.

    `kept[m, (2 g + s) e + i] == a[m, (4 g + meta[m, g, s]) e + i]` with `meta[m, g, 0] < meta[m, g, 1]`, where
    `e = elements_per_index`. Where fewer than two positions of a group are non-zero, zeros fill up: of the free
    positions the lowest.

    Args:
      a: any dtype; -0.0 counts as zero, NaN does not.
      elements_per_index: 1, or 2 for 4-bit operands, whose neighbours are kept or dropped together (4:8 sparsity).

    Raises:
      ValueError: A is not two-dimensional, K is no multiple of 4 e, or a group has more than two non-zero positions.
    """
    if a.ndim != 2:
        raise ValueError(f"expected A to be 2-dimensional (M, K), but it is {a.ndim}D")
    m, k = a.shape
    group = 4 * elements_per_index
    if k % group:
        raise ValueError(f"K must be a multiple of {group}, but got K={k}")
    cells = a.reshape(m, k // group, 4, elements_per_index)
    kept = (cells != 0).any(axis=3)
    crowded = kept.sum(axis=2) > 2
    if crowded.any():
        row, at = (int(i) for i in np.argwhere(crowded)[0])
        raise ValueError(
            f"A is not 2:4 sparse: row {row} has {int(kept[row, at].sum())} non-zero positions in group {at} "
            f"(columns {at * group} to {at * group + group - 1}); {int(crowded.sum())} groups have more than 2"
        )
    chosen = np.argsort(~kept, axis=2, kind="stable")[:, :, :2]
    meta = np.sort(chosen, axis=2).astype(np.uint8)
    values = np.take_along_axis(cells, meta[..., None].astype(np.intp), axis=2)
    return values.reshape(m, k // 2), meta
