"""Kernels of the `plgpu` dialect as facts: the same facts as those of the `mosaic_gpu` level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import Tcgen05MmaOp, integer, integers, is_ref, kernels, string
from mosaic_verify.dialects.plgpu_allocations import Allocations, layout_behind, signless
from mosaic_verify.dialects.plgpu_chain import OpChain, chain_of
from mosaic_verify.dialects.plgpu_operands import column_of, strides_of, swizzles_that_fit, tiles_of
from mosaic_verify.dialects.plgpu_refs import RefReader
from mosaic_verify.dialects.plgpu_resources import resources_of
from mosaic_verify.dialects.plgpu_target import target_of
from mosaic_verify.dialects.plgpu_uses import only_copied
from mosaic_verify.ir.locations import OpLocations, op_location
from mosaic_verify.model.chain import Alias, Chain
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import (
    Allocation,
    Commit,
    Kernel,
    MetadataCopy,
    Operand,
    Space,
    SparseMma,
    Target,
    TmemCopy,
)
from mosaic_verify.model.jax_versions import since
from mosaic_verify.model.operand_tiles import implied_swizzle

MMA = "plgpu.tcgen05_mma"
METADATA_COPY = "plgpu.async_copy_sparse_metadata_to_tmem"
SCALES_COPY = "plgpu.async_copy_scales_to_tmem"
OPERAND_COPY = "plgpu.async_copy_smem_to_tmem"
COMMIT = "plgpu.tcgen05_commit_arrive"
ALLOC = "plgpu.alloc"
REDUCE = "plgpu.reduce"
OPS = (MMA, METADATA_COPY, SCALES_COPY, OPERAND_COPY, COMMIT, ALLOC, REDUCE)

_MMA_REFS = ("accumulator", "a", "b", "a_scale", "b_scale", "metadata")


@dataclass
class KernelView:
    """A kernel as facts, and where its places are.

    Attributes:
      function: the kernel.
      locations: from places in `facts` ("mmas[0]", "mmas[0].metadata.chain[1]", "allocations[2]", "tmem") to locations.
      op_names: from places of ops to the names of the ops.
      ops: from places of ops to the ops; they hold until the IR is changed.
      chains: from places of operands ("mmas[0].metadata") to their chains.
      operands: from places of MMAs to their operands by role.
      refs: what was read of the refs.
    """

    function: ir.Operation
    facts: Kernel
    locations: OpLocations
    op_names: dict[str, str]
    ops: dict[str, ir.Operation]
    chains: dict[str, OpChain]
    operands: dict[str, dict[str, ir.Value]]
    refs: RefReader


@dataclass
class _Reader:
    """Reads the ops of one kernel."""

    target: Target
    refs: RefReader
    allocations: Allocations
    unknown: ir.Location
    locations: OpLocations = field(default_factory=OpLocations)
    op_names: dict[str, str] = field(default_factory=dict)
    ops: dict[str, ir.Operation] = field(default_factory=dict)
    chains: dict[str, OpChain] = field(default_factory=dict)
    operands: dict[str, dict[str, ir.Value]] = field(default_factory=dict)

    def place(self, place: str, op: ir.Operation) -> None:
        self.locations.ops[place] = op
        self.op_names[place] = op.name
        self.ops[place] = op

    def operand(self, value: ir.Value, place: str) -> Operand:
        """One ref operand. Transforms have no place of their own in a kernel: notes about them point at the ref."""
        found = self.chains[place] = chain_of(value, self.refs)
        chain = found.chain
        allocation = self.allocations.of(found.base)
        if allocation is not None:
            places, alloc = self.locations.ops, self.allocations.ops[allocation.index]
            places[f"{place}.allocation"] = alloc
            if found.ops and alloc.location != self.unknown:
                for number in range(len(found.ops)):
                    places[f"{place}.chain[{number}]"] = alloc
        ref = self.refs.type_of(value)
        element = signless(ref.element)
        more: dict[str, Any] = {}
        if ref.space == "smem":
            more = self._in_smem(ref.shape, element, found)
        elif ref.space == "tmem":
            more = self._in_tmem(chain, allocation)
        return Operand(ref.shape, element, _SPACES.get(ref.space, "other"), allocation, chain.steps, chain.base, **more)

    def _in_tmem(self, chain: Chain, allocation: Allocation | None) -> dict[str, Any]:
        column, multiple = column_of(chain)
        layout = layout_behind(chain, allocation) if self._told_layout(chain) else None
        return {"layout": layout, "column": column, "column_multiple": multiple}

    def _told_layout(self, chain: Chain) -> bool:
        """False where Pallas does not tell layout inference the layout of a ref, so that any will do."""
        if self.target.semantics == "lane" or since("union-layouts", self.target.jax):
            return True
        return not any(isinstance(step, Alias) for step in chain.steps)

    def _in_smem(self, shape: tuple[int, ...], element: str, found: OpChain) -> dict[str, Any]:
        chain = found.chain
        tiles = tiles_of(chain)
        known = self.target.semantics == "lane" or tiles.tiling is not None or tiles.swizzle is not None
        swizzle = tiles.swizzle
        if swizzle is None and self.target.semantics == "warpgroup":
            swizzle = implied_swizzle(tiles.tiling, bit_width(element), self.target.jax)
        return {
            "smem_known": known,
            "tiling": tiles.tiling,
            "swizzle": swizzle,
            "swizzle_candidates": () if known else swizzles_that_fit(shape, element, chain),
            "swizzle_settled": not known and only_copied(found.base),
            "transposed": tiles.transposed,
            "strides": strides_of(chain),
        }

    def mma(self, op: ir.Operation, place: str) -> SparseMma:
        self.place(place, op)
        values = self.operands[place] = Tcgen05MmaOp(op).by_role()
        refs = {
            role: self.operand(values[role], f"{place}.{role}")
            for role in _MMA_REFS
            if role in values and is_ref(values[role])
        }
        return SparseMma(**refs, collective=string(op, "collective_axis") is not None, target=self.target)

    def copy(self, op: ir.Operation, place: str) -> dict:
        self.place(place, op)
        source, destination, *_ = op.operands
        return {
            "source": self.operand(source, f"{place}.source"),
            "destination": self.operand(destination, f"{place}.destination"),
            "collective": string(op, "collective_axis") is not None,
            "target": self.target,
        }


_SPACES: dict[str, Space] = {"smem": "smem", "tmem": "tmem", "gmem": "gmem"}


def kernel_views(
    module: ir.Operation, ops: Sequence[ir.Operation], *, arch: tuple[int, int] | None = None
) -> list[KernelView]:
    """The kernels of a module.

    Args:
      ops: all ops of the module with a name in `OPS`, in program order per name.
      arch: compute capability; None takes what the kernel says.
    """
    found: dict[ir.Operation, list[ir.Operation]] = {function: [] for function in kernels(module)}
    for op in ops:
        function = _function(op)
        if function is not None and function in found:
            found[function].append(op)
    return [_view(function, inside, arch) for function, inside in found.items()]


def _function(op: ir.Operation) -> ir.Operation | None:
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        parent = parent.operation.parent
    return None if parent is None else parent.operation


def _view(function: ir.Operation, ops: list[ir.Operation], arch: tuple[int, int] | None) -> KernelView:
    named: dict[str, list[ir.Operation]] = {}
    for op in ops:
        named.setdefault(op.name, []).append(op)
    target = target_of(function, arch)
    refs = RefReader()
    allocations = Allocations(named.get(ALLOC, []), refs)
    reader = _Reader(target, refs, allocations, ir.Location.unknown(function.context))
    places = reader.locations.ops
    # Where JAX does not say who called the kernel: the function whose scratch refs it allocates.
    nameless = bool(allocations.ops) and op_location(function).file is None
    places[""] = allocations.ops[0] if nameless else function
    reader.op_names[""] = function.name
    for number, op in enumerate(allocations.ops):
        reader.place(f"allocations[{number}]", op)
    for space in ("tmem", "smem"):
        first = next((fact.index for fact in allocations.facts if fact.space == space), None)
        if first is not None:
            places[space] = allocations.ops[first]
            reader.op_names[space] = ALLOC
    mmas = tuple(reader.mma(op, f"mmas[{n}]") for n, op in enumerate(named.get(MMA, [])))
    copies = tuple(MetadataCopy(**reader.copy(op, f"copies[{n}]")) for n, op in enumerate(named.get(METADATA_COPY, [])))
    others = [*named.get(SCALES_COPY, []), *named.get(OPERAND_COPY, [])]
    other_copies = tuple(
        TmemCopy("scales" if op.name == SCALES_COPY else "operand", **reader.copy(op, f"other_copies[{n}]"))
        for n, op in enumerate(others)
    )
    # JAX commits an MMA that was given a barrier as it commits one that was not.
    committing = [reader.ops[place] for place, values in reader.operands.items() if "barrier" in values]
    commits = [*named.get(COMMIT, []), *committing]
    for number, op in enumerate(commits):
        reader.place(f"commits[{number}]", op)
    resources = resources_of(function, [*named.get(ALLOC, []), *named.get(REDUCE, [])], refs)
    return KernelView(
        function,
        Kernel(
            target=target,
            allocations=tuple(allocations.facts),
            mmas=mmas,
            copies=copies,
            other_copies=other_copies,
            commits=tuple(Commit(string(op, "collective_axis") is not None) for op in commits),
            cluster=_cluster(function),
            tmem_columns=resources.columns if resources.known and resources.columns else None,
            smem_bytes=resources.smem_bytes if resources.known else None,
            smem_limit=integer(function, "plgpu.smem_limit"),
        ),
        reader.locations,
        reader.op_names,
        reader.ops,
        reader.chains,
        reader.operands,
        refs,
    )


def _cluster(function: ir.Operation) -> tuple[int, int, int] | None:
    """Cluster shape with x first: the minor dimension is the last one that the user wrote."""
    sizes = integers(function, "plgpu.cluster") or ()
    if len(sizes) > 3 or not math.prod(sizes):
        return None
    x, y, z = (*reversed(sizes), 1, 1, 1)[:3]
    return (x, y, z)
