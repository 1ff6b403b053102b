"""Memory that a kernel of the `plgpu` dialect asks for, added up as Pallas does it.

Refs of one `run_scoped` are alive together and with what is inside; equations that follow one another share memory.
Source: `_estimate_resources` in `jax/_src/pallas/mosaic_gpu/lowering.py` and `_smem_tree_size` in
`jax/experimental/mosaic/gpu/core.py`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import boolean, integer, names
from mosaic_verify.dialects.plgpu_refs import RefReader
from mosaic_verify.model.chain import RefType

SMEM_ALIGNMENT = 1024  # bytes; of every SMEM ref, `core.SMEM_ALIGNMENT`
_COLUMNS = 8  # TMEM columns are asked for in blocks of eight
_BARRIER_BYTES = 8
_TMEM_POINTER_BYTES = 4
RESOURCE_OPS = ("plgpu.alloc", "plgpu.reduce")
_REDUCTION_SCRATCH = 128 * 4 * 4  # bytes; default of `CompilerParams.reduction_scratch_bytes`


@dataclass
class Resources:
    """What is needed at one time.

    Attributes:
      smem: bytes of SMEM refs, each aligned.
      columns: TMEM columns, each ref aligned.
      barriers: number of barriers of each kind. Barriers of different kinds do not share memory.
      known: False when the size of a ref is not known.
    """

    smem: int = 0
    columns: int = 0
    barriers: Counter[tuple[object, ...]] = field(default_factory=Counter)
    known: bool = True

    def add(self, other: Resources) -> None:
        """What is needed at the same time."""
        self.smem += other.smem
        self.columns += other.columns
        self.barriers.update(other.barriers)
        self.known &= other.known

    def cover(self, other: Resources) -> None:
        """What is needed before or after that."""
        self.smem = max(self.smem, other.smem)
        self.columns = max(self.columns, other.columns)
        self.barriers |= other.barriers
        self.known &= other.known

    @property
    def smem_bytes(self) -> int:
        """Dynamic shared memory of the kernel, with barriers and the pointer to its tensor memory."""
        barriers = sum(kind[0] * count for kind, count in self.barriers.items())  # type: ignore[operator]
        return self.smem + _BARRIER_BYTES * barriers + (_TMEM_POINTER_BYTES if self.columns else 0)


def resources_of(function: ir.Operation, ops: Iterable[ir.Operation], refs: RefReader | None = None) -> Resources:
    """The resources of a kernel.

    Args:
      ops: its ops with a name in `RESOURCE_OPS`.
      refs: what was read of the same kernel before.
    """
    refs = refs or RefReader()
    given = integer(function, "plgpu.reduction_scratch_bytes")
    reduction = Resources(smem=_align(_REDUCTION_SCRATCH if given is None else given, SMEM_ALIGNMENT))
    own: dict[ir.Operation | None, Resources] = defaultdict(Resources)  # refs of each `run_scoped`
    inside: dict[ir.Operation | None, Resources] = defaultdict(Resources)  # what is needed besides, one after the other
    parents: dict[ir.Operation, ir.Operation | None] = {}
    for op in ops:
        scope = _scope(op, parents)
        if op.name == "plgpu.alloc":
            _add_ref(op, refs.type_of(op.results[0]), own[scope])
        else:
            inside[scope].cover(reduction)
    # Inner scopes come before the ones around them.
    for scope in sorted(parents, key=lambda scope: -_depth(scope, parents)):
        own[scope].add(inside[scope])
        inside[parents[scope]].cover(own[scope])
    own[None].add(inside[None])
    return own[None]


def _scope(op: ir.Operation, parents: dict[ir.Operation, ir.Operation | None]) -> ir.Operation | None:
    """The `run_scoped` around an op, None outside of any; notes the scopes around that one."""
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        scope = parent.operation
        if scope.name == "plgpu.run_scoped":
            if scope not in parents:
                parents[scope] = _scope(scope, parents)
            return scope
        parent = scope.parent
    return None


def _depth(scope: ir.Operation | None, parents: dict[ir.Operation, ir.Operation | None]) -> int:
    depth = 0
    while scope is not None:
        depth, scope = depth + 1, parents[scope]
    return depth


def _add_ref(op: ir.Operation, ref: RefType, into: Resources) -> None:
    """Adds the ref of a `plgpu.alloc`."""
    if ref.space == "barrier":
        axes = names(op, "cluster_axes")
        key = (math.prod(ref.shape), integer(op, "arrivals"), boolean(op, "orders_tensor_core"), axes)
        into.barriers[key] += 1
    elif ref.space == "smem":
        size = integer(op, "bytes")
        into.smem += _align(size or 0, SMEM_ALIGNMENT)
        into.known &= size is not None
    elif ref.space == "tmem":
        columns = integer(op, "columns")
        into.columns += _align(columns or 0, _COLUMNS)
        into.known &= columns is not None


def _align(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
