"""Shapes of the list arrays of a block-sparse call."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.block_sparse.facts import CLASSES, WRITE_ORDERS, BlockList, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import backward_subtile_factor, ceil_div, geometry
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check

Shape = tuple[int | None, ...]


@check(BlockSparseAttention, "MV510", "MV533")
def ranks(call: BlockSparseAttention) -> Iterator[Finding]:
    """(B, H, M) and (B, H, M, N), or (H, M) and (H, N) of a batch of packed sequences."""
    for name in CLASSES:
        cnt, idx = call.arrays.get(f"{name}_cnt"), call.arrays.get(f"{name}_idx")
        if cnt is None or idx is None:
            continue
        found = f"{name}_cnt is {_text(cnt.shape)}, {name}_idx is {_text(idx.shape)}"
        if call.varlen:
            if (cnt.rank, idx.rank) != (2, 2):
                message = (
                    f"varlen block sparsity takes lists of shapes (H, total_m_blocks) and (H, total_n_blocks): {found}"
                )
                yield Finding("MV510", message, f"{name}_idx")
        elif (cnt.rank, idx.rank) == (2, 2) and call.forward:
            yield Finding(
                "MV533", "Varlen block sparsity requires block_sparse_tensors.cu_total_m_blocks.", f"{name}_cnt"
            )
            return
        elif (cnt.rank, idx.rank) != (3, 4):
            message = f"Block sparse tensors{_context(call)} must have shapes (B, H, M) and (B, H, M, N). ({found})"
            yield Finding("MV510", message, f"{name}_cnt" if cnt.rank != 3 else f"{name}_idx")


@check(BlockSparseAttention, "MV534")
def varlen_backward(call: BlockSparseAttention) -> Iterator[Finding]:
    """No kernel takes flat lists backward."""
    if not call.forward and call.varlen:
        yield Finding("MV534", "Varlen backward with block sparsity is not yet supported", "cu_total_m_blocks")


@check(BlockSparseAttention, "MV514")
def batch_and_heads(call: BlockSparseAttention) -> Iterator[Finding]:
    """FA4 broadcasts dims of 1, the ranker's kernels read every batch and head."""
    if call.varlen:
        return
    if call.kernel == "ranker":
        for pair in call.lists():
            for name, array in ((f"{pair.name}_cnt", pair.cnt), (f"{pair.name}_idx", pair.idx)):
                for dim, kind, wanted in ((0, "batch", call.batch), (1, "head", call.num_heads)):
                    size = array.shape[dim]
                    if None in (size, wanted) or size == wanted or _packed_heads(call, kind, size):
                        continue
                    message = (
                        f"{kind} dim of {name} is {size}, but the kernel reads {wanted} and broadcasts nothing: "
                        f"{name} is {_text(array.shape)}"
                    )
                    fixes = (f"jnp.broadcast_to({name}, {_text(_with(array.shape, dim, wanted))})",)
                    severity = "warning" if call.assumed and size == 1 else None  # another kernel may broadcast
                    yield Finding("MV514", message, name, fixes=fixes if size == 1 else (), severity=severity)
                    return
    elif call.forward and (pair := next(call.lists(), None)) is not None and pair.name == "mask":
        for name, array in (("mask_cnt", pair.cnt), ("mask_idx", pair.idx)):
            for dim, kind, wanted in ((0, "batch", call.batch), (1, "head", call.num_heads)):
                if None not in (array.shape[dim], wanted) and array.shape[dim] not in (1, wanted):
                    message = f"Block sparse tensors{_context(call)} {kind} dim must be {wanted} or 1."
                    yield Finding("MV514", message, name)
                    return


def _packed_heads(call: BlockSparseAttention, kind: str, size: int | None) -> bool:
    """A forward kernel that packs the query heads of a KV head reads the lists by KV head."""
    return kind == "head" and call.forward and call.pack_gqa is not False and size == call.num_kv_heads


@check(BlockSparseAttention, "MV515", "MV516")
def mask_rows_and_columns(call: BlockSparseAttention) -> Iterator[Finding]:
    """Counts and indices have the same rows (FA4 `infer_block_sparse_expected_shapes`, forward)."""
    if call.varlen or not call.forward:
        return
    columns = geometry(call).columns
    for pair in call.lists():
        if call.kernel == "fa4" and pair.name != "mask":
            continue
        rows, entries = pair.idx.shape[2:]
        if None not in (rows, pair.cnt.shape[2]) and rows != pair.cnt.shape[2]:
            message = (
                f"Block sparse tensors{_context(call)} must share the same m-block dimension. "
                f"({pair.name}_cnt has {pair.cnt.shape[2]}, {pair.name}_idx has {rows})"
            )
            yield Finding("MV515", message, f"{pair.name}_idx")
        if call.kernel == "fa4" and entries is not None and columns is not None and entries > columns:
            message = f"Block sparse tensors{_context(call)} n-block dimension must be <= {columns}."
            yield Finding("MV516", message, "mask_idx", fixes=(f"mask_idx[..., :{columns}]",))


