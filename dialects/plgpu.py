"""The `plgpu` dialect: its OpView classes, beside the readers of `plgpu_attributes`. See `docs/plgpu.md` for its form.

Importing this module registers the OpView classes with jaxlib's bindings: iterating a block, `op.opview` and rewrite
patterns hand out these classes. Ops stay unregistered for MLIR itself: contexts must allow unregistered dialects
(`ir.context.thread_context` does).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from jaxlib.mlir import ir
from jaxlib.mlir.dialects._ods_common import _cext

from mosaic_verify.dialects.plgpu_attributes import (
    DYNAMIC,
    SPACES,
    TRANSFORMS,
    boolean,
    integer,
    integers,
    is_ref,
    names,
    number_of,
    segments,
    shape_of,
    space,
    string,
)
from mosaic_verify.ir.namespaces import announce

__all__ = [
    "DYNAMIC",
    "PLAIN_OPS",
    "SPACES",
    "TRANSFORMS",
    "AliasOp",
    "AllocOp",
    "BitcastOp",
    "CommitArriveOp",
    "ConstantOp",
    "CopyGmemToSmemOp",
    "CopySmemToGmemOp",
    "ExpandBatchOp",
    "MetadataCopyOp",
    "PlgpuDialect",
    "PrimitiveOp",
    "ReshapeOp",
    "ScalesCopyOp",
    "SliceOp",
    "SmemToTmemOp",
    "Tcgen05MmaOp",
    "TransposeOp",
    "UnknownPrimitiveOp",
    "UnswizzleOp",
    "UntileOp",
    "boolean",
    "integer",
    "integers",
    "is_ref",
    "kernels",
    "names",
    "number_of",
    "segments",
    "shape_of",
    "space",
    "string",
]


@_cext.register_dialect
class PlgpuDialect(ir.Dialect):
    """The dialect's namespace for the bindings."""

    DIALECT_NAMESPACE = "plgpu"


class _Op(ir.OpView):
    """Base of the OpViews: optional operands by position of their segment."""

    _SEGMENTS = 1

    def _operand(self, index: int) -> ir.Value | None:
        segment = segments(self, self._SEGMENTS)[index]
        return segment[0] if segment else None


@_cext.register_operation(PlgpuDialect)
class AllocOp(_Op):
    """A scratch ref of a `plgpu.run_scoped`."""

    OPERATION_NAME = "plgpu.alloc"

    ref_name = property(lambda self: string(self, "name") or "")
    layout = property(lambda self: string(self, "layout"))
    collective = property(lambda self: boolean(self, "collective"))
    columns = property(lambda self: integer(self, "columns"))
    batch = property(lambda self: integers(self, "batch"))
    tiling = property(lambda self: integers(self, "tiling"))
    swizzle = property(lambda self: integer(self, "swizzle"))
    bytes = property(lambda self: integer(self, "bytes"))
    arrivals = property(lambda self: integer(self, "arrivals"))
    orders_tensor_core = property(lambda self: boolean(self, "orders_tensor_core"))


@_cext.register_operation(PlgpuDialect)
class SliceOp(_Op):
    """A slice; see `docs/plgpu.md` for dynamic starts and dropped dimensions."""

    OPERATION_NAME = "plgpu.slice"

    source = property(lambda self: self.operands[0])
    dropped = property(lambda self: integers(self, "dropped") or ())

    @property
    def offsets(self) -> list[int | ir.Value]:
        """Per dimension a number, or the operand that holds it."""
        return self.mixed()[0]

    @property
    def sizes(self) -> list[int | ir.Value]:
        """Per dimension a number, or the operand that holds it."""
        return self.mixed()[1]

    @property
    def strides(self) -> tuple[int, ...]:
        """Per dimension."""
        return integers(self, "strides") or (1,) * len(integers(self, "offsets") or ())

    def mixed(self) -> tuple[list[int | ir.Value], list[int | ir.Value]]:
        """Offsets and sizes."""
        operands: Iterator[ir.Value] = iter(list(self.operands)[1:])
        static = (integers(self, "offsets") or (), integers(self, "sizes") or ())
        offsets, sizes = ([next(operands) if number == DYNAMIC else number for number in part] for part in static)
        return offsets, sizes


