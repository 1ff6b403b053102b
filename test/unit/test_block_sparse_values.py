"""Each value rule finds the fault that was planted in an otherwise valid layout, and nothing else."""

import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest
from block_sparse_layouts import random_lists, seeds, split_classes, transposed
from hypothesis import given, settings
from hypothesis import strategies as st

import mosaic_verify as mv

SEQ_Q, SEQ_K = 900, 1000  # 8 Q blocks and 8 KV blocks of 128, both with a ragged end
ROWS, COLUMNS = 8, 8


def layout(rng, ascending=False, least=2):
    """Mask and full lists; every row has a block, and the block with the sequence end is the last of its list."""
    cnt, idx = random_lists(rng, (2, 2), ROWS, COLUMNS, ascending=ascending, least=least)
    parts = split_classes(rng, cnt, idx)
    for name in ("mask", "full"):
        for at in np.ndindex(*cnt.shape):
            row = parts[f"{name}_idx"][at][: parts[f"{name}_cnt"][at]]
            row[:] = [*row[row != COLUMNS - 1], *row[row == COLUMNS - 1]]
    return parts


def rows_with(parts, name, entries):
    return [at for at in np.ndindex(*parts[f"{name}_cnt"].shape) if parts[f"{name}_cnt"][at] >= entries]


def plant_range(rng, parts, name):
    at = rng.choice(rows_with(parts, name, 1))
    parts[f"{name}_idx"][tuple(at)][rng.integers(0, parts[f"{name}_cnt"][tuple(at)])] = rng.choice([-1, COLUMNS, 99])


def plant_count(rng, parts, name):
    at = tuple(rng.integers(0, parts[f"{name}_cnt"].shape))
    parts[f"{name}_cnt"][at] = rng.choice([-1, -7, COLUMNS + 1])


def plant_duplicate(rng, parts, name):
    at = tuple(rng.choice(rows_with(parts, name, 2)))
    row = parts[f"{name}_idx"][at]
    first, second = rng.permutation(parts[f"{name}_cnt"][at])[:2]
    row[first] = row[second]


def plant_tail(rng, parts, name):
    at = tuple(rng.choice(rows_with(parts, name, 2)))
    other = {"mask": "full", "full": "mask"}[name]
    row, count = parts[f"{name}_idx"][at], parts[f"{name}_cnt"][at]
    rest = parts[f"{other}_idx"][at]
    if COLUMNS - 1 in rest[: parts[f"{other}_cnt"][at]]:
        rest[: parts[f"{other}_cnt"][at]][-1] = row[0]  # take the tail away from the other list
        row[0] = COLUMNS - 1
    else:
        row[:count] = [e for e in row[:count] if e != COLUMNS - 1][: count - 1] + [COLUMNS - 1]
        row[:count] = np.roll(row[:count], 1)


def plant_overlap(rng, parts, name):
    at = tuple(rng.choice([a for a in rows_with(parts, "mask", 1) if parts["full_cnt"][a] >= 1]))
    ahead, behind = parts["mask_idx"][at], parts["full_idx"][at]
    # The last entries of both lists: neither list's tail moves.
    behind[parts["full_cnt"][at] - 1] = ahead[parts["mask_cnt"][at] - 1]


PLANTS = {
    "MV520": plant_range,
    "MV521": plant_count,
    "MV522": plant_duplicate,
    "MV523": plant_tail,
    "MV524": plant_overlap,
}


def verify(parts, **more):
    sizes = dict(seq_len=SEQ_Q, seq_len_k=SEQ_K, num_heads=2, batch=2) | more
    return mv.block_sparse.verify(parts, **sizes)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_valid_layouts_are_clean(seed):
    assert verify(layout(np.random.default_rng(seed))).diagnostics == []


@pytest.mark.parametrize("code", PLANTS)
@given(seed=seeds, name=st.sampled_from(["mask", "full"]))
@settings(max_examples=25, deadline=None)
def test_finds_just_the_planted_fault(code, seed, name):
    rng = np.random.default_rng(seed)
    parts = layout(rng, least=4)
    PLANTS[code](rng, parts, name)
    report = verify(parts)
    assert [d.code for d in report.diagnostics] == [code]
    assert not report.ok


def test_names_three_positions_and_the_total():
    cnt, idx = np.full((1, 2, 8), 4, np.int32), np.tile(np.arange(4, dtype=np.int32), (1, 2, 8, 1))
    idx[0, 1, 3:8, 2] = 9
    (finding,) = mv.block_sparse.verify({"mask_cnt": cnt, "mask_idx": idx}, seq_len=1024).diagnostics
    assert finding.code == "MV520"
    assert "block 9" in finding.message and "5 entries" in finding.message
    assert "(0, 1, 3, 2), (0, 1, 4, 2), (0, 1, 5, 2), ..." in finding.message


