"""Verification of block lists per entry, against one pass of np.max over the index array.

`BLOCK_SPARSE_ENTRIES` sets the number of entries (default 64 Mi, 256 MiB; the promise is for 256 Mi, 1 GiB).
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Iterable

import numpy as np

import mosaic_verify as mv
from bench.harness import Row, interleaved

_ENTRIES = int(os.environ.get("BLOCK_SPARSE_ENTRIES", 1 << 26))
_BLOCK = 128
_RUNS = 3


def rows() -> Iterable[Row]:
    """Ratios of wall time, and of memory that is allocated beside the arrays."""
    generator = np.random.default_rng(0)
    for columns in (1 << 13, 1 << 10, 1 << 7):
        blocks = _ENTRIES // columns
        idx = np.broadcast_to(np.arange(columns, dtype=np.int32), (1, 1, blocks, columns)).copy()
        full = np.full((1, 1, blocks), columns, np.int32)
        ragged = generator.integers(1, columns + 1, (1, 1, blocks)).astype(np.int32)
        for title, cnt in (("full rows", full), ("ragged rows", ragged)):
            yield _row(f"ascending, {title} of {columns}", cnt, idx, 10.0)
        extra = _extra_memory(_verifier(ragged, idx)) / idx.nbytes
        yield Row(f"extra memory, ascending rows of {columns}", extra, 0.25, f"of {idx.nbytes >> 20} MiB")
        for first in range(0, blocks, 1 << 12):
            generator.permuted(idx[0, 0, first : first + (1 << 12)], axis=-1, out=idx[0, 0, first : first + (1 << 12)])
        for title, cnt in (("full rows", full), ("ragged rows", ragged)):
            yield _row(f"out of order, {title} of {columns}", cnt, idx, 50.0)
        extra = _extra_memory(_verifier(ragged, idx)) / idx.nbytes
        yield Row(f"extra memory, rows of {columns} out of order", extra, 0.25, f"of {idx.nbytes >> 20} MiB")


def _row(name: str, cnt: np.ndarray, idx: np.ndarray, target: float) -> Row:
    times = interleaved({"max": lambda: np.max(idx), "verify": _verifier(cnt, idx)}, _RUNS)
    figures = f"{times['verify'] * 1e3:.0f} ms, np.max {times['max'] * 1e3:.0f} ms"
    return Row(name, times["verify"] / times["max"], target, figures)


def _verifier(cnt: np.ndarray, idx: np.ndarray) -> Callable[[], None]:
    layout = {"full_cnt": cnt, "full_idx": idx}
    sizes = {"seq_len": idx.shape[2] * _BLOCK, "seq_len_k": idx.shape[3] * _BLOCK}

    def run() -> None:
        report = mv.block_sparse.verify(layout, **sizes)
        if report.diagnostics:
            raise RuntimeError(report.diagnostics[0].text)

    return run


def _extra_memory(candidate: Callable[[], None]) -> int:
    tracemalloc.start()
    candidate()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
