"""The backend of `refine` for arrays whose values are known."""

from __future__ import annotations

import numpy as np

from mosaic_verify.model.block_sparse import lists
from mosaic_verify.model.block_sparse.diagonal import meets_diagonal
from mosaic_verify.model.block_sparse.lists import Pair


class NumpyBackend:
    """See `mosaic_verify.model.block_sparse.refine.Backend`."""

    def cast(self, array: np.ndarray) -> np.ndarray:
        return array.astype(np.int32)

    def broadcast(self, array: np.ndarray, lead: tuple[int, int]) -> np.ndarray:
        return np.broadcast_to(array, (*lead, *array.shape[2:]))

    def split_columns(self, pair: Pair, factor: int, columns: int) -> Pair:
        return lists.split_columns(*pair, factor, columns)

    def repeat_rows(self, pair: Pair, factor: int, rows: int) -> Pair:
        return lists.repeat_rows(*pair, factor, rows)

    def keep_diagonal(self, pair: Pair, row_block: int, column_block: int) -> Pair:
        return lists.keep(*pair, lambda rows, entries: meets_diagonal(rows, entries, row_block, column_block))

    def slice_rows(self, pair: Pair, rows: int) -> Pair:
        return pair[0][..., :rows], pair[1][..., :rows, :]

    def slice_columns(self, pair: Pair, entries: int) -> Pair:
        return pair[0], pair[1][..., :entries]


NUMPY = NumpyBackend()
