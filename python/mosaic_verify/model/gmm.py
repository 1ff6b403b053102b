"""Facts and arithmetic of megablox grouped matrix multiplication (`jax.experimental.pallas.ops.tpu.megablox`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# `make_group_metadata` finds the tile of each group with a float32 histogram; below this many tiles it is exact.
EXACT_TILES = 4096
# Blocks of a TPU kernel: the last two sizes are multiples of these, or the whole dimension (Pallas TPU lowering).
TPU_ROWS, TPU_LANES = 8, 128
_MOST_TILES = 1 << 20  # of the tiles that are counted wrong, so many are looked at


@dataclass(frozen=True, slots=True)
class Array:
    """Shape (None for a size that is not static) and element type in MLIR spelling ("bf16", "i32", "ui32")."""

    shape: tuple[int | None, ...]
    element: str

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)


@dataclass(frozen=True, slots=True)
class GroupedMatmul:
    """One call of `gmm` (lhs (m, k), rhs (groups, k, n)) or `tgmm` (lhs (k, m), rhs (m, n)). None is not known.

    Attributes:
      kind: "gmm" or "tgmm".
      preferred: `preferred_element_type` in MLIR spelling.
      tiling: (tm, tk, tn) in elements; () means that the call has none.
      sizes: values of `group_sizes`, in rows, when they are constant.
      offset: value of `group_offset` when it is constant.
      num_actual_groups: tgmm only; None where the call leaves it out.
      differentiated: True where the gradient with respect to `existing_out` is taken.
      padded_rows: rows at the end of lhs that belong to no group on purpose and are sliced off the result.
      read_rows: rows of the result that hold all that are surely read; None: all of them.
      possible_rows: rows of the result that hold all that may be read, as far as one can see; None: all of them.
      platform: "tpu" where the call is lowered for TPU, "" where blocks have no limits (interpret mode).
    """

    kind: str
    lhs: Array
    rhs: Array
    group_sizes: Array | None = None
    group_offset: Array | None = None
    existing_out: Array | None = None
    preferred: str | None = None
    tiling: tuple[int, ...] | None = None
    transpose_rhs: bool | None = False
    sizes: np.ndarray | None = None
    offset: int | None = None
    num_actual_groups: int | None = None
    differentiated: bool = False
    padded_rows: int = 0
    read_rows: range | None = None
    possible_rows: range | None = None
    platform: str = "tpu"

    @property
    def m(self) -> int | None:
        """Rows that are divided into groups."""
        return _size(self.lhs, 0 if self.kind == "gmm" else 1, rank=2)

    @property
    def k(self) -> int | None:
        """Columns of lhs in gmm (the contraction); rows of each result in tgmm."""
        return _size(self.lhs, 1 if self.kind == "gmm" else 0, rank=2)

    @property
    def n(self) -> int | None:
        """Columns of the result."""
        if self.kind == "tgmm":
            return _size(self.rhs, 1, rank=2)
        return None if self.transpose_rhs is None else _size(self.rhs, 1 if self.transpose_rhs else 2, rank=3)

    @property
    def num_groups(self) -> int | None:
        """Number of entries of `group_sizes`."""
        return None if self.group_sizes is None else _size(self.group_sizes, 0, rank=1)

    @property
    def local_groups(self) -> int | None:
        """Number of groups that are computed, unless `group_sizes` ends before: those of rhs, or of tgmm's result."""
        if self.kind == "gmm":
            return _size(self.rhs, 0, rank=3)
        return self.num_groups if self.num_actual_groups is None else self.num_actual_groups

    @property
    def first_group(self) -> int | None:
        """The first group that is computed: `group_offset`, 0 when the call has none."""
        return 0 if self.group_offset is None else self.offset

    @property
    def out_shape(self) -> tuple[int | None, ...]:
        """Shape of the result: (m, n), or (groups, k, n) for tgmm."""
        if self.kind == "gmm":
            return (self.m, self.n)
        return (self.local_groups, self.k, self.n)

    @property
    def tiles_m(self) -> int | None:
        """Number of row tiles, where tm divides m."""
        if self.m is None or not self.tiling or self.tiling[0] <= 0 or self.m % self.tiling[0]:
            return None
        return self.m // self.tiling[0]


@dataclass(frozen=True, slots=True)
class AliasedCall:
    """A `stablehlo.custom_call` with `output_operand_aliases`: pairs of (operand index, its type, result type)."""

    target: str
    pairs: tuple[tuple[int, str, str], ...]


def _size(array: Array, dim: int, *, rank: int) -> int | None:
    return array.shape[dim] if array.rank == rank else None


def misplaced_tiles(tiles_m: int) -> tuple[np.ndarray, np.ndarray]:
    """Row tiles that the float32 histogram of `make_group_metadata` may count, and surely counts, for another tile.

    `jnp.histogram(ids, bins=T, range=(0, T - 1))` makes bins that are (T - 1) / T wide, so that tile t lies
    1 - (t + 1) / T below its upper edge; near t = T that is less than half a unit in the last place of float32 once T
    exceeds 4096 (jax `_src/numpy/array_creation.py` `_linspace`, 0.10.2 and 0.12.0; megablox `gmm.py`
    `make_group_metadata`). XLA may turn the division by T into a product with 1 / T: what both ways misplace is sure,
    what one does is possible. Only the last T * T / 2**22 tiles are near enough; they alone are computed. Both ascend.
    """
    none = np.zeros(0, np.int64)
    if tiles_m <= EXACT_TILES:
        return none, none
    near = min(tiles_m, tiles_m * tiles_m // 2**22 + 8, _MOST_TILES)
    # The last tile equals the last edge and has a branch of its own in `histogram`: it never moves.
    ids = np.arange(tiles_m - near, tiles_m - 1, dtype=np.int64)
    values, tiles, span = ids.astype(np.float32), np.float32(tiles_m), np.float32(tiles_m - 1)
    wrong = []
    for width in (span / tiles, span * (np.float32(1) / tiles)):
        lower, upper = width * values, width * (ids + 1).astype(np.float32)
        wrong.append((upper <= values) | (values < lower))
    return ids[wrong[0] | wrong[1]], ids[wrong[0] & wrong[1]]


def starts_inside_tiles(sizes: np.ndarray, tm: int, *, visit_empty: bool = False) -> np.ndarray:
    """Row tiles in which a group starts at another row than the first: the only ones the histogram counts.

    tgmm visits empty groups, too, wherever they are (`visit_empty`).
    """
    sizes = sizes.astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    empty = sizes == 0
    counted = np.where(empty, visit_empty, starts % tm != 0)
    return np.unique(starts[counted] // tm)


def ignored_gradient_rows(call: GroupedMatmul) -> bool:
    """True when the gradient of `existing_out` that JAX returns differs from the true one for some rows.

    `ops._gmm_bwd` hands the whole cotangent on, although rows of local groups were overwritten (gradient 0).
    """
    return call.kind == "gmm" and call.existing_out is not None and call.differentiated


def overwrites_all_rows(call: GroupedMatmul) -> bool:
    """True when every row that a group owns is overwritten, so that no other call can have made it.

    With fewer local groups, calls are chained through `existing_out`, one for each part of the groups; the backward
    functions of the calls before ignore the rows that are not theirs.
    """
    local, groups = call.local_groups, call.num_groups
    return call.first_group == 0 and local is not None and groups is not None and local >= groups
