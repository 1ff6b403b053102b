"""Heads and architectures of block-sparse kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_verify.model.block_sparse.facts import BlockList, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import arch_major, geometry
from mosaic_verify.model.block_sparse.scan import scan_lists
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check


@check(BlockSparseAttention, "MV540")
def head_ratio(call: BlockSparseAttention) -> Iterator[Finding]:
    """Every KV head serves the same number of query heads; the wrappers divide and drop the rest."""
    heads, kv_heads = call.num_heads, call.num_kv_heads
    if heads is None or not kv_heads or heads % kv_heads == 0:
        return
    yield Finding("MV540", f"{heads} query heads are not a multiple of {kv_heads} KV heads", "k")


@check(BlockSparseAttention, "MV539")
def packed_heads(call: BlockSparseAttention) -> Iterator[Finding]:
    """With pack_gqa a forward kernel reads the lists by KV head (ranker), or not at all packed (FA4)."""
    heads, kv_heads = call.num_heads, call.num_kv_heads
    if not call.forward or call.pack_gqa is False or call.varlen or heads is None or not kv_heads:
        return
    group = heads // kv_heads
    # The ranker's wrapper packs whenever the group divides the tile.
    if group < 2 or heads % kv_heads or (call.pack_gqa is None and call.tile_m % group):
        return
    per_head = [pair for pair in call.lists() if pair.cnt.shape[1] == heads and pair.idx.shape[1] == heads]
    if not per_head:
        return
    name = f"{per_head[0].name}_idx"
    if call.kernel == "fa4":
        if call.pack_gqa:
            message = "pack_gqa is switched off, since the lists are per head: it takes lists with a head dim of 1"
            yield Finding("MV539", message, name, severity="remark")
        return
    wrong = [
        (pair, head) for pair in per_head if (head := _other_lists(pair, group)) is not None and _sound(call, pair)
    ]
    if wrong:
        pair, head = wrong[0]
        message = (
            f"pack_gqa reads the lists of query heads {head // group * group} to {head // group * group + group - 1} "
            f"from entry {head // group} of the head dim, but the {pair.name} lists of query head {head} differ from it"
        )
        yield Finding("MV539", message, f"{pair.name}_idx", severity="error" if call.pack_gqa else "warning")
    elif call.pack_gqa and any(pair.values is None for pair in per_head):
        message = f"pack_gqa reads lists by KV head: they must be the same for all {heads} query heads"
        yield Finding("MV539", message, name, severity="warning")


def _sound(call: BlockSparseAttention, pair: BlockList) -> bool:
    """No list is wrong in itself: then it differs on purpose."""
    return pair.values is not None and not scan_lists(*pair.values, geometry(call).columns).faulty.any()


def _other_lists(pair: BlockList, group: int) -> int | None:
    """The first query head whose lists differ from those at the number of its KV head."""
    if pair.values is None:
        return None
    cnt, idx = pair.values
    for head in range(cnt.shape[1]):
        mine, read = (cnt[:, head], idx[:, head]), (cnt[:, head // group], idx[:, head // group])
        if mine[0].shape != mine[1].shape[:-1]:
            return None
        if not np.array_equal(mine[0], read[0]):
            return head
        valid = np.arange(idx.shape[-1]) < mine[0][..., None]
        if ((mine[1] != read[1]) & valid).any():
            return head
    return None


@check(BlockSparseAttention, "MV535")
def architecture(call: BlockSparseAttention) -> Iterator[Finding]:
    """Kernels that do not exist for an architecture."""
    major = arch_major(call.arch)
    if not major:
        return
    if call.kernel == "ranker":
        if major not in ("8", "9", "10", "11"):
            yield Finding("MV535", f"cutedsl ranker attention: unsupported compute capability {major}.x")
    elif major == "12":
        what = "Block sparsity" if call.forward else "Block sparsity backward"
        yield Finding("MV535", f"{what} not supported on SM 12.0")
    elif major in ("10", "11") and call.head_dim == 256:
        what = "forward" if call.forward else "backward"
        yield Finding("MV535", f"SM100 {what} with head_dim=256 does not support block sparsity")


@check(BlockSparseAttention, "MV530")
def two_cta(call: BlockSparseAttention) -> Iterator[Finding]:
    """Two CTAs of a backward cluster must work on one sparse KV block (FA4 `_flash_attn_bwd`)."""
    if call.kernel != "fa4" or call.forward or call.head_dim != 192 or arch_major(call.arch) not in ("10", "11"):
        return
    factor = call.block_size[1] // call.tile_n if call.block_size else call.kv_subtile_factor
    if factor % 2:
        yield Finding(
            "MV530",
            "SM100 block-sparse backward with head_dim=192 requires 2CTA; sparse_block_size[1] must cover an even "
            f"number of tile_n={call.tile_n} tiles; got factor {factor}.",
        )


@check(BlockSparseAttention, "MV536")
def sm80_length(call: BlockSparseAttention) -> Iterator[Finding]:
    """The SM80 kernels of the ranker know no ragged end."""
    if call.kernel != "ranker" or arch_major(call.arch) != "8" or call.seq_len_q is None:
        return
    length = call.seq_len_q if call.packed_seq_len is None else call.packed_seq_len
    if length % 128:
        text = (
            "SM80 cutedsl ranker attention requires seq_len % 128 == 0"
            if call.packed_seq_len is None
            else "SM80 cutedsl ranker varlen attention requires packed_S % 128 == 0"
        )
        yield Finding("MV536", f"{text} (got {length})")
