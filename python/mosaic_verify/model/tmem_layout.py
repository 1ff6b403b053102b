"""Layouts of refs in tensor memory (TMEM): 128 lanes of 512 columns of 32 bits.

Source: PTX ISA, "Tensor Memory Addressing"; JAX `jax/experimental/mosaic/gpu/tcgen05.py` (0.10.2 and 0.12).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

TMEM_COLUMNS = 512
TMEM_ROWS = 128


@dataclass(frozen=True, slots=True)
class Replicated:
    """In place of a dimension: all warps (or lanes) along it hold the same data."""

    times: int


@dataclass(frozen=True)
class TmemLayout:
    """A tiled layout as Mosaic GPU writes it (`#mosaic_gpu.TiledLayout`, JAX `tcgen05.TMEMLayout`).

    Attributes:
      tiling: nested tiles, outermost first; the first is the base tile (rows, columns) in elements.
      warp_dims, lane_dims: dimensions of the tiled shape (negative) that are spread over warps and lanes.
      vector_dim: dimension (negative) of the elements that share one 32-bit cell.
    """

    tiling: tuple[tuple[int, ...], ...]
    warp_dims: tuple[int | Replicated, ...]
    lane_dims: tuple[int | Replicated, ...]
    vector_dim: int

    @property
    def base_tile(self) -> tuple[int, ...]:
        """(rows, columns) of the outermost tile, in elements."""
        return self.tiling[0]

    @property
    def tiled_shape(self) -> tuple[int, ...]:
        """Shape of one base tile behind all inner tiles (`TiledLayout.tiled_tiling_shape` of JAX)."""
        shape = self.tiling[0]
        for tile in self.tiling[1:]:
            split = len(shape) - len(tile)
            shape = (*shape[:split], *(s // t for s, t in zip(shape[split:], tile, strict=True)), *tile)
        return shape

    @cached_property
    def packing(self) -> int:
        """Elements in one 32-bit cell."""
        return self.tiled_shape[self.vector_dim]

    @property
    def replication(self) -> int:
        """How many times each element is stored."""
        return math.prod(dim.times for dim in (*self.warp_dims, *self.lane_dims) if isinstance(dim, Replicated))

    def divides(self, shape: tuple[int, ...]) -> bool:
        """True when `shape` consists of whole base tiles."""
        base = self.base_tile
        return len(shape) == len(base) and all(s % t == 0 for s, t in zip(shape, base, strict=True))

    def holds(self, bits: int) -> bool:
        """True when elements of `bits` bits can be laid out: one per cell, or a full cell (`TMEMLayout.check_type`)."""
        return self.packing in (1, 32 // bits)

    def columns(self, shape: tuple[int, int]) -> int:
        """32-bit columns of a ref of `shape` elements in whole base tiles (`TMEMLayout.cols_in_shape` of JAX)."""
        return math.prod(shape) * self.replication // TMEM_ROWS // self.packing

    @property
    def name(self) -> str:
        """A short name: "sparse metadata", "unpacked", "packed by 2", "scales", ..., or the attribute."""
        if self == SPARSE_METADATA:
            return "sparse metadata"
        if self == SCALES:
            return "scales"
        if self == B_SCALES_M64_COLLECTIVE:
            return "M=64 collective scales"
        if self == default_layout(self.packing):
            return "unpacked" if self.packing == 1 else f"packed by {self.packing}"
        if self.base_tile[0] == TMEM_ROWS // 2 and len(self.base_tile) == 2:
            columns = self.base_tile[1]
            for name, make in (("half-lane", half_lane_layout), ("M=64 collective", m64_collective_layout)):
                if self == make(columns, self.packing):
                    return name if self.packing == 1 else f"{name} packed by {self.packing}"
        return self.attribute

    @property
    def attribute(self) -> str:
        """The layout as an MLIR attribute."""
        tiles = ", ".join(str(list(tile)) for tile in self.tiling)
        warp, lane = (", ".join(map(_dim_text, dims)) for dims in (self.warp_dims, self.lane_dims))
        return (
            f"#mosaic_gpu.TiledLayout<[{tiles}], warp_dims = [{warp}], lane_dims = [{lane}], "
            f"vector_dim = {self.vector_dim}>"
        )


def _dim_text(dim: int | Replicated) -> str:
    return f"#mosaic_gpu.Replicated<times = {dim.times}>" if isinstance(dim, Replicated) else str(dim)


SPARSE_METADATA = TmemLayout(((128, 16), (32, 1), (16, 1), (8, 1)), (-8,), (-2, -4, -6), -7)
SCALES = TmemLayout(((128, 4), (32, 1)), (Replicated(4),), (-2,), -3)
B_SCALES_M64_COLLECTIVE = TmemLayout(((256, 4), (128, 4), (32, 4)), (Replicated(2), -6), (-2,), -1)


def default_layout(packing: int = 1) -> TmemLayout:
    """One row per lane: accumulators with M=128 per CTA (packing 1), A in TMEM (packing 32 / bits)."""
    return TmemLayout(((128, packing), (32, packing)), (-4,), (-2,), -1)


def half_lane_layout(columns: int, packing: int = 1) -> TmemLayout:
    """Accumulators of a 1-CTA MMA with M=64."""
    return TmemLayout(((64, columns), (16, columns // 2), (packing,)), (-5,), (-4, -3), -1)


def m64_collective_layout(columns: int, packing: int = 1) -> TmemLayout:
    """Accumulators of a 2-CTA MMA with M=64 per CTA."""
    return TmemLayout(((64, columns), (32, columns // 2), (packing,)), (-4, -5), (-3,), -1)


def inferred_layout(shape: tuple[int, int], collective: bool, packing: int) -> TmemLayout | None:
    """What JAX gives a ref without an explicit layout (`tcgen05._infer_tmem_layout`), None where it refuses."""
    rows, columns = shape
    if packing > 8 or packing.bit_count() != 1 or columns % packing or rows not in (TMEM_ROWS, TMEM_ROWS // 2):
        return None
    if rows == TMEM_ROWS:
        return default_layout(packing)
    if columns % 16 or packing > columns // 2:
        return None
    return (m64_collective_layout if collective else half_lane_layout)(columns, packing)


_ATTRIBUTE = re.compile(
    r"#mosaic_gpu\.TiledLayout<(?P<tiling>\[\[.*?\]\]), warp_dims = \[(?P<warp>.*?)\], lane_dims = \[(?P<lane>.*?)\], "
    r"vector_dim = (?P<vector>-?\d+)>"
)
_DIM = re.compile(r"times = (\d+)|(-?\d+)")


@lru_cache(maxsize=256)
def parse_layout(text: str) -> TmemLayout | None:
    """The layout that an attribute's text spells, registered or not; None for any other text, and for no real layout.

    The attribute's verifier does not ask whether inner tiles divide outer ones, or whether the dimensions exist.
    """
    match = _ATTRIBUTE.fullmatch(text.strip())
    if match is None:
        return None
    tiling = tuple(
        tuple(int(size) for size in tile.split(",")) for tile in match["tiling"].removeprefix("[[")[:-2].split("], [")
    )
    layout = TmemLayout(tiling, _dims(match["warp"]), _dims(match["lane"]), int(match["vector"]))
    return layout if _nested(tiling) and -len(layout.tiled_shape) <= layout.vector_dim < 0 else None


def _nested(tiling: tuple[tuple[int, ...], ...]) -> bool:
    """True when each tile divides the end of the shape that it is applied to."""
    shape = tiling[0]
    for tile in tiling[1:]:
        split = len(shape) - len(tile)
        if split < 0 or any(not t or s % t for s, t in zip(shape[split:], tile, strict=True)):
            return False
        shape = (*shape[:split], *(s // t for s, t in zip(shape[split:], tile, strict=True)), *tile)
    return 0 not in shape


def _dims(text: str) -> tuple[int | Replicated, ...]:
    return tuple(Replicated(int(times)) if times else int(dim) for times, dim in _DIM.findall(text))


def align_columns(columns: int) -> int:
    """Columns that one ref takes inside a kernel: Pallas places refs at multiples of 4 columns."""
    return -(-columns // 4) * 4


def allocated_columns(columns: int) -> int:
    """Columns that the hardware allocates for a request: a power of two, at least 32 (PTX ISA, `tcgen05.alloc`)."""
    return max(32, 1 << (columns - 1).bit_length()) if columns > 0 else 32
