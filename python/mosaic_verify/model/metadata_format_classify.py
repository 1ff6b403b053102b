"""Which metadata formats an index map equals."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from mosaic_verify.model.metadata_format import BITS_8, BITS_16, ROW_MAJOR, TILE_COLUMNS, TILE_ROWS
from mosaic_verify.model.metadata_format_graph import FILL, Node, addresses, index_dtype, waists
from mosaic_verify.model.metadata_format_strides import Modes, StridedMap, coalesce, strided_map
from mosaic_verify.model.sparsity import METADATA_TILE

_TILE = TILE_ROWS * TILE_COLUMNS
_CHUNK_TILES = 16  # tiles whose addresses are computed together: 512 KiB of int32 per temporary


@dataclass(frozen=True, slots=True)
class Laid:
    """How tiles are laid out, seen from one value behind them.

    Attributes:
      source: the value that the tiles are compared with.
      entries: metadata entries per row of `source` (K / 2).
      logical: `source` is metadata by row and group as far as its shape tells. False where it may as well hold tiles: a
        matrix with 64 columns, rows that do not come in 128s, or a value that was made from one in the shape of tiles.
      formats: the formats that the map equals inside every tile; empty when it is none of them.
      in_order: tiles follow one another as (..., M / 128, K / 128) without gaps, so that rows of `source` are rows of
      A.
      start: address in `source` of the first entry; None where no format was found.
    """

    source: Node
    entries: int
    logical: bool
    formats: frozenset[str]
    in_order: bool
    start: int | None = None


def classify(tiles: Node) -> list[Laid]:
    """Compares tiles (..., 128, 64) with each value behind them that has the shape of metadata, farthest first.

    A value whose elements are already those of tiles in one of the formats (metadata that was laid out twice) is left
    out.
    """
    found: list[Laid] = []
    if tiles.shape[-2:] != METADATA_TILE or 0 in tiles.shape:
        return found
    from_tiles = False
    for source in waists(tiles):
        entries = _row_length(source.shape)
        if is_tile_shape(source.shape):
            from_tiles = from_tiles or not found
        elif entries is not None and not any(_is_tiled(source, laid.source) for laid in found):
            tiles_too = from_tiles or source.opaque or _may_be_tiles(source.shape, entries)
            found.append(_compare(tiles, source, entries, not tiles_too))
    return found


def is_tile_shape(shape: tuple[int, ...]) -> bool:
    """(..., 128, 64) with a leading dimension."""
    return len(shape) >= 3 and shape[-2:] == METADATA_TILE


def _may_be_tiles(shape: tuple[int, ...], entries: int) -> bool:
    """A shape that rows and groups of a whole matrix have only by chance.

    A matrix of 64 columns or a list of pairs may hold tiles one after the other, (..., 128, 32, 2) tiles by pairs. Rows
    that do not come in 128s, as those of A do, may be whole tiles, or the tiles of one layer.
    """
    if len(shape) == 2:
        return entries == TILE_COLUMNS or entries % TILE_COLUMNS != 0 or shape[0] % TILE_ROWS != 0
    return shape[-3] % TILE_ROWS != 0 or (len(shape) > 3 and shape[-3:] == (TILE_ROWS, TILE_COLUMNS // 2, 2))


def _row_length(shape: tuple[int, ...]) -> int | None:
    """Entries per row of what may be logical metadata: (..., M, K / 4, 2), or a matrix (M, K / 2); else None."""
    if 0 in shape:
        return None
    if len(shape) >= 3 and shape[-1] == 2:
        return 2 * shape[-2]
    return shape[1] if len(shape) == 2 else None


def _compare(tiles: Node, source: Node, entries: int, logical: bool) -> Laid:
    found = strided_map(tiles, source)
    if found is not None:
        formats, bases = _by_strides(found, tiles.shape, entries)
        logical = logical and not _is_by_group(found, source)
    else:
        formats, bases = _by_addresses(tiles, source, entries)
    if bases is None:
        # A part of a row is no block of A: rows may be the tiles of layers, one row each.
        blocks = not formats or tiles.size % (TILE_ROWS * entries) == 0
        return Laid(source, entries, logical and blocks, formats, True)
    if not _within_rows(bases, entries):
        formats -= {BITS_8, BITS_16}
    in_order = not formats or _in_order(bases, tiles.shape, entries)
    start = int(bases[0]) if formats and bases[0] != FILL else None
    return Laid(source, entries, logical, formats, in_order, start)


def _modes(name: str, entries: int) -> Modes:
    """Normal form of the map of one tile in a format, relative to the tile's first entry."""
    if name == BITS_8:
        return coalesce(((TILE_ROWS, entries), (TILE_COLUMNS, 1)))
    if name == BITS_16:
        return coalesce(((8, 16 * entries), (2, 8), (8, entries), (4, 16), (2, 8 * entries), (8, 1)))
    return ((_TILE, 1),)


