"""Which rewrites a call needs, and in which order; how they are done is up to a backend (numpy, or StableHLO ops)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS, BlockSparseAttention, HostArray
from mosaic_verify.model.block_sparse.geometry import arch_major, backward_subtile_factor, ceil_div

Array = Any  # of a backend: a numpy array, or an IR value
Pair = tuple[Array, Array]

EXACT, REPAIRING = "exact", "repairing"
_NARROW = frozenset(("i8", "i16", "ui8", "ui16"))  # int32 holds all their values


class Backend(Protocol):
    """Operations on counts (B, H, rows) and indices (B, H, rows, N); results are int32."""

    def cast(self, array: Array) -> Array: ...
    def broadcast(self, array: Array, lead: tuple[int, int]) -> Array: ...
    def split_columns(self, pair: Pair, factor: int, columns: int) -> Pair: ...
    def repeat_rows(self, pair: Pair, factor: int, rows: int) -> Pair: ...
    def keep_diagonal(self, pair: Pair, row_block: int, column_block: int) -> Pair: ...
    def slice_rows(self, pair: Pair, rows: int) -> Pair: ...
    def slice_columns(self, pair: Pair, entries: int) -> Pair: ...


@dataclass(frozen=True, slots=True)
class Step:
    """One rewrite that was done: its kind, the rule that it mends and what it did."""

    kind: str
    code: str
    message: str


@dataclass
class Draft:
    """A call while it is rewritten.

    Attributes:
      call: its facts, kept up to date where rewrites depend on them.
      lists: class name -> pair, in terms of the class's backend.
      steps: what was done so far.
    """

    call: BlockSparseAttention
    lists: dict[str, Pair]
    backends: Mapping[str, Backend]
    steps: list[Step] = field(default_factory=list)


def refine_shapes(draft: Draft, exact: bool) -> None:
    """Casts, broadcasts, splits and slices until the lists have the shapes that the kernel takes."""
    call = draft.call
    if call.varlen or not draft.lists:
        return
    if not _cast(draft, exact):
        return
    _broadcast(draft)
    if not any(name in call.arrays for name in WRITE_ORDERS.values()) and _same_lead(draft):
        _cut_rows(draft)
        _split_kv(draft)
        _split_q(draft)
    _cut_entries(draft)


def _each(draft: Draft, rewrite) -> None:
    draft.lists = {name: rewrite(draft.backends[name], pair) for name, pair in draft.lists.items()}


def _cast(draft: Draft, exact: bool) -> bool:
    """False when a list has values, or may have values, that int32 does not hold."""
    for name in draft.lists:
        arrays = {part: draft.call.arrays[f"{name}_{part}"] for part in ("cnt", "idx")}
        wide = {part: array for part, array in arrays.items() if array.element != "i32"}
        if not wide:
            continue
        kind = EXACT
        for array in wide.values():
            if array.values is not None:
                if array.values.size and not -(1 << 31) <= int(array.values.min()) <= int(array.values.max()) < 1 << 31:
                    return False
            elif array.element not in _NARROW:
                kind = REPAIRING
        if exact and kind == REPAIRING:
            return False
        backend, pair = draft.backends[name], draft.lists[name]
        cnt, idx = (backend.cast(array) for array in pair)
        draft.lists[name] = cnt, idx
        found = ", ".join(f"{name}_{part} from {array.element}" for part, array in wide.items())
        draft.steps.append(Step(kind, "MV513", f"converted {found} to i32"))
    return True


def _broadcast(draft: Draft) -> None:
    call = draft.call
    if call.kernel != "ranker" or call.varlen or call.batch is None or call.num_heads is None:
        return
    lead = call.batch, call.num_heads
    changed = []
    for pair in call.lists():
        if pair.name not in draft.lists:
            continue
        shapes = pair.cnt.shape[:2], pair.idx.shape[:2]
        if all(shape == lead for shape in shapes):
            continue
        if any(size not in (1, want) for shape in shapes for size, want in zip(shape, lead, strict=True)):
            continue
        if call.forward and call.pack_gqa and pair.cnt.shape[1] == call.num_kv_heads == pair.idx.shape[1]:
            continue
        _set_lead(draft, pair.name, lead)
        changed.append(pair.name)
    if changed:
        message = f"broadcast the {', '.join(changed)} lists to batch {lead[0]} and {lead[1]} heads"
        draft.steps.append(Step(EXACT, "MV514", message))


def _same_lead(draft: Draft) -> bool:
    """Broadcasts counts and indices that share rows to the batch and heads of both. False where they do not fit."""
    for pair in list(draft.call.lists()):
        shapes = pair.cnt.shape[:2], pair.idx.shape[:2]
        if shapes[0] == shapes[1] or pair.name not in draft.lists:
            continue
        lead = []
        for sizes in zip(*shapes, strict=True):
            wanted = {size for size in sizes if size != 1}
            if len(wanted) > 1 or None in wanted:
                return False
            lead.append(wanted.pop() if wanted else 1)
        _set_lead(draft, pair.name, (lead[0], lead[1]))
    return True


def _set_lead(draft: Draft, name: str, lead: tuple[int, int]) -> None:
    backend, arrays = draft.backends[name], dict(draft.call.arrays)
    cnt, idx = (backend.broadcast(array, lead) for array in draft.lists[name])
    draft.lists[name] = cnt, idx
    for part in (f"{name}_cnt", f"{name}_idx"):
        array = arrays[part]
        values = None if array.values is None else np.broadcast_to(array.values, (*lead, *array.values.shape[2:]))
        arrays[part] = replace(array, shape=(*lead, *array.shape[2:]), values=values)
    draft.call = replace(draft.call, arrays=arrays)


def _kv_target(call: BlockSparseAttention) -> int | None:
    """KV block that the kernel takes, where it is another one than the lists'."""
    if call.block_size is None:
        return None
    if call.kernel == "ranker":
        target = call.tile_n
    elif call.forward:
        target = None if arch_major(call.arch) in ("", "10", "11") else call.tile_n
    else:
        target = call.kv_subtile_factor * call.tile_n if call.kv_subtile_factor > 1 else None
    block = call.block_size[1]
    return target if target is not None and block != target and block % target == 0 else None


