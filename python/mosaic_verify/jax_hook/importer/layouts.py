"""TMEM layouts of JAX as layouts of the model."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mosaic_verify.model.tmem_layout import Replicated, TmemLayout


@lru_cache(maxsize=64)
def tmem_layout(layout: Any) -> TmemLayout | None:
    """A `tcgen05.TMEMLayout`, None for None and for what does not look like one."""
    try:
        tiles = layout.tiling.tiles
        return TmemLayout(
            tuple(map(tuple, tiles)),
            tuple(map(_dim, layout.warp_dims)),
            tuple(map(_dim, layout.lane_dims)),
            layout.vector_dim,
        )
    except (AttributeError, TypeError):
        return None


def _dim(dim: Any) -> int | Replicated:
    return dim if isinstance(dim, int) else Replicated(dim.times)
