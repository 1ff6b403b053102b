"""Refs of the `plgpu` dialect as pieces of memory and as single barriers, for the event model."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import AllocOp
from mosaic_verify.dialects.plgpu_chain import OpChain
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.chain import (
    Alias,
    Bitcast,
    Cast,
    Dynamic,
    ExpandBatch,
    Reshape,
    Slice,
    Step,
    Transpose,
    Unswizzle,
    Untile,
)
from mosaic_verify.model.flow import BarrierUse, Expr, Region
from mosaic_verify.model.flow.program import Source

_COLUMN = 32  # bits of a cell of tensor memory

Translate = Callable[[ir.Value], Expr]


@dataclass(slots=True)
class _Dim:
    """One dimension: its size, and the bits between two neighbours. None: laid out in tiles with those behind it."""

    size: int
    stride: int | None


@dataclass(slots=True)
class _View:
    """A ref on its way through a chain."""

    start: int
    dims: list[_Dim]
    bits: int  # of an element, along a row of tensor memory
    terms: list[tuple[Expr, int]]
    tile_bits: int = 0  # of all dimensions without a stride together


def region_of(found: OpChain, allocation: Hashable, space: str, translate: Translate) -> Region:
    """The piece of an allocation behind a chain; not exact where the chain is not understood."""
    view = _base(found, space)
    for step in found.chain.steps:
        if view is None:
            break
        view = _apply(view, step, space, translate)
    if view is None:
        return Region(allocation, 0, 0, exact=False)
    length = view.tile_bits or view.bits
    for dim in sorted((dim for dim in view.dims if dim.stride), key=lambda dim: dim.stride or 0):
        if dim.size > 1 and dim.stride != length:
            return Region(allocation, 0, 0, exact=False)
        length *= dim.size
    return Region(allocation, view.start, length, tuple(view.terms))


def _base(found: OpChain, space: str) -> _View | None:
    shape, bits = found.chain.base.shape, found.chain.base.bits
    if space != "tmem":
        return _View(0, _row_major(shape, bits), bits, []) if bits else None
    op = owner(found.base)
    columns = AllocOp(op).columns if op is not None and op.name == "plgpu.alloc" else None
    if op is not None and "union" in op.attributes:
        columns = shape[1] if len(shape) == 2 else None
    return _tensor(shape, columns, 0, [])


def _tensor(shape: tuple[int, ...], columns: int | None, start: int, terms: list[tuple[Expr, int]]) -> _View | None:
    """A matrix in tensor memory that takes a number of columns."""
    if columns is None or len(shape) != 2 or not shape[1] or columns * _COLUMN % shape[1]:
        return None
    bits = columns * _COLUMN // shape[1]
    return _View(start, [_Dim(shape[0], 0), _Dim(shape[1], bits)], bits, terms)


def _row_major(shape: tuple[int, ...], bits: int) -> list[_Dim]:
    dims, run = [], bits
    for size in reversed(shape):
        dims.append(_Dim(size, run))
        run *= size
    return dims[::-1]


def _apply(view: _View, step: Step, space: str, translate: Translate) -> _View | None:
    match step:
        case Slice():
            return _slice(view, step, space, translate)
        case Unswizzle() | Cast("identity"):
            return view
        case Untile(tiling):
            return _untile(view, tiling)
        case Transpose(permutation) if space != "tmem" and len(permutation) == len(view.dims):
            view.dims = [view.dims[dim] for dim in permutation]
            return view
        case Reshape(shape):
            return _reshape(view, shape, view.bits, space)
        case Bitcast(_, bits, shape):
            return _reshape(view, shape, bits, space)
        case ExpandBatch(batch) if space == "tmem" and len(view.dims) == 2:
            return _expand(view, batch)
        case Alias(shape, _, bits, offset, _, layout):
            if space != "tmem":
                return _View(view.start + 8 * offset, _row_major(shape, bits), bits, view.terms) if bits else None
            known = read_layout(layout) if layout else None
            fits = known is not None and len(shape) == 2 and known.divides(shape)
            columns = known.columns(shape) if fits and known is not None else None
            return _tensor(shape, columns, view.start + _COLUMN * offset, view.terms)
    return None


def _slice(view: _View, step: Slice, space: str, translate: Translate) -> _View | None:
    if len(step.starts) != len(view.dims):
        return None
    kept = []
    for number, (dim, start, size, stride) in enumerate(
        zip(view.dims, step.starts, step.sizes, step.strides, strict=True)
    ):
        whole = start == 0 and size == dim.size and stride == 1
        if not whole:
            if stride != 1 or dim.stride is None or (space == "tmem" and dim.stride == 0):
                return None
            if isinstance(start, Dynamic):
                view.terms.append((translate(start.key), dim.stride))
            else:
                view.start += start * dim.stride
        if number not in step.dropped:
            kept.append(_Dim(size, dim.stride))
    view.dims = kept
    return view


def _untile(view: _View, tiling: tuple[int, ...]) -> _View | None:
    count = len(tiling)
    if len(view.dims) < 2 * count:
        return None
    lead, tiles, inside = view.dims[: -2 * count], view.dims[-2 * count : -count], view.dims[-count:]
    if any(dim.stride is None for dim in (*tiles, *inside)):
        return None
    merged = [_Dim(a.size * b.size, None) for a, b in zip(tiles, inside, strict=True)]
    view.tile_bits = view.bits * math.prod(dim.size for dim in merged)
    view.dims = [*lead, *merged]
    return view


def _reshape(view: _View, shape: tuple[int, ...], bits: int, space: str) -> _View | None:
    sizes = tuple(dim.size for dim in view.dims)
    if sizes == shape and bits == view.bits:
        return view
    if space == "tmem" or view.tile_bits:
        return None
    wanted = _row_major(sizes, view.bits)
    if any(dim.size > 1 and dim.stride != want.stride for dim, want in zip(view.dims, wanted, strict=True)):
        return None
    return _View(view.start, _row_major(shape, bits), bits, view.terms)


def _expand(view: _View, batch: tuple[int, ...]) -> _View | None:
    rows, columns = view.dims
    size = math.prod(batch)
    if not size or columns.size % size or columns.stride is None:
        return None
    run = columns.size // size
    leading, stride = [], run * columns.stride
    for extent in reversed(batch):
        leading.append(_Dim(extent, stride))
        stride *= extent
    view.dims = [*reversed(leading), rows, _Dim(run, columns.stride)]
    return view


def barrier_of(found: OpChain, allocation: Hashable, translate: Translate) -> BarrierUse:
    """One barrier of an allocation; its index is not known where the chain is not understood."""
    unknown = BarrierUse(allocation, None)
    view = _View(0, _row_major(found.chain.base.shape, 1), 1, [])
    for step in found.chain.steps:
        if not isinstance(step, Slice):
            return unknown
        sliced = _slice(view, step, "barrier", translate)
        if sliced is None:
            return unknown
        view = sliced
    if any(dim.size != 1 for dim in view.dims):
        return unknown
    return BarrierUse(allocation, view.start, tuple(view.terms))


def source_of(found: OpChain, array: Hashable, translate: Translate) -> Source | None:
    """A slice of an array in global memory; None where the chain does more than slice."""
    shape = found.chain.base.shape
    starts: list[tuple[int, tuple[tuple[Expr, int], ...]]] = [(0, ())] * len(shape)
    sizes = list(shape)
    present = list(range(len(shape)))
    for step in found.chain.steps:
        if not isinstance(step, Slice) or len(step.starts) != len(present) or any(s != 1 for s in step.strides):
            return None
        for dim, start, size in zip(present, step.starts, step.sizes, strict=True):
            constant, terms = starts[dim]
            if isinstance(start, Dynamic):
                terms = (*terms, (translate(start.key), 1))
            else:
                constant += start
            starts[dim], sizes[dim] = (constant, terms), size
        present = [dim for number, dim in enumerate(present) if number not in step.dropped]
    return Source(array, shape, tuple(starts), tuple(sizes))
