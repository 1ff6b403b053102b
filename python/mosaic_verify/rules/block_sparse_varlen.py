"""Values of the prefix sums of a flat (varlen) layout."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_verify.model.block_sparse.facts import BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import ceil_div
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check


@check(BlockSparseAttention, "MV537", "MV538")
def prefix_sum_values(call: BlockSparseAttention) -> Iterator[Finding]:
    """Row starts, and entry starts, of each sequence: monotone, from 0, and as large as the arrays say."""
    total = call.arrays.get("cu_total_m_blocks")
    if total is None or total.values is None or total.rank != 1 or not total.values.size or not call.forward:
        return
    rows = total.values.astype(np.int64)
    problem = _monotone("cu_total_m_blocks", rows) or _row_problem(call, rows)
    if problem:
        yield Finding("MV537", problem, "cu_total_m_blocks")
        return
    offsets = call.arrays.get("cu_block_idx_offsets")
    if offsets is not None and offsets.values is not None and offsets.values.shape == rows.shape:
        starts = offsets.values.astype(np.int64)
        problem = _monotone("cu_block_idx_offsets", starts) or _entry_problem(call, rows, starts)
        if problem:
            yield Finding("MV538", problem, "cu_block_idx_offsets")


def _monotone(name: str, sums: np.ndarray) -> str:
    if sums[0] != 0:
        return f"{name} must begin with 0, but begins with {sums[0]}"
    falls = np.flatnonzero(np.diff(sums) < 0)
    if falls.size:
        at = int(falls[0])
        return f"{name} must not decrease, but {name}[{at + 1}]={sums[at + 1]} follows {sums[at]} ({falls.size} places)"
    return ""


def _row_problem(call: BlockSparseAttention, rows: np.ndarray) -> str:
    for pair in call.lists():
        found = pair.cnt.shape[1]
        if found is not None and found != rows[-1]:
            return f"cu_total_m_blocks ends with {rows[-1]}, but {pair.name}_cnt has {found} rows"
    block, length = call.q_stage * call.tile_m, call.seq_len_q
    if length is not None:
        most = ceil_div(length, block)
        long = np.flatnonzero(np.diff(rows) > most)
        if long.size:
            at = int(long[0])
            return (
                f"cu_total_m_blocks gives sequence {at} {rows[at + 1] - rows[at]} rows, but {length} tokens fill "
                f"{most} blocks of q_stage * tile_m = {block} ({long.size} sequences)"
            )
    return ""


def _entry_problem(call: BlockSparseAttention, rows: np.ndarray, starts: np.ndarray) -> str:
    for pair in call.lists():
        entries = pair.idx.shape[1]
        if entries is not None and starts[-1] > entries:
            return f"cu_block_idx_offsets ends with {starts[-1]}, but {pair.name}_idx has {entries} entries"
    counts, sizes = np.diff(rows), np.diff(starts)
    odd = np.flatnonzero((sizes % np.maximum(counts, 1) != 0) | ((counts == 0) & (sizes != 0)))
    if odd.size:
        at = int(odd[0])
        return (
            f"cu_block_idx_offsets gives sequence {at} {sizes[at]} entries, which is no multiple of its {counts[at]} "
            f"rows ({odd.size} sequences)"
        )
    if call.seq_len_k is None:
        return ""
    most = ceil_div(call.seq_len_k, call.tile_n)
    wide = np.flatnonzero(sizes > counts * most)
    if wide.size:
        at = int(wide[0])
        return (
            f"cu_block_idx_offsets gives sequence {at} {sizes[at] // counts[at]} KV blocks, but {call.seq_len_k} keys "
            f"fill {most} blocks of tile_n = {call.tile_n} ({wide.size} sequences)"
        )
    return ""
