"""Ops of the `plgpu` dialect as events of the event model."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_reader import FlowReader
from mosaic_verify.dialects.plgpu import boolean, integer, integers, names, segments, space, string
from mosaic_verify.dialects.plgpu_flow_numbers import Expressions
from mosaic_verify.dialects.plgpu_flow_regions import Refs, source_of
from mosaic_verify.dialects.plgpu_refs import RefOps
from mosaic_verify.dialects.plgpu_view import KernelView
from mosaic_verify.model.facts import SparseMma
from mosaic_verify.model.flow import Barrier, BarrierUse, Block, Event, Expr, Program, Region
from mosaic_verify.model.flow.program import Contraction, Kind

MEMORY = ("smem", "tmem")
_PAIR = 2  # blocks of a collective operation, along the minor axis of the cluster
_TENSOR_ROLES = ("accumulator", "a", "a_scale", "b_scale")


class EventReader(FlowReader):
    """Appends what single ops do to blocks of a program."""

    def __init__(self, view: KernelView):
        program = Program(Block())
        function = view.function
        attributes = function.attributes
        for kind in ("grid", "cluster"):
            key = f"plgpu.{kind}"
            if key not in attributes:
                continue
            sizes = integers(function, key) or ()
            called = names(function, f"{key}_names") or tuple(f"{kind} {dim}" for dim in range(len(sizes)))
            pairs = tuple(zip(called, sizes, strict=False))
            if kind == "grid":
                program.grid = dict(pairs)
            else:
                program.cluster = pairs
        if "plgpu.num_threads" in attributes:
            axis = string(function, "plgpu.thread_name") or "warpgroup"
            program.threads = (axis, integer(function, "plgpu.num_threads") or 1)
        numbers = Expressions({*program.grid, *(name for name, _ in program.cluster), program.threads[0]})
        places: dict[ir.Operation, str] = {}
        for place, op in view.ops.items():
            places.setdefault(op, place)  # an MMA with a barrier is a commit too
        super().__init__(numbers, program, places)
        self._numbers = numbers
        self._view = view
        self._refs = Refs(numbers.of, view.refs)

    def _alloc(self, op: ir.Operation, into: Block) -> None:
        value = op.results[0]
        kind = space(value)
        if kind in MEMORY:
            self._refs.allocate(value, kind)
        elif kind == "barrier":
            number = self._refs.allocate(value, kind)
            axes, tracked = (), False
            if "cluster_axes" in op.attributes:
                axes, tracked = self._axes(op, "cluster_axes", into), bool(boolean(op, "leader_tracked"))
            self._program.barriers[number] = Barrier(integer(op, "arrivals") or 1, axes, tracked)

    def _axes(self, op: ir.Operation, name: str, into: Block) -> tuple[str, ...]:
        """Axes of the cluster; what is none makes the order of threads unknown."""
        axes = names(op, name) or ()
        if not {name for name, _ in self._program.cluster}.issuperset(axes):
            self._sync(op, into, "axes that are not those of the cluster")
        return axes

    def _region(self, value: ir.Value) -> Region | None:
        return self._refs.region(value)

    def _barrier(self, value: ir.Value) -> BarrierUse:
        return self._refs.barrier(value)

    def _unknown(self, op: ir.Operation, into: Block, reason: str) -> None:
        touched, orders = [], False
        for value in op.operands:
            kind = space(value)
            if not kind:
                continue
            found = self._view.refs.behind(value)
            base = self._refs.bases.get(found.base)
            kind = space(found.base)
            if kind in ("barrier", "semaphore"):
                orders = True
            elif base is not None:
                touched.append(base)
            elif kind in MEMORY:
                touched += [known for known, other in enumerate(self._refs.spaces) if other == kind]
        if touched:
            into.statements.append(Event("unknown", self._place(op), regions=tuple(touched), reason=reason))
        if orders:
            self._sync(op, into, reason)

    def _copy(self, op: ir.Operation, into: Block) -> None:
        source, target, *_ = op.operands
        reads, writes = self._region(source), self._region(target)
        if reads is None or writes is None:
            self._lost(into, "a metadata copy between refs whose memory is not known")
            return
        into.statements.append(Event("copy", self._place(op), reads, writes, collective=self._collective(op, into)))

    def _collective(self, op: ir.Operation, into: Block) -> bool:
        if "collective_axis" not in op.attributes:
            return False
        if self._program.cluster and self._program.cluster[-1] != (string(op, "collective_axis"), _PAIR):
            self._sync(op, into, "a collective operation not along the last axis of the cluster")
        return True

    def _mma(self, op: ir.Operation, into: Block) -> None:
        place = self._place(op)
        values = self._view.operands[place]
        refs = self._refs
        inputs = []
        for role in _TENSOR_ROLES:
            region = refs.region_in("tmem", values[role]) if role in values else None
            if region is not None:
                inputs.append((role, region))
        reads, operands, contraction = None, (), None
        if "metadata" in values:
            fact = self._view.facts.mmas[int(place[len("mmas[") : -1])]
            self._program.unsigned += [
                (place, role) for role in ("a", "b") if self._view.refs.type_of(values[role]).element == "ui8"
            ]
            reads = self._region(values["metadata"])
            if reads is None:
                self._lost(into, "metadata in a ref whose memory is not known")
            contraction = _contraction(fact)
            if contraction is not None:
                pair = (refs.operand("a", values["a"], 1), refs.operand("b", values["b"], 0))
                operands = tuple([operand for operand in pair if operand is not None])
        into.statements.append(
            Event(
                "mma",
                place,
                reads,
                inputs[0][1] if inputs and inputs[0][0] == "accumulator" else None,
                self._barrier(values["barrier"]) if "barrier" in values else None,
                tuple(inputs),
                operands,
                contraction=contraction,
                collective=self._collective(op, into),
            )
        )

    def _commit(self, op: ir.Operation, into: Block) -> None:
        barrier, predicate = segments(op, 2)
        into.statements.append(
            Event(
                "commit",
                self._place(op),
                barrier=self._barrier(barrier[0]),
                collective=self._collective(op, into),
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
        found = self._view.refs.behind(source[0])
        collective = "collective_axes" in op.attributes
        into.statements.append(
            Event(
                "load",
                self._place(op),
                writes=region,
                barrier=self._barrier(barrier[0]),
                source=source_of(found, _array(found), self._numbers.of),
                axes=self._axes(op, "collective_axes", into) if collective else (),
                leader_tracked=collective and "leader_tracked" in op.attributes,
                predicate=self._predicate(predicate),
            )
        )

    def _wait(self, op: ir.Operation, into: Block) -> None:
        self._at_barrier(op, into, "wait")

    def _arrive(self, op: ir.Operation, into: Block) -> None:
        self._at_barrier(op, into, "arrive")

    def _arrive_and_wait(self, op: ir.Operation, into: Block) -> None:
        self._at_barrier(op, into, "arrive")
        self._at_barrier(op, into, "wait")

    def _at_barrier(self, op: ir.Operation, into: Block, kind: Kind) -> None:
        barrier, *rest = op.operands
        predicate = [value for value in rest if isinstance(value.type, ir.IntegerType) and value.type.width == 1]
        # Behind the barrier come the operands of its transforms only where the importer could not read them.
        into.statements.append(
            Event(kind, self._place(op), barrier=self._barrier(barrier), predicate=self._predicate(predicate[-1:]))
        )

    def _tmem_write(self, op: ir.Operation, into: Block) -> None:
        self._write("tmem_write", op, op.operands[0 if op.name == "plgpu.async_store_tmem" else 1], into)

    def _store(self, op: ir.Operation, into: Block) -> None:
        if space(op.operands[0]) == "smem":
            self._write("store", op, op.operands[0], into)


def _array(found: RefOps) -> Hashable:
    base = found.base
    return ir.BlockArgument(base).arg_number if isinstance(base.owner, ir.Block) else None


def _contraction(mma: SparseMma) -> Contraction | None:
    metadata = mma.metadata.shape if mma.metadata is not None else None
    if mma.k is None or mma.a_k_major is None or mma.b_k_major is None or not metadata or len(metadata) != 2:
        return None
    if not metadata[1] or mma.k % metadata[1]:
        return None
    return Contraction(mma.k, -1 if mma.a_k_major else -2, -1 if mma.b_k_major else -2, metadata[1])
