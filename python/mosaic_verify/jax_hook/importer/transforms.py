"""Ref transforms to ops: one op per transform."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import DYNAMIC
from mosaic_verify.dialects.plgpu_layout import spell_layout
from mosaic_verify.jax_hook.importer.emitter import Emitter
from mosaic_verify.jax_hook.importer.forms import Slot
from mosaic_verify.jax_hook.importer.layouts import tmem_layout
from mosaic_verify.jax_hook.importer.pallas import Literal, transform_kinds

Attributes = dict[str, ir.Attribute]
Made = tuple[Sequence[int], Attributes, list[Any]]  # shape of the result, attributes, leaves that are operands

# Kinds that are understood by the type of their result alone (a slice: with arrays as indices, or of a run-time size).
_TYPED = frozenset(("bitcast", "collapse_batch", "im2col", "memory_space_cast", "slice"))


class _Leaf(NamedTuple):
    """Stands for a leaf of a tree that is known only at run time."""

    place: int


@dataclass(slots=True)
class _Plan:
    """The ops of a chain: (name, type of the result, attributes, places of the leaves that are operands)."""

    steps: list[tuple[str, ir.Type, Attributes, list[int]]]
    reusable: bool


def _space(kind: ir.MemRefType) -> str:
    space = kind.memory_space
    return space.value if isinstance(space, ir.StringAttr) else ""


class TransformImporter:
    """Emits chains.

    Args:
      emitter: makes the IR.
      read: gives the SSA value of an atom of the jaxpr.
    """

    def __init__(self, emitter: Emitter, read: Callable[[Any], ir.Value]):
        self._emitter = emitter
        self._read = read
        self._kinds = transform_kinds()

    def chain(self, value: ir.Value, aval: Any, slot: Slot, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value:
        """The ref behind the transforms of `slot`, applied to `value`, whose abstract value is `aval`."""
        if slot.tree is None:
            return value
        emitter, leaves = self._emitter, slot.leaves
        # Literals become numbers of the op; everything else that is known only at run time is an operand.
        literals = tuple((place, leaf.val) for place, leaf in enumerate(leaves) if type(leaf) is Literal)
        plans, key = emitter.plans, (slot.tree, value.type, literals)
        try:
            plan = plans.get(key)
        except TypeError:  # an array among the literals
            plan, key = None, None
        if plan is None:
            marks = [leaf if type(leaf) is Literal else _Leaf(place) for place, leaf in enumerate(leaves)]
            plan = self._plan(value, aval, slot.tree.unflatten(marks), slot.transforms)
            if plan.reusable and key is not None:
                plans[key] = plan
        return self._emit(value, plan, leaves, loc, ip)

    def static(
        self, value: ir.Value, aval: Any, transforms: Sequence[Any], loc: ir.Location, ip: ir.InsertionPoint
    ) -> ir.Value:
        """The ref behind transforms that hold nothing known only at run time (some of them are no pytrees)."""
        return self._emit(value, self._plan(value, aval, transforms, transforms), [], loc, ip)

    def _emit(
        self, value: ir.Value, plan: _Plan, leaves: Sequence[Any], loc: ir.Location, ip: ir.InsertionPoint
    ) -> ir.Value:
        emitter = self._emitter
        for name, kind, attributes, places in plan.steps:
            operands = [value, *(self._read(leaves[place]) for place in places)] if places else [value]
            value = emitter.op(name, [kind], operands, attributes, loc, ip).results[0]
        return value

    def _plan(self, value: ir.Value, aval: Any, transforms: Sequence[Any], original: Sequence[Any]) -> _Plan:
        """What a chain consists of; `transforms` are `original` with marks for the values of one place."""
        kind = value.type
        if not isinstance(kind, ir.MemRefType):
            return _Plan([], False)
        shape, element, space = list(kind.shape), kind.element_type, _space(kind)
        plan = _Plan([], True)
        for number, transform in enumerate(transforms):
            name = self._kinds.get(type(transform))
            make = getattr(self, f"_{name}", None) if name else None
            made = make(shape, transform) if make else None
            if made is None:
                plan.reusable = False
                so_far = original[: number + 1]
                name, made, element, space = self._general(name, aval, so_far, shape, element, space)
            elif name == "alias":
                element = self._emitter.element(transform.dtype) or element
            shape = list(made[0])
            places = [place.place for place in made[2]]
            plan.steps.append(
                (name or "unknown_transform", self._emitter.memref(shape, element, space), made[1], places)
            )
        return plan

    def _general(
        self, name: str | None, aval: Any, transforms: Sequence[Any], shape: list[int], element: Any, space: Any
    ) -> tuple[str, Made, Any, Any]:
        """A transform whose result only JAX can tell."""
        transform = transforms[-1]
        attributes: Attributes = {}
        if name not in _TYPED:
            cls = f"{type(transform).__module__}.{type(transform).__qualname__}"
            attributes["class"] = self._emitter.string(cls)
            name = "unknown_transform"
        try:
            for step in transforms:
                aval = step.transform_type(aval)
            result = ir.MemRefType(self._emitter.type_of(aval))
            shape, element, space = list(result.shape), result.element_type, _space(result)
        except Exception:  # a class that does not know its result type, or refuses its operand: the type stays
            pass
        return name, (shape, attributes, []), element, space

    def _slice(self, shape: list[int], transform: Any) -> Made | None:
        offsets, sizes, strides, dropped, starts, extents = [], [], [], [], [], []
        for dim, index in enumerate(transform.indices):
            if hasattr(index, "size") and hasattr(index, "start"):
                start, size, stride = index.start, index.size, index.stride
            else:
                start, size, stride = index, 1, 1
                dropped.append(dim)
            offsets.append(self._static(start, starts))
            sizes.append(self._static(size, extents))
            strides.append(stride if isinstance(stride, int) else 1)
        if extents or transform.int_indexer_shape:
            return None  # sizes known only at run time, or arrays as indices
        attributes: Attributes = {"offsets": self._emitter.integers(offsets), "sizes": self._emitter.integers(sizes)}
        if any(stride != 1 for stride in strides):
            attributes["strides"] = self._emitter.integers(strides)
        if dropped:
            attributes["dropped"] = self._emitter.integers(dropped)
        return [size for dim, size in enumerate(sizes) if dim not in dropped], attributes, starts

    def _static(self, number: Any, operands: list[Any]) -> int:
        """A number, or DYNAMIC with its leaf among the operands."""
        if type(number) is int:
            return number
        if isinstance(number, Literal) and not getattr(number.aval, "shape", ()):
            return int(number.val)
        if not isinstance(number, Literal) and hasattr(number, "__index__"):
            return operator.index(number)
        operands.append(number)
        return DYNAMIC

    def _transpose(self, shape: list[int], transform: Any) -> Made:
        permutation = transform.permutation
        return [shape[d] for d in permutation], {"permutation": self._emitter.integers(permutation)}, []

    def _reshape(self, shape: list[int], transform: Any) -> Made:
        return transform.shape, {}, []

    def _untile(self, shape: list[int], transform: Any) -> Made | None:
        tiling = transform.tiling
        n = len(tiling)
        if len(shape) < 2 * n:
            return None
        lead, tiles = shape[: len(shape) - 2 * n], shape[len(shape) - 2 * n : len(shape) - n]
        merged = [*lead, *(a * b for a, b in zip(tiles, tiling, strict=True))]
        return merged, {"tiling": self._emitter.integers(tiling)}, []

    def _tile(self, shape: list[int], transform: Any) -> Made:
        tiling = transform.tiling
        lead, tiled = shape[: len(shape) - len(tiling)], shape[len(shape) - len(tiling) :]
        split = [*lead, *(a // b for a, b in zip(tiled, tiling, strict=True)), *tiling]
        return split, {"tiling": self._emitter.integers(tiling)}, []

    def _unswizzle(self, shape: list[int], transform: Any) -> Made:
        return shape, {"swizzle": self._emitter.integer(transform.swizzle)}, []

    _swizzle = _unswizzle

    def _expand_batch(self, shape: list[int], transform: Any) -> Made | None:
        batch = transform.batch_shape
        size = 1
        for extent in batch:
            size *= extent
        if len(shape) != 2 or not size or shape[1] % size:
            return None
        return [*batch, shape[0], shape[1] // size], {"batch": self._emitter.integers(batch)}, []

    def _identity(self, shape: list[int], transform: Any) -> Made:
        return shape, {}, []

    def _alias(self, shape: list[int], transform: Any) -> Made:
        attributes: Attributes = {
            "offset": self._emitter.integer(transform.offset),
            "group": self._emitter.integer(getattr(transform, "alias_group_idx", 0)),
        }
        layout = tmem_layout(transform.layout)
        if layout is not None:
            attributes["layout"] = self._emitter.string(spell_layout(layout))
        return transform.shape, attributes, []

    def _peer(self, shape: list[int], transform: Any) -> Made:
        from jax import tree_util

        ids = [leaf for leaf in tree_util.tree_leaves(transform.device_id) if isinstance(leaf, _Leaf)]
        kind = getattr(transform.device_id_type, "value", transform.device_id_type)
        return shape, {"device_id_type": self._emitter.string(str(kind))}, ids

    def _multicast(self, shape: list[int], transform: Any) -> Made:
        return shape, {"axes": self._emitter.names(transform.collective_axes)}, []

    def _cluster_ref(self, shape: list[int], transform: Any) -> Made:
        return (
            shape,
            {"axes": self._emitter.names(transform.dims)},
            [index for index in transform.idxs if isinstance(index, _Leaf)],
        )
