"""A ref on its way through a chain of transforms, as a piece of memory of the event model."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from mosaic_verify.model.flow import Expr, Region

COLUMN = 32  # bits of a cell of tensor memory


@dataclass(slots=True)
class Dim:
    """One dimension: its size, and the bits between two neighbours.

    A stride of 0 marks the rows of tensor memory, None a dimension that is laid out in tiles with those behind it.
    Where a slice of the latter begins is counted in elements: `origin` plus `terms`.
    """

    size: int
    stride: int | None
    origin: int = 0
    terms: tuple[tuple[Expr, int], ...] = ()


@dataclass(slots=True)
class View:
    """Where a ref is.

    Attributes:
      start: constant part of its first bit.
      dims: its dimensions.
      bits: of an element; in tensor memory, along a row.
      terms: (expression, bits) whose products are added to `start`.
      tile_bits: of all dimensions without a stride together.
      around: a slice of dimensions in tiles leaves the view on all of the tiles, and is noted in the dimensions.
    """

    start: int
    dims: list[Dim]
    bits: int
    terms: list[tuple[Expr, int]]
    tile_bits: int = 0
    around: bool = False


def row_major(shape: Sequence[int], bits: int) -> list[Dim]:
    """Dimensions of a contiguous array."""
    dims, run = [], bits
    for size in reversed(shape):
        dims.append(Dim(size, run))
        run *= size
    return dims[::-1]


def plain_view(shape: Sequence[int], bits: int, start: int = 0, terms: Sequence[tuple[Expr, int]] = ()) -> View | None:
    """A contiguous array in shared memory; None for elements of unknown width."""
    return View(start, row_major(shape, bits), bits, list(terms)) if bits else None


def tensor_view(
    shape: Sequence[int], columns: int | None, start: int = 0, terms: Sequence[tuple[Expr, int]] = ()
) -> View | None:
    """A matrix in tensor memory that takes a number of columns; None when they do not fit its shape."""
    if columns is None or len(shape) != 2 or not shape[1] or columns * COLUMN % shape[1]:
        return None
    bits = columns * COLUMN // shape[1]
    return View(start, [Dim(shape[0], 0), Dim(shape[1], bits)], bits, list(terms))


def slice_view(
    view: View, starts: Sequence[int | Expr], sizes: Sequence[int], strides: Sequence[int], dropped: Sequence[int]
) -> View | None:
    """A slice; None when it is not contiguous in memory, or of rows of tensor memory."""
    if len(starts) != len(view.dims):
        return None
    kept = []
    for number, (dim, start, size, stride) in enumerate(zip(view.dims, starts, sizes, strides, strict=True)):
        origin, terms = dim.origin, dim.terms
        if not (start == 0 and size == dim.size and stride == 1):
            if stride != 1 or dim.stride == 0 or (dim.stride is None and not view.around):
                return None
            if dim.stride is None:
                origin, terms = (origin + start, terms) if isinstance(start, int) else (origin, (*terms, (start, 1)))
            elif isinstance(start, int):
                view.start += start * dim.stride
            else:
                view.terms.append((start, dim.stride))
        if number not in dropped:
            kept.append(Dim(size, dim.stride, origin, terms))
    view.dims = kept
    return view


def transpose_view(view: View, permutation: Sequence[int]) -> View | None:
    """The same memory with its dimensions in another order."""
    if len(permutation) != len(view.dims):
        return None
    view.dims = [view.dims[dim] for dim in permutation]
    return view


def untile_view(view: View, tiling: Sequence[int]) -> View | None:
    """Tiles as the matrix that they make up."""
    count = len(tiling)
    if len(view.dims) < 2 * count:
        return None
    lead, tiles, inside = view.dims[: -2 * count], view.dims[-2 * count : -count], view.dims[-count:]
    if any(dim.stride is None for dim in (*tiles, *inside)):
        return None
    merged = [Dim(a.size * b.size, None) for a, b in zip(tiles, inside, strict=True)]
    view.tile_bits = view.bits * math.prod(dim.size for dim in merged)
    view.dims = [*lead, *merged]
    return view


def reshape_view(view: View, shape: Sequence[int], bits: int, tensor: bool) -> View | None:
    """The same memory in another shape; None where that takes more than counting in order."""
    sizes = tuple(dim.size for dim in view.dims)
    if sizes == tuple(shape) and bits == view.bits:
        return view
    if tensor or view.tile_bits:
        return None
    wanted = row_major(sizes, view.bits)
    if any(dim.size > 1 and dim.stride != want.stride for dim, want in zip(view.dims, wanted, strict=True)):
        return None
    return View(view.start, row_major(shape, bits), bits, view.terms)


def expand_view(view: View, batch: Sequence[int]) -> View | None:
    """Leading dimensions of tensor memory: (m, prod(batch) * n) becomes (*batch, m, n)."""
    if len(view.dims) != 2:
        return None
    rows, columns = view.dims
    size = math.prod(batch)
    if not size or columns.size % size or columns.stride is None:
        return None
    run = columns.size // size
    leading, stride = [], run * columns.stride
    for extent in reversed(batch):
        leading.append(Dim(extent, stride))
        stride *= extent
    view.dims = [*reversed(leading), rows, Dim(run, columns.stride)]
    return view


def region_behind(view: View | None, allocation: Hashable) -> Region:
    """The piece of memory; not exact where it is not contiguous, or not known."""
    if view is None:
        return Region(allocation, 0, 0, exact=False)
    length = view.tile_bits or view.bits
    for dim in sorted((dim for dim in view.dims if dim.stride), key=lambda dim: dim.stride or 0):
        if dim.size > 1 and dim.stride != length:
            return Region(allocation, 0, 0, exact=False)
        length *= dim.size
    return Region(allocation, view.start, length, tuple(view.terms))
