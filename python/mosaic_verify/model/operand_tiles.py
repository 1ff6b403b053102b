"""SMEM tiles of MMA operands: swizzles, tile shapes and the K group that they make.

An operand lies in SMEM as tiles of 8 rows whose minor side is as wide as the swizzle. Source: JAX
`jax/experimental/mosaic/gpu/mma_utils.py` (`create_descriptor`) and `tcgen05.py` (`mma`).
"""

from __future__ import annotations

from mosaic_verify.model.jax_versions import since
from mosaic_verify.model.sparsity import MIN_K_GROUP

SWIZZLES = (128, 64, 32)  # bytes, in the order in which layout inference tries them
NO_SWIZZLE = 16
TILE_ROWS = 8
INSTRUCTION_K_BYTES = 32  # bytes of A's and dense B's contracting dimension that one instruction reads


def swizzle_elements(swizzle: int, bits: int) -> int:
    """Elements of `bits` bits in the minor side of a tile."""
    return 8 * swizzle // bits


def operand_tile(swizzle: int, bits: int) -> tuple[int, int]:
    """The only tile that the MMA takes for a swizzle, in the order of the allocation."""
    return (TILE_ROWS, swizzle_elements(swizzle, bits))


def tile_divides(shape: tuple[int, ...], tile: tuple[int, ...], transposed: bool) -> bool:
    """True when a ref of logical `shape`, transposed against its allocation or not, consists of whole tiles."""
    sides = tuple(reversed(tile)) if transposed else tile
    return len(shape) >= len(sides) and all(
        size % side == 0 for size, side in zip(shape[len(shape) - len(sides) :], sides, strict=True)
    )


def possible_swizzles(shape: tuple[int, int], bits: int, transposed: bool) -> tuple[int, ...]:
    """Swizzles whose tile divides `shape`; layout inference takes the first that satisfies its other constraints."""
    return tuple(s for s in SWIZZLES if tile_divides(shape, operand_tile(s, bits), transposed))


def k_group(a_swizzle: int, b_swizzle: int, a_bits: int, *, sparse: bool, scale_block: int | None = None) -> int:
    """Logical elements of K that one group of instructions takes: K must be a multiple.

    Args:
      a_swizzle: bytes; for A in TMEM, JAX passes B's.
      scale_block: elements of logical K per scale, None without block scaling.
    """
    group = 8 * max(a_swizzle * (1 + sparse), b_swizzle) // a_bits
    if sparse:
        group = max(group, MIN_K_GROUP)
    return group if scale_block is None else max(group, 4 * scale_block)


def implied_swizzle(tiling: tuple[int, ...] | None, bits: int | None, jax: tuple[int, ...]) -> int | None:
    """Swizzle of a ref with a tiling alone under Warpgroup semantics, None where that stays without.

    JAX 0.10 derives the swizzle from the width of the tile (`layout_inference.py`, `_compute_swizzle`); JAX 0.11 takes
    a missing one for none.

    Args:
      tiling: in the order of the allocation.
      bits: width of the elements.
    """
    if tiling is None or bits is None or since("tiling-without-swizzle", jax):
        return None
    size = tiling[-1] * bits
    return size // 8 if size % 8 == 0 and size // 8 in SWIZZLES else None
