"""Scratch refs of `run_scoped` as `plgpu.alloc` ops."""

from __future__ import annotations

import math
import re
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu_layout import spell_layout
from mosaic_verify.jax_hook.importer.emitter import Emitter, space_of
from mosaic_verify.jax_hook.importer.layouts import tmem_layout
from mosaic_verify.jax_hook.importer.pallas import transform_kinds
from mosaic_verify.model.elements import bit_width

_SOURCE = re.compile(r"(.*) at (.*):(\d+)")
_KEY = re.compile(r"""\w+\[["'](\w+)["']\]""")
_NO_NAME = re.compile(r"(refs|args|scratch_refs)\[\d+\]")  # JAX's own functions pass refs on in tuples


def allocation_attributes(
    emitter: Emitter, aval: Any, transforms: tuple[Any, ...], name: str
) -> dict[str, ir.Attribute]:
    """The attributes of `plgpu.alloc` for a ref of type `aval` with the transforms that its uses start with."""
    attributes: dict[str, ir.Attribute] = {}
    if name:
        attributes["name"] = emitter.string(name)
    space = space_of(aval)
    if space == "barrier":
        _barrier(emitter, aval.inner_aval.dtype, attributes)
    elif space == "tmem":
        _tmem(emitter, aval, attributes)
    elif space == "smem":
        element = emitter.element(getattr(aval.inner_aval, "dtype", None))
        bits = bit_width(str(element)) if element is not None else None
        if bits:
            attributes["bytes"] = emitter.integer(math.prod(aval.shape) * bits // 8)
    if hasattr(aval, "refs"):
        attributes["union"] = ir.UnitAttr.get(emitter.context)
    kinds = transform_kinds()
    for transform in transforms:
        kind = kinds.get(type(transform))
        if kind == "untile":
            attributes["tiling"] = emitter.integers(transform.tiling)
        elif kind == "unswizzle":
            attributes["swizzle"] = emitter.integer(transform.swizzle)
        elif kind == "expand_batch":
            attributes["batch"] = emitter.integers(transform.batch_shape)
    return attributes


def _barrier(emitter: Emitter, dtype: Any, attributes: dict[str, ir.Attribute]) -> None:
    attributes["arrivals"] = emitter.integer(dtype.num_arrivals)
    attributes["orders_tensor_core"] = emitter.boolean(bool(dtype.orders_tensor_core))
    axes = getattr(dtype, "collective_axes", None)
    if axes is not None:
        attributes["cluster_axes"] = emitter.names(axes)
        attributes["leader_tracked"] = emitter.boolean(bool(getattr(dtype, "leader_tracked", False)))


def _tmem(emitter: Emitter, aval: Any, attributes: dict[str, ir.Attribute]) -> None:
    collective = getattr(aval, "collective", None)
    if collective is not None:
        attributes["collective"] = emitter.boolean(bool(collective))
    layout = tmem_layout(getattr(aval, "layout", None))
    if layout is None:
        return
    attributes["layout"] = emitter.string(spell_layout(layout))
    if hasattr(aval, "refs"):
        attributes["columns"] = emitter.integer(aval.shape[1])
        return
    element = emitter.element(aval.inner_aval.dtype)
    bits = bit_width(str(element)) if element is not None else None
    if bits and layout.divides(tuple(aval.shape)) and layout.holds(bits):
        attributes["columns"] = emitter.integer(layout.columns(tuple(aval.shape)))


def argument_names(debug_info: Any, count: int) -> list[str]:
    """Names of the inputs of a jaxpr, "" where JAX knows none."""
    names = getattr(debug_info, "arg_names", None) or ()
    names = [str(name) if name is not None else "" for name in names]
    if len(names) != count:
        return [""] * count
    return [_plain_name(name) for name in names]


def _plain_name(name: str) -> str:
    """The name as the user would say it: of `refs["meta"]`, from `**refs`, it is "meta"."""
    if not name.endswith("]"):
        return name
    if _NO_NAME.fullmatch(name):
        return ""
    key = _KEY.fullmatch(name)
    return key[1] if key is not None else name


def function_source(debug_info: Any) -> tuple[str, str, int] | None:
    """(name, file, line) of the function that a jaxpr was traced from; None when it is JAX's own, or unknown."""
    from jax._src import source_info_util

    match = _SOURCE.fullmatch(str(getattr(debug_info, "func_src_info", "") or ""))
    if match is None or not source_info_util.is_user_filename(match[2]):
        return None
    return match[1], match[2], int(match[3])


def source_location(emitter: Emitter, debug_info: Any) -> ir.Location | None:
    """The location of the user's function that a jaxpr was traced from: its line, with its name; None without one."""
    text = getattr(debug_info, "func_src_info", None)
    if not text:
        return None
    if text not in emitter.sources:
        source = function_source(debug_info)
        if source is None:
            return None
        name, file, line = source
        emitter.sources[text] = ir.Location.name(
            name, ir.Location.file(file, line, 0, emitter.context), emitter.context
        )
    return emitter.sources[text]