@_cext.register_operation(PlgpuDialect)
class TransposeOp(_Op):
    """Dimension d of the result is dimension `permutation[d]` of the source."""

    OPERATION_NAME = "plgpu.transpose"

    source = property(lambda self: self.operands[0])
    permutation = property(lambda self: integers(self, "permutation") or ())


@_cext.register_operation(PlgpuDialect)
class ReshapeOp(_Op):
    """A reshape to the shape of the result type."""

    OPERATION_NAME = "plgpu.reshape"

    source = property(lambda self: self.operands[0])


@_cext.register_operation(PlgpuDialect)
class BitcastOp(_Op):
    """The same bits with the element type (and shape) of the result type."""

    OPERATION_NAME = "plgpu.bitcast"

    source = property(lambda self: self.operands[0])


@_cext.register_operation(PlgpuDialect)
class UntileOp(_Op):
    """Undoes the tiling of an SMEM allocation."""

    OPERATION_NAME = "plgpu.untile"

    source = property(lambda self: self.operands[0])
    tiling = property(lambda self: integers(self, "tiling") or ())


@_cext.register_operation(PlgpuDialect)
class UnswizzleOp(_Op):
    """Undoes the swizzle (bytes) of an SMEM allocation."""

    OPERATION_NAME = "plgpu.unswizzle"

    source = property(lambda self: self.operands[0])
    swizzle = property(lambda self: integer(self, "swizzle"))


@_cext.register_operation(PlgpuDialect)
class ExpandBatchOp(_Op):
    """Leading batch dimensions of a TMEM ref: physical (m, prod(batch) * n) becomes (*batch, m, n)."""

    OPERATION_NAME = "plgpu.expand_batch"

    source = property(lambda self: self.operands[0])
    batch = property(lambda self: integers(self, "batch") or ())


@_cext.register_operation(PlgpuDialect)
class AliasOp(_Op):
    """One member of a union of refs. `offset` counts bytes in SMEM, columns in TMEM."""

    OPERATION_NAME = "plgpu.alias"

    source = property(lambda self: self.operands[0])
    offset = property(lambda self: integer(self, "offset"))
    group = property(lambda self: integer(self, "group") or 0)
    layout = property(lambda self: string(self, "layout"))


@_cext.register_operation(PlgpuDialect)
class Tcgen05MmaOp(_Op):
    """`plgpu.tcgen05_mma`; sparse when it has metadata."""

    OPERATION_NAME = "plgpu.tcgen05_mma"
    _SEGMENTS = 8
    OPERANDS = ("accumulator", "a", "b", "accumulate", "barrier", "a_scale", "b_scale", "metadata")

    accumulator = property(lambda self: self._operand(0))
    a = property(lambda self: self._operand(1))
    b = property(lambda self: self._operand(2))
    accumulate = property(lambda self: self._operand(3))
    barrier = property(lambda self: self._operand(4))
    a_scale = property(lambda self: self._operand(5))
    b_scale = property(lambda self: self._operand(6))
    metadata = property(lambda self: self._operand(7))
    collective_axis = property(lambda self: string(self, "collective_axis"))

    def by_role(self) -> dict[str, ir.Value]:
        """The operands that are there, by their names in `OPERANDS`."""
        return {
            role: found[0] for role, found in zip(self.OPERANDS, segments(self, self._SEGMENTS), strict=True) if found
        }


class _Copy(_Op):
    source = property(lambda self: self.operands[0])
    target = property(lambda self: self.operands[1])
    collective_axis = property(lambda self: string(self, "collective_axis"))


@_cext.register_operation(PlgpuDialect)
class MetadataCopyOp(_Copy):
    """Copies sparse metadata from SMEM to TMEM."""

    OPERATION_NAME = "plgpu.async_copy_sparse_metadata_to_tmem"


@_cext.register_operation(PlgpuDialect)
class ScalesCopyOp(_Copy):
    """Copies block scales from SMEM to TMEM."""

    OPERATION_NAME = "plgpu.async_copy_scales_to_tmem"


