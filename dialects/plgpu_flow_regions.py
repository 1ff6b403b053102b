"""Refs of the `plgpu` dialect as pieces of memory and as single barriers, for the event model."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import cast

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
from mosaic_verify.dialects.plgpu import DYNAMIC, integer, integers, string
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.dialects.plgpu_refs import RefOps, RefReader
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.flow import BarrierUse, Const, Expr, Region
from mosaic_verify.model.flow.program import Operand, Source

Translate = Callable[[ir.Value], Expr]


class Refs:
    """The scratch refs of one kernel, and what points into them.

    Args:
      translate: reads scalars.
      refs: what was read of the same kernel before.

    Attributes:
      bases: allocations by the value that they begin with.
      spaces: of allocations: "smem", "tmem" or "barrier".
    """

    def __init__(self, translate: Translate, refs: RefReader):
        self._translate = translate
        self._refs = refs
        self.bases: dict[ir.Value, int] = {}
        self.spaces: list[str] = []
        self._regions: dict[ir.Value, Region | None] = {}

    def allocate(self, value: ir.Value, space: str) -> int:
        """A new allocation."""
        number = self.bases[value] = len(self.spaces)
        self.spaces.append(space)
        return number

    def region(self, value: ir.Value) -> Region | None:
        """The memory behind a ref; None for a ref whose memory is not known, or that is in global memory."""
        if value in self._regions:
            return self._regions[value]
        found = self._regions[value] = self._find(value)
        return found

    def region_in(self, space: str, value: ir.Value) -> Region | None:
        """The same; None also for a ref in another memory."""
        region = self.region(value)
        return region if region is not None and self.spaces[region.allocation] == space else None  # type: ignore[index]

    def _find(self, value: ir.Value) -> Region | None:
        found = self._refs.behind(value)
        base = None if found.remote else self.bases.get(found.base)
        if base is None or self.spaces[base] == "barrier":
            return None
        tensor = self.spaces[base] == "tmem"
        return region_behind(self._view(found, tensor, self._base(found.base, tensor)), base)

    def operand(self, role: str, value: ir.Value, axis: int) -> Operand | None:
        """A matrix in shared memory with the tiles around it as a whole, K along `axis`; None for one elsewhere."""
        found = self._refs.behind(value)
        base = None if found.remote else self.bases.get(found.base)
        if base is None or self.spaces[base] != "smem":
            return None
        view = self._base(found.base, False)
        if view is not None:
            view.around = True
        view = self._view(found, False, view)
        region = region_behind(view, base)
        if view is None or len(view.dims) != 2:
            return Operand(role, region)
        return Operand(role, region, view.dims[axis].origin, view.dims[axis].terms)

    def barrier(self, value: ir.Value) -> BarrierUse:
        """One barrier; its index is not known where the chain is not understood."""
        found = self._refs.behind(value)
        base = None if found.remote else self.bases.get(found.base)
        if base is None:
            return BarrierUse(None, None)
        view = plain_view(self._refs.type_of(found.base).shape, 1)
        for op, name in zip(found.ops, found.names, strict=True):
            view = _slice(view, op, self._translate) if name == "plgpu.slice" and view is not None else None
        if view is None or any(dim.size != 1 for dim in view.dims):
            return BarrierUse(base, None)
        return BarrierUse(base, view.start, tuple(view.terms))

    def _base(self, base: ir.Value, tensor: bool) -> View | None:
        ref = self._refs.type_of(base)
        if not tensor:
            return plain_view(ref.shape, ref.bits)
        op = owner(base)
        if op is None or op.name != "plgpu.alloc":
            return None
        if "union" in op.attributes:  # counted in cells
            return tensor_view(ref.shape, ref.shape[1] if len(ref.shape) == 2 else None)
        return tensor_view(ref.shape, integer(op, "columns"))

    def _view(self, found: RefOps, tensor: bool, view: View | None) -> View | None:
        ops, called = found.ops, found.names
        if tensor and len(ops) > 1:
            ops = _without_round_trips(ops)
            called = [op.name for op in ops]
        for op, name in zip(ops, called, strict=True):
            if view is None:
                break
            view = self._apply(view, op, name, tensor)
        return view

    def _apply(self, view: View, op: ir.Operation, name: str, tensor: bool) -> View | None:
        match name:
            case "plgpu.slice":
                return _slice(view, op, self._translate)
            case "plgpu.unswizzle" | "plgpu.identity":
                return view
            case "plgpu.untile":
                return untile_view(view, integers(op, "tiling") or ())
            case "plgpu.transpose":
                return None if tensor else transpose_view(view, integers(op, "permutation") or ())
            case "plgpu.reshape":
                return reshape_view(view, self._refs.type_of(op.results[0]).shape, view.bits, tensor)
            case "plgpu.bitcast":
                ref = self._refs.type_of(op.results[0])
                return reshape_view(view, ref.shape, ref.bits, tensor)
            case "plgpu.expand_batch":
                return expand_view(view, integers(op, "batch") or ()) if tensor else None
            case "plgpu.alias":
                return self._alias(view, op, tensor)
        return None

    def _alias(self, view: View, op: ir.Operation, tensor: bool) -> View | None:
        ref = self._refs.type_of(op.results[0])
        shape = ref.shape
        offset = integer(op, "offset") or 0
        if not tensor:
            return plain_view(shape, ref.bits, view.start + 8 * offset, view.terms)
        text = string(op, "layout")
        layout = read_layout(text) if text else None
        if layout is None or len(shape) != 2 or not layout.divides(shape):
            return None
        return tensor_view(shape, layout.columns((shape[0], shape[1])), view.start + COLUMN * offset, view.terms)


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


def _slice(view: View, op: ir.Operation, translate: Translate) -> View | None:
    found = _numbers(op, translate)
    return None if found is None else slice_view(view, *found)


def _numbers(
    op: ir.Operation, translate: Translate
) -> tuple[list[int | Expr], tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
    """Starts, sizes, strides and dropped dimensions of a slice; None for arrays as indices and run-time sizes."""
    attributes = op.attributes
    if "offsets" not in attributes or "sizes" not in attributes:
        return None
    offsets, sizes = _tuple(attributes["offsets"]), _tuple(attributes["sizes"])
    if DYNAMIC in sizes:
        return None
    starts: list[int | Expr] = list(offsets)
    if DYNAMIC in offsets:
        operands = iter(list(op.operands)[1:])
        for dim, offset in enumerate(offsets):
            if offset == DYNAMIC:
                expr = translate(next(operands))
                starts[dim] = expr.value if isinstance(expr, Const) else expr
    strides = _tuple(attributes["strides"]) if "strides" in attributes else (1,) * len(sizes)
    return starts, sizes, strides, _tuple(attributes["dropped"]) if "dropped" in attributes else ()


def _tuple(attribute: ir.Attribute) -> tuple[int, ...]:
    return tuple(cast("ir.DenseI64ArrayAttr", attribute))


def source_of(found: RefOps, array: Hashable, translate: Translate) -> Source | None:
    """A slice of an array in global memory; None where the chain does more than slice."""
    shape = tuple(found.base.type.shape)
    starts: list[tuple[int, tuple[tuple[Expr, int], ...]]] = [(0, ())] * len(shape)
    sizes = list(shape)
    present = list(range(len(shape)))
    for op, name in zip(found.ops, found.names, strict=True):
        numbers = _numbers(op, translate) if name == "plgpu.slice" else None
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
