"""Integers around the `mosaic_gpu` dialect as expressions of the event model."""

from __future__ import annotations

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_numbers import WARP, ScalarReader
from mosaic_verify.dialects.mosaic_gpu_values import attribute
from mosaic_verify.model.flow import Apply, Axis, Const, Expr
from mosaic_verify.model.flow.values import fold, unsigned

WARPGROUP = "warpgroup"
_WARPGROUP_SIZE, _WARP_SIZE = 128, 32  # CUDA threads

_SAME = frozenset(
    (
        "arith.extsi",
        "arith.index_cast",
        "mosaic_gpu.assume_multiple",
    )
)
_OPERATIONS = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.divsi": "div",
    "arith.divui": "div",
    "arith.remsi": "rem",
    "arith.remui": "rem",
    "arith.floordivsi": "floordiv",
    "arith.ceildivsi": "ceildiv",
    "arith.ceildivui": "ceildiv",
    "arith.maxsi": "max",
    "arith.maxui": "max",
    "arith.minsi": "min",
    "arith.minui": "min",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.shli": "shl",
    "arith.shrsi": "shr",
    "arith.shrui": "shr",
}
_UNSIGNED = frozenset(name for name in _OPERATIONS if name.endswith("ui"))
# `arith.cmpi` predicates in the order of the enumeration (ArithBase.td); from the seventh on they are unsigned.
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_FIRST_UNSIGNED = 6
_DIMENSIONS = "xyz"


class Expressions(ScalarReader):
    """Integers of a `mosaic_gpu` module.

    Attributes:
      block_dims: sizes of a block along x, y and z.
    """

    def __init__(self) -> None:
        super().__init__()
        self.block_dims: tuple[int | None, int | None, int | None] = (None, None, None)

    def thread(self, dim: str) -> Expr:
        """`gpu.thread_id` of the first thread of a warp: blocks of warpgroups extend along x."""
        if dim != "x" or self.block_dims[1:] != (1, 1):
            return Const(0) if self.block_dims[_DIMENSIONS.index(dim)] == 1 else self.opaque()
        group = Apply("mul", (Axis(WARPGROUP), Const(_WARPGROUP_SIZE)))
        return Apply("add", (group, Apply("mul", (Axis(WARP), Const(_WARP_SIZE)))))

    def _make(self, value: ir.Value) -> Expr:
        owner = value.owner
        if isinstance(owner, ir.Block):
            return self.opaque()
        op = owner.operation
        name = op.name
        if name == "arith.constant":
            number = op.attributes["value"]
            if isinstance(number, ir.BoolAttr | ir.IntegerAttr):
                return Const(int(number.value))
        elif name in _SAME:
            # -1 for true, where a flag is widened with its sign
            signed = name == "arith.extsi" and str(op.operands[0].type) == "i1"
            return self.opaque(op) if signed else self.of(op.operands[0])
        elif name in ("arith.extui", "arith.index_castui"):
            return self._unsigned(op.operands[0])
        elif name == "arith.trunci":
            bits = Const(op.results[0].type.width)
            found = self.of(op.operands[0])
            return Apply("and", (found, Const(1))) if bits.value == 1 else Apply("wrap", (found, bits))
        elif name in _OPERATIONS:
            return fold(_OPERATIONS[name], tuple(map(self._unsigned if name in _UNSIGNED else self.of, op.operands)))
        elif name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            read = self._unsigned if predicate >= _FIRST_UNSIGNED else self.of
            return Apply(_COMPARISONS[predicate], tuple(map(read, op.operands)))
        elif name == "arith.select":
            which, yes, no = op.operands
            return Apply("select", (self.of(which), self.of(no), self.of(yes)))
        elif name == "nvvm.shfl.sync":  # a broadcast of what all threads of the warp have
            return self.of(op.operands[1])
        elif name == "nvvm.elect.sync":
            return Const(1)
        elif name.startswith("gpu."):
            return self._launch(op, name)
        return self.opaque(op)

    def _unsigned(self, value: ir.Value) -> Expr:
        """An integer as one without a sign; an index is none that is negative."""
        kind = value.type
        return unsigned(self.of(value), kind.width) if isinstance(kind, ir.IntegerType) else self.of(value)

    def _launch(self, op: ir.Operation, name: str) -> Expr:
        found = str(attribute(op, "dimension") or "")
        dim = next((dim for dim in _DIMENSIONS if found.rstrip(">").endswith(dim)), None)
        if dim is not None:
            if name == "gpu.thread_id":
                return self.thread(dim)
            if name == "gpu.block_dim" and (size := self.block_dims[_DIMENSIONS.index(dim)]) is not None:
                return Const(size)
            if name in ("gpu.block_id", "gpu.cluster_block_id"):
                return Axis(f"{name[4:]} {dim}")
        return self.opaque(op)
