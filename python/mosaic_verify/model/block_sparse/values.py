"""The lists of a call whose values are known, in the shape that the scans take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mosaic_verify.model.block_sparse.dense import Lists
from mosaic_verify.model.block_sparse.facts import BlockList, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import Geometry, ceil_div, geometry


@dataclass(frozen=True, eq=False, slots=True)
class KnownLists:
    """Lists of one call, or of one sequence of a flat (varlen) one.

    Attributes:
      lists: class name -> counts (B, H, rows) and indices (B, H, rows, N), which may be broadcast views.
      batch: number of the first batch entry.
      shape: the blocks; `columns` is that of this sequence.
      complete: True when no class of the call is missing.
    """

    lists: Lists
    batch: int
    shape: Geometry
    complete: bool


def known_lists(call: BlockSparseAttention) -> Iterator[KnownLists]:
    """One entry for a batch of equal sequences; one for each sequence of a flat layout whose prefix sums are known."""
    shape = geometry(call)
    if call.varlen:
        yield from _flat_lists(call, shape)
        return
    lists: Lists = {}
    names = [name for name in ("mask", "full", "diag") if f"{name}_cnt" in call.arrays or f"{name}_idx" in call.arrays]
    for pair in call.lists():
        if (known := broadcast(pair)) is not None:
            lists[pair.name] = known
    if lists:
        yield KnownLists(lists, 0, shape, len(lists) == len(names))


def broadcast(pair: BlockList) -> tuple[np.ndarray, np.ndarray] | None:
    """Counts and indices of the same batch, heads and rows; None where they are not known, or do not fit."""
    if pair.values is None:
        return None
    cnt, idx = pair.values
    if cnt.shape[-1] != idx.shape[-2]:
        return None
    try:
        lead = np.broadcast_shapes(cnt.shape, idx.shape[:-1])
    except ValueError:
        return None
    return np.broadcast_to(cnt, lead), np.broadcast_to(idx, (*lead, idx.shape[-1]))


def prefix_sums(call: BlockSparseAttention) -> tuple[np.ndarray, np.ndarray] | None:
    """Row and entry starts of each sequence of a flat layout, (B + 1,) int64; None unless known and monotone."""
    total = call.arrays["cu_total_m_blocks"].values
    if total is None or total.ndim != 1 or total.size < 2 or total[0] != 0 or (np.diff(total) < 0).any():
        return None
    rows = total.astype(np.int64)
    offsets = call.arrays.get("cu_block_idx_offsets")
    if offsets is not None:
        starts = offsets.values
        if starts is None or starts.shape != total.shape or starts[0] != 0 or (np.diff(starts) < 0).any():
            return None
        return rows, starts.astype(np.int64)
    # Left out when all sequences have the same number of KV blocks.
    pair = next(call.lists(), None)
    entries = pair.idx.shape[1] if pair is not None else None
    if entries is None or rows[-1] == 0 or entries % rows[-1]:
        return None
    return rows, rows * (entries // int(rows[-1]))


def _flat_lists(call: BlockSparseAttention, shape: Geometry) -> Iterator[KnownLists]:
    sums = prefix_sums(call)
    if sums is None or not call.forward:
        return
    rows, starts = sums
    pairs = list(call.lists())
    for batch in range(rows.size - 1):
        count, entries = int(rows[batch + 1] - rows[batch]), int(starts[batch + 1] - starts[batch])
        if count == 0 or entries % count:
            continue
        lists: Lists = {}
        for pair in pairs:
            cnt, idx = pair.cnt.values, pair.idx.values
            if cnt is None or idx is None or rows[-1] > cnt.shape[1] or starts[-1] > idx.shape[1]:
                continue
            part = idx[:, starts[batch] : starts[batch + 1]].reshape(idx.shape[0], count, -1)
            lists[pair.name] = cnt[None, :, rows[batch] : rows[batch + 1]], part[None]
        columns = entries // count
        if shape.columns is not None and call.batch in (None, 1):
            columns = min(columns, shape.columns)
        per_sequence = Geometry(shape.q_block, shape.kv_block, count, columns, shape.row_block, shape.column_block)
        if lists:
            yield KnownLists(lists, batch, per_sequence, len(lists) == len(pairs))


def tail_block(call: BlockSparseAttention, known: KnownLists) -> int | None:
    """The KV block with the sequence end, where the kernel must mask the keys behind it: only if it is not filled."""
    block = known.shape.kv_block
    if not call.forward or call.varlen or not block or not call.seq_len_k or call.seq_len_k % block == 0:
        return None
    return ceil_div(call.seq_len_k, block) - 1
