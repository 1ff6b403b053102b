"""Refs of the `plgpu` dialect as pieces of memory and as single barriers, for the event model."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

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
from mosaic_verify.dialects.plgpu import DYNAMIC, TRANSFORMS, AllocOp, integer, integers, string
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.flow import BarrierUse, Const, Expr, Region
from mosaic_verify.model.flow.program import Operand, Source

Translate = Callable[[ir.Value], Expr]

_REMOTE = frozenset(("plgpu.cluster_ref", "plgpu.multicast", "plgpu.peer"))


@dataclass(slots=True)
class RefOps:
    """A ref as the ops between it and the ref that it starts at, which comes first.

    `remote`: it lies in another block, or in several.
    """

    base: ir.Value
    ops: list[ir.Operation]
    remote: bool


def ref_ops(value: ir.Value) -> RefOps:
    """The transforms behind a value. Unlike `chain_of` it finds out nothing about run-time starts."""
    ops: list[ir.Operation] = []
    remote = False
    while (op := owner(value)) is not None and (name := op.name) in TRANSFORMS:
        remote = remote or name in _REMOTE
        ops.append(op)
        value = op.operands[0]
    ops.reverse()
    return RefOps(value, ops, remote)


def region_of(found: RefOps, allocation: Hashable, space: str, translate: Translate) -> Region:
    """The piece of an allocation behind a chain; not exact where the chain is not understood."""
    tensor = space == "tmem"
    view = _base(found.base, tensor)
    return region_behind(_behind(view, found.ops, tensor, translate), allocation)


def operand_of(role: str, found: RefOps, allocation: Hashable, axis: int, translate: Translate) -> Operand:
    """A matrix in shared memory behind a chain, K along `axis`, with the tiles around it as a whole."""
    view = _base(found.base, False)
    if view is not None:
        view.around = True
    view = _behind(view, found.ops, False, translate)
    region = region_behind(view, allocation)
    if view is None or len(view.dims) != 2:
        return Operand(role, region)
    return Operand(role, region, view.dims[axis].origin, view.dims[axis].terms)


def _behind(view: View | None, ops: list[ir.Operation], tensor: bool, translate: Translate) -> View | None:
    for op in _without_round_trips(ops) if tensor else ops:
        if view is None:
            break
        view = _apply(view, op, tensor, translate)
    return view


def _base(base: ir.Value, tensor: bool) -> View | None:
    shape = base.type.shape
    if not tensor:
        return plain_view(shape, bit_width(str(base.type.element_type)) or 0)
    op = owner(base)
    if op is None or op.name != "plgpu.alloc":
        return None
    if "union" in op.attributes:  # counted in cells
        return tensor_view(shape, shape[1] if len(shape) == 2 else None)
    return tensor_view(shape, AllocOp(op).columns)


def _without_round_trips(ops: list[ir.Operation]) -> list[ir.Operation]:
    """Ops without pairs of transposes that cancel out, and of neighbouring reshapes the last."""
    kept: list[ir.Operation] = []
    for op in ops:
        last = kept[-1] if kept else None
        if last is not None and op.name == last.name == "plgpu.transpose":
            first, second = integers(last, "permutation") or (), integers(op, "permutation") or ()
            if all(first[dim] == place for place, dim in enumerate(second)):
                kept.pop()
                continue
        elif last is not None and op.name == last.name == "plgpu.reshape":
            kept.pop()
        kept.append(op)
    return kept


def _apply(view: View, op: ir.Operation, tensor: bool, translate: Translate) -> View | None:
    match op.name:
        case "plgpu.slice":
            return _slice(view, op, translate)
        case "plgpu.unswizzle" | "plgpu.identity":
            return view
        case "plgpu.untile":
            return untile_view(view, integers(op, "tiling") or ())
        case "plgpu.transpose":
            return None if tensor else transpose_view(view, integers(op, "permutation") or ())
        case "plgpu.reshape":
            return reshape_view(view, op.results[0].type.shape, view.bits, tensor)
        case "plgpu.bitcast":
            kind = op.results[0].type
            return reshape_view(view, kind.shape, bit_width(str(kind.element_type)) or 0, tensor)
        case "plgpu.expand_batch":
            return expand_view(view, integers(op, "batch") or ()) if tensor else None
        case "plgpu.alias":
            return _alias(view, op, tensor)
    return None


def _alias(view: View, op: ir.Operation, tensor: bool) -> View | None:
    kind = op.results[0].type
    shape, offset = tuple(kind.shape), integer(op, "offset") or 0
    if not tensor:
        return plain_view(shape, bit_width(str(kind.element_type)) or 0, view.start + 8 * offset, view.terms)
    text = string(op, "layout")
    layout = read_layout(text) if text else None
    if layout is None or len(shape) != 2 or not layout.divides(shape):
        return None
    return tensor_view(shape, layout.columns((shape[0], shape[1])), view.start + COLUMN * offset, view.terms)


def _slice(view: View, op: ir.Operation, translate: Translate) -> View | None:
    found = _numbers(op, translate)
    return None if found is None else slice_view(view, *found)


def _numbers(
    op: ir.Operation, translate: Translate
) -> tuple[list[int | Expr], tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
    """Starts, sizes, strides and dropped dimensions of a slice; None for arrays as indices and run-time sizes."""
    offsets, sizes = integers(op, "offsets"), integers(op, "sizes")
    if offsets is None or sizes is None or DYNAMIC in sizes:
        return None
    starts: list[int | Expr] = list(offsets)
    if DYNAMIC in offsets:
        operands = iter(list(op.operands)[1:])
        for dim, offset in enumerate(offsets):
            if offset == DYNAMIC:
                expr = translate(next(operands))
                starts[dim] = expr.value if isinstance(expr, Const) else expr
    return starts, sizes, integers(op, "strides") or (1,) * len(sizes), integers(op, "dropped") or ()


def barrier_of(found: RefOps, allocation: Hashable, translate: Translate) -> BarrierUse:
    """One barrier of an allocation; its index is not known where the chain is not understood."""
    view = plain_view(found.base.type.shape, 1)
    for op in found.ops:
        view = _slice(view, op, translate) if op.name == "plgpu.slice" and view is not None else None
    if view is None or any(dim.size != 1 for dim in view.dims):
        return BarrierUse(allocation, None)
    return BarrierUse(allocation, view.start, tuple(view.terms))


def source_of(found: RefOps, array: Hashable, translate: Translate) -> Source | None:
    """A slice of an array in global memory; None where the chain does more than slice."""
    shape = tuple(found.base.type.shape)
    starts: list[tuple[int, tuple[tuple[Expr, int], ...]]] = [(0, ())] * len(shape)
    sizes = list(shape)
    present = list(range(len(shape)))
    for op in found.ops:
        numbers = _numbers(op, translate) if op.name == "plgpu.slice" else None
        if numbers is None or len(numbers[0]) != len(present) or any(stride != 1 for stride in numbers[2]):
            return None
        for dim, start, size in zip(present, numbers[0], numbers[1], strict=True):
            constant, terms = starts[dim]
            if isinstance(start, int):
                constant += start
            else:
                terms = (*terms, (start, 1))
            starts[dim], sizes[dim] = (constant, terms), size
        present = [dim for number, dim in enumerate(present) if number not in numbers[3]]
    return Source(array, shape, tuple(starts), tuple(sizes))
