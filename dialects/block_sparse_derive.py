"""Backward lists from forward lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.dialects.block_sparse import AttentionView
from mosaic_verify.dialects.block_sparse_emit import StableHloBackend
from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import ceil_div, geometry
from mosaic_verify.model.block_sparse.lists import reorder, resize, take, transpose
from mosaic_verify.model.block_sparse.numpy_backend import NUMPY
from mosaic_verify.model.block_sparse.refine import EXACT, REPAIRING, Step
from mosaic_verify.model.block_sparse.refine_call import in_range


@dataclass(frozen=True, eq=False)
class Derived:
    """New list operands of a backward call, and what was done."""

    arrays: dict[str, np.ndarray | ir.Value]
    step: Step


def derive_lists(forward: AttentionView, backward: AttentionView) -> Derived | None:
    """The transpose of the forward lists in the blocks of the backward call.

    None where the backward lists are right already, or when blocks or lists do not tell the transpose: the forward
    blocks must be the backward blocks or whole multiples of them.
    """
    ahead, back = geometry(forward.facts), geometry(backward.facts)
    pairs = list(forward.facts.lists())
    sizes = (ahead.q_block, ahead.kv_block, back.q_block, back.kv_block, ahead.rows, ahead.columns, back.columns)
    if forward.facts.varlen or backward.facts.varlen or not pairs or None in sizes:
        return None
    if any(name in backward.facts.arrays for name in WRITE_ORDERS.values()) or not in_range(forward.facts):
        return None
    if ahead.q_block % back.q_block or ahead.kv_block % back.kv_block:
        return None
    if any(p.cnt.shape[2] != ahead.rows or p.idx.shape[2] != ahead.rows or p.cnt.element != "i32" for p in pairs):
        return None
    missing = not any(name.endswith("idx") for name in backward.facts.arrays)
    arrays: dict[str, np.ndarray | ir.Value] = {}
    for pair in pairs:
        names = f"{pair.name}_cnt", f"{pair.name}_idx"
        values = pair.cnt.values is not None and pair.idx.values is not None
        if not values and None in (*pair.cnt.shape, *pair.idx.shape):
            return None
        backend = NUMPY if values else StableHloBackend(backward.op)
        lists = tuple(forward.facts.arrays[n].values if values else _visible(forward, backward, n) for n in names)
        if any(each is None for each in lists):
            return None
        kv_blocks = ceil_div(forward.facts.seq_len_k, back.kv_block)
        q_blocks = ceil_div(forward.facts.seq_len_q, back.q_block)
        if ahead.kv_block != back.kv_block:
            lists = backend.split_columns(lists, ahead.kv_block // back.kv_block, kv_blocks)
        if ahead.q_block != back.q_block:
            lists = backend.repeat_rows(lists, ahead.q_block // back.q_block, q_blocks)
        if pair.name == "diag" and (ahead.q_block, ahead.kv_block) != (back.q_block, back.kv_block):
            lists = backend.keep_diagonal(lists, back.q_block, back.kv_block)
        if values:
            cnt, idx = transpose(*lists, kv_blocks)
            old = backward.facts.arrays.get(names[1])
            if old is not None and old.rank == 4 and (old.shape[3] or 0) >= idx.shape[3]:
                idx = resize(idx, old.shape[3])  # the operand keeps its type
        else:
            cnt, idx = backend.transpose(lists, kv_blocks)
        arrays |= {names[0]: cnt, names[1]: idx}
    for name in ("mask", "full", "diag"):
        if f"{name}_cnt" in backward.facts.arrays and f"{name}_cnt" not in arrays:
            return None  # a class that the forward call does not have
    if all(_already(backward.facts, name, arrays) for name in ("mask", "full", "diag") if f"{name}_cnt" in arrays):
        return None
    kind = EXACT if missing else REPAIRING
    return Derived(arrays, Step(kind, "MV511" if missing else "MV525", "transposed the forward lists for this call"))


def _already(backward: BlockSparseAttention, name: str, arrays: dict[str, np.ndarray | ir.Value]) -> bool:
    """The call has these lists, in whatever order."""
    cnt, idx = arrays[f"{name}_cnt"], arrays[f"{name}_idx"]
    old = [backward.arrays[n].values if n in backward.arrays else None for n in (f"{name}_cnt", f"{name}_idx")]
    if not isinstance(cnt, np.ndarray) or not isinstance(idx, np.ndarray) or old[0] is None or old[1] is None:
        return False
    if not np.array_equal(cnt, old[0]) or old[1].shape[:-1] != idx.shape[:-1]:
        return False
    ordered = resize(take(old[1], reorder(*old)), max(old[1].shape[-1], idx.shape[-1]))[..., : idx.shape[-1]]
    valid = np.arange(idx.shape[-1]) < cnt[..., None]
    return bool((ordered == idx)[valid].all())


def _visible(forward: AttentionView, backward: AttentionView, name: str) -> ir.Value | None:
    """A list operand of the forward call, where the backward call can use it: both are in one block, it comes first."""
    first, second = forward.op, backward.op
    if first.block != second.block:
        return None
    value = forward.operands[name]
    if isinstance(value, ir.BlockArgument) or first.is_before_in_block(second):
        return value
    return None