def pair(rng):
    parts = layout(rng, ascending=True)
    back = {}
    for name in ("mask", "full"):
        back[f"{name}_cnt"], back[f"{name}_idx"] = transposed(parts[f"{name}_cnt"], parts[f"{name}_idx"], COLUMNS)
    return parts, back


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_backward_lists_are_the_transpose(seed):
    rng = np.random.default_rng(seed)
    forward, back = pair(rng)
    report = verify(back, direction="bwd", forward=forward)
    assert [d.code for d in report.diagnostics if d.severity != "remark"] == []
    at = tuple(rng.choice(rows_with(back, "full", 1)))
    back["full_cnt"][at] -= 1
    codes = [d.code for d in verify(back, direction="bwd", forward=forward).diagnostics if d.severity != "remark"]
    assert codes == ["MV525"]


@given(seeds, st.booleans())
@settings(max_examples=25, deadline=None)
def test_write_order(seed, spt):
    rng = np.random.default_rng(seed)
    _, back = pair(rng)
    lists = {name: (back[f"{name}_cnt"], back[f"{name}_idx"]) for name in ("mask", "full")}
    orders = {"mask": "dq_write_order", "full": "dq_write_order_full"}
    for name, (cnt, idx) in lists.items():
        order = np.zeros_like(idx)
        for b, h, n in np.ndindex(*cnt.shape):
            for i in range(cnt[b, h, n]):
                m = idx[b, h, n, i]
                adds = [
                    other
                    for other in range(COLUMNS)
                    if any(m in x[b, h, other][: c[b, h, other]] for c, x in lists.values())
                ]
                order[b, h, n, i] = sorted(adds, reverse=spt).index(n)
        back[orders[name]] = order
    report = verify(back, direction="bwd", spt=spt)
    assert [d.code for d in report.diagnostics if d.severity != "remark"] == []
    at = tuple(rng.choice(rows_with(back, "mask", 1)))
    back["dq_write_order"][at][0] += 1
    assert [d.code for d in verify(back, direction="bwd", spt=spt).diagnostics if d.severity != "remark"] == ["MV526"]


def test_order_matters_with_a_write_order():
    back = {
        "mask_cnt": np.array([[[2, 1]]], np.int32),
        "mask_idx": np.array([[[[1, 0], [1, 0]]]], np.int32),
        "dq_write_order": np.array([[[[0, 0], [1, 0]]]], np.int32),
    }
    (finding,) = mv.block_sparse.verify(back, seq_len=256, direction="bwd").diagnostics
    assert (finding.code, finding.severity) == ("MV527", "warning")


@pytest.mark.parametrize("block", [128, 256])
def test_diagonal(block):
    cnt = np.ones((1, 1, 4), np.int32)
    idx = np.arange(4, dtype=np.int32).reshape(1, 1, 4, 1)
    sizes = dict(seq_len=4 * block, tile_m=block, tile_n=block)
    assert mv.block_sparse.verify({"diag_cnt": cnt, "diag_idx": idx}, **sizes).diagnostics == []
    idx[0, 0, 2] = 1
    (finding,) = mv.block_sparse.verify({"diag_cnt": cnt, "diag_idx": idx}, **sizes).diagnostics
    assert finding.code == "MV528" and "(0, 0, 2, 0)" in finding.message


def test_empty_rows_are_a_remark():
    cnt = np.array([[[1, 0, 1, 0]]], np.int32)
    report = mv.block_sparse.verify({"mask_cnt": cnt, "mask_idx": np.zeros((1, 1, 4, 1), np.int32)}, seq_len=512)
    assert [(d.code, d.severity) for d in report.diagnostics] == [("MV529", "remark")]
    assert report.ok and "2 rows" in report.diagnostics[0].message


def test_flat_layout_of_packed_sequences():
    """Two sequences with 2 and 3 Q blocks, of 2 and 4 KV blocks."""
    parts = {
        "mask_cnt": np.array([[2, 1, 4, 1, 1]], np.int32),
        "mask_idx": np.array([[0, 1, 1, 0, 0, 1, 2, 3, 3, 0, 0, 0, 2, 9, 9, 9]], np.int32),
        "cu_total_m_blocks": np.array([0, 2, 5], np.int32),
        "cu_block_idx_offsets": np.array([0, 4, 16], np.int32),
    }
    sizes = dict(seq_len=600, num_heads=1, kernel="fa4")
    assert mv.block_sparse.verify(parts, **sizes).diagnostics == []
    parts["mask_idx"][0, 0] = 2  # the first sequence has two KV blocks
    (finding,) = mv.block_sparse.verify(parts, **sizes).diagnostics
    assert finding.code == "MV520" and "(0, 0, 0, 0)" in finding.message
    parts["mask_idx"][0, 0] = 0
    parts["mask_idx"][0, 8 + 1] = 3
    parts["mask_cnt"][0, 3] = 2
    (finding,) = mv.block_sparse.verify(parts, **sizes).diagnostics
    assert finding.code == "MV522" and "(1, 0, 1, 1)" in finding.message


