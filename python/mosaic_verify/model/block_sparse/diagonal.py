"""Blocks on the diagonal."""

from __future__ import annotations

import numpy as np


def meets_diagonal(rows: np.ndarray, entries: np.ndarray, row_block: int, column_block: int) -> np.ndarray:
    """Which blocks hold a key at the position of one of the row's queries; blocks are in tokens."""
    start = entries.astype(np.int64) * column_block
    return (start < (rows + 1) * row_block) & (start + column_block > rows * row_block)
