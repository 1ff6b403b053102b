"""Random layouts, and an oracle that reads lists one entry at a time."""

import numpy as np
from hypothesis import strategies as st


def random_lists(rng, lead, rows, columns, entries=None, dtype=np.int32, ascending=True, least=0, garbage=True):
    """Counts (*lead, rows) and indices (*lead, rows, entries) without duplicates; junk behind the counts."""
    entries = columns if entries is None else min(entries, columns)
    cnt = rng.integers(min(least, entries), entries + 1, (*lead, rows))
    idx = np.empty((*lead, rows, entries), np.int64)
    for at in np.ndindex(*lead, rows):
        named = rng.permutation(columns)[:entries]
        idx[at] = named
        if ascending:
            idx[at][: cnt[at]] = np.sort(named[: cnt[at]])
        if garbage:
            idx[at][cnt[at] :] = rng.integers(-5, columns + 5, entries - cnt[at])
    return cnt.astype(dtype), idx.astype(dtype)


def split_classes(rng, cnt, idx):
    """Deals the entries of one pair out to "mask" and "full"."""
    parts = {}
    choice = rng.random(idx.shape) < 0.5
    for name, wanted in (("mask", choice), ("full", ~choice)):
        counts, indices = np.zeros_like(cnt), np.zeros_like(idx)
        for at in np.ndindex(*cnt.shape):
            kept = [e for p, e in enumerate(idx[at][: cnt[at]]) if wanted[at][p]]
            counts[at] = len(kept)
            indices[at][: len(kept)] = kept
        parts |= {f"{name}_cnt": counts, f"{name}_idx": indices}
    return parts


def multiplicities(cnt, idx, columns):
    """(*lead, rows, columns): how often each row names each block."""
    counts = np.zeros((*cnt.shape, columns), int)
    for at in np.ndindex(*cnt.shape):
        for position in range(cnt[at]):
            counts[at][idx[at][position]] += 1
    return counts


def token_mask(cnt, idx, row_block, column_block, rows, columns, diagonal=False):
    """(*lead, rows, columns) in tokens: how often each pair of positions is processed."""
    blocks = multiplicities(cnt, idx, -(-columns // column_block))
    tokens = np.repeat(np.repeat(blocks, row_block, axis=-2), column_block, axis=-1)[..., :rows, :columns]
    if diagonal:
        tokens = tokens * (np.arange(rows)[:, None] == np.arange(columns))
    return tokens


def transposed(cnt, idx, columns):
    """Lists of the other direction, ascending, made from the oracle's matrix."""
    matrix = multiplicities(cnt, idx, columns).swapaxes(-1, -2)
    counts = matrix.sum(-1).astype(np.int32)
    indices = np.zeros((*counts.shape, max(counts.max(initial=0), 1)), np.int32)
    for at in np.ndindex(*counts.shape):
        named = np.flatnonzero(matrix[at])
        indices[at][: named.size] = named
    return counts, indices


seeds = st.integers(0, 2**32 - 1)
