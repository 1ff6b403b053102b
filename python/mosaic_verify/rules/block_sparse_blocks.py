"""Block sizes, and with them the rows of forward lists, against the kernel's tiles."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.block_sparse.facts import BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import arch_major, backward_subtile_factor, ceil_div, q_block_bounds
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check

_REFINE = "run block-sparse-refine, which splits the KV blocks, or build the lists with blocks of {} keys"


def _assumption(call: BlockSparseAttention) -> tuple[str, ...]:
    if not call.assumed:
        return ()
    return (
        f"if the tiles are not tile_m={call.tile_m}, tile_n={call.tile_n}, q_stage={call.q_stage}, name them: "
        'with mv.annotate("block_sparse.attention_fwd", tile_m=...): ...',
    )


@check(BlockSparseAttention, "MV503", "MV505")
def forward_kv_block(call: BlockSparseAttention) -> Iterator[Finding]:
    """KV blocks of a forward call (FA4 `normalize_block_sparse_config`, the ranker's copy of it)."""
    if not call.forward or call.block_size is None or (block := call.block_size[1]) == call.tile_n:
        return
    fixes = (_REFINE.format(call.tile_n),)
    # FA4 splits coarse KV blocks itself only in its SM100 and SM110 kernels.
    coarse_allowed = call.kernel == "fa4" and arch_major(call.arch) in ("", "10", "11")
    if not coarse_allowed:
        yield Finding(
            "MV503", f"Block sparsity requires sparse_block_size[1]={call.tile_n} to match tile_n.", fixes=fixes
        )
    elif block % call.tile_n:
        yield Finding(
            "MV505",
            f"Block sparsity requires sparse_block_size[1] to be a multiple of tile_n={call.tile_n}.",
            fixes=(f"block_size[1]={ceil_div(block, call.tile_n) * call.tile_n}",),
        )


@check(BlockSparseAttention, "MV507")
def varlen_q_block(call: BlockSparseAttention) -> Iterator[Finding]:
    """Flat lists have exactly the kernel's rows."""
    wanted = call.q_stage * call.tile_m
    if call.forward and call.varlen and call.block_size is not None and call.block_size[0] != wanted:
        message = (
            f"Varlen block sparsity requires sparse_block_size[0]={wanted} (= q_stage * tile_m); "
            f"got {call.block_size[0]}."
        )
        yield Finding("MV507", message, fixes=(f"block_size[0]={wanted}",))


@check(BlockSparseAttention, "MV517", "MV518", "MV506")
def forward_q_block(call: BlockSparseAttention) -> Iterator[Finding]:
    """Q blocks of a forward call (FA4 `infer_block_sparse_expected_shapes`)."""
    idx = call.arrays.get("mask_idx")
    if not call.forward or call.kernel != "fa4" or call.varlen or idx is None or idx.rank != 4:
        return
    rows, base = idx.shape[2], call.q_stage * call.tile_m
    if call.block_size is None:
        bounds = q_block_bounds(call)
        if bounds is None:
            return
        block = bounds[0]
        if bounds[0] != bounds[1]:
            if base != 1:
                yield Finding(
                    "MV517",
                    "Block sparse tensorsforward require explicit sparse_block_size[0] to disambiguate block size "
                    f"for seqlen_q={call.seq_len_q} and num_m_blocks={rows}.",
                    "mask_idx",
                    fixes=("pass the block_size with which the lists were built",),
                )
            return
    else:
        block = call.block_size[0]
    if block % base:
        yield Finding(
            "MV518",
            f"Block sparse tensorsforward have block size {block}, which must be a multiple of {base}.",
            "mask_idx",
            fixes=((f"q_stage=1 makes Q blocks of {block} fit",) if block % call.tile_m == 0 else ()),
        )
    elif call.seq_len_q is not None and rows is not None and ceil_div(call.seq_len_q, block) != rows:
        yield Finding(
            "MV506",
            f"Block sparse tensorsforward m-block dimension {rows} does not match sparse_block_size_q={block}. "
            "Set BlockSparseTensorsTorch.block_size to match the BlockMask BLOCK_SIZE.",
            "mask_idx",
        )


@check(BlockSparseAttention, "MV502")
def forward_m_tiles(call: BlockSparseAttention) -> Iterator[Finding]:
    """The ranker's kernel reads one row per tile of queries; its wrapper compares full_idx alone."""
    if not call.forward or call.kernel != "ranker" or call.varlen or call.seq_len_q is None:
        return
    length = call.seq_len_q if call.packed_seq_len is None else call.packed_seq_len
    tiles = ceil_div(length, call.q_stage * call.tile_m)
    for name in ("full_idx", "mask_idx", "diag_idx"):
        array = call.arrays.get(name)
        if array is None or array.rank != 4:
            continue
        rows = array.shape[2]
        # Behind the wrapper's own check only missing rows do harm: spare rows of the other arrays are never read.
        if rows is None or rows == tiles or (rows > tiles and not name.startswith(_checked_class(call))):
            continue
        yield Finding("MV502", _m_tiles_message(call, rows, tiles, length), name, fixes=_assumption(call))
        return


def _checked_class(call: BlockSparseAttention) -> str:
    """The class whose rows are compared exactly: full where the call has it, else mask."""
    return "full" if "full_idx" in call.arrays else "mask"


def _m_tiles_message(call: BlockSparseAttention, rows: int, tiles: int, length: int) -> str:
    if call.packed_seq_len is None:
        return f"block-sparse arrays cover {rows} m-tiles but the kernel iterates {tiles} (seq_len={length})"
    return (
        f"block-sparse arrays cover {rows} m-tiles but the kernel will iterate {tiles} (packed_S={length}). Pass "
        "packed_seq_len (the physical packed row length) to build_block_sparse_layout so every physical tile has an "
        "entry."
    )


@check(BlockSparseAttention, "MV501", "MV504", "MV505", "MV519")
def backward_blocks(call: BlockSparseAttention) -> Iterator[Finding]:
    """Blocks of a backward call (FA4 `_flash_attn_bwd`, `normalize_block_sparse_config_bwd`, the ranker's copy)."""
    if call.forward or call.varlen or call.block_size is None:
        return
    q_block, kv_block = call.block_size
    factor = backward_subtile_factor(call) or 1
    name = "subtile_factor" if call.kernel == "ranker" else "q_subtile_factor"
    if call.kernel == "fa4" and q_block % call.tile_m:
        yield Finding(
            "MV519",
            f"Block sparsity requires sparse_block_size[0] to be a multiple of tile_m={call.tile_m}; got {q_block}.",
        )
    elif q_block != factor * call.tile_m:
        yield Finding(
            "MV504",
            f"Block sparsity expects sparse_block_size_q={factor * call.tile_m} for {name}={factor}.",
            fixes=(f"{name}={q_block // call.tile_m}",) if q_block % call.tile_m == 0 else (),
        )
    if call.kernel == "ranker":
        if kv_block != call.tile_n:
            message = f"Block sparsity expects sparse_block_size[1]={call.tile_n} to match tile_n."
            yield Finding("MV501", message, fixes=(_REFINE.format(call.tile_n),))
    elif kv_block % call.tile_n:
        message = (
            f"Block sparsity expects sparse_block_size[1] to be a multiple of tile_n={call.tile_n}; got {kv_block}."
        )
        yield Finding("MV505", message)
    elif call.kv_subtile_factor > 1 and kv_block != call.kv_subtile_factor * call.tile_n:
        wanted = call.kv_subtile_factor * call.tile_n
        message = (
            f"Block sparsity expects sparse_block_size[1]={wanted} for kv_subtile_factor={call.kv_subtile_factor}."
        )
        yield Finding("MV501", message, fixes=(f"kv_subtile_factor={kv_block // call.tile_n}",))
