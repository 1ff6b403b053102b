"""Allocations of a kernel of the `plgpu` dialect."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import boolean, integer, integers, string
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.dialects.plgpu_refs import RefReader
from mosaic_verify.model.chain import Alias, Chain, RefType
from mosaic_verify.model.facts import Allocation
from mosaic_verify.model.tmem_layout import TmemLayout

_REFS = ("smem", "tmem")


class Allocations:
    """Numbers the SMEM and TMEM refs of one kernel, in program order.

    Args:
      ops: every `plgpu.alloc` of the kernel, in program order.

    Attributes:
      ops: those of SMEM and TMEM refs.
      facts: what is known of each.
    """

    def __init__(self, ops: Sequence[ir.Operation], refs: RefReader):
        self.ops: list[ir.Operation] = []
        self.facts: list[Allocation] = []
        self._by_value: dict[ir.Value, Allocation] = {}
        for op in ops:
            value = op.results[0]
            ref = refs.type_of(value)
            if ref.space in _REFS:
                fact = self._by_value[value] = _read(op, len(self.facts), ref)
                self.ops.append(op)
                self.facts.append(fact)

    def of(self, base: ir.Value) -> Allocation | None:
        """The ref that a chain starts at, None when it is no scratch ref."""
        return self._by_value.get(base)


def layout_behind(chain: Chain, allocation: Allocation | None) -> TmemLayout | None:
    """The TMEM layout behind a chain: of the last member of a union on the way, or of the allocation."""
    for step in reversed(chain.steps):
        if isinstance(step, Alias):
            return read_layout(step.layout) if step.layout else None
    return None if allocation is None else allocation.layout


def signless(element: str) -> str:
    """An element type as Mosaic GPU has it, which does not tell signed from unsigned elements."""
    return element.removeprefix("u") if element.startswith("ui") else element


def _read(op: ir.Operation, number: int, ref: RefType) -> Allocation:
    shape, element, name = ref.shape, signless(ref.element), string(op, "name") or ""
    if ref.space == "tmem":
        batch = integers(op, "batch")
        if batch and len(shape) == 2:
            shape = (*batch, shape[0], shape[1] // math.prod(batch))
        layout = string(op, "layout")
        return Allocation(
            number,
            name,
            "tmem",
            shape,
            element,
            read_layout(layout) if layout else None,
            columns=integer(op, "columns"),
            collective=boolean(op, "collective"),
        )
    tiling = integers(op, "tiling")
    if tiling and len(shape) >= 2 * len(tiling):
        lead = len(shape) - 2 * len(tiling)
        tiles = shape[lead : lead + len(tiling)]
        shape = (*shape[:lead], *(a * b for a, b in zip(tiles, tiling, strict=True)))
    size, swizzle = integer(op, "bytes"), integer(op, "swizzle")
    return Allocation(number, name, "smem", shape, element, bytes=size, tiling=tiling, swizzle=swizzle)
