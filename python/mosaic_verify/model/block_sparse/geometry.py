"""How many rows and blocks the lists of a call must have (FlashAttention-4 `block_sparsity.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_verify.model.block_sparse.facts import BlockSparseAttention


def ceil_div(a: int, b: int) -> int:
    """Ceiling of a / b."""
    return -(-a // b)


@dataclass(frozen=True, slots=True)
class Geometry:
    """Blocks of one call; None where it cannot be known.

    Attributes:
      q_block, kv_block: tokens of one sparse block.
      rows: Q blocks (forward) or KV blocks (backward) that the lists must have rows for.
      columns: number of blocks that an entry may name.
      row_block, column_block: tokens of a row's and of an entry's block.
    """

    q_block: int | None
    kv_block: int | None
    rows: int | None
    columns: int | None
    row_block: int | None
    column_block: int | None


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of a call where all is known: tokens of a Q and of a KV block, and the sequence lengths."""

    q_block: int
    kv_block: int
    seq_len_q: int
    seq_len_k: int

    @property
    def q_blocks(self) -> int:
        return ceil_div(self.seq_len_q, self.q_block)

    @property
    def kv_blocks(self) -> int:
        return ceil_div(self.seq_len_k, self.kv_block)


def blocks(call: BlockSparseAttention) -> Blocks | None:
    """The blocks that the lists of `call` speak of; None where one cannot be known."""
    shape = geometry(call)
    if not shape.q_block or not shape.kv_block or call.seq_len_q is None or call.seq_len_k is None:
        return None
    return Blocks(shape.q_block, shape.kv_block, call.seq_len_q, call.seq_len_k)


def geometry(call: BlockSparseAttention) -> Geometry:
    """The blocks that the lists of `call` speak of."""
    q_block, kv_block = q_block_size(call), kv_block_size(call)
    q_blocks = ceil_div(call.seq_len_q, q_block) if q_block and call.seq_len_q is not None else None
    kv_blocks = ceil_div(call.seq_len_k, kv_block) if kv_block and call.seq_len_k is not None else None
    if call.forward:
        return Geometry(q_block, kv_block, q_blocks, kv_blocks, q_block, kv_block)
    return Geometry(q_block, kv_block, kv_blocks, q_blocks, kv_block, q_block)


def kv_block_size(call: BlockSparseAttention) -> int:
    """Tokens of one KV block: as declared, else the kernel's."""
    return call.block_size[1] if call.block_size else call.kv_subtile_factor * call.tile_n


def q_block_size(call: BlockSparseAttention) -> int | None:
    """Tokens of one Q block: as declared, else the kernel's, else inferred as FA4 does; None when ambiguous."""
    if call.varlen:
        return call.q_stage * call.tile_m
    if call.block_size:
        return call.block_size[0]
    if not call.forward:
        factor = backward_subtile_factor(call)
        return factor * call.tile_m if factor else None
    if call.kernel == "ranker":
        return call.q_stage * call.tile_m
    bounds = q_block_bounds(call)
    return bounds[0] if bounds and bounds[0] == bounds[1] and bounds[0] > 0 else None


def q_block_bounds(call: BlockSparseAttention) -> tuple[int, int] | None:
    """Smallest and largest Q block that gives the number of rows of `mask_idx` (FA4 `get_sparse_q_block_size`)."""
    idx = call.arrays.get("mask_idx")
    rows = idx.shape[2] if idx is not None and idx.rank == 4 else None
    if not rows or not call.seq_len_q:
        return None
    return ceil_div(call.seq_len_q, rows), call.seq_len_q if rows == 1 else (call.seq_len_q - 1) // (rows - 1)


def backward_subtile_factor(call: BlockSparseAttention) -> int | None:
    """Q block of a backward call in units of tile_m.

    FA4's `_flash_attn_bwd` takes it from `block_size`, else 2 on SM100 and 1 on SM90; the ranker copy has 1.
    """
    if call.subtile_factor is not None:
        return call.subtile_factor
    if call.kernel == "ranker":
        return 1
    if call.block_size:
        return max(call.block_size[0] // call.tile_m, 1)
    return {"9": 1, "10": 2, "11": 2}.get(arch_major(call.arch))


def arch_major(arch: str | None) -> str:
    """ "10" of "sm_100a", "9" of "sm_90a", "" when unknown."""
    digits = "".join(c for c in (arch or "") if c.isdigit())
    return digits[:-1]
