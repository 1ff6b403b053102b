"""Refs of the `mosaic_gpu` dialect as operands: from an SSA value back to its allocation.

Ops are recognised by name and attributes by look-up, so that the walk also works where `mosaic_gpu` is not registered.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import cast

from jaxlib.mlir import ir

from mosaic_verify.dialects.mosaic_gpu_dynamic import known_power_of_two
from mosaic_verify.model.chain import Cast, Dynamic, Opaque, RefType, Reshape, Slice, Start, Step, Transpose
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import Space
from mosaic_verify.model.tmem_layout import TmemLayout, parse_layout

_INTEGERS = re.compile(r"-?\d+")
_TILE = re.compile(r"#mosaic_gpu\.tile<\[([\d, ]+)\]>")
_SWIZZLE = re.compile(r"#mosaic_gpu\.swizzle<(\d+)")
_DYNAMIC = -(2**63)

# In JAX 0.10.2 a memref takes no memory space of an unregistered dialect; texts are parsed with these instead.
TMEM_STAND_IN, CLUSTER_STAND_IN = '"tmem"', '"smem_cluster"'
_SPACES: dict[str, Space] = {
    "#mosaic_gpu.tmem": "tmem",
    TMEM_STAND_IN: "tmem",
    "#gpu.address_space<workgroup>": "smem",
    "#mosaic_gpu.smem_cluster": "smem",
    CLUSTER_STAND_IN: "smem",
    "#gpu.address_space<global>": "gmem",
}


def ref_type(kind: ir.Type) -> RefType:
    """Shape, element type and memory space of a memref type."""
    return _parsed(str(kind))


_MEMREF = re.compile(r"memref<(?P<shape>(?:[\d?]+x)*)(?P<element>[^,<>]+(?:<[^<>]*>)?)(?P<rest>.*)>", re.S)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> RefType:
    """A memref type from its text: the bindings build an object for each part that one asks them for."""
    match = _MEMREF.fullmatch(text)
    if match is None:
        return RefType((), text)
    shape = tuple(_DYNAMIC if size == "?" else int(size) for size in match["shape"].split("x") if size)
    rest = match["rest"]
    space = next((space for name, space in _SPACES.items() if rest.endswith(f", {name}")), None)
    if space is None:
        space = "gmem" if not rest or (rest.startswith(", strided<") and rest.endswith(">")) else "other"
    return RefType(shape, match["element"], space, bit_width(match["element"]) or 0)


def attribute(op: ir.Operation, name: str) -> ir.Attribute | None:
    """An attribute by name, None when there is none; those in `<{...}>` of unregistered ops answer to look-up only."""
    try:
        return op.attributes[name]
    except KeyError:
        return None


def integer(op: ir.Operation, name: str) -> int | None:
    """An integer attribute, None for anything else."""
    found = attribute(op, name)
    return found.value if isinstance(found, ir.IntegerAttr) else None


def integers(op: ir.Operation, name: str) -> list[int]:
    """An array attribute of integers; [] when it is missing or something else."""
    found = attribute(op, name)
    return list(cast("Iterable[int]", found)) if isinstance(found, ir.DenseI32ArrayAttr | ir.DenseI64ArrayAttr) else []


def is_memref(kind: ir.Type) -> bool:
    """True for a ranked memref. Ops of an unregistered dialect may have anything as an operand."""
    return isinstance(kind, ir.MemRefType)


def space_of(ref: RefType) -> Space | None:
    """Memory space of a ref as facts name it."""
    return cast("Space", ref.space) if ref.space else None


def strides_of(kind: ir.Type) -> tuple[int, ...] | None:
    """Element strides of a memref type, None when one is dynamic or the layout is no strided one."""
    try:
        strides, _ = ir.MemRefType(kind).get_strides_and_offset()
    except (ValueError, RuntimeError):
        return None
    return None if any(stride == _DYNAMIC for stride in strides) else tuple(strides)


def is_transposed(strides: tuple[int, ...] | None) -> bool | None:
    """True when a dimension has a larger stride than one before it (`utils.is_memref_transposed` of JAX)."""
    if strides is None:
        return None
    return any(later > earlier for earlier, later in itertools.pairwise(strides))


@dataclass
class Walk:
    """What lies between a value and its allocation.

    Attributes:
      source: the op that allocates (`slice_tmem`, `slice_smem`, `tmem_alloc`, ...), or None when the walk ended
        elsewhere.
      base: type of the allocation: the logical one where an SMEM ref was allocated in tiles.
      steps, ops: the chain and the op of each step, from the allocation on.
      transforms: tiling and swizzle of the nearest `with_transforms`, in the order of the dimensions of the value, or
        None when there is none.
      layout: from the nearest `tmem_layout_cast`.
      slices: per dimension of the value, sizes and starts that a tile must divide.
    """

    source: ir.Operation | None = None
    base: RefType | None = None
    steps: list[Step] = field(default_factory=list)
    ops: list[ir.Operation] = field(default_factory=list)
    transforms: tuple[tuple[int, ...] | None, int | None] | None = None
    layout: TmemLayout | None = None
    slices: list[int] = field(default_factory=list)

    def before(self, step: Step, op: ir.Operation) -> None:
        """Adds a step in front."""
        self.steps.insert(0, step)
        self.ops.insert(0, op)


def walk(value: ir.Value, jax: tuple[int, ...]) -> Walk:
    """Follows a ref to its allocation.

    Args:
      jax: version of JAX; it decides what is known about dynamic starts.
    """
    found = Walk(slices=[0] * len(ref_type(value.type).shape))
    order = list(range(len(found.slices)))  # dimension of the value -> dimension at the present place
    while isinstance(owner := value.owner, ir.Operation | ir.OpView):
        op = owner.operation
        step = _STEPS.get(op.name)
        if step is None or not len(op.operands) or not is_memref(op.operands[0].type):
            if op.name in SOURCES:
                found.source, found.base = op, found.base or ref_type(value.type)
            elif len(op.operands) and is_memref(op.operands[0].type):
                found.before(Opaque(op.name, ref_type(value.type)), op)
            break
        order = step(op, value, found, order, jax)
        value = op.operands[0]
    else:  # an argument of the function
        found.base = found.base or ref_type(ir.MemRefType(value.type))
    return found


SOURCES = frozenset(
    ("mosaic_gpu.slice_tmem", "mosaic_gpu.slice_smem", "mosaic_gpu.tmem_alloc", "mosaic_gpu.alloc_smem")
)

_StepReader = Callable[[ir.Operation, ir.Value, Walk, list[int], tuple[int, ...]], list[int]]


def _transpose(op: ir.Operation, _value: ir.Value, found: Walk, order: list[int], _jax: tuple[int, ...]) -> list[int]:
    permutation = _permutation(op)
    found.before(Transpose(permutation), op)
    return [permutation[d] if d >= 0 else d for d in order]


def _permutation(op: ir.Operation) -> tuple[int, ...]:
    results = str(op.attributes["permutation"]).partition("->")[2]
    return tuple(int(number) for number in _INTEGERS.findall(results))


def _subview(op: ir.Operation, value: ir.Value, found: Walk, order: list[int], jax: tuple[int, ...]) -> list[int]:
    starts, sizes, strides = (integers(op, f"static_{name}") for name in ("offsets", "sizes", "strides"))
    source = ref_type(op.operands[0].type).shape
    dynamic = iter(list(op.operands)[1:])
    begin = [_start(next(dynamic), jax) if start == _DYNAMIC else start for start in starts]
    shape = list(ref_type(value.type).shape)
    dropped = _dropped(sizes, shape)
    step = Slice(tuple(begin), tuple(sizes), tuple(strides), dropped)
    found.before(step, op)
    kept = [d for d in range(len(sizes)) if d not in dropped]
    order = [kept[d] if 0 <= d < len(kept) else -1 for d in order]
    for number, dim in enumerate(order):
        if dim >= 0:
            start = begin[dim]
            known = start.promised if isinstance(start, Dynamic) else start
            found.slices[number] = math.gcd(found.slices[number], sizes[dim], source[dim], known)
    return order


def _dropped(sizes: list[int], shape: list[int]) -> tuple[int, ...]:
    """Dimensions of extent 1 that a rank-reducing subview drops, earliest first."""
    dropped, kept = [], list(shape)
    for dim, size in enumerate(sizes):
        if kept and size == kept[0] and not (size == 1 and len(sizes) - dim > len(kept)):
            kept.pop(0)
        else:
            dropped.append(dim)
    return tuple(dropped)


def _start(value: ir.Value, jax: tuple[int, ...]) -> Start:
    """A start that is passed as a value: constants are still such ones before the module is canonicalised."""
    owner = value.owner
    if isinstance(owner, ir.Operation | ir.OpView) and owner.operation.name == "arith.constant":
        return ir.IntegerAttr(owner.operation.attributes["value"]).value
    # A value's printed name would cost a walk over the whole function.
    seen, promised = (known_power_of_two(value, jax, promises=promises) for promises in (False, True))
    return Dynamic(hash(value), multiple_of=seen, promised=promised)


def _reshape(op: ir.Operation, value: ir.Value, found: Walk, order: list[int], _jax: tuple[int, ...]) -> list[int]:
    found.before(Reshape(ref_type(value.type).shape), op)
    return [-1] * len(order)


def _cast(op: ir.Operation, _value: ir.Value, found: Walk, order: list[int], _jax: tuple[int, ...]) -> list[int]:
    found.before(Cast("strides"), op)
    return order


def _with_transforms(
    op: ir.Operation, value: ir.Value, found: Walk, order: list[int], _jax: tuple[int, ...]
) -> list[int]:
    found.base = ref_type(value.type)
    if found.transforms is None:
        text = str(attribute(op, "transforms"))
        tile, swizzle = _TILE.search(text), _SWIZZLE.search(text)
        tiling = tuple(int(size) for size in tile[1].split(",")) if tile else None
        rank = len(found.base.shape)
        if tiling and len(order) <= rank and all(d >= 0 for d in order):
            full = (*(1 for _ in range(rank - len(tiling))), *tiling)
            tiling = tuple(full[d] for d in order[-len(tiling) :])
        found.transforms = (tiling, int(swizzle[1]) if swizzle else None)
    return order


def _layout_cast(op: ir.Operation, _value: ir.Value, found: Walk, order: list[int], _jax: tuple[int, ...]) -> list[int]:
    found.layout = found.layout or parse_layout(str(attribute(op, "new_layout")))
    return order


def _reinterpret(op: ir.Operation, value: ir.Value, found: Walk, order: list[int], _jax: tuple[int, ...]) -> list[int]:
    """Tiles of an allocation as its logical shape."""
    found.base = replace(found.base or ref_type(value.type))
    return order


_STEPS: dict[str, _StepReader] = {
    "memref.transpose": _transpose,
    "memref.subview": _subview,
    "memref.expand_shape": _reshape,
    "memref.collapse_shape": _reshape,
    "memref.cast": _cast,
    "mosaic_gpu.with_transforms": _with_transforms,
    "mosaic_gpu.tmem_layout_cast": _layout_cast,
    "mosaic_gpu.reinterpret_cast": _reinterpret,
}
