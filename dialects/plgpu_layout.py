"""Short spellings of TMEM layouts in the `plgpu` dialect: "sparse_metadata", "default(2)", or the attribute's text."""

from __future__ import annotations

import re
from functools import lru_cache

from mosaic_verify.model import tmem_layout
from mosaic_verify.model.tmem_layout import TmemLayout

_NAMED = {
    "sparse_metadata": tmem_layout.SPARSE_METADATA,
    "scales": tmem_layout.SCALES,
    "b_scales_m64_collective": tmem_layout.B_SCALES_M64_COLLECTIVE,
}
_MAKERS = {
    "default": tmem_layout.default_layout,
    "half_lane": tmem_layout.half_lane_layout,
    "m64_collective": tmem_layout.m64_collective_layout,
}
_CALL = re.compile(r"(\w+)(?:\(([\d, ]*)\))?")


@lru_cache(maxsize=256)
def read_layout(text: str) -> TmemLayout | None:
    """The layout behind a spelling, None for a text that is none."""
    layout = _parse(text)
    try:
        sizes = () if layout is None else (layout.packing, *(extent for tile in layout.tiling for extent in tile))
        return layout if all(size > 0 for size in sizes) else None
    except (ArithmeticError, IndexError, ValueError):  # tiles that are empty, or do not divide one another
        return None


def _parse(text: str) -> TmemLayout | None:
    match = _CALL.fullmatch(text)
    if match is None:
        return tmem_layout.parse_layout(text)
    if match[1] in _NAMED:
        return _NAMED[match[1]] if match[2] is None else None
    numbers = [int(number) for number in (match[2] or "").split(",") if number.strip()]
    try:
        return _MAKERS[match[1]](*numbers)
    except (ArithmeticError, KeyError, TypeError):
        return None


@lru_cache(maxsize=256)
def spell_layout(layout: TmemLayout) -> str:
    """The shortest spelling of a layout."""
    for name, named in _NAMED.items():
        if layout == named:
            return name
    packing = layout.packing
    if layout == tmem_layout.default_layout(packing):
        return "default" if packing == 1 else f"default({packing})"
    columns = layout.base_tile[-1]
    for name in ("half_lane", "m64_collective"):
        if layout == _MAKERS[name](columns, packing):
            return f"{name}({columns}, {packing})"
    return layout.attribute
