"""Kernels of the `plgpu` dialect as programs of the event model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import integer, is_ref, space, string
from mosaic_verify.dialects.plgpu_flow_events import MEMORY, EventReader
from mosaic_verify.dialects.plgpu_flow_numbers import ARITHMETIC, WARP
from mosaic_verify.dialects.plgpu_view import KernelView
from mosaic_verify.model.flow import Block, Branch, Const, Event, Fork, Loop, Program, Var

_WARPS = 4
_CLUSTER = 2  # blocks of a cluster that are understood
_HARMLESS = frozenset(
    ("copy_smem_to_gmem", "async_prefetch", "async_load_tmem", "get", "load", "wgmma", "print_layout")
)
_STORES = frozenset(("swap", "store", "addupdate", "masked_swap", "atomic_store"))


def program_of(view: KernelView) -> Program | None:
    """The program of a kernel; None when it has no sparse metadata.

    Its events have places that the facts do not have ("events[0]"): `locate_events` makes them known to the view.
    """
    if not view.facts.copies and not any(mma.sparse for mma in view.facts.mmas):
        return None
    return _Translator(view).run()


def locate_events(view: KernelView, program: Program) -> None:
    """Adds the places of a program's events to the locations of a kernel."""
    for place, op in program.places.items():
        view.locations.ops[place] = op
        view.op_names[place] = op.name


class _Translator(EventReader):
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

    def _inline(self, op: ir.Operation, into: Block) -> None:
        for region in op.regions:
            yielded = self._block(region.blocks[0], into)
            for result, value in zip(op.results, yielded, strict=False):
                if not is_ref(value):
                    self._numbers.define(result, self._numbers.of(value))

    def _scan(self, op: ir.Operation, into: Block) -> None:
        carry = integer(op, "num_carry") or 0
        block = op.regions[0].blocks[0]
        arguments = list(block.arguments)
        loop = self._loop(op, arguments[:carry], list(op.operands)[:carry], list(op.results)[:carry])
        length = integer(op, "length")
        loop.count = None if length is None else Const(length)
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

    def _other(self, op: ir.Operation, name: str, into: Block) -> None:
        if name in _HARMLESS:
            return
        if name in _STORES:
            self._store(op, into)
        elif name == "primitive":
            called = string(op, "name") or ""
            if called in ARITHMETIC:
                return
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
            if any(space(argument) in (*MEMORY, "barrier") for argument in region.blocks[0].arguments):
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
