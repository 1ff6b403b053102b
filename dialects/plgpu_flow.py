"""Kernels of the `plgpu` dialect as programs of the event model."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import AllocOp, Tcgen05MmaOp, is_ref, names, segments, space, string
from mosaic_verify.dialects.plgpu_flow_numbers import WARP, Expressions
from mosaic_verify.dialects.plgpu_flow_regions import RefOps, barrier_of, ref_ops, region_of, source_of
from mosaic_verify.dialects.plgpu_view import KernelView
from mosaic_verify.ir.locations import op_location
from mosaic_verify.model.flow import (
    ANY,
    Barrier,
    BarrierUse,
    Block,
    Branch,
    Const,
    Event,
    Expr,
    Fork,
    Loop,
    Program,
    Region,
    Var,
)
from mosaic_verify.model.flow.program import Contraction

_MEMORY = ("smem", "tmem")
_WARPS = 4
_CLUSTER = 2  # blocks of a cluster that are understood
_HARMLESS = frozenset(
    ("copy_smem_to_gmem", "async_prefetch", "async_load_tmem", "get", "load", "wgmma", "print_layout")
)
_STORES = frozenset(("swap", "store", "addupdate", "masked_swap", "atomic_store"))


def program_of(view: KernelView) -> Program | None:
    """The program of a kernel; None when it has no sparse metadata.

    Places of events that the facts do not have ("events[0]") are added to the view's locations.
    """
    if not view.facts.copies and not any(mma.sparse for mma in view.facts.mmas):
        return None
    return _Translator(view).run()


class _Translator:
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
            sizes = tuple(attributes[key])
            called = names(function, f"{key}_names") or tuple(f"{kind} {dim}" for dim in range(len(sizes)))
            pairs = tuple(zip(called, sizes, strict=False))
            if kind == "grid":
                self._program.grid = dict(pairs)
            else:
                self._program.cluster = pairs
        if "plgpu.num_threads" in attributes:
            axis = string(function, "plgpu.thread_name") or "warpgroup"
            self._program.threads = (axis, attributes["plgpu.num_threads"].value)
        axes = {*self._program.grid, *(name for name, _ in self._program.cluster), self._program.threads[0]}
        self._numbers = Expressions(axes)
        self._bases: dict[ir.Value, Hashable] = {}
        self._spaces: dict[Hashable, str] = {}
        self._events = 0

    def run(self) -> Program:
        if math.prod(size for _, size in self._program.cluster) > _CLUSTER:
            self._program.body.statements.append(Event("sync", "", reason="a cluster of more than two blocks"))
        self._block(self._view.function.regions[0].blocks[0], self._program.body)
        return self._program

    # Statements

    def _block(self, block: ir.Block, into: Block) -> list[ir.Value]:
        """Translates a block; gives what it yields."""
        for view in block.operations:
            op = view.operation
            name = op.name
            if name == "plgpu.yield":
                return list(op.operands)
            handler = _HANDLERS.get(name)
            if handler is not None:
                handler(self, op, into)
            elif name.startswith("plgpu.") and name not in _PURE:
                self._other(op, name[6:], into)
        return []

    def _alloc(self, op: ir.Operation, into: Block) -> None:
        value = op.results[0]
        kind = space(value)
        if kind not in (*_MEMORY, "barrier"):
            return
        number = len(self._bases)
        self._bases[value] = number
        self._spaces[number] = kind
        view = AllocOp(op)
        self._program.names[number] = view.ref_name
        if kind == "barrier":
            cluster = "cluster_axes" in op.attributes
            tracked = "leader_tracked" in op.attributes and op.attributes["leader_tracked"].value
            self._program.barriers[number] = Barrier(view.arrivals or 1, cluster, bool(tracked))

    def _inline(self, op: ir.Operation, into: Block) -> None:
        for region in op.regions:
            yielded = self._block(region.blocks[0], into)
            for result, value in zip(op.results, yielded, strict=False):
                if not is_ref(value):
                    self._numbers.define(result, self._numbers.of(value))

    def _scan(self, op: ir.Operation, into: Block) -> None:
        carry = op.attributes["num_carry"].value
        block = op.regions[0].blocks[0]
        arguments = list(block.arguments)
        loop = self._loop(op, arguments[:carry], list(op.operands)[:carry], list(op.results)[:carry])
        loop.count = Const(op.attributes["length"].value)
        yielded = self._block(block, loop.body)
        loop.next = tuple(map(self._numbers.of, yielded[:carry]))
        into.statements.append(loop)

    def _while(self, op: ir.Operation, into: Block) -> None:
        condition, body = (region.blocks[0] for region in op.regions)
        loop = self._loop(op, list(body.arguments), list(op.operands), list(op.results))
        for argument, key in zip(condition.arguments, loop.variables, strict=True):
            self._numbers.define(argument, Var(key))
        before = Block()
        [more] = self._block(condition, before)
        loop.condition = self._numbers.of(more)
        if before.statements:
            into.statements += self._lost("a condition of a loop has effects")
        yielded = self._block(body, loop.body)
        loop.next = tuple(map(self._numbers.of, yielded))
        into.statements.append(loop)

    def _loop(
        self, op: ir.Operation, arguments: Sequence[ir.Value], initial: Sequence[ir.Value], results: Sequence[ir.Value]
    ) -> Loop:
        keys = tuple(self._numbers.fresh() for _ in arguments)
        behind = tuple(self._numbers.fresh() for _ in results)
        for value, key in zip((*arguments, *results), (*keys, *behind), strict=True):
            self._numbers.define(value, Var(key))
        return Loop(self._place(op), keys, tuple(map(self._numbers.of, initial)), (), behind, Block())

    def _cond(self, op: ir.Operation, into: Block) -> None:
        results = tuple(self._numbers.fresh() for _ in op.results)
        bodies, yields = [], []
        for region in op.regions:
            body = Block()
            yields.append(tuple(map(self._numbers.of, self._block(region.blocks[0], body))))
            bodies.append(body)
        for value, key in zip(op.results, results, strict=True):
            self._numbers.define(value, Var(key))
        into.statements.append(Branch(self._place(op), self._numbers.of(op.operands[0]), bodies, yields, results))

    def _core_map(self, op: ir.Operation, into: Block) -> None:
        body = Block()
        self._block(op.regions[0].blocks[0], body)
        if string(op, "mesh") == "warp":
            into.statements.append(Fork(self._place(op), WARP, _WARPS, body))
        else:
            into.statements += self._lost("a core_map over something else than warps")

    # Events

    def _place(self, op: ir.Operation) -> str:
        place = self._places.get(op)
        if place is None:
            place = self._places[op] = f"events[{self._events}]"
            self._events += 1
            self._view.locations[place] = op_location(op)
            self._view.op_names[place] = op.name
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
            elif kind in _MEMORY:
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
        for role in ("a", "b"):
            value = getattr(view, role)
            region = self._region(value) if space(value) == "smem" else None
            if region is not None:
                operands.append((role, region))
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

    def _at_barrier(self, op: ir.Operation, into: Block, kind) -> None:
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

    def _other(self, op: ir.Operation, name: str, into: Block) -> None:
        if name in _HARMLESS:
            return
        if name in _STORES:
            self._store(op, into)
        elif name == "primitive":
            called = string(op, "name") or ""
            if called == "commit_smem":
                self._fence(op, into)
            elif len(op.regions):
                self._inline_primitive(op, into)
            elif called in ("inline_mgpu", "inline_mgpu_p"):
                self._unknown(op, into, "inline_mgpu")
                into.statements.append(Event("sync", self._place(op), reason="inline_mgpu"))
            else:
                self._unknown(op, into, f"{called} on a ref")
        elif name == "unknown_primitive":
            reason = f"an unknown primitive ({string(op, 'name')})"
            into.statements += self._lost(reason)
        elif name.startswith("semaphore"):
            into.statements.append(Event("sync", self._place(op), reason="semaphores"))
        else:
            self._unknown(op, into, name)

    def _inline_primitive(self, op: ir.Operation, into: Block) -> None:
        for region in op.regions:
            if any(space(argument) in (*_MEMORY, "barrier") for argument in region.blocks[0].arguments):
                into.statements += self._lost("refs that are passed on in a way that is not understood")
                return
        if len(op.regions) == 1:
            self._inline(op, into)
            return
        inside = Block()
        for region in op.regions:
            self._block(region.blocks[0], inside)
        if inside.statements:
            into.statements += self._lost("a primitive with several bodies")


def _collective(op: ir.Operation) -> bool:
    return "collective_axis" in op.attributes


_PURE = frozenset(
    f"plgpu.{name}"
    for name in (
        "alias",
        "axis_index",
        "bitcast",
        "cluster_ref",
        "collapse_batch",
        "commit_tmem",
        "constant",
        "expand_batch",
        "identity",
        "im2col",
        "memory_space_cast",
        "multicast",
        "multiple_of",
        "peer",
        "reshape",
        "slice",
        "swizzle",
        "tile",
        "transpose",
        "unknown_transform",
        "unswizzle",
        "untile",
    )
)

_HANDLERS = {
    "plgpu.alloc": _Translator._alloc,
    "plgpu.async_copy_scales_to_tmem": _Translator._tmem_write,
    "plgpu.async_copy_smem_to_tmem": _Translator._tmem_write,
    "plgpu.async_copy_sparse_metadata_to_tmem": _Translator._copy,
    "plgpu.async_store_tmem": _Translator._tmem_write,
    "plgpu.barrier_arrive": _Translator._arrive,
    "plgpu.barrier_arrive_and_wait": _Translator._arrive_and_wait,
    "plgpu.barrier_wait": _Translator._wait,
    "plgpu.commit_smem": _Translator._fence,
    "plgpu.cond": _Translator._cond,
    "plgpu.copy_gmem_to_smem": _Translator._load,
    "plgpu.core_map": _Translator._core_map,
    "plgpu.run_scoped": _Translator._inline,
    "plgpu.scan": _Translator._scan,
    "plgpu.tcgen05_commit_arrive": _Translator._commit,
    "plgpu.tcgen05_mma": _Translator._mma,
    "plgpu.while": _Translator._while,
}
