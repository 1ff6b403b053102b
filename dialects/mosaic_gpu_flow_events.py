"""Ops of the `mosaic_gpu` dialect, and of those around it, as events of the event model."""

from __future__ import annotations

from collections.abc import Sequence

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_numbers import WARP
from mosaic_verify.dialects.flow_reader import FlowReader
from mosaic_verify.dialects.mosaic_gpu import KernelView
from mosaic_verify.dialects.mosaic_gpu_flow_numbers import Expressions
from mosaic_verify.dialects.mosaic_gpu_flow_regions import Refs
from mosaic_verify.dialects.mosaic_gpu_ops import MMA_SEGMENTS, flag
from mosaic_verify.dialects.mosaic_gpu_values import attribute, integer, integers
from mosaic_verify.model.flow import ANY, Barrier, Block, Event, Expr, Program, Region

_INPUTS = ("accumulator", "a", "a_scale", "b_scale")


class EventReader(FlowReader):
    """Appends what single ops do to blocks of a program.

    Args:
      view: the kernel.
      function: the `func.func` around it.
    """

    def __init__(self, view: KernelView, function: ir.Operation):
        places: dict[ir.Operation, str] = {}
        for place, op in view.locations.ops.items():
            if "." not in place:
                places.setdefault(op, place)
        numbers = Expressions()
        super().__init__(numbers, Program(Block(), grid={WARP: 1}), places)
        self._view = view
        self._function = function
        self._numbers = numbers
        self._refs = Refs(numbers)
        self._started = False

    def _add(self, into: Block, event: Event) -> None:
        self._started = True
        into.statements.append(event)

    def _region(self, value: ir.Value) -> Region | None:
        return self._refs.region(value) if self._refs.memory(value) else None

    def _copy(self, op: ir.Operation, into: Block) -> None:
        source, target = list(op.operands)[:2]
        reads, writes = self._region(source), self._region(target)
        if reads is None or writes is None:
            self._lost(into, "a metadata copy between refs whose memory is not known")
            return
        self._add(into, Event("copy", self._place(op), reads, writes, collective=flag(op, "collective")))

    def _mma(self, op: ir.Operation, into: Block) -> None:
        sizes = integers(op, "operandSegmentSizes")
        values = iter(op.operands)
        present = {name: next(values) for name, size in zip(MMA_SEGMENTS, sizes, strict=True) if size}
        inputs = []
        for role in _INPUTS:
            if role in present and self._refs.memory(present[role]) == "tmem":
                region = self._region(present[role])
                if region is not None:
                    inputs.append((role, region))
        reads = None
        if "metadata" in present:
            reads = self._region(present["metadata"])
            if reads is None:
                self._lost(into, "metadata in a ref whose memory is not known")
        accumulator = self._region(present["accumulator"])
        collective = flag(op, "collective")
        self._add(
            into,
            Event("mma", self._place(op), reads, accumulator, inputs=tuple(inputs), collective=collective),
        )

    def _commit(self, op: ir.Operation, into: Block) -> None:
        barrier, *predicate = list(op.operands)
        self._add(
            into,
            Event(
                "commit",
                self._place(op),
                barrier=self._refs.barrier(barrier),
                collective=flag(op, "collective"),
                predicate=self._predicate(predicate),
            ),
        )

    def _predicate(self, rest: Sequence[ir.Value]) -> Expr | None:
        return self._numbers.of(rest[-1]) if rest and str(rest[-1].type) == "i1" else None

    def _load(self, op: ir.Operation, into: Block) -> None:
        sizes = integers(op, "operandSegmentSizes")
        operands = list(op.operands)
        at = sum(sizes[:4])
        predicate = operands[at : at + 1] if len(sizes) > 4 and sizes[4] else []
        region = self._region(operands[1])
        if region is None or len(sizes) < 5 or not sizes[2]:
            self._unknown(op, into, "a copy to shared memory that no barrier tracks")
            return
        self._add(
            into,
            Event(
                "load",
                self._place(op),
                writes=region,
                barrier=self._refs.barrier(operands[2]),
                arrives=False,
                predicate=self._predicate(predicate),
            ),
        )

    def _initialize(self, op: ir.Operation, into: Block) -> None:
        pointer = self._numbers.resolve(op.operands[0])
        self._program.barriers[pointer] = Barrier(integer(op, "arrival_count") or 1)

    def _arrive(self, op: ir.Operation, into: Block) -> None:
        barrier, *rest = list(op.operands)
        predicate = self._predicate(rest) if op.name == "mosaic_gpu.arrive" else None
        self._add(into, Event("arrive", self._place(op), barrier=self._refs.barrier(barrier), predicate=predicate))

    def _wait(self, op: ir.Operation, into: Block) -> None:
        if not _alternates(op.operands[1]):
            self._sync(op, into, "a wait for a phase that is not counted")
            return
        self._add(into, Event("wait", self._place(op), barrier=self._refs.barrier(op.operands[0])))

    def _tmem_write(self, op: ir.Operation, into: Block) -> None:
        self._write("tmem_write", op, op.operands[1], into)

    def _store(self, op: ir.Operation, into: Block) -> None:
        if self._refs.memory(op.operands[1]) == "smem":
            self._write("store", op, op.operands[1], into)

    def _barrier(self, op: ir.Operation, into: Block) -> None:
        if self._started:
            self._sync(op, into, "gpu.barrier")

    def _assembly(self, op: ir.Operation, into: Block) -> None:
        text = str(attribute(op, "asm_string") or "")
        if "fence.proxy.async" in text:
            self._fence(op, into)
        elif self._started and any(word in text for word in ("mbarrier", "barrier.cluster", "bar.arrive", "bar.sync")):
            if "bar.sync $0, 128" not in text:  # of one warpgroup
                self._sync(op, into, "inline assembly that synchronises")
        elif "tcgen05" in text or "cp.async" in text:
            self._lost(into, "inline assembly")

    def _unknown(self, op: ir.Operation, into: Block, reason: str) -> None:
        """Something happens to the refs of an op."""
        for value in op.operands:
            memory = self._refs.memory(value)
            if memory:
                region = self._region(value)
                if region is None:
                    into.statements.append(Event("unknown", self._place(op), regions=(ANY,), reason=reason))
                else:
                    whole = Event("unknown", self._place(op), writes=region, reason=reason)
                    into.statements.append(whole)
            elif "!mosaic_gpu.barrier" in str(value.type):
                self._sync(op, into, reason)


def _alternates(parity: ir.Value) -> bool:
    """True for the parity that `BarrierRef.wait` counts in a cell of its own, one bit per barrier."""
    for name in ("arith.extui", "arith.cmpi", "arith.andi"):
        owner = parity.owner
        if isinstance(owner, ir.Block) or owner.operation.name != name:
            return False
        parity = owner.operation.operands[0]
    owner = parity.owner
    return not isinstance(owner, ir.Block) and owner.operation.name == "memref.load"