@_cext.register_operation(PlgpuDialect)
class SmemToTmemOp(_Copy):
    """Copies data from SMEM to TMEM."""

    OPERATION_NAME = "plgpu.async_copy_smem_to_tmem"


@_cext.register_operation(PlgpuDialect)
class CommitArriveOp(_Op):
    """Commits preceding tcgen05 ops to a barrier."""

    OPERATION_NAME = "plgpu.tcgen05_commit_arrive"
    _SEGMENTS = 2

    barrier = property(lambda self: self._operand(0))
    collective_axis = property(lambda self: string(self, "collective_axis"))


@_cext.register_operation(PlgpuDialect)
class CopyGmemToSmemOp(_Op):
    """A TMA load (or a plain asynchronous copy without a barrier)."""

    OPERATION_NAME = "plgpu.copy_gmem_to_smem"
    _SEGMENTS = 4

    source = property(lambda self: self._operand(0))
    target = property(lambda self: self._operand(1))
    barrier = property(lambda self: self._operand(2))


@_cext.register_operation(PlgpuDialect)
class CopySmemToGmemOp(_Op):
    """A TMA store."""

    OPERATION_NAME = "plgpu.copy_smem_to_gmem"
    _SEGMENTS = 3

    source = property(lambda self: self._operand(0))
    target = property(lambda self: self._operand(1))


@_cext.register_operation(PlgpuDialect)
class PrimitiveOp(_Op):
    """Any equation without an op of its own."""

    OPERATION_NAME = "plgpu.primitive"

    primitive = property(lambda self: string(self, "name") or "")


@_cext.register_operation(PlgpuDialect)
class ConstantOp(_Op):
    """A scalar literal."""

    OPERATION_NAME = "plgpu.constant"

    value = property(lambda self: number_of(self))


@_cext.register_operation(PlgpuDialect)
class UnknownPrimitiveOp(_Op):
    """An equation that the importer knows nothing about."""

    OPERATION_NAME = "plgpu.unknown_primitive"

    primitive = property(lambda self: string(self, "name") or "")


# Ops that are read by their operands alone.
PLAIN_OPS = (
    "addupdate",
    "async_load_tmem",
    "async_prefetch",
    "async_store_smem",
    "async_store_tmem",
    "atomic_store",
    "axis_index",
    "barrier_arrive",
    "barrier_arrive_and_wait",
    "barrier_test",
    "barrier_wait",
    "cluster_ref",
    "collapse_batch",
    "cond",
    "core_map",
    "get",
    "identity",
    "im2col",
    "load",
    "masked_load",
    "masked_swap",
    "memory_space_cast",
    "multicast",
    "multimem_load_reduce",
    "multimem_store",
    "multiple_of",
    "peer",
    "print_layout",
    "query_cluster_cancel",
    "reduce",
    "run_scoped",
    "scan",
    "semaphore_read",
    "semaphore_signal",
    "semaphore_signal_multicast",
    "semaphore_wait",
    "store",
    "swap",
    "swizzle",
    "tile",
    "try_cluster_cancel",
    "unknown_transform",
    "wgmma",
    "while",
    "yield",
)
for _name in PLAIN_OPS:
    _cext.register_operation(PlgpuDialect)(
        type(
            f"{_name.title().replace('_', '')}Op", (_Op,), {"OPERATION_NAME": f"plgpu.{_name}", "__module__": __name__}
        )
    )

announce(PlgpuDialect.DIALECT_NAMESPACE, sys.modules[__name__])


def kernels(module: ir.Operation) -> list[ir.Operation]:
    """Functions of a module that are kernels: those with the attribute `plgpu.semantics`.

    The bindings do not keep the module alive for these ops: whoever holds one must hold the module too.
    """
    found = []
    for op in module.regions[0].blocks[0].operations if module.regions and len(module.regions[0].blocks) else ():
        operation = op.operation
        if operation.name == "func.func" and "plgpu.semantics" in operation.attributes:
            found.append(operation)
    return found
