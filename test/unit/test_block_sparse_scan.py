"""`scan_lists` against one look at each entry."""

import tracemalloc

import numpy as np
import pytest
from block_sparse_layouts import random_lists, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_verify.model.block_sparse import rows as rows_module
from mosaic_verify.model.block_sparse.scan import scan_lists


def oracle(cnt, idx, columns, tail):
    """All faults, entry by entry: (kind, place) in the order of places."""
    found = {"counts": [], "indices": [], "duplicates": [], "tails": [], "disorder": []}
    for at in np.ndindex(*cnt.shape):
        count, entries = int(cnt[at]), idx.shape[-1]
        if not 0 <= count <= entries:
            found["counts"].append(at)
            continue
        row = [int(e) for e in idx[at][:count]]
        outside = [p for p, e in enumerate(row) if e < 0 or (columns is not None and e >= columns)]
        repeated = [p for p, e in enumerate(row) if e in row[:p]]
        early = [p for p, e in enumerate(row[:-1]) if e == tail]
        falls = [p for p in range(1, len(row)) if row[p] <= row[p - 1]]
        for kind, places in (("indices", outside), ("duplicates", repeated), ("tails", early), ("disorder", falls)):
            if places:
                found[kind] += [(*at, p) for p in places]
                break
    return found


def compare(cnt, idx, columns, tail):
    scan = scan_lists(cnt, idx, columns, tail, ordered=True)
    for kind, places in oracle(cnt, idx, columns, tail).items():
        hits = getattr(scan, kind)
        assert hits.total == len(places), kind
        assert [at for at, _ in hits.first] == places[:3], kind


@given(seeds, st.integers(1, 90), st.sampled_from([1, 3, 70, 300]), st.booleans(), st.sampled_from("bhil"))
@settings(max_examples=60, deadline=None)
def test_agrees_with_the_oracle(seed, rows, columns, ascending, code):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(code)
    columns = min(columns, 60) if dtype.itemsize == 1 else columns
    lead = tuple(rng.integers(1, 3, 2))
    cnt, idx = random_lists(rng, lead, rows, columns, int(rng.integers(1, columns + 1)), dtype, ascending)
    for _ in range(int(rng.integers(0, 4))):  # faults of any kind
        at = tuple(rng.integers(0, cnt.shape))
        kind = rng.integers(0, 3)
        if kind == 0:
            cnt[at] = rng.choice([-1, idx.shape[-1] + 1])
        elif kind == 1:
            idx[at][rng.integers(0, idx.shape[-1])] = rng.choice([-1, columns, columns + 3])
        else:
            idx[at][rng.integers(0, idx.shape[-1])] = idx[at][0]
    compare(cnt, idx, columns, rng.choice([None, columns - 1]))
    compare(cnt, idx, None, None)


@pytest.mark.parametrize("layout", ["broadcast", "transposed", "strided", "read-only"])
def test_takes_arrays_of_any_strides(layout):
    rng = np.random.default_rng(7)
    cnt, idx = random_lists(rng, (2, 3), 17, 40, ascending=False)
    if layout == "broadcast":
        cnt, idx = np.broadcast_to(cnt[:1], cnt.shape), np.broadcast_to(idx[:1], idx.shape)
    elif layout == "transposed":
        idx = np.ascontiguousarray(idx.transpose(3, 2, 1, 0)).transpose(3, 2, 1, 0)
    elif layout == "strided":
        idx = np.repeat(idx, 2, axis=-1)[..., ::2]
    else:
        idx.flags.writeable = False
    compare(cnt, idx, 40, 39)


def test_rows_are_looked_at_across_blocks(monkeypatch):
    monkeypatch.setattr(rows_module, "BLOCK_ENTRIES", 8)
    rng = np.random.default_rng(3)
    cnt, idx = random_lists(rng, (2, 2), 50, 5, ascending=False)
    idx[1, 1, 49] = 0
    cnt[1, 1, 49] = 5
    compare(cnt, idx, 5, 4)


@pytest.mark.parametrize("shape", [(0, 2, 4, 4), (1, 2, 0, 4), (1, 2, 4, 0), (1, 0, 0, 0)])
def test_empty_arrays(shape):
    scan = scan_lists(np.zeros(shape[:-1], np.int32), np.zeros(shape, np.int32), 4, 3)
    assert not (scan.counts or scan.indices or scan.duplicates or scan.tails)
    assert scan.empty.all()


@pytest.mark.parametrize("ascending", [True, False])
def test_memory_is_bounded(ascending):
    """At most a quarter of the indices in addition (64 MiB here)."""
    rows, entries = 1 << 12, 1 << 12
    idx = np.broadcast_to(np.arange(entries, dtype=np.int32), (1, 1, rows, entries)).copy()
    if not ascending:
        idx = idx[..., ::-1]
    cnt = np.full((1, 1, rows), entries, np.int32)
    tracemalloc.start()
    scan = scan_lists(cnt, idx, entries, entries - 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < idx.nbytes // 4
    assert scan.tails.total == (0 if ascending else rows)


def test_a_thousand_million_entries_without_memory():
    """A broadcast view is never copied."""
    cnt = np.broadcast_to(np.int32(2), (1000, 1000, 10))
    idx = np.broadcast_to(np.arange(100, dtype=np.int32), (1000, 1000, 10, 100))
    tracemalloc.start()
    scan_lists(cnt[:2], idx[:2], 100)
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
