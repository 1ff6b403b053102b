"""What differs between versions of JAX: the one table of the conditions that changed, and since when.

`since("mixed-fp8", target.jax)` is True from the version on that has the newer behaviour. docs/versions.md shows the
table.
"""

from __future__ import annotations

Version = tuple[int, ...]

# name: (first version, what, before, from then on, codes)
DIFFERENCES: dict[str, tuple[Version, str, str, str, str]] = {
    "mixed-fp8": ((0, 11), "A and B of different FP8 types", "refused", "accepted", "MV116"),
    "fp4-group-by-arch": (
        (0, 11),
        "elements per metadata pair, 4-bit operands",
        "8",
        "4 on compute capability 10.7, else 8",
        "MV101, MV106, MV141",
    ),
    "scale-block-from-shape": (
        (0, 11),
        "block of K per scale",
        "from the scales' type",
        "from the shape of A's scales",
        "MV112, MV120, MV124",
    ),
    "scaled-n": (
        (0, 11),
        "N of a block-scaled MMA",
        "a multiple of 32",
        "of 16 in two CTAs, else of 8",
        "MV111",
    ),
    "scaled-a-in-tmem": ((0, 11), "A of a dense block-scaled MMA in TMEM", "refused", "accepted", "MV119"),
    "tiling-without-swizzle": (
        (0, 11),
        "a tiling without a swizzle, Warpgroup semantics",
        "the swizzle follows from the tile",
        "no swizzle",
        "MV205",
    ),
    # `_extract_aliased_ref` in `_src/pallas/mosaic_gpu/lowering.py`
    "union-layouts": (
        (0, 11),
        "layout of a member of a `RefUnion`, Warpgroup semantics",
        "not looked at",
        "as declared",
        "MV103, MV109",
    ),
    "column-starts": (
        (0, 11),
        "slice of TMEM with a run-time start",
        "unchecked (Lane), or a promise is believed (Warpgroup)",
        "has to be a visible multiple",
        "MV207",
    ),
    "remainders": ((0, 11), "remainders in the start of a slice", "not seen through", "seen through", "MV207"),
    "slice-of-transposed": (
        (0, 11),
        "slice of a transposed operand, Warpgroup semantics",
        "refused",
        "accepted",
        "MV205",
    ),
    "reshape-of-slice": (
        (0, 11),
        "reshape of a slice whose rows lie together, Warpgroup semantics",
        "the result has no strides",
        "only where no dimensions are joined or split",
        "MV203",
    ),
    "layouts-behind-reshape": (
        (0, 11),
        "reshape of leading dimensions, Warpgroup semantics",
        "no layout is inferred behind it",
        "accepted",
        "MV132, MV255",
    ),
    "commit-cluster": (
        (0, 11),
        "cluster of a collective commit",
        "(2, 1, 1)",
        "minormost dimension of size 2",
        "MV606",
    ),
}


def since(what: str, jax: Version) -> bool:
    """True when this version of JAX is at or past the first one with the newer behaviour of `what`."""
    return jax >= DIFFERENCES[what][0]
