"""Kernels of the `mosaic_gpu` dialect as facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import jaxlib.version
from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu_allocations import Allocations, only_copied
from mosaic_verify.dialects.mosaic_gpu_ops import (
    COMMIT,
    LAUNCH,
    METADATA_COPY,
    MMA,
    MMA_SEGMENTS,
    OPERAND_COPY,
    OPS,
    SCALES_COPY,
    SLICE_TMEM,
    TMEM_ALLOC,
    allocated_columns,
    cluster_of,
    flag,
    well_formed,
)
from mosaic_verify.dialects.mosaic_gpu_values import integers, is_transposed, ref_type, space_of, strides_of, walk
from mosaic_verify.ir.locations import OpLocations
from mosaic_verify.model.chain import Opaque, RefType, Slice, Transpose
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import Commit, Kernel, MetadataCopy, Operand, SparseMma, Target, TmemCopy
from mosaic_verify.model.operand_tiles import SWIZZLES, implied_swizzle, operand_tile

__all__ = ["METADATA_COPY", "MMA", "OPS", "KernelView", "installed_jax", "kernel_views", "target_of"]

_FALLBACK_ARCH = (9, 0)  # what JAX writes into a module when it finds no GPU


def installed_jax() -> tuple[int, ...]:
    """Version of the installed jaxlib, such as (0, 12, 0, 1)."""
    return tuple(int(part) for part in jaxlib.version.__version__.split(".") if part.isdigit())


@dataclass
class KernelView:
    """A kernel as facts, and where its places are.

    Attributes:
      locations: from places in `facts` ("mmas[0]", "mmas[0].metadata.chain[1]", "allocations[2]", "tmem") to locations.
      op_names: from places of ops to the names of the ops.
    """

    facts: Kernel
    locations: OpLocations
    op_names: Mapping[str, str]


@dataclass
class _Reader:
    """Reads the ops of one kernel."""

    target: Target
    allocations: Allocations
    locations: OpLocations = field(default_factory=OpLocations)
    op_names: dict[str, str] = field(default_factory=dict)

    def place(self, place: str, op: ir.Operation) -> None:
        self.locations.ops[place] = op
        self.op_names[place] = op.name

    def operand(self, value: ir.Value, place: str) -> Operand:
        """One ref operand, with the locations of its chain."""
        found = walk(value, self.target.jax)
        for number, op in enumerate(found.ops):
            self.locations.ops[f"{place}.chain[{number}]"] = op
        allocation = None
        if found.source is not None and found.base is not None:
            allocation = self.allocations.of(found.source, found)
            self.locations.ops[f"{place}.allocation"] = found.source
        ref = ref_type(value.type)
        in_smem = ref.space == "smem"
        strides = strides_of(value.type) if in_smem else None
        transposed = is_transposed(strides)
        tiling, swizzle = found.transforms or (None, None)
        known = found.transforms is not None
        if tiling and transposed:
            tiling = tuple(reversed(tiling))
        if swizzle is None:
            swizzle = implied_swizzle(tiling, bit_width(ref.element), self.target.jax)
        column, multiple = _column(found.steps) if ref.space == "tmem" else (None, 0)
        return Operand(
            shape=None if any(size < 0 for size in ref.shape) else ref.shape,
            element=ref.element,
            space=space_of(ref),
            allocation=allocation,
            chain=tuple(found.steps),
            base=found.base,
            smem_known=not in_smem or known,
            tiling=tiling,
            swizzle=swizzle,
            swizzle_candidates=_candidates(ref, bool(transposed), found.slices) if in_smem and not known else (),
            swizzle_settled=in_smem and not known and found.source is not None and only_copied(found.source),
            transposed=transposed,
            strides=strides,
            layout=found.layout,
            column=column,
            column_multiple=multiple,
        )

    def mma(self, op: ir.Operation, place: str) -> SparseMma:
        self.place(place, op)
        sizes = integers(op, "operandSegmentSizes")
        values = iter(op.operands)
        present = {name: next(values) for name, size in zip(MMA_SEGMENTS, sizes, strict=True) if size}
        refs = {name: self.operand(value, f"{place}.{name}") for name, value in present.items() if name != "accumulate"}
        return SparseMma(**refs, collective=flag(op, "collective"), target=self.target)

    def copy(self, op: ir.Operation, place: str) -> dict:
        self.place(place, op)
        source, destination = list(op.operands)[:2]
        return {
            "source": self.operand(source, f"{place}.source"),
            "destination": self.operand(destination, f"{place}.destination"),
            "collective": flag(op, "collective"),
            "target": self.target,
        }


def _candidates(ref: RefType, transposed: bool, slices: list[int]) -> tuple[int, ...]:
    """Swizzles whose tile divides the operand and every slice on the way to it."""
    bits, shape = bit_width(ref.element), ref.shape
    if bits is None or len(shape) != 2:
        return ()
    found = []
    for swizzle in SWIZZLES:
        tile = operand_tile(swizzle, bits)
        sides = tuple(reversed(tile)) if transposed else tile
        if all(size % side == 0 and part % side == 0 for size, part, side in zip(shape, slices, sides, strict=True)):
            found.append(swizzle)
    return tuple(found)


def _column(steps: Sequence[object]) -> tuple[int | None, int]:
    """First column of a TMEM operand in elements and, for a dynamic start, the power of two known to divide it."""
    column, multiple = 0, 0
    for step in steps:
        if isinstance(step, Transpose | Opaque):
            return None, 0
        if isinstance(step, Slice) and step.starts:
            start = step.starts[-1]
            if isinstance(start, int):
                column += start
            else:
                multiple = min(multiple or (1 << 12), getattr(start, "multiple_of", 1))
    if not multiple:
        return column, 0
    return None, min(multiple, (column & -column) or multiple)


def target_of(op: ir.Operation, jax: tuple[int, ...], arch: tuple[int, int] | None = None) -> Target:
    """What the module around `op` is lowered for.

    Args:
      arch: asked for by the user; otherwise the module's own `mosaic_gpu.arch_major` and `arch_minor`.
    """
    if arch is not None:
        return Target(arch, False, jax, "warpgroup")
    module: ir.Operation | None = op
    while module is not None and module.name != "builtin.module":
        module = module.parent.operation if module.parent is not None else None
    if module is None or "mosaic_gpu.arch_major" not in module.attributes:
        return Target(None, False, jax, "warpgroup")
    major, minor = (ir.IntegerAttr(module.attributes[f"mosaic_gpu.arch_{part}"]).value for part in ("major", "minor"))
    return Target((major, minor), (major, minor) == _FALLBACK_ARCH, jax, "warpgroup")


def kernel_views(
    ops: Sequence[ir.Operation], *, jax: tuple[int, ...] | None = None, arch: tuple[int, int] | None = None
) -> list[KernelView]:
    """The kernels of a module, one for each function.

    Args:
      ops: all ops of the module with a name in `OPS`, in program order per name.
      jax: version of JAX whose conditions hold; None takes the installed one.
      arch: compute capability, see `target_of`.
    """
    kernels: dict[ir.Operation | None, list[ir.Operation]] = {}
    for op in filter(well_formed, ops):
        kernels.setdefault(_function(op), []).append(op)
    return [_view(found, target_of(found[0], jax or installed_jax(), arch)) for found in kernels.values()]


def _function(op: ir.Operation) -> ir.Operation | None:
    """The function around an op, or None."""
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        parent = parent.operation.parent
    return None if parent is None else parent.operation


def _view(ops: list[ir.Operation], target: Target) -> KernelView:
    named: dict[str, list[ir.Operation]] = {}
    for op in ops:
        named.setdefault(op.name, []).append(op)
    allocs = named.get(TMEM_ALLOC, [])
    reader = _Reader(target, Allocations(collective=any(flag(op, "collective") for op in allocs) if allocs else None))
    for op in named.get(SLICE_TMEM, []):
        reader.allocations.of(op)
    mmas = tuple(reader.mma(op, f"mmas[{number}]") for number, op in enumerate(named.get(MMA, [])))
    copies = tuple(
        MetadataCopy(**reader.copy(op, f"copies[{number}]")) for number, op in enumerate(named.get(METADATA_COPY, []))
    )
    others = [*named.get(SCALES_COPY, []), *named.get(OPERAND_COPY, [])]
    other_copies = tuple(
        TmemCopy("scales" if op.name == SCALES_COPY else "operand", **reader.copy(op, f"other_copies[{number}]"))
        for number, op in enumerate(others)
    )
    for number, op in enumerate(named.get(COMMIT, [])):
        reader.place(f"commits[{number}]", op)
    if allocs:
        reader.place("tmem", allocs[0])
    reader.place("", (allocs or ops)[0])
    for number, op in enumerate(reader.allocations.ops):
        reader.place(f"allocations[{number}]", op)
    launches = named.get(LAUNCH, [])
    return KernelView(
        Kernel(
            target=target,
            allocations=reader.allocations.facts(),
            mmas=mmas,
            copies=copies,
            other_copies=other_copies,
            commits=tuple(Commit(flag(op, "collective")) for op in named.get(COMMIT, [])),
            cluster=cluster_of(launches[0]) if len(launches) == 1 else None,
            tmem_columns=sum(map(allocated_columns, allocs)) if allocs else None,
            tmem_collective=tuple(flag(op, "collective") for op in allocs),
        ),
        reader.locations,
        reader.op_names,
    )