@check(BlockSparseAttention, "MV509")
def expandable(call: BlockSparseAttention) -> Iterator[Finding]:
    """FA4 expands dims of 1 and refuses the rest; the ranker's backward kernel reads past short lists."""
    if call.varlen or (call.forward and call.kernel == "ranker"):
        return
    shape = geometry(call)
    exact = call.kernel == "fa4"
    for pair in call.lists():
        if call.forward and pair.name == "mask":
            continue  # MV506 and MV514 to MV516 say the same in other words
        counts: Shape = (call.batch, call.num_heads, shape.rows) if exact else (None, None, shape.rows)
        columns = shape.columns if exact else None
        if columns is not None and (pair.idx.shape[3] or 0) <= columns:
            columns = pair.idx.shape[3]
        for part, array, wanted in (("cnt", pair.cnt, counts), ("idx", pair.idx, (*counts, columns))):
            if _expandable(array.shape, wanted) or (not exact and _spare_rows(call, pair, shape.rows)):
                continue
            yield Finding(
                "MV509", _expand_message(call, f"{pair.name}_block_{part}", array.shape, wanted), f"{pair.name}_{part}"
            )
            return
    for name, order in WRITE_ORDERS.items():
        array, idx = call.arrays.get(order), call.arrays.get(f"{name}_idx")
        if array is not None and idx is not None and not _expandable(array.shape, idx.shape):
            yield Finding("MV509", _expand_message(call, order, array.shape, idx.shape), order)


def _expandable(shape: Shape, wanted: Shape) -> bool:
    return len(shape) == len(wanted) and all(
        size is None or want is None or size in (1, want) for size, want in zip(shape, wanted, strict=True)
    )


def _spare_rows(call: BlockSparseAttention, pair: BlockList, rows: int | None) -> bool:
    """Rows behind those that the ranker's backward kernel reads, with nothing in them as far as is known."""
    counts, indices = pair.cnt.shape[2], pair.idx.shape[2]
    if rows is None or counts is None or indices is None or min(counts, indices) < rows:
        return False
    return pair.cnt.values is None or not pair.cnt.values[..., rows:].any()


def _expand_message(call: BlockSparseAttention, name: str, shape: Shape, wanted: Shape) -> str:
    known = tuple(found if want is None else want for found, want in zip(shape, wanted, strict=False))
    context = "" if call.forward else " (_flash_attn_bwd)"
    message = f"{name}{context} with shape {_text(shape)} cannot be expanded to expected shape {_text(known)}."
    if call.forward:
        return message
    q_block = (backward_subtile_factor(call) or 1) * call.tile_m
    return (
        f"{message} Hint: Backward expects Q-direction block-sparse tensors (q_mask_cnt/q_mask_idx, and optionally "
        f"full_q_cnt/full_q_idx). Regenerate the backward BlockMask with BLOCK_SIZE=({q_block}, "
        f"{call.kv_subtile_factor * call.tile_n})."
    )


def _context(call: BlockSparseAttention) -> str:
    """What FA4 puts behind "Block sparse tensors", without a blank."""
    return "forward" if call.forward else ""


def _with(shape: Shape, dim: int, size: int | None) -> Shape:
    return (*shape[:dim], size, *shape[dim + 1 :])


def _text(shape: Shape) -> str:
    return (
        "(" + ", ".join("?" if size is None else str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"
    )


@check(BlockSparseAttention, "MV537")
def varlen_total_shape(call: BlockSparseAttention) -> Iterator[Finding]:
    """One more prefix sum than sequences; no more rows than the tokens can fill."""
    total = call.arrays.get("cu_total_m_blocks")
    if not call.forward or total is None:
        return
    if total.rank != 1 or total.shape[0] == 0:
        yield Finding(
            "MV537", f"cu_total_m_blocks must have shape (batch + 1,), but is {_text(total.shape)}", "cu_total_m_blocks"
        )
        return
    offsets = call.arrays.get("cu_block_idx_offsets")
    if offsets is not None and None not in (*offsets.shape, *total.shape) and offsets.shape != total.shape:
        message = (
            f"cu_total_m_blocks and cu_block_idx_offsets must have the same length, but are {_text(total.shape)} and "
            f"{_text(offsets.shape)}"
        )
        yield Finding("MV537", message, "cu_block_idx_offsets")
    sequences, tokens = total.shape[0], call.seq_len_q
    if call.batch not in (None, 1):
        if sequences not in (None, call.batch + 1):
            wanted = _text((call.batch + 1,))
            message = f"cu_total_m_blocks of {call.batch} sequences must be {wanted}, but is {_text(total.shape)}"
            yield Finding("MV537", message, "cu_total_m_blocks")
        return
    pair = next(call.lists(), None)
    rows = pair.cnt.shape[1] if pair is not None else None
    if pair is None or rows is None or sequences is None or tokens is None:
        return
    block = call.q_stage * call.tile_m
    most = (tokens + (sequences - 1) * (block - 1)) // block
    if rows > most:
        message = (
            f"{pair.name}_cnt has {rows} rows, but {tokens} tokens in {sequences - 1} sequences fill at "
            f"most {most} blocks of q_stage * tile_m = {block} (one sequence alone {ceil_div(tokens, block)})"
        )
        yield Finding("MV537", message, f"{pair.name}_cnt")
