"""Index pairs of 2:4 sparsity: which are valid, and where the invalid ones are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_CHUNK = 1 << 18  # pairs looked at together: 512 KiB, which stays in the second-level cache
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PairFaults:
    """Invalid pairs of one array.

    Attributes:
      equal, descending: how many pairs have i0 == i1, and i0 > i1.
      first: the first three as (index of the pair in row-major order, i0, i1).
    """

    equal: int
    descending: int
    first: tuple[tuple[int, int, int], ...]

    @property
    def count(self) -> int:
        """All of them."""
        return self.equal + self.descending


def find_pair_faults(entries: np.ndarray) -> PairFaults | None:
    """Pairs (0, 1), (2, 3), ... of neighbours in row-major order that are not ascending; None when all are.

    PTX calls equal indices undefined, and the hardware expects the smaller one first (PTX ISA, "Sparse matrices").

    Args:
      entries: 2-bit values as any integer dtype of one or more bytes, an even number of them. One-byte dtypes are read
        without a copy, two pairs at 1 ns.
    """
    pairs = _as_pairs(entries)
    equal = descending = 0
    first: list[tuple[int, int, int]] = []
    for start in range(0, len(pairs), _CHUNK):
        chunk = pairs[start : start + _CHUNK]
        low, high = chunk & 0xFF, chunk >> 8
        bad = low >= high
        if not bad.any():
            continue
        at = np.flatnonzero(bad)
        same = int(np.count_nonzero(low[at] == high[at]))
        equal, descending = equal + same, descending + len(at) - same
        first += [(start + int(i), int(low[i]), int(high[i])) for i in at[: _SHOWN - len(first)]]
    return PairFaults(equal, descending, tuple(first)) if first else None


def find_out_of_range(entries: np.ndarray) -> int | None:
    """Row-major index of the first value that is not in 0..3, or None. Values of a 2-bit dtype always are."""
    if entries.dtype.kind not in "iub":
        return None
    flat = entries.reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        chunk = flat[start : start + _CHUNK]
        bad = (chunk < 0) | (chunk > 3)
        if bad.any():
            return start + int(np.argmax(bad))
    return None


def _as_pairs(entries: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(entries).reshape(-1)
    if flat.dtype.itemsize != 1:
        flat = flat.astype(np.uint8)
    elif flat.dtype != np.uint8:
        # A signed 2-bit dtype keeps 2 and 3 sign-extended; the kernel sees the two low bits.
        flat = flat.view(np.uint8) & 3 if flat.dtype.kind in "iV" else flat.view(np.uint8)
    return flat.view("<u2")
