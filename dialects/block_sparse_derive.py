"""Backward lists from forward lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.dialects.block_sparse import AttentionView
from mosaic_verify.dialects.block_sparse_emit import StableHloBackend
from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS, BlockList, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import Blocks, blocks
from mosaic_verify.model.block_sparse.lists import reorder, resize, take, transpose
from mosaic_verify.model.block_sparse.numpy_backend import NUMPY
from mosaic_verify.model.block_sparse.refine import EXACT, REPAIRING, Backend, Pair, Step
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
    ahead, back = blocks(forward.facts), blocks(backward.facts)
    pairs = list(forward.facts.lists())
    if ahead is None or back is None or not pairs or forward.facts.varlen or backward.facts.varlen:
        return None
    if any(name in backward.facts.arrays for name in WRITE_ORDERS.values()) or not in_range(forward.facts):
        return None
    if ahead.q_block % back.q_block or ahead.kv_block % back.kv_block:
        return None
    if any(p.cnt.shape[2] != ahead.q_blocks or p.idx.shape[2] != ahead.q_blocks for p in pairs):
        return None
    if any(p.cnt.element != "i32" or p.idx.element != "i32" for p in pairs):
        return None
    arrays: dict[str, np.ndarray | ir.Value] = {}
    for pair in pairs:
        lists = _transposed(pair, forward, backward, ahead, back)
        if lists is None:
            return None
        arrays[f"{pair.name}_cnt"], arrays[f"{pair.name}_idx"] = lists
    for name in ("mask", "full", "diag"):
        if f"{name}_cnt" in backward.facts.arrays and f"{name}_cnt" not in arrays:
            return None  # a class that the forward call does not have
    if all(_already(backward.facts, name, arrays) for name in ("mask", "full", "diag") if f"{name}_cnt" in arrays):
        return None
    missing = not any(name.endswith("idx") for name in backward.facts.arrays)
    kind = EXACT if missing else REPAIRING
    return Derived(arrays, Step(kind, "MV511" if missing else "MV525", "transposed the forward lists for this call"))


def _transposed(
    pair: BlockList, forward: AttentionView, backward: AttentionView, ahead: Blocks, back: Blocks
) -> tuple[np.ndarray | ir.Value, np.ndarray | ir.Value] | None:
    if pair.values is not None:
        cnt, idx = transpose(*_in_blocks(NUMPY, pair.name, pair.values, ahead, back), back.kv_blocks)
        old = backward.facts.arrays.get(f"{pair.name}_idx")
        entries = old.shape[3] if old is not None and old.rank == 4 else None
        # The operand keeps its type where it is wide enough.
        return cnt, resize(idx, entries) if entries is not None and entries >= idx.shape[3] else idx
    if None in (*pair.cnt.shape, *pair.idx.shape) or not _visible(forward, backward, pair.name):
        return None
    backend = StableHloBackend(backward.op)
    operands = forward.operands[f"{pair.name}_cnt"], forward.operands[f"{pair.name}_idx"]
    return backend.transpose(_in_blocks(backend, pair.name, operands, ahead, back), back.kv_blocks)


def _in_blocks(backend: Backend, name: str, pair: Pair, ahead: Blocks, back: Blocks) -> Pair:
    """Forward lists in the blocks of the backward call."""
    if ahead.kv_block != back.kv_block:
        pair = backend.split_columns(pair, ahead.kv_block // back.kv_block, back.kv_blocks)
    if ahead.q_block != back.q_block:
        pair = backend.repeat_rows(pair, ahead.q_block // back.q_block, back.q_blocks)
    if name == "diag" and (ahead.q_block, ahead.kv_block) != (back.q_block, back.kv_block):
        pair = backend.keep_diagonal(pair, back.q_block, back.kv_block)
    return pair


def _visible(forward: AttentionView, backward: AttentionView, name: str) -> bool:
    """The backward call can use the lists of the forward call: both are in one block, and the lists come first."""
    first, second = forward.op, backward.op
    if first.block != second.block:
        return False
    values = forward.operands[f"{name}_cnt"], forward.operands[f"{name}_idx"]
    return first.is_before_in_block(second) or all(isinstance(value, ir.BlockArgument) for value in values)


def _already(backward: BlockSparseAttention, name: str, arrays: dict[str, np.ndarray | ir.Value]) -> bool:
    """The call has these lists, in whatever order."""
    cnt, idx = arrays[f"{name}_cnt"], arrays[f"{name}_idx"]
    old = next((pair.values for pair in backward.lists() if pair.name == name), None)
    if not isinstance(cnt, np.ndarray) or not isinstance(idx, np.ndarray) or old is None:
        return False
    counts, indices = old
    if not np.array_equal(cnt, counts) or indices.shape[:-1] != idx.shape[:-1]:
        return False
    ordered = resize(take(indices, reorder(counts, indices)), idx.shape[-1])
    valid = np.arange(idx.shape[-1]) < cnt[..., None]
    return bool((ordered == idx)[valid].all())
