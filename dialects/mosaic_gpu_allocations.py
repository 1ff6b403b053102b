"""Allocations of a kernel at the `mosaic_gpu` level: slices of one block of TMEM and of shared memory."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace

from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu_values import Walk, attribute, integer, integers, ref_type, space_of
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import Allocation
from mosaic_verify.model.tmem_layout import TmemLayout, default_layout, parse_layout

_COPIED = frozenset(("mosaic_gpu.tcgen05_mma", "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"))
_THROUGH = frozenset(("memref.transpose", "mosaic_gpu.reinterpret_cast"))


class Allocations:
    """Numbers the refs of one kernel. Two slices with the same start and type are one ref.

    Args:
      collective: whether the kernel's block of TMEM is collective; None without an allocation op.
    """

    def __init__(self, collective: bool | None = None):
        self.ops: list[ir.Operation] = []
        self._facts: list[Allocation] = []
        self._numbers: dict[Hashable, int] = {}
        self._collective = collective

    def of(self, op: ir.Operation, found: Walk | None = None) -> Allocation:
        """The ref that `op` allocates.

        Args:
          found: how an operand reached it; it tells the logical shape and the transforms of an SMEM ref.
        """
        number = self._numbers.setdefault(_identity(op), len(self.ops))
        if number == len(self.ops):
            self.ops.append(op)
            self._facts.append(self._read(op, number))
        if found is not None and found.base is not None and self._facts[number].space == "smem":
            tiling, swizzle = found.transforms or (None, None)
            self._facts[number] = replace(
                self._facts[number], shape=found.base.shape, element=found.base.element, tiling=tiling, swizzle=swizzle
            )
        return self._facts[number]

    def facts(self) -> tuple[Allocation, ...]:
        """All refs, in the order of their first use."""
        return tuple(self._facts)

    def _read(self, op: ir.Operation, number: int) -> Allocation:
        ref = ref_type(op.results[0].type)
        common = Allocation(number, "", space_of(ref), ref.shape, ref.element)
        offset = integer(op, "offset") if op.name in _SLICES else None
        bits = bit_width(ref.element)
        if ref.space == "tmem":
            layout = _layout(op)
            columns = None
            if layout is not None and len(ref.shape) == 2 and layout.divides(ref.shape):
                columns = layout.columns((ref.shape[0], ref.shape[1]))
            elif len(ref.shape) == 2 and bits == 32:
                columns = default_layout().columns((ref.shape[0], ref.shape[1]))
            return replace(common, layout=layout, column=offset, columns=columns, collective=self._collective)
        size = math.prod(ref.shape) * bits // 8 if bits else None
        return replace(common, offset=offset, bytes=size)


_SLICES = ("mosaic_gpu.slice_tmem", "mosaic_gpu.slice_smem")


def _identity(op: ir.Operation) -> Hashable:
    """What makes two allocating ops the same ref."""
    if op.name not in _SLICES:
        return (op.name, hash(op))
    block = hash(op.operands[0]) if len(op.operands) else 0
    return (op.name, block, integer(op, "offset"), str(op.results[0].type))


def _layout(op: ir.Operation) -> TmemLayout | None:
    """The layout that a cast of the allocation gives it, when there is one."""
    for use in op.results[0].uses:
        user = use.owner.operation
        if user.name == "mosaic_gpu.tmem_layout_cast":
            return parse_layout(str(attribute(user, "new_layout")))
    return None


def only_copied(op: ir.Operation) -> bool:
    """True when a ref in SMEM meets nothing but whole copies and MMAs, whatever its views.

    Layout inference then takes the first tile that fits the MMA.
    """
    return _only_copied(op.results[0], 0)


def _only_copied(value: ir.Value, depth: int) -> bool:
    if depth > 8:
        return False
    for use in value.uses:
        user = use.owner.operation
        if user.name in _THROUGH:
            if not _only_copied(user.results[0], depth + 1):
                return False
        elif user.name == "mosaic_gpu.async_load":
            whole = integers(user, "slice_lengths") == list(ir.MemRefType(value.type).shape)
            if not whole or use.operand_number != 1:
                return False
        elif user.name not in _COPIED:
            return False
    return True
