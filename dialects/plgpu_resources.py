"""Memory that a kernel of the `plgpu` dialect asks for, added up as Pallas does it.

Refs of one `run_scoped` are alive together and with what is inside; equations that follow one another share memory.
Source: `_estimate_resources` in `jax/_src/pallas/mosaic_gpu/lowering.py` and `_smem_tree_size` in
`jax/experimental/mosaic/gpu/core.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import boolean, integer, names, space, string

SMEM_ALIGNMENT = 1024  # bytes; of every SMEM ref, `core.SMEM_ALIGNMENT`
_COLUMNS = 8  # TMEM columns are asked for in blocks of eight
_BARRIER_BYTES = 8
_TMEM_POINTER_BYTES = 4
_REDUCTIONS = frozenset(
    f"{prefix}reduce_{kind}" for prefix in ("", "mosaic_gpu_") for kind in ("sum", "max", "min", "prod")
)
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

    def beside(self, other: Resources) -> Resources:
        """Both at the same time."""
        return Resources(
            self.smem + other.smem,
            self.columns + other.columns,
            self.barriers + other.barriers,
            self.known and other.known,
        )

    def behind(self, other: Resources) -> Resources:
        """One after the other."""
        return Resources(
            max(self.smem, other.smem),
            max(self.columns, other.columns),
            self.barriers | other.barriers,
            self.known and other.known,
        )

    @property
    def smem_bytes(self) -> int:
        """Dynamic shared memory of the kernel, with barriers and the pointer to its tensor memory."""
        barriers = sum(kind[0] * count for kind, count in self.barriers.items())  # type: ignore[operator]
        return self.smem + _BARRIER_BYTES * barriers + (_TMEM_POINTER_BYTES if self.columns else 0)


def resources_of(function: ir.Operation) -> Resources:
    """The resources of a kernel."""
    attributes = function.attributes
    name = "plgpu.reduction_scratch_bytes"
    scratch = ir.IntegerAttr(attributes[name]).value if name in attributes else _REDUCTION_SCRATCH
    return _of_region(function.regions[0], scratch)


def _of_region(region: ir.Region, scratch: int) -> Resources:
    allocated, rest = Resources(), Resources()
    for block in region.blocks:
        for view in block.operations:
            op = view.operation
            if op.name == "plgpu.alloc":
                allocated = allocated.beside(_of_alloc(op))
            elif op.name == "plgpu.primitive" and string(op, "name") in _REDUCTIONS:
                rest = rest.behind(Resources(smem=_align(scratch, SMEM_ALIGNMENT)))
            for inner in op.regions:
                rest = rest.behind(_of_region(inner, scratch))
    return allocated.beside(rest)


def _of_alloc(op: ir.Operation) -> Resources:
    kind = space(op.results[0])
    shape = list(op.results[0].type.shape)
    if kind == "barrier":
        axes = names(op, "cluster_axes")
        key = (math.prod(shape), integer(op, "arrivals"), boolean(op, "orders_tensor_core"), axes)
        return Resources(barriers=Counter({key: 1}))
    if kind == "smem":
        size = integer(op, "bytes")
        return Resources(known=False) if size is None else Resources(smem=_align(size, SMEM_ALIGNMENT))
    if kind == "tmem":
        columns = integer(op, "columns")
        return Resources(known=False) if columns is None else Resources(columns=_align(columns, _COLUMNS))
    return Resources()


def _align(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
