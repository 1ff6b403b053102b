"""The layout of TMEM refs that are used as sparse metadata and as nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.dialects.mosaic_gpu_values import ref_type
from mosaic_verify.ir.locations import op_location
from mosaic_verify.model.tmem_layout import SPARSE_METADATA, parse_layout

LAYOUT_CAST = "mosaic_gpu.tmem_layout_cast"
_SOURCES = ("mosaic_gpu.slice_tmem", "mosaic_gpu.tmem_alloc")
_PASS = frozenset(
    (LAYOUT_CAST, "memref.transpose", "memref.subview", "memref.expand_shape", "memref.collapse_shape", "memref.cast")
)
_MMA = "mosaic_gpu.tcgen05_mma"
_COPY = "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"
_DEALLOC = "mosaic_gpu.tmem_dealloc"


def correct_layouts(users: Iterable[ir.Operation]) -> Iterator[tuple[Location, str]]:
    """Gives metadata refs the sparse layout: changes a `tmem_layout_cast` to another one, or adds the missing one.

    A ref is changed when every use of it, through whatever transforms, is the metadata of an MMA or the destination of
    a metadata copy, and whole tiles of 128 rows and 16 entries fit. The sparse layout needs the fewest columns of all.

    Yields where and what was done.
    """
    seen: set[ir.Value] = set()
    for user in users:
        value = user.operands[1] if user.name == _COPY else user.operands[len(user.operands) - 1]
        source = _source(value)
        if source is None or source in seen:
            continue
        seen.add(source)
        ref = ref_type(ir.MemRefType(source.type))
        if ref.bits != 2 or not SPARSE_METADATA.divides(ref.shape) or not _only_metadata(source):
            continue
        casts = list(_casts(source))
        for cast in casts:
            if parse_layout(str(cast.attributes["new_layout"])) != SPARSE_METADATA:
                cast.attributes["new_layout"] = ir.Attribute.parse(SPARSE_METADATA.attribute, cast.context)
                yield op_location(cast), "gave the metadata's TMEM ref the sparse layout"
        if not casts:
            owner = _owner(source)
            if owner is not None:
                yield op_location(owner), "gave the metadata's TMEM ref the sparse layout"
                _insert(owner, source)


def _owner(value: ir.Value) -> ir.Operation | None:
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def _source(value: ir.Value) -> ir.Value | None:
    while (op := _owner(value)) is not None:
        if op.name in _SOURCES:
            return value
        if op.name not in _PASS:
            return None
        value = op.operands[0]
    return None


def _uses(value: ir.Value) -> Iterator[tuple[ir.Operation, int]]:
    for use in value.uses:
        yield use.owner.operation, use.operand_number


def _only_metadata(value: ir.Value) -> bool:
    for op, number in _uses(value):
        if op.name in _PASS:
            if not _only_metadata(op.results[0]):
                return False
        elif op.name == _MMA:
            if number != len(op.operands) - 1 or not ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[6]:
                return False
        elif not (op.name == _COPY and number == 1) and op.name != _DEALLOC:
            return False
    return True


def _casts(value: ir.Value) -> Iterator[ir.Operation]:
    for op, _ in _uses(value):
        if op.name == LAYOUT_CAST:
            yield op
        if op.name in _PASS:
            yield from _casts(op.results[0])


def _insert(owner: ir.Operation, source: ir.Value) -> None:
    uses = [(op, number) for op, number in _uses(source) if op.name != _DEALLOC]
    with owner.location, ir.InsertionPoint.after(owner) if hasattr(ir.InsertionPoint, "after") else _behind(owner):
        cast = ir.Operation.create(
            LAYOUT_CAST,
            results=[source.type],
            operands=[source],
            attributes={"new_layout": ir.Attribute.parse(SPARSE_METADATA.attribute)},
        )
    for op, number in uses:
        op.operands[number] = cast.results[0]


def _behind(owner: ir.Operation) -> ir.InsertionPoint:
    block = owner.block
    ops = list(block.operations)
    at = next(number for number, op in enumerate(ops) if op.operation == owner)
    return ir.InsertionPoint(ops[at + 1])
