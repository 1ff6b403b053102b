"""Layouts of sparse metadata in memory, as numpy permutations.

Logical metadata is `meta[m, g, s]`, shape (M, K / 4, 2): positions 0..3 of the two kept elements of group `g` of row
`m`. Flattened over (g, s) it has W = K / 2 entries per row. A kernel reads it as tiles (M / 128, W / 64, 128, 64).
Inside a tile

* the **8-bit format** (also of 4-bit operands, where a pair describes eight elements) is the block itself:
  `tile[r, c] = meta[128 mt + r, 64 kt + c]`;
* the **16-bit format** exchanges bit 3 of the row with bit 3 of the column. The exchange is an involution, so one map
  leads from either format to the other; half of the entries are fixed points.

Both keep the two entries of a pair adjacent. Source: `format_tcgen05_sparse_metadata` in
`jax/_src/pallas/mosaic_gpu/helpers.py` (JAX 0.10.2 and 0.12.0.1, the same in both); PTX ISA, "Sparse matrices" of
`tcgen05.mma`, sparsity selector of kind::f16 and of kind::f8f6f4.
"""

from __future__ import annotations

import numpy as np

from mosaic_verify.model.sparsity import METADATA_TILE

BITS_16, BITS_8, ROW_MAJOR = "16-bit", "8-bit", "row-major"
TILE_ROWS, TILE_COLUMNS = METADATA_TILE

_KIND_BITS = {"f16": 16, "i8": 8, "f8f6f4": 8, "mxf8f6f4": 8, "mxf4": 4, "mxf4nvf4": 4}


def format_of(bits: int) -> str | None:
    """The format that operands of `bits` need, None where no sparse MMA takes them (JAX knows 4, 8 and 16 bits)."""
    return {16: BITS_16, 8: BITS_8, 4: BITS_8}.get(bits)


def bits_of_kind(kind: str) -> int | None:
    """Operand width of a `tcgen05.mma.sp` by the `kind::` in its PTX text; None where no format is known (tf32)."""
    return _KIND_BITS.get(kind)


def format_tiles(meta: np.ndarray, bits: int) -> np.ndarray:
    """Lays metadata (M, K / 4, 2) out for operands of `bits`; returns (M / 128, K / 128, 128, 64) of the same dtype.

    Raises ValueError for another rank or trailing dimension, for M or K that are no multiples of 128, and for `bits`
    without a format.
    """
    m, entries = _rows_and_entries(meta)
    if format_of(bits) == BITS_8:
        split = meta.reshape(m // 128, 128, entries // 64, 64).transpose(0, 2, 1, 3)
    elif format_of(bits) == BITS_16:
        split = meta.reshape(m // 128, 8, 2, 8, entries // 64, 4, 2, 8).transpose(0, 4, 1, 6, 3, 5, 2, 7)
    else:
        raise ValueError(f"no metadata format for {bits}-bit operands")
    return split.reshape(m // 128, entries // 64, TILE_ROWS, TILE_COLUMNS)


def unformat_tiles(tiles: np.ndarray, bits: int) -> np.ndarray:
    """The inverse of `format_tiles`: tiles (MT, KT, 128, 64) to metadata (128 MT, 32 KT, 2). Raises ValueError."""
    mt, kt = _tile_grid(tiles)
    if format_of(bits) == BITS_8:
        merged = tiles.transpose(0, 2, 1, 3)
    elif format_of(bits) == BITS_16:
        merged = tiles.reshape(mt, kt, 8, 2, 8, 4, 2, 8).transpose(0, 2, 6, 4, 1, 5, 3, 7)
    else:
        raise ValueError(f"no metadata format for {bits}-bit operands")
    return merged.reshape(mt * TILE_ROWS, kt * TILE_COLUMNS // 2, 2)


def exchange_tiles(tiles: np.ndarray) -> np.ndarray:
    """From the 16-bit to the 8-bit format and back: exchanges bit 3 of the row with bit 3 of the column of each tile.

    Takes (..., 128, 64) with any leading dimensions. Raises ValueError for other trailing ones.
    """
    if tiles.shape[-2:] != METADATA_TILE:
        raise ValueError(f"expected tiles (..., 128, 64), but got shape {tiles.shape}")
    split = tiles.reshape(*tiles.shape[:-2], 8, 2, 8, 4, 2, 8)
    return np.swapaxes(split, -5, -2).reshape(tiles.shape)


def convert_tiles(tiles: np.ndarray, from_bits: int, to_bits: int) -> np.ndarray:
    """Tiles laid out for operands of `from_bits` as operands of `to_bits` need them. Raises ValueError."""
    for bits in (from_bits, to_bits):
        if format_of(bits) is None:
            raise ValueError(f"no metadata format for {bits}-bit operands")
    _tile_grid(tiles)
    return tiles if format_of(from_bits) == format_of(to_bits) else exchange_tiles(tiles)


def logical_position(tile: tuple[int, int, int, int], bits: int) -> tuple[int, int]:
    """Row of A and logical group of the entry `(mt, kt, r, c)` of tiles laid out for operands of `bits`."""
    mt, kt, row, column = tile
    if format_of(bits) == BITS_16:
        row, column = row & ~8 | column & 8, column & ~8 | row & 8
    return mt * TILE_ROWS + row, (kt * TILE_COLUMNS + column) // 2


def _rows_and_entries(meta: np.ndarray) -> tuple[int, int]:
    if meta.ndim != 3 or meta.shape[2] != 2:
        raise ValueError(f"expected metadata (M, K / 4, 2), but got shape {meta.shape}")
    m, groups, _ = meta.shape
    if m % TILE_ROWS or 2 * groups % TILE_COLUMNS:
        raise ValueError(f"M={m} and K={4 * groups} must be multiples of 128")
    return m, 2 * groups


def _tile_grid(tiles: np.ndarray) -> tuple[int, int]:
    if tiles.ndim != 4 or tiles.shape[2:] != METADATA_TILE:
        raise ValueError(f"expected tiles (M / 128, K / 128, 128, 64), but got shape {tiles.shape}")
    return tiles.shape[0], tiles.shape[1]
