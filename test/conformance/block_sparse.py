"""Block lists: our verdict, and what `refine` makes of them, against a dense count of the blocks of each row.

`python -m test.conformance.block_sparse --count N --seed S`. The oracle reads lists entry by entry and counts how often
each block is named; it knows nothing of how our rules look for faults.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

import numpy as np

import mosaic_verify as mv

VALID, FOUND, REFINED = "valid, no error from us", "faulty, each fault found", "refined, the same blocks"
FIRST = "several faults, the first ones found"  # one that hides behind another is said when that is mended
DISAGREE, CHANGED = "disagreement", "refined, other blocks"
FAILURES = (DISAGREE, CHANGED)
_TILE = 128
Layout = dict[str, np.ndarray]


def layout(generator: random.Random, rows: int, columns: int) -> Layout:
    """Mask and full lists of one batch and two heads, valid, with junk behind the counts."""
    lists: Layout = {}
    for name in ("mask", "full"):
        lists[f"{name}_cnt"] = np.zeros((1, 2, rows), np.int32)
        lists[f"{name}_idx"] = np.full((1, 2, rows, columns), generator.choice((0, -1, 77)), np.int32)
    for at in np.ndindex(1, 2, rows):
        named = generator.sample(range(columns), generator.randrange(1, columns + 1))
        if generator.random() < 0.5:
            named.sort()
        parts: dict[str, list[int]] = {"mask": [], "full": []}
        for block in named:
            parts[generator.choice(("mask", "full"))].append(block)
        for name, blocks in parts.items():
            blocks.sort(key=lambda block: block == columns - 1)  # the block with the sequence end is the last
            lists[f"{name}_cnt"][at] = len(blocks)
            lists[f"{name}_idx"][at][: len(blocks)] = blocks
    return lists


def change(lists: Layout, generator: random.Random) -> None:
    """Overwrites one number, or exchanges two."""
    name = generator.choice(("mask", "full"))
    cnt, idx = lists[f"{name}_cnt"], lists[f"{name}_idx"]
    at = tuple(generator.randrange(size) for size in cnt.shape)
    columns = idx.shape[-1]
    kind = generator.randrange(4)
    if kind == 0:
        cnt[at] = generator.choice((-1, 0, 1, columns, columns + 1))
    elif kind == 1:
        idx[at][generator.randrange(columns)] = generator.choice((-1, columns, *range(columns)))
    elif kind == 2:
        first, second = generator.randrange(columns), generator.randrange(columns)
        idx[at][[first, second]] = idx[at][[second, first]]
    else:
        idx[at][generator.randrange(columns)] = idx[at][generator.randrange(columns)]


def faults(lists: Layout, columns: int, ragged: bool) -> set[str]:
    """Codes of the rules that a layout breaks, by counting."""
    found = set()
    for at in np.ndindex(lists["mask_cnt"].shape):
        counts = {}
        for name in ("mask", "full"):
            count, row = int(lists[f"{name}_cnt"][at]), lists[f"{name}_idx"][at]
            if not 0 <= count <= len(row):
                found.add("MV521")
                count = 0
            named = [int(block) for block in row[:count]]
            if any(not 0 <= block < columns for block in named):
                found.add("MV520")
            dense = [named.count(block) for block in range(columns)]
            if max(dense) > 1:
                found.add("MV522")
            if ragged and columns - 1 in named[:-1]:
                found.add("MV523")
            counts[name] = dense
        if any(m and f for m, f in zip(counts["mask"], counts["full"], strict=True)):
            found.add("MV524")
    return found


def tokens(lists: Layout, name: str, block: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """How often each pair of positions is processed, (heads, q, k)."""
    cnt, idx = lists[f"{name}_cnt"], lists[f"{name}_idx"]
    dense = np.zeros((cnt.shape[1], *size), int)
    for head, row in np.ndindex(cnt.shape[1:]):
        for column in idx[0, head, row][: cnt[0, head, row]]:
            q, k = row * block[0], column * block[1]
            dense[head, q : q + block[0], k : k + block[1]] += 1
    return dense


def compare(seed: int) -> list[tuple[str, str]]:
    """Outcomes of one layout: of `verify`, and of `refine` for blocks that are larger than the kernel's tiles."""
    generator = random.Random(seed)
    rows, columns = generator.randrange(1, 6), generator.randrange(1, 7)
    lists = layout(generator, rows, columns)
    for _ in range(generator.choice((0, 1, 1, 2, 3))):
        change(lists, generator)
    cut = generator.choice((0, 0, 1, 28, 127))
    sizes = {"seq_len": rows * _TILE, "seq_len_k": columns * _TILE - cut, "num_heads": 2, "batch": 1}
    wanted = faults(lists, columns, ragged=cut > 0)
    said = {d.code for d in mv.block_sparse.verify(lists, **sizes).diagnostics if d.severity != "remark"}
    kind = VALID if not wanted else FOUND if said == wanted else FIRST if said and said < wanted else DISAGREE
    if not wanted and said:
        kind = DISAGREE
    outcomes = [(kind, f"{sorted(wanted)} and we say {sorted(said)}")]
    if not wanted & {"MV520", "MV521"}:
        outcomes.append(_refined(lists, generator, rows, columns))
    return outcomes


def _refined(lists: Layout, generator: random.Random, rows: int, columns: int) -> tuple[str, str]:
    """The lists taken for blocks of twice or three times the tile."""
    block = (16 * generator.choice((1, 2, 3)), 16 * generator.choice((1, 2, 3)))
    size = (rows * block[0] - generator.choice((0, 5)), columns * block[1] - generator.choice((0, 5)))
    refined = mv.block_sparse.refine(
        lists,
        seq_len=size[0],
        seq_len_k=size[1],
        tile_m=16,
        tile_n=16,
        block_size=block,
        num_heads=2,
        batch=1,
        exact=True,
    )
    for name in ("mask", "full"):
        before, after = tokens(lists, name, block, size), tokens(refined, name, refined.block_size or block, size)
        if not np.array_equal(before, after):
            return CHANGED, f"{name}, blocks {block}"
    return REFINED, ""


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Outcomes by kind, and disagreements."""
    counts: Counter[str] = Counter()
    failures = []
    for number in range(count):
        for kind, key in compare(1_000_003 * seed + number):
            counts[kind] += 1
            if kind in FAILURES:
                failures.append(f"{kind}: layout {1_000_003 * seed + number}: {key}")
    return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m test.conformance.block_sparse", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    counts, failures = run(args.count, args.seed)
    print(*failures[:20], *(f"{number:6} {kind}" for kind, number in counts.most_common()), sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