@pytest.mark.parametrize("sizes", [dict(seq_len=512), dict(seq_len=768), dict(seq_len=512, batch=2)])
def test_length_of_packed_sequences_is_the_longest_or_all(sizes):
    """Two sequences of 256 and 512 tokens, every block visible."""
    parts = {
        "mask_cnt": np.zeros((1, 6), np.int32),
        "mask_idx": np.zeros((1, 20), np.int32),
        "full_cnt": np.array([[2, 2, 4, 4, 4, 4]], np.int32),
        "full_idx": np.concatenate([np.tile(np.arange(n, dtype=np.int32), n) for n in (2, 4)])[None],
        "cu_total_m_blocks": np.array([0, 2, 6], np.int32),
        "cu_block_idx_offsets": np.array([0, 4, 20], np.int32),
    }
    assert mv.block_sparse.verify(parts, **sizes, num_heads=1, kernel="fa4").diagnostics == []
    one_row = mv.block_sparse.verify(parts, seq_len=512, batch=1, num_heads=1, kernel="fa4")
    assert [d.code for d in one_row.diagnostics] == ["MV537"]


@pytest.mark.parametrize(
    ("layout", "code"),
    [
        ({"mask_cnt": np.zeros((1, 4), np.int32), "mask_idx": np.zeros((1, 1, 4, 4), np.int32)}, "MV510"),
        ({"mask_cnt": np.zeros((1, 1, 4), np.float32), "mask_idx": np.zeros((1, 1, 4, 4), np.int32)}, "MV513"),
        ({"mask_cnt": np.full((1, 1, 4), 1 << 40), "mask_idx": np.zeros((1, 1, 4, 4), np.int32)}, "MV513"),
        ({"mask_cnt": np.zeros((1, 1, 4), np.int32)}, "MV512"),
        ({"full_cnt": np.ones((1, 1, 5), np.int32), "full_idx": np.zeros((1, 1, 5, 1), np.int32)}, "MV502"),
    ],
)
def test_bad_input_is_one_finding(layout, code):
    report = mv.block_sparse.verify(layout, seq_len=512)
    assert [d.code for d in report.diagnostics if d.severity == "error"][:1] == [code]


def test_wrong_arguments():
    lists = {"mask_cnt": np.zeros((1, 1, 4), np.int32), "mask_idx": np.zeros((1, 1, 4, 4), np.int32)}
    with pytest.raises(ValueError, match="unknown array 'mask_count'"):
        mv.block_sparse.verify({"mask_count": 0}, seq_len=512)
    with pytest.raises(TypeError, match="maps names to arrays"):
        mv.block_sparse.verify([lists], seq_len=512)
    with pytest.raises(ValueError, match="direction"):
        mv.block_sparse.verify(lists, seq_len=512, direction="forward")
    with pytest.raises(ValueError, match="block_size"):
        mv.block_sparse.verify(lists, seq_len=512, block_size=(0, 128))


def test_ignore_and_location():
    lists = {"full_cnt": np.ones((1, 1, 5), np.int32), "full_idx": np.zeros((1, 1, 5, 1), np.int32)}
    (finding,) = mv.block_sparse.verify(lists, seq_len=512).diagnostics
    assert finding.location.file == __file__ and finding.location.line > 0
    assert mv.block_sparse.verify(lists, seq_len=512, ignore="MV502").ok


def test_needs_neither_jax_nor_jaxlib():
    program = "import sys, mosaic_verify.block_sparse; sys.exit(any(m in sys.modules for m in ('jax', 'jaxlib')))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_takes_named_tuples_with_the_names_of_fa4():
    Tensors = namedtuple("Tensors", "mask_block_cnt mask_block_idx full_block_cnt block_size")
    lists = Tensors(np.ones((1, 1, 4), np.int32), np.zeros((1, 1, 4, 1), np.int32), None, (128, 256))
    assert [d.code for d in mv.block_sparse.verify(lists, seq_len=512).diagnostics] == ["MV503"]
    assert mv.block_sparse.verify(lists, seq_len=512, kernel="fa4").diagnostics == []
