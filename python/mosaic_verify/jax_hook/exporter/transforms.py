"""Transform ops back to JAX's transforms, and types of refs back to abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import AllocOp, SliceOp, integer, integers
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.jax_hook.importer.pallas import Literal, ShapedArray, find_class, transform_class
from mosaic_verify.model.elements import jax_name
from mosaic_verify.model.tmem_layout import Replicated, TmemLayout


class ExportError(Exception):
    """The module says something that a jaxpr cannot say; the kernel is lowered without the rewrite."""


def make_transform(op: ir.Operation, atom: Callable[[ir.Value], Any]) -> Any:
    """The transform that an op stands for; `atom` gives the jaxpr's name of a value. Raises ExportError."""
    match op.name.removeprefix("plgpu."):
        case "slice":
            return _slice(op, atom)
        case "transpose":
            return transform_class("transpose")(integers(op, "permutation"))
        case "reshape":
            return transform_class("reshape")(tuple(op.results[0].type.shape))
        case "bitcast":
            return transform_class("bitcast")(jax_dtype(op.results[0].type.element_type))
        case "untile":
            return transform_class("untile")(integers(op, "tiling"))
        case "unswizzle":
            return transform_class("unswizzle")(integer(op, "swizzle"))
        case "expand_batch":
            return transform_class("expand_batch")(integers(op, "batch"))
    raise ExportError(f"{op.name} cannot be made from nothing")


def _slice(op: ir.Operation, atom: Callable[[ir.Value], Any]) -> Any:
    cls = transform_class("slice")
    slice_cls = find_class("jax._src.indexing", "Slice") or find_class("jax._src.state.indexing", "Slice")
    if slice_cls is None:
        raise ExportError("this JAX has no Slice")
    view = SliceOp(op)
    indices: list[Any] = []
    for dim, (start, size, stride) in enumerate(zip(view.offsets, view.sizes, view.strides, strict=True)):
        if not isinstance(size, int):
            raise ExportError("a slice of a run-time size cannot be made from nothing")
        if dim in view.dropped:
            indices.append(_index(start) if isinstance(start, int) else atom(start))
        else:
            indices.append(slice_cls(start if isinstance(start, int) else atom(start), size, stride))
    return cls(tuple(indices), tuple(op.operands[0].type.shape), ())


def _index(number: int) -> Any:
    """A literal index. Pallas takes Python's integers and JAX's own array literals, not those of numpy."""
    return Literal(number, ShapedArray((), np.dtype("int32")))


def jax_dtype(element: ir.Type) -> Any:
    """The dtype of an element type."""
    import jax.numpy as jnp

    return np.dtype(getattr(jnp, jax_name(str(element))))


def make_aval(op: ir.Operation, old: Any) -> Any:
    """The abstract value of a scratch ref whose `plgpu.alloc` was changed; `old` is what it was. Raises ExportError."""
    view = AllocOp(op)
    kind = op.results[0].type
    dtype = old.inner_aval.dtype if _same_element(kind.element_type, old) else jax_dtype(kind.element_type)
    inner = old.inner_aval.update(shape=tuple(kind.shape), dtype=dtype)
    if hasattr(old, "refs"):
        raise ExportError("a union of refs cannot be changed")
    if not hasattr(old, "layout"):
        return old.update(inner_aval=inner)
    layout = read_layout(view.layout) if view.layout else None
    if layout is None:
        raise ExportError("a TMEM ref has no layout")
    return type(old)(inner, old.memory_space, jax_layout(layout), bool(view.collective))


def _same_element(element: ir.Type, old: Any) -> bool:
    return jax_name(str(element)) == str(getattr(old.inner_aval.dtype, "name", ""))


def jax_layout(layout: TmemLayout) -> Any:
    """A layout as JAX's `tcgen05.TMEMLayout`."""
    from jax.experimental.mosaic.gpu import fragmented_array as fa
    from jax.experimental.mosaic.gpu import tcgen05

    def dims(of: tuple[int | Replicated, ...]) -> tuple[Any, ...]:
        return tuple(fa.Replicated(dim.times) if isinstance(dim, Replicated) else dim for dim in of)

    return tcgen05.TMEMLayout(
        fa.Tiling(layout.tiling), dims(layout.warp_dims), dims(layout.lane_dims), layout.vector_dim
    )


def ref_transforms(op: ir.Operation) -> tuple[Any, ...]:
    """The transforms that every use of a scratch ref starts with, as `run_scoped` lists them."""
    view = AllocOp(op)
    found: list[Any] = []
    if view.swizzle is not None:
        found.append(transform_class("unswizzle")(view.swizzle))
    if view.tiling is not None:
        found.append(transform_class("untile")(view.tiling))
    if view.batch is not None:
        found.append(transform_class("expand_batch")(view.batch))
    return tuple(found)
