"""What a generated kernel is made of."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Options:
    """One kernel. Sizes are per CTA; swizzles in bytes, None leaves the transforms to layout inference.

    Attributes:
      sparse: multiply with metadata; False is a dense MMA on TMEM.
      arch: the device that is asked for while the kernel is traced; None is JAX's own answer on this machine.
      a_major, b_major: "k" or "mn", the contiguous dimension in SMEM.
      a_space: "smem" or "tmem" (packed unless `a_packed` is False).
      a_tile, b_tile: tile that replaces the one that fits the swizzle.
      a_transforms, b_transforms: "both", or only "tiling", only "swizzle", or "reversed".
      a_window, b_window: where along K the MMA starts to read the SMEM ref of A or B, in its elements; the ref is that
        much longer than what the MMA reads.
      a_chain, b_chain, acc_chain, metadata_chain, source_chain, target_chain: Python text behind the ref at its use:
        `.transpose((1, 0))`. The source is what the metadata copy reads, the target what it writes.
      metadata: shape of the ref; None is what the MMA wants for one pair per `group` elements.
      metadata_space: "tmem" or "smem".
      metadata_batch: leading dimension of the ref, which is indexed with 0 where it is used.
      metadata_slice: (start, size) of the columns that the MMA reads.
      metadata_start: how a run-time start of those columns is written, None for the static one: "i * 64", "i * 16",
        "i", or "multiple_of", a promise that JAX does not look at.
      tiles: shape of the SMEM ref of the copy; None is what the copy wants.
      tiles_transforms: tile and swizzle the SMEM ref of the metadata.
      copy: issue the metadata copy: "before" the MMA, "after" it, or None.
      scales: element type of the scales, or None; `a_scale` and `b_scale` replace their shapes.
      one_scale: pass the same ref for both scales.
      collective, acc_collective, metadata_collective, copy_collective, commit_collective: flags of the MMA, the refs,
        the copy and the commit; None is what the MMA has.
      commit: "mma" gives the barrier to the MMA, "manual" commits behind it, None does not.
      acc_extra: columns of the accumulator's ref beyond those that are used.
      union: the accumulator and the metadata are members of a RefUnion.
      scoped: the metadata's refs are allocated with `run_scoped`.
      warp: the MMA is issued in a `core_map` of warps.
      loop: the MMA and its copy stand in a loop of two steps.
      fill: load the metadata into SMEM and wait for it (and, with two CTAs, for the other one).
      wait: wait for the MMA.
      load: read the accumulator back and store it.
      extra_tmem: columns of one more TMEM ref; `extra_smem`: KiB of one more SMEM ref.
    """

    semantics: str = "warpgroup"
    arch: str | None = None
    sparse: bool = True
    m: int = 128
    n: int = 128
    k: int = 128
    a_dtype: str = "float16"
    b_dtype: str | None = None
    acc_dtype: str | None = None
    acc_packed: bool = False
    a_swizzle: int | None = 64
    b_swizzle: int | None = 64
    a_tile: Shape | None = None
    b_tile: Shape | None = None
    a_transforms: str = "both"
    b_transforms: str = "both"
    a_major: str = "k"
    b_major: str = "k"
    a_space: str = "smem"
    a_packed: bool = True
    a_window: int | None = None
    b_window: int | None = None
    a_chain: str = ""
    b_chain: str = ""
    acc_chain: str = ""
    group: int = 4
    metadata: Shape | None = None
    metadata_dtype: str = "uint2"
    metadata_space: str = "tmem"
    metadata_layout: str = "sparse"
    metadata_batch: int | None = None
    metadata_slice: tuple[int, int] | None = None
    metadata_start: str | None = None
    metadata_chain: str = ""
    source_chain: str = ""
    target_chain: str = ""
    tiles: Shape | None = None
    tiles_dtype: str | None = None
    tiles_transforms: bool = False
    copy: str | None = "before"
    scales: str | None = None
    scale_block: int = 64
    a_scale: Shape | None = None
    b_scale: Shape | None = None
    one_scale: bool = False
    collective: bool = False
    acc_collective: bool | None = None
    metadata_collective: bool | None = None
    copy_collective: bool | None = None
    commit: str | None = "mma"
    commit_collective: bool | None = None
    barrier_orders: bool = True
    cluster: Shape = (2,)
    acc_extra: int = 0
    accumulate: str = "False"
    union: bool = False
    scoped: bool = False
    warp: bool = False
    loop: bool = False
    fill: bool = True
    wait: bool = True
    load: bool = False
    extra_tmem: int = 0
    extra_smem: int = 0

    def changed(self) -> dict[str, object]:
        """The fields that are not as in the plain kernel."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }

    def __str__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self.changed().items())})"

    @property
    def a_columns(self) -> int:
        """Columns of A that the MMA reads."""
        return self.k // 2 if self.sparse else self.k

    @property
    def ctas(self) -> int:
        """How many CTAs issue the MMA together."""
        return 2 if self.collective else 1

    @property
    def metadata_shape(self) -> Shape:
        """Shape of the metadata's ref without its batch dimension."""
        return self.metadata or (self.m, 2 * self.k // self.group)

    @property
    def filled(self) -> bool:
        """True when the kernel loads its metadata from an argument."""
        return self.sparse and self.fill and self.copy is not None

    @property
    def tiles_shape(self) -> Shape:
        """Shape of the SMEM ref of the metadata copy."""
        rows, columns = self.metadata_shape
        return self.tiles or (max(rows // 128, 1), max(columns // 64, 1), 128, 64)
