"""Structured sparsity of A: how many elements a metadata pair describes, and the shapes that follow.

Source: JAX `jax/experimental/mosaic/gpu/tcgen05.py` (`mma`, `sparse_group_elems`, `_mxf4_sparsity_version`); PTX ISA,
"Sparse matrices" of `tcgen05.mma`.
"""

from __future__ import annotations

from mosaic_verify.model.facts import Target
from mosaic_verify.model.jax_versions import since

METADATA_PER_COLUMN = 16  # 2-bit entries in one 32-bit TMEM column
METADATA_TILE = (128, 64)  # entries of one SMEM tile of metadata, 16 bytes per row

MIN_K_GROUP = 64  # `mma` of JAX issues sparse instructions for at least this many elements of logical K at a time


def arch_known_to_fp4(arch: tuple[int, int]) -> bool:
    """True when JAX 0.11 and later lower 4-bit sparse MMAs for `arch`; elsewhere they stop with an AssertionError."""
    return arch[0] in (10, 11)


def sparse_group(bits: int, target: Target) -> int | None:
    """Logical elements of A that one metadata pair describes, or None when that depends on an unknown architecture.

    | operand | JAX 0.10 | JAX 0.11, CC 10.0 to 10.6 and 11.x | JAX 0.11, CC 10.7 and later 10.x |
    |---------|----------|------------------------------------|----------------------------------|
    | 8, 16   | 4        | 4                                  | 4                                |
    | 4       | 8        | 8                                  | 4                                |

    Args:
      bits: width of A's element type; a 32-bit type has no sparse kind in JAX.
      target: JAX version and architecture.
    """
    if bits != 4:
        return 4
    if not since("fp4-group-by-arch", target.jax):
        return 8
    if target.arch is None or not arch_known_to_fp4(target.arch):
        return None
    return 4 if target.arch[0] == 10 and target.arch[1] >= 7 else 8


def fp4_depends_on_arch(target: Target) -> bool:
    """True when this JAX asks for the architecture to lower a 4-bit sparse MMA."""
    return since("fp4-group-by-arch", target.jax)


def metadata_columns(k: int, group: int) -> int:
    """Metadata entries per row of A: two for each group of logical K."""
    return k // group * 2


def metadata_tiles(shape: tuple[int, int]) -> tuple[int, int, int, int]:
    """Shape of the SMEM tiles that fill a TMEM metadata ref of `shape` (rows, entries)."""
    rows, columns = METADATA_TILE
    return (shape[0] // rows, shape[1] // columns, rows, columns)