def _by_strides(found: StridedMap, shape: tuple[int, ...], entries: int) -> tuple[frozenset[str], np.ndarray | None]:
    inner = coalesce(mode for dim in found.dims[-2:] for mode in dim)
    formats = {name for name in (BITS_8, BITS_16) if inner == _modes(name, entries)}
    if found.flat == ((prod(shape), 1),):
        formats.add(ROW_MAJOR)
    bases = np.full((1,), found.offset, np.int64)
    for dim in found.dims[:-2]:
        for extent, stride in dim:
            bases = (bases[:, None] + np.arange(extent, dtype=np.int64) * stride).reshape(-1)
    if formats == {ROW_MAJOR}:
        return frozenset(formats), None
    return frozenset(formats), bases


def _is_by_group(found: StridedMap, source: Node) -> bool:
    """The map is one of the formats for pairs that are stored by group, then row: (..., K / 4, M, 2)."""
    if len(source.shape) < 3 or source.shape[-1] != 2:
        return False
    row, group = 2, 2 * source.shape[-2]
    inner = coalesce(mode for dim in found.dims[-2:] for mode in dim)
    pairs = (2, 1)
    bits_8 = ((TILE_ROWS, row), (TILE_COLUMNS // 2, group), pairs)
    bits_16 = ((8, 16 * row), (2, 4 * group), (8, row), (4, 8 * group), (2, 8 * row), (4, group), pairs)
    return inner in (coalesce(bits_8), coalesce(bits_16))


def _by_addresses(tiles: Node, source: Node, entries: int) -> tuple[frozenset[str], np.ndarray | None]:
    """The same from the address of every element, in chunks; elements from padding fit anywhere."""
    dtype = index_dtype(tiles)
    tables = {name: _table(name, entries).astype(dtype) for name in (BITS_8, BITS_16, ROW_MAJOR)}
    count = tiles.size // _TILE
    bases = {name: np.full(count, FILL, np.int64) for name in tables}
    for start in range(0, count, _CHUNK_TILES):
        stop = min(start + _CHUNK_TILES, count)
        at = np.arange(start * _TILE, stop * _TILE, dtype=dtype)
        found = addresses(tiles, source, at).reshape(stop - start, _TILE)
        real = found != FILL
        first = real.argmax(axis=1)
        some = real[np.arange(stop - start), first]
        whole = bool(real.all())
        for name in list(tables):
            table = tables[name]
            base = found[np.arange(stop - start), first] - table[first]
            same = found == base[:, None] + table
            if not (same.all() if whole else (same | ~real).all()):
                del tables[name]
            bases[name][start:stop][some] = base[some]
        if not tables:
            return frozenset(), None
    if ROW_MAJOR in tables and not _evenly(bases[ROW_MAJOR]):
        del tables[ROW_MAJOR]
    formats = frozenset(tables)
    exact = next((name for name in (BITS_16, BITS_8) if name in formats), None)
    return formats, None if exact is None else bases[exact]


def _table(name: str, entries: int) -> np.ndarray:
    table = np.zeros((1,), np.int64)
    for extent, stride in _modes(name, entries):
        table = (table[:, None] + np.arange(extent, dtype=np.int64) * stride).reshape(-1)
    return table


def _evenly(bases: np.ndarray) -> bool:
    at = np.flatnonzero(bases != FILL)
    return at.size == 0 or bool((bases[at] - bases[at[0]] == (at - at[0]) * _TILE).all())


def _within_rows(bases: np.ndarray, entries: int) -> bool:
    """No tile runs over the end of a row, and none starts in the middle of a pair."""
    column = bases[bases != FILL] % entries
    return bool(((column + TILE_COLUMNS <= entries) & (column % 2 == 0)).all())


def _in_order(bases: np.ndarray, shape: tuple[int, ...], entries: int) -> bool:
    """Tiles are those of (..., M / 128, K / 128), or of the flattened (M / 128 * K / 128)."""
    grid = shape[:-2]
    if len(grid) == 1:
        per_row = entries // TILE_COLUMNS
        grid = (grid[0] // per_row, per_row) if per_row and grid[0] % per_row == 0 else (grid[0], 1)
    elif not grid:
        grid = (1, 1)
    blocks = bases.reshape(-1, *grid[-2:])
    wanted = np.add.outer(
        np.arange(grid[-2], dtype=np.int64) * TILE_ROWS * entries, np.arange(grid[-1], dtype=np.int64) * TILE_COLUMNS
    )
    real = blocks != FILL
    for block, mask in zip(blocks, real, strict=True):
        moved = (block - wanted)[mask]
        if moved.size and (moved != moved[0]).any():
            return False
    first = bases[bases != FILL]
    return first.size == 0 or bool(((first % entries) + TILE_COLUMNS <= entries).all())


def _is_tiled(value: Node, source: Node) -> bool:
    """True when `value`, read as tiles, holds `source` in the 16- or 8-bit format (and not simply row by row)."""
    if value.size % _TILE or value.size != source.size:
        return False
    entries = _row_length(source.shape)
    viewed = Node("reshape", (value.size // _TILE, *METADATA_TILE), (value,))
    found = strided_map(viewed, source)
    if entries is None or found is None:
        return False
    formats, _ = _by_strides(found, viewed.shape, entries)
    return bool(formats) and ROW_MAJOR not in formats
