"""Kernels of the `mosaic_gpu` dialect as programs of the event model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu import KernelView
from mosaic_verify.dialects.mosaic_gpu_flow_events import EventReader
from mosaic_verify.dialects.mosaic_gpu_flow_numbers import WARPGROUP
from mosaic_verify.dialects.mosaic_gpu_values import integers
from mosaic_verify.model.flow import Apply, Block, Const, Event, Expr, Program, Var

_WARPGROUP_SIZE = 128


def program_of(view: KernelView) -> Program | None:
    """The program of a kernel; None when it has no sparse metadata, or lies in no function.

    Its events have places that the facts do not have ("events[0]"): `locate_events` makes them known to the view.
    """
    if not view.facts.copies and not any(mma.sparse for mma in view.facts.mmas):
        return None
    function = view.locations.ops[""].parent
    while function is not None and function.operation.name != "func.func":
        function = function.operation.parent
    return None if function is None else _Translator(view, function.operation).run()


class _Translator(EventReader):
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
        loop = self._loop(list(block.arguments), [lower, *initial], list(op.results))
        index, bound, stride = Var(loop.variables[0]), self._numbers.of(upper), self._numbers.of(step)
        loop.condition = Apply("lt", (index, bound))
        first = loop.initial[0]
        if isinstance(first, Const) and isinstance(bound, Const) and isinstance(stride, Const) and stride.value > 0:
            loop.count = Const(max(-(-(bound.value - first.value) // stride.value), 0))
            loop.condition = None
        yielded = self._block(block, loop.body)
        loop.next = (Apply("add", (index, stride)), *self._numbers.all(yielded))
        into.statements.append(loop)

    def _while(self, op: ir.Operation, into: Block) -> None:
        before, after = (region.blocks[0] for region in op.regions)
        loop = self._loop(list(before.arguments), list(op.operands), list(op.results))
        inside = Block()
        condition = self._block(before, inside)
        if inside.statements or not condition:
            self._lost(into, "a condition of a loop has effects")
            return
        more, *passed = condition
        loop.condition = self._numbers.of(more)
        for argument, value in zip(after.arguments, passed, strict=False):
            self._numbers.define(argument, self._numbers.of(value))
        loop.next = self._numbers.all(self._block(after, loop.body))
        if len(loop.next) != len(loop.variables):
            loop.next = tuple(Var(key) for key in loop.variables)
        # Results are what the condition passes on, which need not be the carried values.
        if [self._numbers.of(value) for value in passed] != [Var(key) for key in loop.variables]:
            loop.results = tuple(self._numbers.fresh() for _ in loop.results)
        into.statements.append(loop)

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

    def _warp_map(self, op: ir.Operation, into: Block) -> None:
        block = op.regions[0].blocks[0]
        self._numbers.aliases.update(zip(block.arguments, op.operands, strict=False))
        self._fork(into, block)

    def _inline(self, op: ir.Operation, into: Block) -> None:
        for region in op.regions:
            self._block(region.blocks[0], into)

    def _other(self, op: ir.Operation, into: Block) -> None:
        if len(op.regions):
            self._lost(into, f"{op.name} is not understood")
        else:
            self._unknown(op, into, op.name)


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