def _q_target(call: BlockSparseAttention) -> int | None:
    if call.block_size is None:
        return None
    if call.kernel == "fa4" and (call.forward or call.subtile_factor is None):
        return None
    target = call.q_stage * call.tile_m if call.forward else (backward_subtile_factor(call) or 1) * call.tile_m
    block = call.block_size[0]
    return target if block != target and block % target == 0 else None


def _split_kv(draft: Draft) -> None:
    call = draft.call
    target = _kv_target(call)
    if target is None or call.seq_len_k is None or call.block_size is None:
        return
    block, tiles = call.block_size[1], ceil_div(call.seq_len_k, target)
    if call.forward:
        _each(draft, lambda backend, pair: backend.split_columns(pair, block // target, tiles))
    elif not _rows_are(call, ceil_div(call.seq_len_k, block)):
        return
    else:
        _each(draft, lambda backend, pair: backend.repeat_rows(pair, block // target, tiles))
    draft.call = replace(call, block_size=(call.block_size[0], target))
    _diagonal(draft)
    code = "MV503" if call.forward else "MV501"
    draft.steps.append(Step(EXACT, code, f"split KV blocks of {block} keys into blocks of {target}"))


def _split_q(draft: Draft) -> None:
    call = draft.call
    target = _q_target(call)
    if target is None or call.seq_len_q is None or call.block_size is None:
        return
    block, tiles = call.block_size[0], ceil_div(call.seq_len_q, target)
    if not call.forward:
        _each(draft, lambda backend, pair: backend.split_columns(pair, block // target, tiles))
    elif not _rows_are(call, ceil_div(call.seq_len_q, block)):
        return
    else:
        _each(draft, lambda backend, pair: backend.repeat_rows(pair, block // target, tiles))
    draft.call = replace(call, block_size=(target, call.block_size[1]))
    _diagonal(draft)
    code = "MV502" if call.forward else "MV504"
    draft.steps.append(Step(EXACT, code, f"split Q blocks of {block} queries into blocks of {target}"))


def _rows_are(call: BlockSparseAttention, rows: int) -> bool:
    """Every list has one row per block as declared: else the block size is not that of the lists."""
    return all(pair.cnt.shape[2] == rows == pair.idx.shape[2] for pair in call.lists())


def _diagonal(draft: Draft) -> None:
    """A small block off the diagonal holds no pair of equal positions: it is left out."""
    if "diag" in draft.lists and draft.call.block_size is not None:
        q_block, kv_block = draft.call.block_size
        blocks = (q_block, kv_block) if draft.call.forward else (kv_block, q_block)
        draft.lists["diag"] = draft.backends["diag"].keep_diagonal(draft.lists["diag"], *blocks)


def _cut_rows(draft: Draft) -> None:
    """Cuts off rows behind the last block, which name nothing."""
    call = draft.call
    rows, code = _rows(call)
    pairs = [pair for pair in call.lists() if pair.name in draft.lists]
    long = [pair for pair in pairs if rows is not None and (pair.cnt.shape[2] or 0) > rows]
    if rows is None or not long:
        return
    for pair in long:
        same = pair.cnt.shape[2] == pair.idx.shape[2]
        if not same or pair.cnt.values is None or pair.cnt.values[..., rows:].any():
            return
    arrays = dict(call.arrays)
    for pair in long:
        draft.lists[pair.name] = draft.backends[pair.name].slice_rows(draft.lists[pair.name], rows)
        arrays[f"{pair.name}_cnt"] = _first_rows(pair.cnt, rows)
        arrays[f"{pair.name}_idx"] = _first_rows(pair.idx, rows)
    draft.call = replace(call, arrays=arrays)
    draft.steps.append(Step(EXACT, code, f"cut off empty rows behind the {rows} that have a block"))


def _first_rows(array: HostArray, rows: int) -> HostArray:
    values = None if array.values is None else array.values[:, :, :rows]
    return replace(array, shape=(*array.shape[:2], rows, *array.shape[3:]), values=values)


def _cut_entries(draft: Draft) -> None:
    """Cuts off entries that no count reaches."""
    call = draft.call
    if any(step.code in ("MV501", "MV503") for step in draft.steps):
        return  # a split gives every array the entries that it needs
    if call.kernel == "fa4" and call.forward and call.block_size is not None and call.seq_len_k is not None:
        columns = ceil_div(call.seq_len_k, call.block_size[1])
        wide = [
            pair
            for pair in call.lists()
            if pair.name in draft.lists
            and (pair.idx.shape[3] or 0) > columns
            and pair.cnt.values is not None
            and int(pair.cnt.values.max(initial=0)) <= columns
        ]
        for pair in wide:
            draft.lists[pair.name] = draft.backends[pair.name].slice_columns(draft.lists[pair.name], columns)
        if wide:
            draft.steps.append(
                Step(EXACT, "MV516", f"cut off entries behind the {columns} KV blocks, which no count has")
            )


def _rows(call: BlockSparseAttention) -> tuple[int | None, str]:
    """Blocks that the rows of the lists stand for, and the rule that says so.

    Of lists whose blocks are not the kernel's, these are not the kernel's rows: they are split afterwards.
    """
    if call.forward and call.kernel == "ranker":
        length = call.seq_len_q if call.packed_seq_len is None else call.packed_seq_len
        block = call.block_size[0] if call.block_size else call.q_stage * call.tile_m
        return None if length is None else ceil_div(length, block), "MV502"
    if not call.forward and call.kernel == "fa4" and call.seq_len_k is not None:
        block = call.block_size[1] if call.block_size else call.kv_subtile_factor * call.tile_n
        return ceil_div(call.seq_len_k, block), "MV509"
    return None, ""
