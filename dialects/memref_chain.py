"""Chains of memref ops as steps of `model.chain`, and steps back to ops."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import memref

from mosaic_verify.dialects.mosaic_gpu_values import ref_type
from mosaic_verify.model.chain import (
    Chain,
    Dynamic,
    Reshape,
    Shape,
    Slice,
    Step,
    Transpose,
)

_INTEGERS = re.compile(r"-?\d+")
_DYNAMIC = -(2**63)
STEPS = ("memref.transpose", "memref.subview", "memref.expand_shape", "memref.collapse_shape")
CAST = "memref.cast"


@dataclass(frozen=True)
class MemrefChain:
    """What memref ops do to a ref.

    Attributes:
      base: the value that the chain starts at: the first one that no op of a chain defines.
      ops: the ops, from the base on, casts included.
      chain: the steps without casts; `Dynamic.key` is the SSA value of a run-time start.
      values: the value behind each step of `chain`.
    """

    base: ir.Value
    ops: tuple[ir.Operation, ...]
    chain: Chain
    values: tuple[ir.Value, ...]


def read(value: ir.Value) -> MemrefChain | None:
    """The chain that ends in `value`; None when a step has no static form."""
    ops: list[ir.Operation] = []
    while (op := _owner(value)) is not None and (op.name in STEPS or op.name == CAST):
        ops.insert(0, op)
        value = op.operands[0]
    steps, values = [], []
    for op in ops:
        if op.name != CAST:
            step = step_of(op)
            if step is None:
                return None
            steps.append(step)
            values.append(op.results[0])
    return MemrefChain(value, tuple(ops), Chain(ref_type(ir.MemRefType(value.type)), tuple(steps)), tuple(values))


def _owner(value: ir.Value) -> ir.Operation | None:
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def step_of(op: ir.Operation) -> Step | None:
    """What an op of `STEPS` does; None when it has no static form. `Dynamic.key` of a start is its SSA value."""
    shape = tuple(ir.MemRefType(op.results[0].type).shape)
    if any(size < 0 for size in (*shape, *ir.MemRefType(op.operands[0].type).shape)):
        return None
    if op.name == "memref.transpose":
        results = str(op.attributes["permutation"]).partition("->")[2]
        return Transpose(tuple(int(number) for number in _INTEGERS.findall(results)))
    if op.name != "memref.subview":
        return Reshape(shape)
    offsets, sizes, strides = (
        list(ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"])) for name in ("offsets", "sizes", "strides")
    )
    if _DYNAMIC in sizes or _DYNAMIC in strides:
        return None
    dynamic = iter(list(op.operands)[1:])
    starts = [_start(next(dynamic)) if offset == _DYNAMIC else offset for offset in offsets]
    dropped = _dropped(op, sizes, shape)
    return None if dropped is None else Slice(tuple(starts), tuple(sizes), tuple(strides), dropped)


def _start(value: ir.Value) -> int | Dynamic:
    op = _owner(value)
    if op is not None and op.name == "arith.constant":
        return ir.IntegerAttr(op.attributes["value"]).value
    return Dynamic(value, value.get_name())


def _dropped(op: ir.Operation, sizes: list[int], shape: Shape) -> tuple[int, ...] | None:
    """Dimensions that a rank-reducing subview drops; None where strides do not tell which of several it is."""
    missing = len(sizes) - len(shape)
    if not missing:
        return ()
    unit = [dim for dim, size in enumerate(sizes) if size == 1]
    if len(unit) == missing:
        return tuple(unit)
    source, _ = ir.MemRefType(op.operands[0].type).get_strides_and_offset()
    result, _ = ir.MemRefType(op.results[0].type).get_strides_and_offset()
    found, kept = [], 0
    for dim, size in enumerate(sizes):
        if kept < len(shape) and size == shape[kept] and source[dim] == result[kept]:
            kept += 1
        else:
            found.append(dim)
    return tuple(found) if len(found) == missing and all(sizes[dim] == 1 for dim in found) else None


def contiguous(value: ir.Value) -> bool:
    """True when the memref type has the strides of a row-major array, in dimensions of extent 1 too, as JAX asks."""
    kind = ir.MemRefType(value.type)
    strides, _ = kind.get_strides_and_offset()
    return tuple(strides) == _row_major(tuple(kind.shape))


def _row_major(shape: Shape) -> tuple[int, ...]:
    strides, run = [], 1
    for extent in reversed(shape):
        strides.insert(0, run)
        run *= extent
    return tuple(strides)


def build(source: ir.Value, step: Step, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value | None:
    """The op of a step on `source`; None when the reshape has no form as one collapse or expand."""
    kind = ir.MemRefType(source.type)
    strides, offset = kind.get_strides_and_offset()
    with loc, ip:
        match step:
            case Transpose(permutation):
                layout = ir.StridedLayoutAttr.get(offset, [strides[d] for d in permutation])
                result = _type(kind, tuple(kind.shape[d] for d in permutation), layout)
                return memref.transpose(result, source, ir.AffineMap.get_permutation(list(permutation)))
            case Slice():
                return _subview(source, kind, strides, offset, step)
            case Reshape(shape):
                return _reshape(source, kind, strides, offset, shape)
    raise ValueError(f"no op can be built for {step}")


def _type(kind: ir.MemRefType, shape: Shape, layout: ir.Attribute | None) -> ir.MemRefType:
    return ir.MemRefType.get(list(shape), kind.element_type, layout, kind.memory_space)


def _subview(source: ir.Value, kind: ir.MemRefType, strides: list[int], offset: int, step: Slice) -> ir.Value:
    place = offset
    for start, stride in zip(step.starts, strides, strict=True):
        known = isinstance(start, int) and place != _DYNAMIC
        place = place + start * stride if known and isinstance(start, int) else _DYNAMIC
    kept = [dim for dim in range(len(step.sizes)) if dim not in step.dropped]
    layout = ir.StridedLayoutAttr.get(place, [strides[dim] * step.strides[dim] for dim in kept])
    offsets = [start if isinstance(start, int) else _DYNAMIC for start in step.starts]
    dynamic = [start.key for start in step.starts if isinstance(start, Dynamic)]
    return memref.SubViewOp(
        _type(kind, tuple(step.sizes[dim] for dim in kept), layout),
        source,
        dynamic,
        sizes=[],
        strides=[],
        static_offsets=offsets,
        static_sizes=list(step.sizes),
        static_strides=list(step.strides),
    ).result


def _reshape(source: ir.Value, kind: ir.MemRefType, strides: list[int], offset: int, shape: Shape) -> ir.Value | None:
    have = tuple(kind.shape)
    plain = isinstance(kind.layout, ir.AffineMapAttr)
    if (groups := reassociation(shape, have)) is not None:  # have is coarser: expand
        spread = []
        for dim, group in enumerate(groups):
            run = strides[dim]
            inner = []
            for extent in reversed([shape[d] for d in group]):
                inner.insert(0, run)
                run *= extent
            spread += inner
        layout = None if plain else ir.StridedLayoutAttr.get(offset, spread)
        return memref.expand_shape(_type(kind, shape, layout), source, groups, [], list(shape))
    if (groups := reassociation(have, shape)) is not None:  # have is finer: collapse
        if tuple(strides) != _row_major(have):
            return None
        layout = None if plain else ir.StridedLayoutAttr.get(offset, list(_row_major(shape)))
        return memref.collapse_shape(_type(kind, shape, layout), source, groups)
    return None


def reassociation(fine: Shape, coarse: Shape) -> list[list[int]] | None:
    """Groups of neighbouring dimensions of `fine` that make up the dimensions of `coarse`, None without."""
    if len(fine) < len(coarse) or not coarse:
        return None
    groups: list[list[int]] = []
    at = 0
    for number, extent in enumerate(coarse):
        group, size = [], 1
        last = number == len(coarse) - 1
        while at < len(fine) and (size < extent or not group or last):
            # A dimension of extent 1 in front belongs to the next group, unless this one would stay empty.
            group.append(at)
            size *= fine[at]
            at += 1
        ahead = coarse[number + 1 :]
        while at < len(fine) and fine[at] == 1 and ahead[:1] != (1,) and len(fine) - at > len(ahead):
            group.append(at)
            at += 1
        if size != extent:
            return None
        groups.append(group)
    return groups if at == len(fine) and all(groups) else None
