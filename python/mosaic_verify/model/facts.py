"""Facts about one kernel that uses the tensor core: what views read from the IR and what rules look at.

The `plgpu` and the `mosaic_gpu` views give the same facts. `None` means that a level cannot know: a rule that needs the
value stays silent. Element types are spelled as in MLIR ("f16", "f8E4M3FN", "i8", "i2", "ui2"); `model.elements` knows
their widths and JAX names. Shapes count elements; A of a sparse MMA is compressed, its shape is (M, K / 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mosaic_verify.model.tmem_layout import TmemLayout

if TYPE_CHECKING:
    from mosaic_verify.model.chain import RefType, Step

Semantics = Literal["warpgroup", "lane"]
Space = Literal["smem", "tmem", "gmem", "other"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a kernel is lowered for and by whom.

    Attributes:
      arch: compute capability (major, minor), or None when nobody said.
      arch_assumed: True when `arch` was not asked for but is what JAX falls back to without a GPU, (9, 0).
      jax: version of JAX that lowers the kernel, such as (0, 12, 0); conditions differ between versions.
      semantics: Pallas lowering semantics. "warpgroup" goes through the mosaic_gpu dialect, "lane" emits directly.
      level: what the facts were read from: "plgpu" before Pallas has looked at any chain, "mosaic_gpu" behind that.
    """

    arch: tuple[int, int] | None = None
    arch_assumed: bool = False
    jax: tuple[int, ...] = (0, 12, 0)
    semantics: Semantics = "warpgroup"
    level: Literal["plgpu", "mosaic_gpu"] = "mosaic_gpu"


@dataclass(frozen=True, slots=True)
class Allocation:
    """One ref as it was allocated.

    Attributes:
      index: position in `Kernel.allocations`; with the kernel it identifies the allocation.
      name: name of the ref in the user's function ("meta_tmem"), or "" where the level does not know it.
      space: memory space.
      shape, element: as allocated, without SMEM tiling (the logical shape). Leading batch dimensions are included.
      layout: TMEM only: the layout that the allocation carries; None when it is left to layout inference or unknown.
      column, columns: TMEM only: first 32-bit column within the kernel's allocation, and the columns that it occupies.
      offset, bytes: SMEM only: byte offset within the dynamic shared memory, and size.
      tiling, swizzle: SMEM only: transforms of the allocation (swizzle in bytes), None without.
      collective: TMEM only: allocated in both CTAs of a pair.
    """

    index: int
    name: str = ""
    space: Space | None = None
    shape: tuple[int, ...] | None = None
    element: str | None = None
    layout: TmemLayout | None = None
    column: int | None = None
    columns: int | None = None
    offset: int | None = None
    bytes: int | None = None
    tiling: tuple[int, ...] | None = None
    swizzle: int | None = None
    collective: bool | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """One ref as an op receives it, behind its chain of transforms.

    Attributes:
      shape: logical shape that the op sees: without tiling, after all steps of the chain.
      element: element type that the op sees.
      space: memory space.
      allocation: where it points into, or None when the walk ended elsewhere (block argument, call result).
      chain: steps from the allocation to the op, as the user wrote them; places are `chain[i]`.
      base: type of the ref in front of `chain[0]`; physical (with tiles as dimensions) where the chain starts with
        unswizzle and untile steps. None: the shape and element type of `allocation`.
      smem_known: SMEM only: True when tiling and swizzle are decided (set by the user), False when layout inference
        chooses them (Warpgroup, no `with_transforms` on the way). With True, None in `tiling`/`swizzle` means "none".
      tiling: SMEM only: tile of the two minor dimensions *in the order of the allocation*, such as (8, 64).
      swizzle: SMEM only: bytes, 16 (none), 32, 64 or 128.
      swizzle_candidates: SMEM only, with `smem_known` False: swizzles whose tile divides the ref and all its slices, in
        the order in which layout inference tries them.
      swizzle_settled: True when nothing else constrains that choice, so that the first candidate is the one taken.
      transposed: True when an odd number of transposes lies between the tiled ref and the op. A is K-major and B is
        MN-major when not transposed; see `SparseMma.a_k_major` and `b_k_major`.
      strides: SMEM only: element strides of `shape` as the memref type has them, None where dynamic or unknown.
      layout: TMEM only: the layout of the ref at the op; None when layout inference chooses.
      column: TMEM only: first column of the operand, counted in *elements of the operand* from the first column of its
        allocation; None when dynamic or unknown.
      column_multiple: TMEM only: for a dynamic start, the largest number that JAX can see to divide it (0: starts at a
        static column or unknown, 1: nothing known).
    """

    shape: tuple[int, ...] | None = None
    element: str | None = None
    space: Space | None = None
    allocation: Allocation | None = None
    chain: tuple[Step, ...] = ()
    base: RefType | None = None
    smem_known: bool = True
    tiling: tuple[int, ...] | None = None
    swizzle: int | None = None
    swizzle_candidates: tuple[int, ...] = ()
    swizzle_settled: bool = False
    transposed: bool | None = None
    strides: tuple[int, ...] | None = None
    layout: TmemLayout | None = None
    column: int | None = None
    column_multiple: int = 0

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None when the shape is unknown."""
        return None if self.shape is None else len(self.shape)


@dataclass(frozen=True, slots=True)
class SparseMma:
    """One `tcgen05_mma`. Without `metadata` it is a dense one: rules about sparsity skip it.

    `m`, `n` and `k` are sizes of one CTA's share. B is (K, N) and the accumulator (M, N), or (M, 2 N) when collective.
    """

    accumulator: Operand
    a: Operand
    b: Operand
    metadata: Operand | None = None
    a_scale: Operand | None = None
    b_scale: Operand | None = None
    collective: bool = False
    target: Target = Target()

    @property
    def sparse(self) -> bool:
        """A is 2:4 compressed and has metadata."""
        return self.metadata is not None

    @property
    def scaled(self) -> bool:
        """Block-scaled: both scales are present."""
        return self.a_scale is not None and self.b_scale is not None

    @property
    def m(self) -> int | None:
        """Rows of A."""
        return self.a.shape[0] if self.a.shape is not None and len(self.a.shape) == 2 else None

    @property
    def n(self) -> int | None:
        """Columns of B, per CTA."""
        return self.b.shape[1] if self.b.shape is not None and len(self.b.shape) == 2 else None

    @property
    def k(self) -> int | None:
        """Logical contraction size: rows of B."""
        return self.b.shape[0] if self.b.shape is not None and len(self.b.shape) == 2 else None

    @property
    def a_k_major(self) -> bool | None:
        """K is A's contiguous dimension in SMEM; None for A in TMEM or when unknown."""
        return None if self.a.space != "smem" or self.a.transposed is None else not self.a.transposed

    @property
    def b_k_major(self) -> bool | None:
        """K is B's contiguous dimension in SMEM, as after `transpose_ref`; None when unknown."""
        return None if self.b.space != "smem" or self.b.transposed is None else self.b.transposed


