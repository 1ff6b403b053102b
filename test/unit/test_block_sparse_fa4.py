"""Our verdict on shapes against FlashAttention-4's checks, written down independently as one function that raises.

The conditions are those of `normalize_block_sparse_config`, `infer_block_sparse_expected_shapes`,
`normalize_block_sparse_config_bwd` and `_flash_attn_bwd` for an SM100 kernel.
"""

import numpy as np
import pytest

from mosaic_verify.model.block_sparse.facts import BlockSparseAttention, HostArray
from mosaic_verify.rules import block_sparse_blocks, block_sparse_operands, block_sparse_shapes  # noqa: F401
from mosaic_verify.rules.registry import run_checks


def refuse(condition):
    if condition:
        raise ValueError


def ceil(a, b):
    return (a + b - 1) // b


def expand(shape, wanted):
    refuse(len(shape) != len(wanted) or any(s not in (1, w) for s, w in zip(shape, wanted, strict=True)))


def fa4_forward(call, shapes):
    refuse(not {"mask_cnt", "mask_idx"} <= set(shapes))
    refuse(("full_cnt" in shapes) != ("full_idx" in shapes))
    q_block, kv_block = call["block_size"] or (None, call["tile_n"])
    refuse(kv_block % call["tile_n"])
    cnt, idx = shapes["mask_cnt"], shapes["mask_idx"]
    refuse(len(cnt) != 3 or len(idx) != 4)
    rows, base, seq = idx[2], call["q_stage"] * call["tile_m"], call["seq_len_q"]
    if q_block is None:
        low, high = ceil(seq, rows), seq if rows == 1 else (seq - 1) // (rows - 1)
        refuse(low != high)
        q_block = low
    refuse(q_block % base)
    columns = ceil(call["seq_len_k"], kv_block)
    for shape in (cnt, idx):
        refuse(shape[0] not in (1, call["batch"]) or shape[1] not in (1, call["num_heads"]))
    refuse(cnt[2] != rows or idx[3] > columns or ceil(seq, q_block) != rows)
    lists(call, shapes, rows, columns)


def fa4_backward(call, shapes):
    refuse(not {"mask_cnt", "mask_idx"} <= set(shapes))
    refuse(("full_cnt" in shapes) != ("full_idx" in shapes))
    q_block, kv_block = call["block_size"]
    refuse(q_block % call["tile_m"] or kv_block % call["tile_n"])
    refuse(call["subtile_factor"] is not None and q_block != call["subtile_factor"] * call["tile_m"])
    lists(call, shapes, ceil(call["seq_len_k"], kv_block), ceil(call["seq_len_q"], q_block))


def lists(call, shapes, rows, columns):
    counts = (call["batch"], call["num_heads"], rows)
    for name in ("mask", "full"):
        if f"{name}_cnt" in shapes:
            idx = shapes[f"{name}_idx"]
            expand(shapes[f"{name}_cnt"], counts)
            wanted = idx[3] if len(idx) == 4 and idx[3] <= columns else columns
            expand(idx, (*counts, wanted))


def case(rng, direction):
    """A call that FA4 takes, with at most one thing changed."""
    pick = lambda *values: values[rng.integers(len(values))]  # noqa: E731
    call = {
        "tile_m": pick(64, 128),
        "tile_n": pick(64, 128),
        "q_stage": pick(1, 2) if direction == "fwd" else 1,
        "seq_len_q": int(rng.integers(1, 2000)),
        "seq_len_k": int(rng.integers(1, 2000)),
        "batch": pick(1, 2),
        "num_heads": pick(1, 4),
        "subtile_factor": None,
    }
    q_block = call["q_stage"] * call["tile_m"] * pick(1, 2)
    kv_block = call["tile_n"] * pick(1, 2, 3)
    call["block_size"] = (q_block, kv_block)
    rows, columns = ceil(call["seq_len_q"], q_block), ceil(call["seq_len_k"], kv_block)
    if direction == "bwd":
        rows, columns = columns, rows
        call["subtile_factor"] = pick(None, q_block // call["tile_m"])
    lead = pick(1, call["batch"]), pick(1, call["num_heads"])
    shapes = {}
    for name in ("mask", "full")[: pick(1, 2)]:
        shapes[f"{name}_cnt"] = [*lead, rows]
        shapes[f"{name}_idx"] = [*lead, rows, int(rng.integers(1, columns + 1))]
    change = rng.integers(0, 8)
    if change == 0:
        name = pick(*shapes)
        shapes[name][rng.integers(len(shapes[name]))] += pick(-1, 1, 2)
    elif change == 1:
        call["block_size"] = (q_block + pick(32, 64, 128), kv_block)
    elif change == 2:
        call["block_size"] = (q_block, kv_block + pick(32, 64, 128))
    elif change == 3 and direction == "fwd":
        call["block_size"] = None
    elif change == 4:
        del shapes[pick(*shapes)]
    elif change == 5:
        shapes[pick(*shapes)].append(1)
    return call, {name: tuple(max(size, 1) for size in shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("direction", ["fwd", "bwd"])
def test_verdicts_agree(direction):
    rng = np.random.default_rng(0)
    reference = fa4_forward if direction == "fwd" else fa4_backward
    refused = 0
    for _ in range(4000):
        call, shapes = case(rng, direction)
        try:
            reference(call, shapes)
            accepted = True
        except ValueError:
            accepted = False
        refused += not accepted
        arrays = {name: HostArray(shape) for name, shape in shapes.items()}
        facts = BlockSparseAttention(direction=direction, arrays=arrays, kernel="fa4", **call)
        found = [f.code for f in run_checks(facts)]
        assert accepted == (not found), (call, shapes, found)
    assert 500 < refused < 3500
