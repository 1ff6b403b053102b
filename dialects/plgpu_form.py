"""The form of plgpu ops: which attributes, operands, results and regions `docs/plgpu.md` asks for.

Modules that the importer makes have it; hand-written ones may lack it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import DYNAMIC, TRANSFORMS, integer, integers
from mosaic_verify.dialects.plgpu_chain import step_of
from mosaic_verify.dialects.plgpu_refs import ref_type
from mosaic_verify.model.chain import ChainError

_TYPES: dict[str, tuple[type, str]] = {
    **dict.fromkeys(
        (
            *("tiling", "batch", "permutation", "offsets", "sizes", "strides", "dropped", "values"),
            *("plgpu.grid", "plgpu.cluster", "plgpu.jax"),
        ),
        (ir.DenseI64ArrayAttr, "an array<i64>"),
    ),
    **dict.fromkeys(
        (
            *("swizzle", "columns", "bytes", "arrivals", "eqn", "offset", "group", "length", "num_carry"),
            *("plgpu.num_threads", "plgpu.reduction_scratch_bytes"),
        ),
        (ir.IntegerAttr, "an integer"),
    ),
    **dict.fromkeys(
        (
            *("name", "layout", "collective_axis", "axis", "class", "mesh"),
            *("plgpu.semantics", "plgpu.arch", "plgpu.thread_name"),
        ),
        (ir.StringAttr, "a string"),
    ),
    **dict.fromkeys(
        ("collective", "orders_tensor_core", "leader_tracked", "plgpu.arch_assumed"), (ir.BoolAttr, "a bool")
    ),
    **dict.fromkeys(
        ("plgpu.grid_names", "plgpu.cluster_names", "collective_axes", "cluster_axes", "axes"),
        (ir.ArrayAttr, "an array"),
    ),
    "operandSegmentSizes": (ir.DenseI32ArrayAttr, "an array<i32>"),
}
# Segments of the ops that have them: how many, and how many of the first are required.
_SEGMENTS = {
    "plgpu.tcgen05_mma": (8, 4),
    "plgpu.tcgen05_commit_arrive": (2, 1),
    "plgpu.copy_gmem_to_smem": (4, 2),
    "plgpu.copy_smem_to_gmem": (3, 2),
    "plgpu.async_prefetch": (2, 1),
}
# Operands that are refs: positions of them, in the order of the operands.
_REFS = {
    **dict.fromkeys(
        (
            *("plgpu.copy_gmem_to_smem", "plgpu.copy_smem_to_gmem", "plgpu.async_copy_sparse_metadata_to_tmem"),
            *("plgpu.async_copy_scales_to_tmem", "plgpu.async_copy_smem_to_tmem"),
        ),
        (0, 1),
    ),
    **dict.fromkeys(
        f"plgpu.{name}"
        for name in (
            *("tcgen05_commit_arrive", "async_prefetch", "barrier_wait", "barrier_arrive", "barrier_test"),
            *("barrier_arrive_and_wait", "async_load_tmem", "async_store_tmem", "get", "load", "swap", "addupdate"),
        )
    ),
}
_OPERANDS = {
    **dict.fromkeys(("plgpu.cond", "plgpu.multiple_of"), 1),
    **dict.fromkeys(("plgpu.async_store_tmem", "plgpu.swap", "plgpu.addupdate"), 2),
    "plgpu.wgmma": 3,
}
_REGIONS = {"plgpu.run_scoped": 1, "plgpu.scan": 1, "plgpu.while": 2, "plgpu.core_map": 1}
_LOOPS = ("plgpu.scan", "plgpu.while")
_ANY_REGIONS = ("plgpu.cond", "plgpu.primitive", "plgpu.unknown_primitive")


def malformed(root: ir.Operation) -> list[tuple[ir.Operation, str]]:
    """Ops below `root`, kernels included, that have not the form of the dialect, each with what is wrong first."""
    found = []
    for op in _ops(root):
        kernel = op.name == "func.func" and "plgpu.semantics" in op.attributes
        if kernel or op.name.startswith("plgpu."):
            wrong = next(_attributes(op), None) if kernel else next(_wrong(op), None)
            if wrong is not None:
                found.append((op, wrong))
    return found


def _ops(root: ir.Operation) -> Iterator[ir.Operation]:
    waiting = [root]  # no recursion: a module may be nested as deeply as its author likes
    while waiting:
        op = waiting.pop()
        yield op
        inner = [child.operation for region in op.regions for block in region.blocks for child in block.operations]
        waiting.extend(reversed(inner))


def _wrong(op: ir.Operation) -> Iterator[str]:
    yield from _attributes(op)
    yield from _regions(op)
    operands = list(op.operands)
    if op.name in _SEGMENTS:
        yield from _segments(op, *_SEGMENTS[op.name], len(operands))
    least = _OPERANDS.get(op.name, 0)
    if len(operands) < least:
        yield f"requires {least} operands, but has {len(operands)}"
    if op.name in TRANSFORMS:
        yield from _results(op)
        yield from _refs(operands, (0,))
        yield from _transform(op)
    elif op.name == "plgpu.alloc":
        yield from _results(op)
    elif op.name == "plgpu.tcgen05_mma":
        yield from _refs(operands, [position for position in range(max(len(operands), 4)) if position != 3])
    elif op.name in _REFS:
        yield from _refs(operands, _REFS[op.name] or (0,))


def _attributes(op: ir.Operation) -> Iterator[str]:
    for name in op.attributes:
        expected = _TYPES.get(name)
        if expected is not None and not isinstance(op.attributes[name], expected[0]):
            yield f"attribute '{name}' must be {expected[1]}, but is {op.attributes[name]}"


def _regions(op: ir.Operation) -> Iterator[str]:
    regions, expected = len(op.regions), _REGIONS.get(op.name)
    if expected is None and op.name in _ANY_REGIONS:
        expected = max(regions, 1) if op.name == "plgpu.cond" else regions
    if regions != (expected or 0):
        yield f"requires {expected or 0} regions, but has {regions}"
    for number, region in enumerate(op.regions):
        if len(region.blocks) != 1:
            yield f"region {number} must have one block, but has {len(region.blocks)}"
        elif op.name in _LOOPS:
            yield from _loop(op, number, region.blocks[0])


def _loop(op: ir.Operation, number: int, block: ir.Block) -> Iterator[str]:
    operands, arguments = len(op.operands), len(block.arguments)
    if arguments != operands:
        yield f"region {number} must have {operands} arguments, one per operand, but has {arguments}"
    carry = integer(op, "num_carry") or 0
    if not 0 <= carry <= operands:
        yield f"attribute 'num_carry' must be at most the number of operands, {operands}, but is {carry}"
    if number != len(op.regions) - 1:
        return  # the condition of a while
    wanted, ends = max(len(op.results), carry), list(block.operations)[-1:]
    yields = sum(len(end.operation.operands) for end in ends)
    if yields < wanted:
        yield f"region {number} must yield {wanted} values, but yields {yields}"


def _segments(op: ir.Operation, count: int, required: int, operands: int) -> Iterator[str]:
    if "operandSegmentSizes" not in op.attributes:
        if not required <= operands <= count:
            yield f"requires {required} to {count} operands, but has {operands}"
        return
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    if len(sizes) != count:
        yield f"'operandSegmentSizes' must have {count} entries, but has {len(sizes)}"
    for number, size in enumerate(sizes):
        if size not in ((1,) if number < required else (0, 1)):
            yield f"segment {number} must have {'one operand' if number < required else 'at most one'}, but has {size}"
    if sum(sizes) != operands:
        yield f"'operandSegmentSizes' adds up to {sum(sizes)} operands, but the op has {operands}"


def _results(op: ir.Operation) -> Iterator[str]:
    if len(op.results) != 1:
        yield f"requires one result, but has {len(op.results)}"
    elif not _is_ref(op.results[0].type):
        yield f"the result must be a memref with a static shape, but is '{op.results[0].type}'"


def _refs(operands: Sequence[ir.Value], positions: Sequence[int]) -> Iterator[str]:
    for position in positions:
        if position >= len(operands):
            yield f"requires at least {position + 1} operands, but has {len(operands)}"
        elif not _is_ref(operands[position].type):
            yield f"operand {position} must be a memref with a static shape, but is '{operands[position].type}'"


def _is_ref(kind: ir.Type) -> bool:
    return isinstance(kind, ir.MemRefType) and kind.has_static_shape


def _transform(op: ir.Operation) -> Iterator[str]:
    rank = len(op.operands[0].type.shape)
    if op.name == "plgpu.transpose":
        permutation = integers(op, "permutation")
        if permutation is None or sorted(permutation) != list(range(rank)):
            yield f"attribute 'permutation' must permute {rank} dimensions, but is {list(permutation or ())}"
    elif op.name in ("plgpu.untile", "plgpu.tile", "plgpu.expand_batch"):
        name = "batch" if op.name == "plgpu.expand_batch" else "tiling"
        numbers = integers(op, name)
        if not numbers or any(number <= 0 for number in numbers):
            yield f"attribute '{name}' must hold positive numbers, but is {list(numbers or ())}"
    elif op.name in ("plgpu.unswizzle", "plgpu.swizzle") and "swizzle" not in op.attributes:
        yield "requires attribute 'swizzle'"
    elif op.name == "plgpu.slice" and "offsets" in op.attributes:
        yield from _slice(op, rank)
    yield from _result(op)


def _result(op: ir.Operation) -> Iterator[str]:
    source = ref_type(op.operands[0])
    try:
        wanted = step_of(op).apply(source)
    except (ChainError, ValueError) as error:
        yield str(error)
        return
    found = ref_type(op.results[0])
    if wanted.shape != found.shape:
        yield f"gives a ref of shape {wanted.shape}, but the result has {found.shape}"


def _slice(op: ir.Operation, rank: int) -> Iterator[str]:
    dynamic = 0
    for name, default in (("offsets", ()), ("sizes", ()), ("strides", (1,) * rank)):
        numbers = integers(op, name)
        numbers = default if numbers is None else numbers
        if len(numbers) != rank:
            yield f"attribute '{name}' must have {rank} entries, one per dimension, but has {len(numbers)}"
        dynamic += numbers.count(DYNAMIC)
    if dynamic != len(op.operands) - 1:
        yield f"requires {dynamic} index operands, one per dynamic offset or size, but has {len(op.operands) - 1}"
    for dimension in integers(op, "dropped") or ():
        if not 0 <= dimension < rank:
            yield f"attribute 'dropped' must name dimensions below {rank}, but has {dimension}"
