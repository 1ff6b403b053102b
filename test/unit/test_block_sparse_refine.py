"""Rewrites of lists against an oracle in tokens: how often each pair of positions is processed stays the same."""

import numpy as np
import pytest
from block_sparse_layouts import multiplicities, random_lists, seeds, token_mask, transposed
from hypothesis import given, settings
from hypothesis import strategies as st

import mosaic_verify as mv

factors = st.sampled_from([1, 2, 3])


def codes(report):
    return [d.code for d in report.diagnostics if d.severity != "remark"]


@given(seeds, factors, factors, st.integers(1, 1500), st.integers(1, 1500), st.sampled_from(["fwd", "bwd"]))
@settings(max_examples=60, deadline=None)
def test_split_blocks(seed, q_factor, kv_factor, seq_q, seq_k, direction):
    rng = np.random.default_rng(seed)
    tile_m, tile_n = rng.choice([16, 32], 2)
    q_block, kv_block = int(q_factor * tile_m), int(kv_factor * tile_n)
    blocks = -(-seq_q // q_block), -(-seq_k // kv_block)
    rows, columns = blocks if direction == "fwd" else blocks[::-1]
    lists = {}
    for name in ("mask", "diag"):
        cnt, idx = random_lists(rng, (1, 2), rows, columns)
        lists |= {f"{name}_cnt": cnt, f"{name}_idx": idx}
    sizes = dict(
        seq_len=seq_q,
        seq_len_k=seq_k,
        tile_m=int(tile_m),
        tile_n=int(tile_n),
        direction=direction,
        num_heads=2,
        batch=1,
    )
    refined = mv.block_sparse.refine(lists, block_size=(q_block, kv_block), **sizes)
    assert refined.block_size == (tile_m, tile_n)
    assert all(rewrite.kind == "exact" for rewrite in refined.report.rewrites)
    token_sizes = (seq_q, seq_k) if direction == "fwd" else (seq_k, seq_q)
    old = (q_block, kv_block) if direction == "fwd" else (kv_block, q_block)
    new = (tile_m, tile_n) if direction == "fwd" else (tile_n, tile_m)
    for name in ("mask", "diag"):
        before = token_mask(lists[f"{name}_cnt"], lists[f"{name}_idx"], *old, *token_sizes, diagonal=name == "diag")
        after = token_mask(refined[f"{name}_cnt"], refined[f"{name}_idx"], *new, *token_sizes, diagonal=name == "diag")
        np.testing.assert_array_equal(before, after)
    if q_factor > 1 or kv_factor > 1:  # else the random diag lists are not on the diagonal
        left = mv.block_sparse.verify(refined, block_size=refined.block_size, **sizes)
        assert not set(codes(left)) & {"MV501", "MV502", "MV503", "MV504", "MV509", "MV520", "MV521", "MV522", "MV528"}


def test_the_exact_expansion():
    lists = {"mask_cnt": np.array([[[2, 1]]], np.int32), "mask_idx": np.array([[[[2, 0], [1, 7]]]], np.int32)}
    refined = mv.block_sparse.refine(lists, seq_len=256, seq_len_k=640, block_size=(128, 256))
    np.testing.assert_array_equal(refined["mask_cnt"], [[[3, 2]]])
    np.testing.assert_array_equal(refined["mask_idx"], [[[[4, 0, 1, 0], [2, 3, 0, 0]]]])
    assert refined["mask_idx"].dtype == np.int32


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_sorting_and_the_sequence_end_keep_the_blocks(seed):
    rng = np.random.default_rng(seed)
    cnt, idx = random_lists(rng, (1, 2), 6, 7, ascending=False)
    lists = {"mask_cnt": cnt, "mask_idx": idx}
    sizes = dict(seq_len=6 * 128, seq_len_k=7 * 128 - 28)
    for options in ({}, {"sort": True}):
        refined = mv.block_sparse.refine(lists, **sizes, **options)
        np.testing.assert_array_equal(
            multiplicities(cnt, idx, 7), multiplicities(refined["mask_cnt"], refined["mask_idx"], 7)
        )
        assert codes(mv.block_sparse.verify(refined, **sizes)) == []
    for at in np.ndindex(*cnt.shape):
        row = refined["mask_idx"][at][: cnt[at]]
        assert list(row) == sorted(row)
    exact = mv.block_sparse.refine(lists, **sizes, exact=True)
    np.testing.assert_array_equal(exact["mask_idx"], idx)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_duplicates_are_dropped(seed):
    rng = np.random.default_rng(seed)
    cnt, idx = random_lists(rng, (1, 2), 6, 7, ascending=False)
    idx[..., 1] = idx[..., 0]
    refined = mv.block_sparse.refine({"mask_cnt": cnt, "mask_idx": idx}, seq_len=6 * 128, seq_len_k=7 * 128)
    valid = np.where(np.arange(7) < cnt[..., None], idx, 0)
    before = np.minimum(multiplicities(cnt, valid, 7), 1)
    np.testing.assert_array_equal(before, multiplicities(refined["mask_cnt"], refined["mask_idx"], 7))
    if (cnt > 1).any():
        (rewrite,) = refined.report.rewrites
        assert (rewrite.kind, rewrite.code) == ("repairing", "MV522")
        assert [(d.code, d.severity) for d in refined.report.diagnostics] == [("MV522", "warning")]


@given(seeds, st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_derived_backward_lists(seed, rows, columns):
    rng = np.random.default_rng(seed)
    cnt, idx = random_lists(rng, (2, 1), rows, columns, ascending=False)
    sizes = dict(seq_len=rows * 128, seq_len_k=columns * 128 - 5)
    lists = {"full_cnt": cnt, "full_idx": idx}
    back = mv.block_sparse.refine(lists, **sizes, exact=True, derive_backward=True).backward
    wanted = transposed(cnt, idx, columns)
    np.testing.assert_array_equal(back["full_cnt"], wanted[0])
    np.testing.assert_array_equal(back["full_idx"], wanted[1])
    assert codes(mv.block_sparse.verify(back, **sizes, direction="bwd", forward=lists)) == []


def test_write_order_is_computed_and_sorted_along():
    lists = {
        "mask_cnt": np.array([[[2, 2, 1]]], np.int32),
        "mask_idx": np.array([[[[1, 0], [1, 2], [2, 0]]]], np.int32),
    }
    sizes = dict(seq_len=384, direction="bwd", deterministic=True)
    refined = mv.block_sparse.refine(lists, **sizes)
    np.testing.assert_array_equal(refined["mask_idx"], [[[[0, 1], [1, 2], [2, 0]]]])
    np.testing.assert_array_equal(refined["dq_write_order"], [[[[0, 0], [1, 0], [1, 0]]]])
    assert codes(mv.block_sparse.verify(refined, **sizes)) == []


def test_broadcast_cast_and_cut():
    lists = {
        "full_cnt": np.array([[[1, 1, 0]]], np.int16),
        "full_idx": np.array([[[[1], [0], [5]]]], np.int64),
    }
    refined = mv.block_sparse.refine(lists, seq_len=256, num_heads=2, batch=3)
    assert refined["full_cnt"].shape == (3, 2, 2) and refined["full_idx"].shape == (3, 2, 2, 1)
    assert refined["full_cnt"].dtype == refined["full_idx"].dtype == np.int32
    assert mv.block_sparse.verify(refined, seq_len=256, num_heads=2, batch=3).diagnostics == []


@pytest.mark.parametrize("kernel", ["ranker", "fa4"])
@pytest.mark.parametrize("leads", [((2, 2), (1, 1)), ((2, 1), (1, 2)), ((1, 1), (2, 2)), ((1, 1), (1, 1))])
@pytest.mark.parametrize("known", [True, False])
def test_counts_and_indices_that_differ_in_batch_or_heads(kernel, leads, known):
    """Counts of each head, with indices that all share."""
    lead_cnt, lead_idx = leads
    cnt = (np.arange(lead_cnt[0] * lead_cnt[1] * 2) % 3).reshape(*lead_cnt, 2).astype(np.int32)
    idx = np.broadcast_to(np.array([0, 1], np.int32), (*lead_idx, 2, 2)).copy()
    sizes = dict(seq_len=256, seq_len_k=512, kernel=kernel, arch="sm_90a")
    sizes |= dict(batch=2, num_heads=2) if known else {}
    refined = mv.block_sparse.refine({"mask_cnt": cnt, "mask_idx": idx}, block_size=(128, 256), **sizes)
    assert refined.block_size == (128, 128)
    wanted = np.broadcast_to(2 * cnt, (2, 2, 2))
    np.testing.assert_array_equal(np.broadcast_to(refined["mask_cnt"], (2, 2, 2)), wanted)
    assert codes(mv.block_sparse.verify(refined, block_size=(128, 128), **sizes)) == []
    refined = mv.block_sparse.refine(refined, block_size=(128, 128), derive_backward=True, **sizes)
    assert refined.backward is not None and refined.backward["mask_cnt"].sum() == refined["mask_cnt"].sum()


@pytest.mark.parametrize("part", ["full_cnt", "full_idx"])
def test_lists_of_no_batch(part):
    lists = {"full_cnt": np.ones((1, 2, 2), np.int32), "full_idx": np.zeros((1, 2, 2, 1), np.int32)}
    lists[part] = lists[part][:0]
    refined = mv.block_sparse.refine(lists, seq_len=256, block_size=(128, 256), derive_backward=True)
    assert refined["full_cnt"].shape[0] == refined["full_idx"].shape[0] == 0


def test_names_that_are_no_text():
    with pytest.raises(ValueError, match="unknown array 1"):
        mv.block_sparse.refine({1: 2}, seq_len=256)


@pytest.mark.parametrize(
    ("q_block", "kv_block", "rows"), [(256, 128, 3), (256, 256, 2), (384, 128, 3), (128, 256, 4), (256, 128, 1)]
)
def test_spare_rows_are_cut_before_blocks_are_split(q_block, kv_block, rows):
    """As many rows as the kernel has tiles do not make them the kernel's rows: here the first is of all queries."""
    sizes = dict(seq_len=256, seq_len_k=256, batch=1, num_heads=1)
    blocks = -(-256 // q_block)
    lists = {"full_cnt": np.zeros((1, 1, rows), np.int32), "full_idx": np.full((1, 1, rows, 1), 9, np.int32)}
    lists["full_cnt"][..., :blocks], lists["full_idx"][:, :, :blocks] = 1, 0
    refined = mv.block_sparse.refine(lists, block_size=(q_block, kv_block), **sizes)
    assert refined.block_size == (128, 128)
    np.testing.assert_array_equal(refined["full_cnt"], np.full((1, 1, 2), kv_block // 128))
    assert codes(mv.block_sparse.verify(refined, block_size=(128, 128), **sizes)) == []
    assert mv.block_sparse.refine(refined, block_size=(128, 128), **sizes).report.rewrites == []


@pytest.mark.parametrize(
    "lists",
    [
        {"mask_cnt": np.array([[[1, -1]]], np.int32), "mask_idx": np.zeros((1, 1, 2, 1), np.int32)},
        {"mask_cnt": np.array([[[1, 1]]], np.int32), "mask_idx": np.full((1, 1, 2, 1), 3, np.int32)},
        {"mask_cnt": np.ones((1, 1, 2), np.float32), "mask_idx": np.zeros((1, 1, 2, 1), np.int32)},
    ],
)
def test_what_nobody_understands_is_left_alone(lists):
    refined = mv.block_sparse.refine(lists, seq_len=256, seq_len_k=512, block_size=(128, 256))
    assert refined.report.rewrites == [] and refined.block_size == (128, 256)


def test_an_ambiguous_block_size_is_not_guessed():
    lists = {"full_cnt": np.ones((1, 1, 8), np.int32), "full_idx": np.zeros((1, 1, 8, 1), np.int32)}
    refined = mv.block_sparse.refine(lists, seq_len=2048)
    assert refined.report.rewrites == []
    assert codes(mv.block_sparse.verify(refined, seq_len=2048)) == ["MV502"]


@pytest.mark.parametrize("batch", [None, 1])
def test_flat_lists_of_one_block_keep_their_shape(batch):
    """Their dims are heads and rows, not batch and heads."""
    flat = {"full_cnt": np.ones((1, 1), np.int32), "full_idx": np.zeros((1, 1), np.int32)}
    flat |= {"cu_total_m_blocks": np.array([0, 1], np.int32), "cu_block_idx_offsets": np.array([0, 1], np.int32)}
    refined = mv.block_sparse.refine(flat, seq_len=100, batch=batch, num_heads=4)
    assert {name: array.shape for name, array in refined.items()} == {name: array.shape for name, array in flat.items()}
