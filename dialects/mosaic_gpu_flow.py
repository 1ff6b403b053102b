"""Kernels of the `mosaic_gpu` dialect as programs of the event model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu import KernelView, OpLocations
from mosaic_verify.dialects.mosaic_gpu_flow_numbers import WARP, WARPGROUP, Expressions
from mosaic_verify.dialects.mosaic_gpu_flow_regions import Refs
from mosaic_verify.dialects.mosaic_gpu_ops import MMA_SEGMENTS, flag
from mosaic_verify.dialects.mosaic_gpu_values import attribute, integer, integers
from mosaic_verify.model.flow import (
    ANY,
    Apply,
    Barrier,
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

_WARPS = 4
_WARPGROUP_SIZE = 128
_INPUTS = ("accumulator", "a", "a_scale", "b_scale")


def program_of(view: KernelView) -> Program | None:
    """The program of a kernel; None when it has no sparse metadata, or lies in no function.

    Places of events that the facts do not have ("events[0]") are added to the view's locations.
    """
    if not view.facts.copies and not any(mma.sparse for mma in view.facts.mmas):
        return None
    assert isinstance(view.locations, OpLocations)
    function = view.locations.ops[""].parent
    while function is not None and function.operation.name != "func.func":
        function = function.operation.parent
    return None if function is None else _Translator(view, function.operation).run()


class _Translator:
    def __init__(self, view: KernelView, function: ir.Operation):
        assert isinstance(view.locations, OpLocations)
        self._view = view
        self._ops = view.locations.ops
        self._function = function
        self._places: dict[ir.Operation, str] = {}
        for place, op in self._ops.items():
            if "." not in place:
                self._places.setdefault(op, place)
        self._numbers = Expressions()
        self._refs = Refs(self._numbers)
        self._program = Program(Block(), grid={WARP: 1})
        self._events = 0
        self._started = False

    def run(self) -> Program:
        into = self._program.body
        for region in self._function.regions:
            self._block(region.blocks[0], into)
        return self._program

    # Statements

    def _block(self, block: ir.Block, into: Block) -> list[ir.Value]:
        """Translates a block; gives the operands of its terminator."""
        for item in block.operations:
            op = item.operation
            name = op.name
            if name in _TERMINATORS:
                return list(op.operands)
            handler = _handler_of(name)
            if handler is not None:
                handler(self, op, into)
        return []

    def _launch(self, op: ir.Operation, into: Block) -> None:
        if self._view.facts.cluster != (1, 1, 1):
            into.statements.append(Event("sync", "", reason="a cluster of blocks"))
        sizes = integers(op, "operandSegmentSizes")
        operands = list(op.operands)
        begin = sizes[0] if sizes else 0  # asynchronous dependencies
        numbers = [self._numbers.of(value) for value in operands[begin : begin + 6]]
        known = [number.value if isinstance(number, Const) else None for number in numbers]
        grid, block = known[:3], known[3:6]
        for dim, size in zip("xyz", grid, strict=False):
            if size is not None:
                self._program.grid[f"block_id {dim}"] = size
        x, y, z = (*block, None, None, None)[:3]
        self._numbers.block_dims = (x, y, z)
        if x is not None and (y, z) == (1, 1) and x % _WARPGROUP_SIZE == 0:
            self._program.threads = (WARPGROUP, x // _WARPGROUP_SIZE)
        else:
            into.statements.append(Event("sync", "", reason="a block that is not a row of warpgroups"))
        body = op.regions[0].blocks[0]
        for argument, dim in zip(list(body.arguments)[3:6], "xyz", strict=False):
            self._numbers.define(argument, self._numbers.thread(dim))
        self._block(body, into)

    def _for(self, op: ir.Operation, into: Block) -> None:
        lower, upper, step, *initial = list(op.operands)
        block = op.regions[0].blocks[0]
        loop = self._loop(op, list(block.arguments), [lower, *initial], list(op.results))
        index, bound, stride = Var(loop.variables[0]), self._numbers.of(upper), self._numbers.of(step)
        loop.condition = Apply("lt", (index, bound))
        first = loop.initial[0]
        if isinstance(first, Const) and isinstance(bound, Const) and isinstance(stride, Const) and stride.value > 0:
            loop.count = Const(max(-(-(bound.value - first.value) // stride.value), 0))
            loop.condition = None
        yielded = self._block(block, loop.body)
        loop.next = (Apply("add", (index, stride)), *map(self._numbers.of, yielded))
        into.statements.append(loop)

    def _while(self, op: ir.Operation, into: Block) -> None:
        before, after = (region.blocks[0] for region in op.regions)
        loop = self._loop(op, list(before.arguments), list(op.operands), list(op.results))
        inside = Block()
        condition = self._block(before, inside)
        if inside.statements or not condition:
            into.statements += self._lost("a condition of a loop has effects")
            return
        more, *passed = condition
        loop.condition = self._numbers.of(more)
        for argument, value in zip(after.arguments, passed, strict=False):
            self._numbers.define(argument, self._numbers.of(value))
        loop.next = tuple(map(self._numbers.of, self._block(after, loop.body)))
        if len(loop.next) != len(loop.variables):
            loop.next = tuple(Var(key) for key in loop.variables)
        # Results are what the condition passes on, which need not be the carried values.
        if [self._numbers.of(value) for value in passed] != [Var(key) for key in loop.variables]:
            loop.results = tuple(self._numbers.fresh() for _ in loop.results)
        into.statements.append(loop)

    def _loop(
        self, op: ir.Operation, arguments: Sequence[ir.Value], initial: Sequence[ir.Value], results: Sequence[ir.Value]
    ) -> Loop:
        keys = tuple(self._numbers.fresh() for _ in arguments)
        # A counter in front of the carried values has no result.
        hidden = [self._numbers.fresh() for _ in range(len(arguments) - len(results))]
        behind = (*hidden, *(self._numbers.fresh() for _ in results))
        for value, key in zip((*arguments, *results), (*keys, *behind[len(hidden) :]), strict=True):
            self._numbers.define(value, Var(key))
        return Loop(self._place(op), keys, tuple(map(self._numbers.of, initial)), (), behind[: len(keys)], Block())

    def _if(self, op: ir.Operation, into: Block) -> None:
        # `bodies[0]` is what happens when the condition is 0.
        regions = [region for region in reversed(list(op.regions)) if len(region.blocks)]
        if len(regions) == 1:
            self._branch(op, into, self._numbers.of(op.operands[0]), [None, regions[0]])
        else:
            self._branch(op, into, self._numbers.of(op.operands[0]), regions)

    def _switch(self, op: ir.Operation, into: Block) -> None:
        default, *cases = list(op.regions)
        values = integers(op, "cases")
        selector: Expr = Const(len(cases))
        found = self._numbers.of(op.operands[0])
        for number, value in enumerate(values):
            selector = Apply("select", (Apply("eq", (found, Const(value))), selector, Const(number)))
        self._branch(op, into, selector, [*cases, default])

    def _branch(self, op: ir.Operation, into: Block, selector: Expr, regions: Sequence[ir.Region | None]) -> None:
        results = tuple(self._numbers.fresh() for _ in op.results)
        bodies, yields = [], []
        for region in regions:
            body = Block()
            values = [] if region is None else self._block(region.blocks[0], body)
            yields.append(tuple(map(self._numbers.of, values)) if len(values) == len(results) else ())
            bodies.append(body)
        for value, key in zip(op.results, results, strict=True):
            self._numbers.define(value, Var(key))
        into.statements.append(Branch(self._place(op), selector, bodies, yields, results))

    def _warp_map(self, op: ir.Operation, into: Block) -> None:
        block = op.regions[0].blocks[0]
        self._numbers.aliases.update(zip(block.arguments, op.operands, strict=False))
        body = Block()
        self._block(block, body)
        into.statements.append(Fork(self._place(op), WARP, _WARPS, body))

    def _inline(self, op: ir.Operation, into: Block) -> None:
        for region in op.regions:
            self._block(region.blocks[0], into)

    # Events

    def _place(self, op: ir.Operation) -> str:
        place = self._places.get(op)
        if place is None:
            place = self._places[op] = f"events[{self._events}]"
            self._events += 1
            self._ops[place] = op
            self._view.op_names[place] = op.name  # type: ignore[index]
        return place

    def _add(self, into: Block, event: Event) -> None:
        self._started = True
        into.statements.append(event)

    def _lost(self, reason: str) -> list[Event]:
        """Nothing is known about any memory, nor about the order of threads."""
        return [Event("unknown", "", regions=(ANY,), reason=reason), Event("sync", "", reason=reason)]

    def _sync(self, op: ir.Operation, into: Block, reason: str) -> None:
        self._add(into, Event("sync", self._place(op), reason=reason))

    def _region(self, value: ir.Value) -> Region | None:
        return self._refs.region(value) if self._refs.memory(value) else None

    def _copy(self, op: ir.Operation, into: Block) -> None:
        source, target = list(op.operands)[:2]
        reads, writes = self._region(source), self._region(target)
        if reads is None or writes is None:
            into.statements += self._lost("a metadata copy between refs whose memory is not known")
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
                into.statements += self._lost("metadata in a ref whose memory is not known")
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
        target = list(op.operands)[1]
        region = self._region(target)
        if region is None:
            self._unknown(op, into, "a write to a ref whose memory is not known")
        else:
            self._add(into, Event("tmem_write", self._place(op), writes=region))

    def _store(self, op: ir.Operation, into: Block) -> None:
        target = list(op.operands)[1]
        if self._refs.memory(target) != "smem":
            return
        region = self._region(target)
        if region is None:
            self._unknown(op, into, "a store to a ref whose memory is not known")
        else:
            self._add(into, Event("store", self._place(op), writes=region))

    def _fence(self, op: ir.Operation, into: Block) -> None:
        self._add(into, Event("fence", self._place(op)))

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
            into.statements += self._lost("inline assembly")

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

    def _other(self, op: ir.Operation, into: Block) -> None:
        if len(op.regions):
            into.statements += self._lost(f"{op.name} is not understood")
        else:
            self._unknown(op, into, op.name)


def _alternates(parity: ir.Value) -> bool:
    """True for the parity that `BarrierRef.wait` counts in a cell of its own, one bit per barrier."""
    for name in ("arith.extui", "arith.cmpi", "arith.andi"):
        owner = parity.owner
        if isinstance(owner, ir.Block) or owner.operation.name != name:
            return False
        parity = owner.operation.operands[0]
    owner = parity.owner
    return not isinstance(owner, ir.Block) and owner.operation.name == "memref.load"


_TERMINATORS = frozenset(
    (
        "func.return",
        "gpu.terminator",
        "mosaic_gpu.return",
        "scf.condition",
        "scf.yield",
        "mosaic_gpu.alloca_scope.return",
    )
)
# Ops that touch neither memory of interest nor the order of threads.
_PURE = (
    "affine.",
    "arith.",
    "builtin.unrealized_conversion_cast",
    "gpu.block_dim",
    "gpu.block_id",
    "gpu.cluster_",
    "gpu.dynamic_shared_memory",
    "gpu.grid_dim",
    "gpu.thread_id",
    "index.",
    "llvm.getelementptr",
    "llvm.extractvalue",
    "llvm.insertvalue",
    "llvm.add",
    "llvm.mul",
    "llvm.inttoptr",
    "llvm.load",
    "llvm.mlir.",
    "llvm.ptrtoint",
    "llvm.store",
    "math.",
    "memref.alloca",
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.load",
    "memref.subview",
    "memref.transpose",
    "mosaic_gpu.async_load_tmem",
    "mosaic_gpu.async_prefetch",
    "mosaic_gpu.assume_multiple",
    "mosaic_gpu.broadcast",
    "mosaic_gpu.layout_cast",
    "mosaic_gpu.optimization_barrier",
    "mosaic_gpu.print_layout",
    "mosaic_gpu.reinterpret_cast",
    "mosaic_gpu.slice_",
    "mosaic_gpu.tmem_",
    "mosaic_gpu.vector_concat",
    "mosaic_gpu.vector_load",
    "mosaic_gpu.wgmma",
    "mosaic_gpu.with_transforms",
    "nvvm.cp.async.bulk.commit.group",
    "nvvm.cp.async.bulk.wait_group",
    "nvvm.elect.sync",
    "nvvm.mbarrier.init",
    "nvvm.setmaxregister",
    "nvvm.shfl.sync",
    "nvvm.tcgen05.",
    "nvvm.wgmma",
    "vector.",
)

_Handler = Callable[[_Translator, ir.Operation, Block], None]


def _ignore(_translator: _Translator, _op: ir.Operation, _into: Block) -> None:
    pass


_HANDLERS: dict[str, _Handler] = {
    "gpu.barrier": _Translator._barrier,
    "gpu.launch": _Translator._launch,
    "llvm.inline_asm": _Translator._assembly,
    "memref.store": _Translator._store,
    "mosaic_gpu.arrive": _Translator._arrive,
    "mosaic_gpu.arrive_expect_tx": _Translator._arrive,
    "mosaic_gpu.async_load": _Translator._load,
    "mosaic_gpu.async_store": _ignore,  # reads shared memory
    "mosaic_gpu.async_store_scales_smem_to_tmem": _Translator._tmem_write,
    "mosaic_gpu.async_store_smem_to_tmem": _Translator._tmem_write,
    "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem": _Translator._copy,
    "mosaic_gpu.async_store_tmem": _Translator._tmem_write,
    "mosaic_gpu.initialize_barrier": _Translator._initialize,
    "mosaic_gpu.tcgen05_commit_arrive": _Translator._commit,
    "mosaic_gpu.tcgen05_mma": _Translator._mma,
    "mosaic_gpu.vector_store": _Translator._store,
    "mosaic_gpu.warp_map": _Translator._warp_map,
    "nvvm.fence.proxy": _Translator._fence,
    "nvvm.mbarrier.try_wait.parity": _Translator._wait,
    "scf.for": _Translator._for,
    "scf.if": _Translator._if,
    "scf.index_switch": _Translator._switch,
    "scf.while": _Translator._while,
}


@cache
def _handler_of(name: str) -> _Handler | None:
    """What to do with an op, None for nothing."""
    return _HANDLERS.get(name) or (None if name.startswith(_PURE) else _Translator._other)
