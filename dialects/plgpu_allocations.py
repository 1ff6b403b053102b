"""Allocations of a kernel of the `plgpu` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import AllocOp, shape_of, space
from mosaic_verify.dialects.plgpu_chain import OpChain
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.chain import Alias
from mosaic_verify.model.facts import Allocation
from mosaic_verify.model.tmem_layout import TmemLayout

_REFS = ("smem", "tmem")


class Allocations:
    """Numbers the SMEM and TMEM refs of one kernel, in program order.

    Args:
      ops: every `plgpu.alloc` of the kernel, in program order.
    """

    def __init__(self, ops: Sequence[ir.Operation]):
        self.ops = [op for op in ops if space(op.results[0]) in _REFS]
        self._numbers = {op: number for number, op in enumerate(self.ops)}
        self._facts = tuple(_read(op, number) for op, number in self._numbers.items())

    def facts(self) -> tuple[Allocation, ...]:
        """All refs."""
        return self._facts

    def of(self, base: ir.Value) -> Allocation | None:
        """The ref that a chain starts at, None when it is no scratch ref."""
        op = owner(base)
        number = None if op is None else self._numbers.get(op)
        return None if number is None else self._facts[number]

    def logical(self, value: ir.Value) -> tuple[tuple[int, ...], str]:
        """(shape, element type) of a ref as an op sees it; Mosaic GPU does not tell signed from unsigned elements."""
        return shape_of(value), _signless(str(value.type.element_type))

    def layout(self, found: OpChain) -> TmemLayout | None:
        """The TMEM layout behind a chain: of the last member of a union on the way, or of the allocation."""
        for step in reversed(found.chain.steps):
            if isinstance(step, Alias):
                return read_layout(step.layout) if step.layout else None
        op = owner(found.base)
        text = AllocOp(op).layout if op is not None and op.name == "plgpu.alloc" else None
        return read_layout(text) if text else None


def _signless(element: str) -> str:
    return element.removeprefix("u") if element.startswith("ui") else element


def _read(op: ir.Operation, number: int) -> Allocation:
    view = AllocOp(op)
    kind = op.results[0].type
    shape = shape_of(op.results[0])
    common = Allocation(number, view.ref_name, None, shape, _signless(str(kind.element_type)))
    if space(op.results[0]) == "tmem":
        if view.batch and len(shape) == 2:
            size = 1
            for extent in view.batch:
                size *= extent
            shape = (*view.batch, shape[0], shape[1] // size)
        layout = read_layout(view.layout) if view.layout else None
        return replace(
            common, space="tmem", shape=shape, layout=layout, columns=view.columns, collective=view.collective
        )
    tiling = view.tiling
    if tiling and len(shape) >= 2 * len(tiling):
        lead = len(shape) - 2 * len(tiling)
        tiles = shape[lead : lead + len(tiling)]
        shape = (*shape[:lead], *(a * b for a, b in zip(tiles, tiling, strict=True)))
    return replace(common, space="smem", shape=shape, bytes=view.bytes, tiling=tiling, swizzle=view.swizzle)
