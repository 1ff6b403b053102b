"""The semaphore ranks of a deterministic backward pass (FlashAttention-4 `compute_dq_write_order`)."""

from __future__ import annotations

import numpy as np

from mosaic_verify.model.block_sparse.dense import Lists, broadcast_at, dense, lead_indices, plane
from mosaic_verify.model.block_sparse.rows import Hits


def write_ranks(lists: Lists, at: tuple[int, ...], q_blocks: int, spt: bool) -> np.ndarray:
    """(KV blocks, Q blocks) int32 of one (batch, head): when a KV block adds to the dQ of a Q block.

    `lists` are backward lists (a row is a KV block). KV blocks add in ascending order, in descending order with `spt`.
    """
    parts = [plane(pair, at) for pair in lists.values()]
    contributes = dense(*parts[0], q_blocks)
    for cnt, idx in parts[1:]:
        contributes |= dense(cnt, idx, q_blocks)
    ranks = np.cumsum(contributes, axis=0, dtype=np.int32)
    return ranks[-1:] - ranks if spt else ranks - 1


def derive_write_order(lists: Lists, q_blocks: int, spt: bool) -> dict[str, np.ndarray]:
    """The write order of each class, int32 of the shape of its indices; 0 behind the counts."""
    orders = {name: np.zeros(idx.shape, np.int32) for name, (_, idx) in lists.items()}
    shape = np.broadcast_shapes(*(cnt.shape[:-1] for cnt, _ in lists.values()))
    for at in np.ndindex(*shape):
        ranks = write_ranks(lists, at, q_blocks, spt)
        for name, (cnt, idx) in lists.items():
            here = broadcast_at(idx, at)
            rows, positions = np.nonzero(np.arange(idx.shape[-1]) < cnt[broadcast_at(cnt, at)][:, None])
            orders[name][here][rows, positions] = ranks[rows, idx[here][rows, positions]]
    return orders


def write_order_mismatches(lists: Lists, orders: dict[str, np.ndarray], q_blocks: int, spt: bool) -> dict[str, Hits]:
    """Entries of each write order that differ from the lists: (batch, head, KV block, position), expected rank."""
    found = {name: Hits() for name in orders}
    for at in lead_indices(*(cnt for cnt, _ in lists.values())):
        ranks = write_ranks(lists, at, q_blocks, spt)
        for name, order in orders.items():
            cnt, idx = plane(lists[name], at)
            rows, positions = np.nonzero(np.arange(idx.shape[-1]) < cnt[:, None])
            wanted = ranks[rows, idx[rows, positions]]
            wrong = np.flatnonzero(order[broadcast_at(order, at)][rows, positions] != wanted)
            where = (((*map(int, at), int(rows[i]), int(positions[i])), int(wanted[i])) for i in wrong)
            found[name].add(wrong.size, where)
    return found
