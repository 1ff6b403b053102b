"""Refs and barriers of the `mosaic_gpu` dialect as pieces of memory and as single barriers, for the event model.

Slices of shared and of tensor memory have absolute offsets, so all of a kernel's shared memory is one allocation here.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_views import (
    COLUMN,
    Dim,
    View,
    plain_view,
    region_behind,
    reshape_view,
    slice_view,
    tensor_view,
    transpose_view,
)
from mosaic_verify.dialects.memref_chain import step_of
from mosaic_verify.dialects.mosaic_gpu_allocations import Allocations
from mosaic_verify.dialects.mosaic_gpu_flow_numbers import Expressions
from mosaic_verify.dialects.mosaic_gpu_values import integer, integers, is_memref, ref_type
from mosaic_verify.model.chain import Dynamic, Reshape, Slice, Start, Transpose
from mosaic_verify.model.flow import BarrierUse, Const, Expr, Region

SHARED = "smem"
_BYTE = 8


class Refs:
    """Reads refs of one kernel."""

    def __init__(self, numbers: Expressions):
        self._numbers = numbers
        self._allocations = Allocations()
        self._blocks: dict[ir.Value, Hashable] = {}

    def memory(self, value: ir.Value) -> str:
        """ "smem" or "tmem", "" for anything else."""
        if not is_memref(value.type):
            return ""
        space = ref_type(value.type).space
        return space if space in ("smem", "tmem") and "!mosaic_gpu.barrier" not in str(value.type) else ""

    def region(self, value: ir.Value) -> Region | None:
        """The memory behind a ref; None where it is not known which memory that is."""
        ops: list[ir.Operation] = []
        while True:
            value = self._numbers.resolve(value)
            op = _owner(value)
            if op is None:
                return None
            if op.name in ("mosaic_gpu.slice_smem", "mosaic_gpu.slice_tmem", "mosaic_gpu.tmem_alloc"):
                break
            if op.name not in _STEPS or not len(op.operands):
                return None
            ops.append(op)
            value = op.operands[0]
        view, allocation = self._base(op)
        for step in reversed(ops):
            if view is None:
                break
            view = self._apply(view, step, allocation != SHARED)
        return region_behind(view, allocation)

    def _base(self, op: ir.Operation) -> tuple[View | None, Hashable]:
        ref = ref_type(op.results[0].type)
        offset = integer(op, "offset") or 0
        if op.name == "mosaic_gpu.slice_smem":
            return plain_view(ref.shape, ref.bits, _BYTE * offset), SHARED
        columns = self._allocations.of(op).columns
        if columns is None and ref.element == "i2" and len(ref.shape) == 2:
            columns = ref.shape[1] * ref.bits // COLUMN  # metadata has one layout only
        if op.name == "mosaic_gpu.tmem_alloc":
            return tensor_view(ref.shape, columns), self._block(op.results[0])
        block = self._numbers.resolve(op.operands[0])
        while (inner := _owner(block)) is not None and inner.name in _INSIDE:  # members of a union (JAX 0.10)
            offset += integer(inner, "offset") or 0
            block = self._numbers.resolve(inner.operands[0])
        return tensor_view(ref.shape, columns, COLUMN * offset), self._block(block)

    def _block(self, value: ir.Value) -> Hashable:
        return self._blocks.setdefault(value, ("tmem", len(self._blocks)))

    def _apply(self, view: View, op: ir.Operation, tensor: bool) -> View | None:
        name = op.name
        if name in ("mosaic_gpu.with_transforms", "mosaic_gpu.tmem_layout_cast", "memref.cast"):
            return view
        if name == "mosaic_gpu.reinterpret_cast":
            return _tiles(view, ref_type(op.results[0].type).shape)
        match step_of(op):
            case Transpose(permutation):
                return None if tensor else transpose_view(view, permutation)
            case Reshape(shape):
                return reshape_view(view, shape, view.bits, tensor)
            case Slice() as step:
                starts = [self._start(start) for start in step.starts]
                return slice_view(view, starts, step.sizes, step.strides, step.dropped)
        return None

    def _start(self, start: Start) -> int | Expr:
        if not isinstance(start, Dynamic):
            return start
        expr = self._numbers.of(cast("ir.Value", start.key))
        return expr.value if isinstance(expr, Const) else expr

    # Barriers

    def barrier(self, value: ir.Value) -> BarrierUse:
        """The barrier behind a pointer or a memref; as its allocation counts the pointer of `initialize_barrier`."""
        terms: list[tuple[Expr, int]] = []
        while True:
            value = self._numbers.resolve(value)
            op = _owner(value)
            if op is None:
                return BarrierUse(None, None)
            if op.name == "builtin.unrealized_conversion_cast" and "ptr" in str(op.operands[0].type):
                value = op.operands[0]
            elif op.name == "llvm.getelementptr" and "struct" not in str(op.operands[0].type):
                constant = integers(op, "rawConstantIndices")
                if len(constant) != 1:
                    return BarrierUse(None, None)
                index = self._numbers.of(op.operands[1]) if len(op.operands) > 1 else None
                if index is None:
                    return BarrierUse(None, None)
                terms.append((index, 1))
                value = op.operands[0]
            else:
                return BarrierUse(value, 0, tuple(terms))


def _tiles(view: View, shape: tuple[int, ...]) -> View | None:
    """An allocation in tiles as the matrix that they make up: no part of it has a place of its own any more."""
    lead = 0
    while lead < len(shape) and lead < len(view.dims) and view.dims[lead].size == shape[lead]:
        lead += 1
    # Leading dimensions in front of the two tiled ones stay as they are.
    lead = min(lead, max(len(shape) - 2, 0))
    rest = view.dims[lead:]
    size = view.bits
    for dim in reversed(rest):
        if dim.stride != size:
            return None
        size *= dim.size
    view.dims = [*view.dims[:lead], *(Dim(extent, None) for extent in shape[lead:])]
    view.tile_bits = size
    return view


def _owner(value: ir.Value) -> ir.Operation | None:
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


_INSIDE = ("mosaic_gpu.slice_tmem", "mosaic_gpu.tmem_layout_cast")
_STEPS = frozenset(
    (
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.subview",
        "memref.transpose",
        "mosaic_gpu.reinterpret_cast",
        "mosaic_gpu.tmem_layout_cast",
        "mosaic_gpu.with_transforms",
    )
)
