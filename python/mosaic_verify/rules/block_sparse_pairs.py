"""A backward call against its forward call, and against its write order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_verify.model.block_sparse.dense import transpose_mismatches
from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS, AttentionPair, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import blocks
from mosaic_verify.model.block_sparse.order import write_order_mismatches
from mosaic_verify.model.block_sparse.scan import scan_lists
from mosaic_verify.model.block_sparse.values import KnownLists, known_lists
from mosaic_verify.rules.block_sparse_values import where
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check


def sound_lists(call: BlockSparseAttention) -> KnownLists | None:
    """All lists of a call, when their values are known, of the right shape, and none of them is wrong in itself."""
    if call.varlen:
        return None
    known = next(known_lists(call), None)
    if known is None or not known.complete or None in (known.shape.rows, known.shape.columns):
        return None
    for cnt, idx in known.lists.values():
        if cnt.shape[-1] != known.shape.rows or scan_lists(cnt, idx, known.shape.columns).faulty.any():
            return None
    return known


@check(AttentionPair, "MV525")
def transposed(pair: AttentionPair) -> Iterator[Finding]:
    """Backward lists are the exact transpose of the forward lists, class by class."""
    forward, backward = sound_lists(pair.forward), sound_lists(pair.backward)
    ours, theirs = blocks(pair.forward), blocks(pair.backward)
    if forward is None or backward is None or ours is None or theirs is None:
        return
    if (ours.seq_len_q, ours.seq_len_k) != (theirs.seq_len_q, theirs.seq_len_k):
        return
    for name in dict.fromkeys((*forward.lists, *backward.lists)):
        ahead = forward.lists.get(name) or _empty(forward)
        back = backward.lists.get(name) or _empty(backward)
        try:
            only_forward, only_backward = transpose_mismatches(ahead, back, ours, theirs)
        except ValueError:  # batch or head dims that do not go together
            continue
        parts = [
            f"{where(hits, 'block', '(batch, head, Q block, KV block)')} only {direction}"
            for hits, direction in ((only_forward, "forward"), (only_backward, "backward"))
            if hits
        ]
        if parts:
            yield Finding(
                "MV525",
                f"the {name} lists are not the transpose of those of the forward call: {'; '.join(parts)}",
                f"{name}_idx",
                notes=(FindingNote("forward", "forward call here"),),
                fixes=("block-sparse-refine{derive-backward=true} derives them from the forward lists",),
            )


def _empty(known: KnownLists) -> tuple[np.ndarray, np.ndarray]:
    rows = known.shape.rows or 0
    return np.zeros((1, 1, rows), np.int32), np.zeros((1, 1, rows, 1), np.int32)


@check(BlockSparseAttention, "MV526")
def write_order(call: BlockSparseAttention) -> Iterator[Finding]:
    """Semaphore ranks against the lists (FA4 `compute_dq_write_order`): another rank waits for ever."""
    if call.forward or "dq_write_order" not in call.arrays:
        return
    known = sound_lists(call)
    if known is None or known.shape.columns is None:
        return
    orders: dict[str, np.ndarray] = {}
    for name, order in WRITE_ORDERS.items():
        array = call.arrays.get(order)
        if array is None or name not in known.lists or array.values is None or array.rank != 4:
            continue
        try:
            orders[name] = np.broadcast_to(array.values, known.lists[name][1].shape)
        except ValueError:
            return
    if not orders:
        return
    # Diagonal blocks add to dQ like the others where they have ranks at all.
    ranked = {name: pair for name, pair in known.lists.items() if name != "diag" or name in orders}
    # Without `spt` either direction will do, as long as it is the same everywhere.
    directions = (False, True) if call.spt is None else (call.spt,)
    found = [write_order_mismatches(ranked, orders, known.shape.columns, spt) for spt in directions]
    best = min(found, key=lambda hits: sum(each.total for each in hits.values()))
    for name, hits in best.items():
        if hits:
            at, rank = hits.first[0]
            message = (
                f"{WRITE_ORDERS[name]} disagrees with the lists: rank {rank} is due at {at}, found "
                f"{int(orders[name][at])}; {where(hits, 'entry', '(batch, head, row, position)')}"
            )
            yield Finding("MV526", message, WRITE_ORDERS[name])