@dataclass(frozen=True, slots=True)
class MetadataCopy:
    """One `async_copy_sparse_metadata_to_tmem`: SMEM tiles (M / 128, columns / 64, 128, 64) of i2 into a TMEM ref."""

    source: Operand
    destination: Operand
    collective: bool = False
    target: Target = Target()


@dataclass(frozen=True, slots=True)
class TmemCopy:
    """Any other asynchronous copy from SMEM to TMEM: of "scales" (`async_copy_scales_to_tmem`) or of an "operand"."""

    kind: Literal["scales", "operand"]
    source: Operand
    destination: Operand
    collective: bool = False
    target: Target = Target()


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of tcgen05 ops to a barrier, written by the user or made by an MMA that was given a barrier."""

    collective: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """Everything about one kernel that rules of the tensor core look at, in program order.

    Attributes:
      cluster: cluster shape with the minormost ("x") dimension first, or None when unknown.
      tmem_columns: columns that the kernel allocates in all where the IR says so (an alloc op), before rounding; None
        when it follows from `allocations`.
      tmem_collective: for each TMEM allocation op of the IR whether it is collective; empty where there are none.
      smem_bytes: dynamic shared memory of the kernel, or None when unknown.
      smem_limit: what the device offers to one block, or None when unknown.
    """

    target: Target = Target()
    allocations: tuple[Allocation, ...] = ()
    mmas: tuple[SparseMma, ...] = ()
    copies: tuple[MetadataCopy, ...] = ()
    other_copies: tuple[TmemCopy, ...] = ()
    commits: tuple[Commit, ...] = ()
    cluster: tuple[int, int, int] | None = None
    tmem_columns: int | None = None
    tmem_collective: tuple[bool, ...] = ()
    smem_bytes: int | None = None
    smem_limit: int | None = None
