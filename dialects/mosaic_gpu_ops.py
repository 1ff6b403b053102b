"""Ops of the `mosaic_gpu` dialect, one at a time: their names, and what their attributes say."""

from __future__ import annotations

from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu_values import attribute, integer, integers, is_memref, ref_type

MMA = "mosaic_gpu.tcgen05_mma"
METADATA_COPY = "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"
SCALES_COPY = "mosaic_gpu.async_store_scales_smem_to_tmem"
OPERAND_COPY = "mosaic_gpu.async_store_smem_to_tmem"
COMMIT = "mosaic_gpu.tcgen05_commit_arrive"
TMEM_ALLOC = "mosaic_gpu.tmem_alloc"
SLICE_TMEM = "mosaic_gpu.slice_tmem"
LAUNCH = "gpu.launch"

OPS = (MMA, METADATA_COPY, SCALES_COPY, OPERAND_COPY, COMMIT, TMEM_ALLOC, SLICE_TMEM, LAUNCH)

MMA_SEGMENTS = ("accumulator", "a", "b", "accumulate", "a_scale", "b_scale", "metadata")


def flag(op: ir.Operation, name: str) -> bool:
    """A boolean or unit attribute; absent is False."""
    found = attribute(op, name)
    return found.value if isinstance(found, ir.BoolAttr) else isinstance(found, ir.UnitAttr)


def well_formed(op: ir.Operation) -> bool:
    """False for what a verifier would have refused as an op: where the dialect is unknown, nobody looked."""
    operands, results = list(op.operands), list(op.results)
    if op.name == MMA:
        sizes = integers(op, "operandSegmentSizes")
        if len(sizes) != len(MMA_SEGMENTS) or any(size not in (0, 1) for size in sizes) or sum(sizes) != len(operands):
            return False
        return all(sizes[:4]) and all(is_memref(value.type) for n, value in enumerate(operands) if n != 3)
    if op.name in (METADATA_COPY, SCALES_COPY, OPERAND_COPY):
        return len(operands) > 1 and all(is_memref(value.type) for value in operands[:2])
    if op.name in (TMEM_ALLOC, SLICE_TMEM):
        return len(results) == 1 and is_memref(results[0].type)
    return True


def allocated_columns(op: ir.Operation) -> int:
    """32-bit columns of a `tmem_alloc`: its type counts elements, `packing` of which share a cell."""
    shape = ref_type(op.results[0].type).shape
    return max(shape[-1], 0) // (integer(op, "packing") or 1) if shape else 0


def cluster_of(launch: ir.Operation) -> tuple[int, int, int] | None:
    """Cluster shape of a `gpu.launch`, x first; (1, 1, 1) without one, None when it is not constant."""
    sizes = integers(launch, "operandSegmentSizes")
    begin = sum(sizes[:7])  # async dependencies, grid x y z, block x y z
    values = list(launch.operands)[begin : begin + 3]
    if sum(sizes[7:10]) != 3:
        return (1, 1, 1)
    found = []
    for value in values:
        op = value.owner.operation if isinstance(value.owner, ir.Operation | ir.OpView) else None
        if op is None or op.name != "arith.constant":
            return None
        found.append(ir.IntegerAttr(op.attributes["value"]).value)
    return (found[0], found[1], found[2])
