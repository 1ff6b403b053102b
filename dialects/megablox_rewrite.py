"""Building blocks of the rewrites on `megablox` ops: StableHLO ops in front of and behind a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.dialects.megablox import SEGMENTS, GroupedMatmulView


def build(name: str, result: ir.Type, operands: Sequence[ir.Value], at: ir.Operation, **attributes: Any) -> ir.Value:
    """A one-result op directly in front of `at`, at its location. Attributes are `ir.Attribute` or lists of int."""
    built = ir.Operation.create(
        name,
        results=[result],
        operands=list(operands),
        attributes={
            key: value if isinstance(value, ir.Attribute) else ir.DenseI64ArrayAttr.get(list(value), context=at.context)
            for key, value in attributes.items()
        },
        loc=at.location,
        ip=ir.InsertionPoint(at),
    )
    return built.results[0]


def tensor(shape: Sequence[int], element: ir.Type) -> ir.RankedTensorType:
    """A static tensor type."""
    return ir.RankedTensorType.get(list(shape), element)


def convert(value: ir.Value, element: ir.Type, at: ir.Operation) -> ir.Value:
    """`value` with another element type."""
    return build("stablehlo.convert", tensor(value.type.shape, element), [value], at)


def reshape(value: ir.Value, shape: Sequence[int], at: ir.Operation) -> ir.Value:
    """`value` with another shape."""
    return build("stablehlo.reshape", tensor(shape, value.type.element_type), [value], at)


def pad_rows(value: ir.Value, rows: int, dim: int, at: ir.Operation) -> ir.Value:
    """`value` with `rows` zero rows appended in dimension `dim`."""
    kind = value.type
    zero_type = ir.RankedTensorType.get([], kind.element_type)
    zero = ir.IntegerAttr.get(kind.element_type, 0) if isinstance(kind.element_type, ir.IntegerType) else None
    zero = zero if zero is not None else ir.FloatAttr.get(kind.element_type, 0.0)
    fill = build("stablehlo.constant", zero_type, [], at, value=ir.DenseElementsAttr.get_splat(zero_type, zero))
    none = [0] * kind.rank
    high = [rows if i == dim else 0 for i in range(kind.rank)]
    shape = [size + extra for size, extra in zip(kind.shape, high, strict=True)]
    return build(
        "stablehlo.pad",
        tensor(shape, kind.element_type),
        [value, fill],
        at,
        edge_padding_low=none,
        edge_padding_high=high,
        interior_padding=none,
    )


def slice_rows(value: ir.Value, rows: int, at: ir.Operation) -> ir.Value:
    """The first `rows` rows of a matrix, built in front of `at`."""
    shape = [rows, *list(value.type.shape)[1:]]
    ones = [1] * len(shape)
    return build(
        "stablehlo.slice",
        tensor(shape, value.type.element_type),
        [value],
        at,
        start_indices=[0] * len(shape),
        limit_indices=shape,
        strides=ones,
    )


def set_operand(viewed: GroupedMatmulView, name: str, value: ir.Value) -> None:
    """Replaces one operand of the call in place."""
    present = [segment for segment in SEGMENTS if segment in viewed.operands]
    viewed.op.operands[present.index(name)] = value


def replace_result(viewed: GroupedMatmulView, result: ir.Type, wrap: Callable[..., ir.Value]) -> None:
    """Gives the call another result type; `wrap(value, at)` makes the old result from the new one, for all its uses."""
    op = viewed.op
    new = op.results[0]
    new.set_type(result)
    old = wrap(new, op)
    made = ir.OpResult(old).owner.operation
    made.move_after(op)
    new.replace_all_uses_except(old, made)
