"""Which ops tell that a module is at a level, so that passes of other levels are not even imported.

A pass belongs to the level that its name begins with. A test holds this table to the `ops` of all passes.
"""

from __future__ import annotations

from typing import NamedTuple

_CUSTOM_CALL = "stablehlo.custom_call"


class Level(NamedTuple):
    """`ops` make the passes of a level fit a module; `others` are looked at by them without making them fit."""

    ops: tuple[str, ...]
    others: tuple[str, ...] = ()


LEVELS = {
    "plgpu": Level(
        (
            "plgpu.alloc",
            "plgpu.async_copy_scales_to_tmem",
            "plgpu.async_copy_smem_to_tmem",
            "plgpu.async_copy_sparse_metadata_to_tmem",
            "plgpu.reduce",
            "plgpu.tcgen05_commit_arrive",
            "plgpu.tcgen05_mma",
            "plgpu.unknown_primitive",
            "plgpu.unknown_transform",
        )
    ),
    "mosaic_gpu": Level(
        (
            "mosaic_gpu.async_store_scales_smem_to_tmem",
            "mosaic_gpu.async_store_smem_to_tmem",
            "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem",
            "mosaic_gpu.slice_tmem",
            "mosaic_gpu.tcgen05_commit_arrive",
            "mosaic_gpu.tcgen05_mma",
            "mosaic_gpu.tmem_alloc",
        ),
        ("gpu.launch",),  # also in lowered modules
    ),
    "stablehlo": Level((_CUSTOM_CALL,)),
    "megablox": Level(("megablox.gmm", "megablox.tgmm", _CUSTOM_CALL)),
    "block_sparse": Level(("block_sparse.attention_bwd", "block_sparse.attention_fwd", _CUSTOM_CALL)),
}
ALL_OPS = tuple(sorted({name for level in LEVELS.values() for name in (*level.ops, *level.others)}))


def level_of(pass_name: str) -> str | None:
    """The level that the name of a pass begins with; None for a pass of no level, which fits every module."""
    for level in LEVELS:
        if pass_name.startswith(level.replace("_", "-") + "-"):
            return level
    return None
