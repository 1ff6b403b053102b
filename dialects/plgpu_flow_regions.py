"""Refs of the `plgpu` dialect as pieces of memory and as single barriers, for the event model."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_views import (
    COLUMN,
    View,
    expand_view,
    plain_view,
    region_behind,
    reshape_view,
    slice_view,
    tensor_view,
    transpose_view,
    untile_view,
)
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

Translate = Callable[[ir.Value], Expr]


def region_of(found: OpChain, allocation: Hashable, space: str, translate: Translate) -> Region:
    """The piece of an allocation behind a chain; not exact where the chain is not understood."""
    tensor = space == "tmem"
    view = _base(found, tensor)
    for step in _without_round_trips(found.chain.steps) if tensor else found.chain.steps:
        if view is None:
            break
        view = _apply(view, step, tensor, translate)
    return region_behind(view, allocation)


def _base(found: OpChain, tensor: bool) -> View | None:
    shape, bits = found.chain.base.shape, found.chain.base.bits
    if not tensor:
        return plain_view(shape, bits)
    op = owner(found.base)
    if op is None or op.name != "plgpu.alloc":
        return None
    if "union" in op.attributes:  # counted in cells
        return tensor_view(shape, shape[1] if len(shape) == 2 else None)
    return tensor_view(shape, AllocOp(op).columns)


def _without_round_trips(steps: tuple[Step, ...]) -> list[Step]:
    """Steps without pairs of transposes that cancel out, which are all that tensor memory can take."""
    kept: list[Step] = []
    for step in steps:
        last = kept[-1] if kept else None
        if isinstance(step, Transpose) and isinstance(last, Transpose):
            both = tuple(last.permutation[dim] for dim in step.permutation)
            kept.pop()
            if both != tuple(range(len(both))):
                kept.append(Transpose(both))
        elif isinstance(step, Reshape) and isinstance(last, Reshape):
            kept[-1] = step
        else:
            kept.append(step)
    return kept


def _apply(view: View, step: Step, tensor: bool, translate: Translate) -> View | None:
    match step:
        case Slice():
            return _slice(view, step, translate)
        case Unswizzle() | Cast("identity"):
            return view
        case Untile(tiling):
            return untile_view(view, tiling)
        case Transpose(permutation):
            return None if tensor else transpose_view(view, permutation)
        case Reshape(shape):
            return reshape_view(view, shape, view.bits, tensor)
        case Bitcast(_, bits, shape):
            return reshape_view(view, shape, bits, tensor)
        case ExpandBatch(batch):
            return expand_view(view, batch) if tensor else None
        case Alias(shape, _, bits, offset, _, layout):
            if not tensor:
                return plain_view(shape, bits, view.start + 8 * offset, view.terms)
            known = read_layout(layout) if layout else None
            fits = known is not None and len(shape) == 2 and known.divides(shape)
            columns = known.columns(shape) if fits and known is not None else None
            return tensor_view(shape, columns, view.start + COLUMN * offset, view.terms)
    return None


def _slice(view: View, step: Slice, translate: Translate) -> View | None:
    starts = [translate(start.key) if isinstance(start, Dynamic) else start for start in step.starts]
    return slice_view(view, starts, step.sizes, step.strides, step.dropped)


def barrier_of(found: OpChain, allocation: Hashable, translate: Translate) -> BarrierUse:
    """One barrier of an allocation; its index is not known where the chain is not understood."""
    view = plain_view(found.chain.base.shape, 1)
    for step in found.chain.steps:
        view = _slice(view, step, translate) if isinstance(step, Slice) and view is not None else None
    if view is None or any(dim.size != 1 for dim in view.dims):
        return BarrierUse(allocation, None)
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
