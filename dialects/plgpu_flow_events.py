"""Ops of the `plgpu` dialect as events of the event model."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import (
    AllocOp,
    Tcgen05MmaOp,
    boolean,
    integer,
    integers,
    is_ref,
    names,
    segments,
    space,
    string,
)
from mosaic_verify.dialects.plgpu_flow_numbers import Expressions
from mosaic_verify.dialects.plgpu_flow_regions import (
    RefOps,
    barrier_of,
    operand_of,
    ref_ops,
    region_of,
    source_of,
)
from mosaic_verify.dialects.plgpu_view import KernelView
from mosaic_verify.model.flow import ANY, Barrier, BarrierUse, Block, Event, Expr, Program, Region
from mosaic_verify.model.flow.program import Contraction, Kind

MEMORY = ("smem", "tmem")


class EventReader:
    """Appends what single ops do to blocks of a program.

    Args:
      view: the kernel; places of events that its facts do not have ("events[0]") are noted in the program.
    """

    def __init__(self, view: KernelView):
        self._view = view
        self._places: dict[ir.Operation, str] = {}
        for place, op in view.ops.items():
            self._places.setdefault(op, place)  # an MMA with a barrier is a commit too
        function = view.function
        attributes = function.attributes
        self._program = Program(Block())
        for kind in ("grid", "cluster"):
            key = f"plgpu.{kind}"
            if key not in attributes:
                continue
            sizes = integers(function, key) or ()
            called = names(function, f"{key}_names") or tuple(f"{kind} {dim}" for dim in range(len(sizes)))
            pairs = tuple(zip(called, sizes, strict=False))
            if kind == "grid":
                self._program.grid = dict(pairs)
            else:
                self._program.cluster = pairs
        if "plgpu.num_threads" in attributes:
            axis = string(function, "plgpu.thread_name") or "warpgroup"
            self._program.threads = (axis, integer(function, "plgpu.num_threads") or 1)
        axes = {*self._program.grid, *(name for name, _ in self._program.cluster), self._program.threads[0]}
        self._numbers = Expressions(axes)
        self._bases: dict[ir.Value, Hashable] = {}
        self._spaces: dict[Hashable, str] = {}
        self._events = 0

    def _alloc(self, op: ir.Operation, into: Block) -> None:
        value = op.results[0]
        kind = space(value)
        if kind not in (*MEMORY, "barrier"):
            return
        number = len(self._bases)
        self._bases[value] = number
        self._spaces[number] = kind
        view = AllocOp(op)
        self._program.names[number] = view.ref_name
        if kind == "barrier":
            cluster = "cluster_axes" in op.attributes
            tracked = bool(boolean(op, "leader_tracked"))
            self._program.barriers[number] = Barrier(view.arrivals or 1, cluster, tracked)

    def _place(self, op: ir.Operation) -> str:
        place = self._places.get(op)
        if place is None:
            place = self._places[op] = f"events[{self._events}]"
            self._events += 1
            self._program.places[place] = op
        return place

    def _base(self, found: RefOps) -> Hashable | None:
        return None if found.remote else self._bases.get(found.base)

    def _region(self, value: ir.Value | None) -> Region | None:
        """The memory behind a ref; None for a ref whose memory is not known, or that is in global memory."""
        if value is None or not is_ref(value):
            return None
        found = ref_ops(value)
        base = self._base(found)
        if base is None or self._spaces[base] == "barrier":
            return None
        return region_of(found, base, self._spaces[base], self._numbers.of)

    def _barrier(self, value: ir.Value | None) -> BarrierUse | None:
        if value is None:
            return None
        found = ref_ops(value)
        base = self._base(found)
        if base is None:
            return BarrierUse(None, None)
        return barrier_of(found, base, self._numbers.of)

    def _lost(self, reason: str) -> list[Event]:
        """Nothing is known about any memory, nor about the order of threads."""
        return [Event("unknown", "", regions=(ANY,), reason=reason), Event("sync", "", reason=reason)]

    def _unknown(self, op: ir.Operation, into: Block, reason: str) -> None:
        """Something happens to the refs of an op."""
        touched, orders = [], False
        for value in op.operands:
            if not is_ref(value):
                continue
            found = ref_ops(value)
            base = self._bases.get(found.base)
            kind = space(found.base)
            if kind in ("barrier", "semaphore"):
                orders = True
            elif base is not None:
                touched.append(base)
            elif kind in MEMORY:
                touched += [known for known, other in self._spaces.items() if other == kind]
        if touched:
            into.statements.append(Event("unknown", self._place(op), regions=tuple(touched), reason=reason))
        if orders:
            into.statements.append(Event("sync", self._place(op), reason=reason))

    def _copy(self, op: ir.Operation, into: Block) -> None:
        source, target = list(op.operands)[:2]
        reads, writes = self._region(source), self._region(target)
        if reads is None or writes is None:
            into.statements += self._lost("a metadata copy between refs whose memory is not known")
            return
        into.statements.append(Event("copy", self._place(op), reads, writes, collective=_collective(op)))

    def _mma(self, op: ir.Operation, into: Block) -> None:
        view = Tcgen05MmaOp(op)
        inputs = []
        for role in ("accumulator", "a", "a_scale", "b_scale"):
            value = getattr(view, role)
            region = self._region(value) if value is not None and space(value) == "tmem" else None
            if region is not None:
                inputs.append((role, region))
        operands = []
        for role, axis in (("a", 1), ("b", 0)):
            value = getattr(view, role)
            if space(value) != "smem":
                continue
            found = ref_ops(value)
            base = self._base(found)
            if base is not None:
                operands.append(operand_of(role, found, base, axis, self._numbers.of))
        metadata = view.metadata
        place = self._place(op)
        if metadata is not None:
            self._program.unsigned += [
                (place, role) for role in ("a", "b") if str(getattr(view, role).type.element_type) == "ui8"
            ]
        reads = self._region(metadata)
        if metadata is not None and reads is None:
            into.statements += self._lost("metadata in a ref whose memory is not known")
        into.statements.append(
            Event(
                "mma",
                self._place(op),
                reads,
                self._region(view.accumulator),
                self._barrier(view.barrier),
                tuple(inputs),
                tuple(operands),
                contraction=self._contraction(place),
                collective=_collective(op),
            )
        )

    def _contraction(self, place: str) -> Contraction | None:
        mma = self._view.facts.mmas[int(place[len("mmas[") : -1])]
        metadata = mma.metadata.shape if mma.metadata is not None else None
        if mma.k is None or mma.a_k_major is None or mma.b_k_major is None or not metadata or len(metadata) != 2:
            return None
        if not metadata[1] or mma.k % metadata[1]:
            return None
        return Contraction(mma.k, -1 if mma.a_k_major else -2, -1 if mma.b_k_major else -2, metadata[1])

    def _commit(self, op: ir.Operation, into: Block) -> None:
        barrier, predicate = segments(op, 2)
        into.statements.append(
            Event(
                "commit",
                self._place(op),
                barrier=self._barrier(barrier[0]),
                collective=_collective(op),
                predicate=self._predicate(predicate),
            )
        )

    def _predicate(self, segment: list[ir.Value]) -> Expr | None:
        return self._numbers.of(segment[0]) if segment else None

    def _load(self, op: ir.Operation, into: Block) -> None:
        source, target, barrier, predicate = segments(op, 4)
        region = self._region(target[0])
        if region is None or not barrier:
            self._unknown(op, into, "a copy to shared memory that no barrier tracks")
            return
        found = ref_ops(source[0])
        into.statements.append(
            Event(
                "load",
                self._place(op),
                writes=region,
                barrier=self._barrier(barrier[0]),
                source=source_of(found, self._array(found.base), self._numbers.of),
                multicast="collective_axes" in op.attributes,
                leader_tracked="collective_axes" in op.attributes and "leader_tracked" in op.attributes,
                predicate=self._predicate(predicate),
            )
        )

    def _array(self, base: ir.Value) -> Hashable:
        return ir.BlockArgument(base).arg_number if isinstance(base.owner, ir.Block) else None

    def _wait(self, op: ir.Operation, into: Block) -> None:
        self._at_barrier(op, into, "wait")

    def _arrive(self, op: ir.Operation, into: Block) -> None:
        self._at_barrier(op, into, "arrive")

    def _arrive_and_wait(self, op: ir.Operation, into: Block) -> None:
        self._at_barrier(op, into, "arrive")
        self._at_barrier(op, into, "wait")

    def _at_barrier(self, op: ir.Operation, into: Block, kind: Kind) -> None:
        barrier, *rest = list(op.operands)
        predicate = [value for value in rest if isinstance(value.type, ir.IntegerType) and value.type.width == 1]
        # Behind the barrier come the operands of its transforms only where the importer could not read them.
        into.statements.append(
            Event(kind, self._place(op), barrier=self._barrier(barrier), predicate=self._predicate(predicate[-1:]))
        )

    def _tmem_write(self, op: ir.Operation, into: Block) -> None:
        target = op.operands[0] if op.name == "plgpu.async_store_tmem" else op.operands[1]
        region = self._region(target)
        if region is None:
            self._unknown(op, into, "a write to a ref whose memory is not known")
        else:
            into.statements.append(Event("tmem_write", self._place(op), writes=region))

    def _store(self, op: ir.Operation, into: Block) -> None:
        target = op.operands[0]
        if space(target) != "smem":
            return
        region = self._region(target)
        if region is None:
            self._unknown(op, into, "a store to a ref whose memory is not known")
        else:
            into.statements.append(Event("store", self._place(op), writes=region))

    def _fence(self, op: ir.Operation, into: Block) -> None:
        into.statements.append(Event("fence", self._place(op)))


def _collective(op: ir.Operation) -> bool:
    return "collective_axis" in op.attributes
