"""Refs of the `plgpu` dialect: their types, and the transforms behind them."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import TRANSFORMS, shape_of, space
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.chain import RefType
from mosaic_verify.model.elements import bit_width

_REMOTE = frozenset(("plgpu.cluster_ref", "plgpu.multicast", "plgpu.peer"))


def ref_type(value: ir.Value) -> RefType:
    """Shape, element type and space of a ref. Raises ValueError where the shape is not static."""
    element = str(value.type.element_type)
    return RefType(shape_of(value), element, space(value), bit_width(element) or 0)


@dataclass(slots=True)
class RefOps:
    """A ref as the ops between it and the ref that it starts at, which comes first.

    Attributes:
      base: the nearest value that no transform defines.
      ops, names: the transforms behind it and their names, in the order of application.
      remote: it lies in another block, or in several.
    """

    base: ir.Value
    ops: list[ir.Operation]
    names: list[str]
    remote: bool


def ref_ops(value: ir.Value) -> RefOps:
    """The transforms behind a value."""
    ops: list[ir.Operation] = []
    names: list[str] = []
    while (op := owner(value)) is not None and (name := op.name) in TRANSFORMS:
        ops.append(op)
        names.append(name)
        value = op.operands[0]
    ops.reverse()
    names.reverse()
    return RefOps(value, ops, names, not _REMOTE.isdisjoint(names))


class RefReader:
    """Reads the refs of one kernel: each type once, and what is behind each value once."""

    def __init__(self) -> None:
        self._types: dict[ir.Type, RefType] = {}
        self._behind: dict[ir.Value, RefOps] = {}

    def type_of(self, value: ir.Value) -> RefType:
        """See `ref_type`."""
        kind = value.type
        found = self._types.get(kind)
        if found is None:
            found = self._types[kind] = ref_type(value)
        return found

    def behind(self, value: ir.Value) -> RefOps:
        """See `ref_ops`."""
        found = self._behind.get(value)
        if found is None:
            found = self._behind[value] = ref_ops(value)
        return found
