"""What is known about one block-sparse attention call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

CLASSES = ("mask", "full", "diag")
"""The kinds of block lists, in the order in which the kernels process them."""

WRITE_ORDERS = {"mask": "dq_write_order", "full": "dq_write_order_full", "diag": "dq_write_order_diag"}
"""The semaphore ranks that accompany the index array of each class (backward only)."""

LIST_ARRAYS = tuple(f"{name}_{part}" for name in CLASSES for part in ("cnt", "idx"))
EXTRA_ARRAYS = ("valid_upper", "valid_lower", "cu_total_m_blocks", "cu_block_idx_offsets")
ARRAYS = LIST_ARRAYS + EXTRA_ARRAYS
"""Names of the ten list operands, in the order of the op's segments."""

INTEGERS = frozenset(("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"))


@dataclass(frozen=True, eq=False, slots=True)
class HostArray:
    """One list operand.

    Attributes:
      shape: sizes; None for a dynamic one.
      element: MLIR spelling of the element type, such as "i32".
      values: the data where it is a constant, else None. May be a broadcast view.
      unreadable: why a constant could not be read ("dense_resource"); "" when it is no constant or was read.
    """

    shape: tuple[int | None, ...]
    element: str = "i32"
    values: np.ndarray | None = None
    unreadable: str = ""

    @classmethod
    def of(cls, values: np.ndarray) -> HostArray:
        """The fact of a numpy array."""
        kind = {"i": "i", "u": "ui", "f": "f"}.get(values.dtype.kind)
        element = f"{kind}{8 * values.dtype.itemsize}" if kind else str(values.dtype)
        return cls(values.shape, element, values if element in INTEGERS else None)

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False, slots=True)
class BlockList:
    """The counts and indices of one class, both present and of the right rank.

    Attributes:
      name: "mask", "full" or "diag".
      cnt: (B, H, rows) numbers of valid entries.
      idx: (B, H, rows, N) block indices; only `idx[..., :cnt]` is read.
    """

    name: str
    cnt: HostArray
    idx: HostArray

    @property
    def values(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Counts and indices; None unless both are known."""
        if self.cnt.values is None or self.idx.values is None:
            return None
        return self.cnt.values, self.idx.values


@dataclass(frozen=True, eq=False)
class BlockSparseAttention:
    """One forward or backward call. Sizes are in tokens, heads or elements; None where the IR does not say.

    Attributes:
      direction: "fwd" (a row of the lists is a Q block, an entry a KV block) or "bwd" (the reverse).
      kernel: "ranker" (KV blocks equal tile_n, nothing is broadcast) or "fa4" (FlashAttention-4's own contract).
      arrays: the operands that are present, by the names of `ARRAYS` and `WRITE_ORDERS`.
      elements: MLIR element types of "q", "k" and "v".
      block_size: (Q block, KV block) in tokens that the lists were built with, or None.
      subtile_factor: Q block of a backward call in units of tile_m, or None.
      pack_gqa: None where the caller decides it (a custom call without annotation).
      arch: "sm_100a" or None when unknown.
      assumed: True when tile sizes are defaults for a call that says nothing about itself.
      packed_seq_len: physical length of a packed row, or None.
      partial: True when `arrays` need not hold all operands of the call, so that a missing one is no fault.
    """

    direction: str
    arrays: Mapping[str, HostArray]
    seq_len_q: int | None = None
    seq_len_k: int | None = None
    batch: int | None = None
    num_heads: int | None = None
    num_kv_heads: int | None = None
    head_dim: int | None = None
    elements: Mapping[str, str] = field(default_factory=dict)
    tile_m: int = 128
    tile_n: int = 128
    q_stage: int = 1
    block_size: tuple[int, int] | None = None
    subtile_factor: int | None = None
    kv_subtile_factor: int = 1
    pack_gqa: bool | None = False
    spt: bool | None = None
    deterministic: bool = False
    kernel: str = "ranker"
    arch: str | None = None
    assumed: bool = False
    packed_seq_len: int | None = None
    partial: bool = False

    @property
    def forward(self) -> bool:
        return self.direction == "fwd"

    @property
    def varlen(self) -> bool:
        """True for the flat layout: cnt (H, total rows), idx (H, total entries)."""
        return "cu_total_m_blocks" in self.arrays

    def lists(self) -> Iterator[BlockList]:
        """The classes whose two arrays are present and have the rank that the layout asks for."""
        ranks = (2, 2) if self.varlen else (3, 4)
        for name in CLASSES:
            cnt, idx = self.arrays.get(f"{name}_cnt"), self.arrays.get(f"{name}_idx")
            if cnt is not None and idx is not None and (cnt.rank, idx.rank) == ranks:
                yield BlockList(name, cnt, idx)


@dataclass(frozen=True, eq=False, slots=True)
class AttentionPair:
    """A forward and a backward call of the same attention (they share q, k and v)."""

    forward: BlockSparseAttention
    backward: BlockSparseAttention
