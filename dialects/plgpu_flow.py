"""Kernels of the `plgpu` dialect as programs of the event model."""

from __future__ import annotations

import math

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import TRANSFORMS, integer, is_ref, space, string
from mosaic_verify.dialects.plgpu_flow_events import MEMORY, EventReader
from mosaic_verify.dialects.plgpu_flow_numbers import ARITHMETIC
from mosaic_verify.dialects.plgpu_view import KernelView
from mosaic_verify.model.flow import Block, Const, Event, Program, Var

_CLUSTER = 8  # blocks of a cluster, more of which few devices have
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


class _Translator(EventReader):
    def run(self) -> Program:
        if math.prod(size for _, size in self._program.cluster) > _CLUSTER:
            self._program.body.statements.append(Event("sync", "", reason=f"a cluster of more than {_CLUSTER} blocks"))
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
        loop = self._loop(arguments[:carry], list(op.operands)[:carry], list(op.results)[:carry])
        length = integer(op, "length")
        loop.count = None if length is None else Const(length)
        yielded = self._block(block, loop.body)
        loop.next = self._numbers.all(yielded[:carry])
        into.statements.append(loop)

    def _while(self, op: ir.Operation, into: Block) -> None:
        condition, body = (region.blocks[0] for region in op.regions)
        loop = self._loop(list(body.arguments), list(op.operands), list(op.results))
        for argument, key in zip(condition.arguments, loop.variables, strict=True):
            self._numbers.define(argument, Var(key))
        before = Block()
        [more] = self._block(condition, before)
        loop.condition = self._numbers.of(more)
        if before.statements:
            self._lost(into, "a condition of a loop has effects")
        yielded = self._block(body, loop.body)
        loop.next = self._numbers.all(yielded)
        into.statements.append(loop)

    def _cond(self, op: ir.Operation, into: Block) -> None:
        self._branch(op, into, self._numbers.of(op.operands[0]), list(op.regions))

    def _core_map(self, op: ir.Operation, into: Block) -> None:
        if string(op, "mesh") == "warp":
            self._fork(into, op.regions[0].blocks[0])
        else:
            self._block(op.regions[0].blocks[0], Block())
            self._lost(into, "a core_map over something else than warps")

    def _other(self, op: ir.Operation, name: str, into: Block) -> None:
        if name in _HARMLESS:
            return
        if name in _STORES:
            self._store(op, into)
        elif name == "unknown_primitive":
            reason = f"an unknown primitive ({string(op, 'name')})"
            self._lost(into, reason)
        elif name.startswith("semaphore"):
            self._sync(op, into, "semaphores")
        else:
            self._unknown(op, into, name)

    def _primitive(self, op: ir.Operation, into: Block) -> None:
        called = string(op, "name") or ""
        if called in ARITHMETIC:
            self._numbers.compute(op, called)
        elif called == "commit_smem":
            self._fence(op, into)
        elif len(op.regions):
            self._inline_primitive(op, into)
        elif called in ("inline_mgpu", "inline_mgpu_p"):
            self._unknown(op, into, "inline_mgpu")
            self._sync(op, into, "inline_mgpu")
        else:
            self._unknown(op, into, f"{called} on a ref")

    def _inline_primitive(self, op: ir.Operation, into: Block) -> None:
        for region in op.regions:
            if any(space(argument) in (*MEMORY, "barrier") for argument in region.blocks[0].arguments):
                self._lost(into, "refs that are passed on in a way that is not understood")
                return
        if len(op.regions) == 1:
            self._inline(op, into)
            return
        inside = Block()
        for region in op.regions:
            self._block(region.blocks[0], inside)
        if inside.statements:
            self._lost(into, "a primitive with several bodies")


# Ops that touch neither memory of interest nor the order of threads.
_PURE = TRANSFORMS | {f"plgpu.{name}" for name in ("axis_index", "commit_tmem", "constant", "multiple_of")}

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
    "plgpu.primitive": _Translator._primitive,
    "plgpu.run_scoped": _Translator._inline,
    "plgpu.scan": _Translator._scan,
    "plgpu.tcgen05_commit_arrive": _Translator._commit,
    "plgpu.tcgen05_mma": _Translator._mma,
    "plgpu.while": _Translator._while,
}
