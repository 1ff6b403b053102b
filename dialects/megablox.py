"""`megablox.gmm` and `megablox.tgmm`: calls of the grouped matrix multiplications, in generic form.

Operands in segments: lhs, rhs, group_sizes, group_offset, existing_out (`operandSegmentSizes`, the last two optional).
Attributes: `preferred_element_type`, `tiling` (absent: the call has none), `transpose_rhs` (gmm), `num_actual_groups`
(tgmm), `platform` ("tpu" unless given), `differentiated` (unit: a gradient of existing_out is taken), `padded_rows`
(rows at the end that no group owns on purpose).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects._ods_common import _cext

from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.dialects.stablehlo_row_uses import row_uses
from mosaic_verify.dialects.stablehlo_values import constant_value
from mosaic_verify.ir.locations import op_location, to_location
from mosaic_verify.ir.namespaces import announce
from mosaic_verify.model.gmm import Array, GroupedMatmul

GMM, TGMM = "megablox.gmm", "megablox.tgmm"
SEGMENTS = ("lhs", "rhs", "group_sizes", "group_offset", "existing_out")
_OPTIONAL = ("group_offset", "existing_out")
_MAX_CONSTANT = 1 << 24  # entries of group_sizes that are looked at


class MalformedOp(ValueError):
    """A hand-written op that is no call: the text says what is missing, for a diagnostic on the op."""


@_cext.register_dialect
class MegabloxDialect(ir.Dialect):
    """Grouped matrix multiplications of megablox."""

    DIALECT_NAMESPACE = "megablox"


class _GroupedMatmulOp(ir.OpView):
    _ODS_REGIONS = (0, True)

    @property
    def segments(self) -> dict[str, ir.Value]:
        """The operands that are present, by the names in `SEGMENTS`. Raises MalformedOp."""
        return operands_of(self.operation)


@_cext.register_operation(MegabloxDialect)
class GmmOp(_GroupedMatmulOp):
    """`gmm`: lhs (m, k) times rhs (groups, k, n), one group of rows after the other; the result is (m, n)."""

    OPERATION_NAME = GMM


@_cext.register_operation(MegabloxDialect)
class TgmmOp(_GroupedMatmulOp):
    """`tgmm`: lhs (k, m) times rhs (m, n) for each group of m; the result is (groups, k, n)."""

    OPERATION_NAME = TGMM


announce(MegabloxDialect.DIALECT_NAMESPACE, sys.modules[__name__])


@dataclass(frozen=True)
class GroupedMatmulView:
    """A call as facts; `operands` by name, `locations` from places to locations."""

    op: ir.Operation
    facts: GroupedMatmul
    operands: Mapping[str, ir.Value]
    locations: Mapping[str, Location]


def view(op: ir.Operation) -> GroupedMatmulView:
    """Reads a `megablox` op. Raises MalformedOp when it has not the form of the dialect."""
    operands = operands_of(op)
    arrays = {name: array_of(value.type, name) for name, value in operands.items()}
    preferred = _attribute(op, "preferred_element_type")
    if preferred is None:
        raise MalformedOp("requires attribute 'preferred_element_type'")
    if not isinstance(preferred, ir.TypeAttr):
        raise MalformedOp("attribute 'preferred_element_type' must be a type")
    if not isinstance(preferred.value, ir.FloatType | ir.IntegerType | ir.ComplexType):
        raise MalformedOp(f"attribute 'preferred_element_type' must be a type of numbers, but is '{preferred.value}'")
    if len(op.results) != 1:
        raise MalformedOp(f"must have one result, but has {len(op.results)}")
    offset = constant(operands["group_offset"]) if "group_offset" in operands else None
    sizes = constant(operands["group_sizes"])
    uses = row_uses(op.results[0], ()) if list(op.results[0].uses) else None
    facts = GroupedMatmul(
        kind=op.name.removeprefix("megablox."),
        **arrays,
        preferred=str(preferred.value),
        tiling=_tiling(op),
        transpose_rhs=_flag(op, "transpose_rhs"),
        sizes=sizes if sizes is not None and _whole(sizes) else None,
        offset=int(offset.reshape(-1)[0]) if offset is not None and offset.size == 1 and _whole(offset) else None,
        num_actual_groups=_integer(op, "num_actual_groups"),
        differentiated="differentiated" in op.attributes,
        padded_rows=_integer(op, "padded_rows") or 0,
        read_rows=None if uses is None else uses.read,
        possible_rows=None if uses is None else uses.possible,
        platform=_platform(op),
    )
    return GroupedMatmulView(op, facts, operands, _locations(op, operands))


def operands_of(op: ir.Operation) -> dict[str, ir.Value]:
    """Operands by the names of their segments. Raises MalformedOp."""
    values = list(op.operands)
    sizes = _attribute(op, "operandSegmentSizes")
    if sizes is None:
        raise MalformedOp("requires attribute 'operandSegmentSizes'")
    if not isinstance(sizes, ir.DenseI32ArrayAttr):
        raise MalformedOp("attribute 'operandSegmentSizes' must be an array<i32>")
    counts = list(sizes)
    if len(counts) != len(SEGMENTS):
        raise MalformedOp(f"'operandSegmentSizes' must have {len(SEGMENTS)} entries, but has {len(counts)}")
    for name, count in zip(SEGMENTS, counts, strict=True):
        allowed = (0, 1) if name in _OPTIONAL else (1,)
        if count not in allowed:
            raise MalformedOp(f"segment '{name}' must have {' or '.join(map(str, allowed))} operands, but has {count}")
    if sum(counts) != len(values):
        raise MalformedOp(f"'operandSegmentSizes' adds up to {sum(counts)} operands, but the op has {len(values)}")
    return dict(zip((name for name, count in zip(SEGMENTS, counts, strict=True) if count), values, strict=True))


def array_of(type_: ir.Type, name: str) -> Array:
    """Shape and element type of a tensor. Raises MalformedOp for anything else."""
    if not isinstance(type_, ir.RankedTensorType):
        raise MalformedOp(f"operand '{name}' must be a ranked tensor, but is '{type_}'")
    shape = tuple(None if type_.is_dynamic_dim(i) else type_.get_dim_size(i) for i in range(type_.rank))
    return Array(shape, str(type_.element_type))


def _attribute(op: ir.Operation, name: str) -> ir.Attribute | None:
    """An attribute, None where the op has none. Raises MalformedOp for one that the bindings cannot hand out."""
    if name not in op.attributes:
        return None
    try:
        return op.attributes[name]
    except TypeError:  # dense complex numbers, and locations
        raise MalformedOp(f"attribute '{name}' must not be of this kind") from None


def _tiling(op: ir.Operation) -> tuple[int, ...]:
    tiling = _attribute(op, "tiling")
    if tiling is None:
        return ()
    if not isinstance(tiling, ir.DenseI64ArrayAttr):
        raise MalformedOp("attribute 'tiling' must be an array<i64>")
    return tuple(tiling)


def _flag(op: ir.Operation, name: str) -> bool:
    flag = _attribute(op, name)
    if flag is None:
        return False
    if not isinstance(flag, ir.BoolAttr):
        raise MalformedOp(f"attribute '{name}' must be a boolean")
    return flag.value


def _integer(op: ir.Operation, name: str) -> int | None:
    value = _attribute(op, name)
    if value is None:
        return None
    if not isinstance(value, ir.IntegerAttr):
        raise MalformedOp(f"attribute '{name}' must be an integer")
    return value.value


def _platform(op: ir.Operation) -> str:
    platform = _attribute(op, "platform")
    if platform is None:
        return "tpu"
    if not isinstance(platform, ir.StringAttr):
        raise MalformedOp("attribute 'platform' must be a string")
    return platform.value


def constant(value: ir.Value) -> np.ndarray | None:
    """The elements of a constant in front of `value`, looking through nothing; None where it is no constant."""
    owner = value.owner
    if not isinstance(owner, ir.Operation | ir.OpView) or owner.operation.name not in (
        "stablehlo.constant",
        "arith.constant",
    ):
        return None
    attribute = constant_value(owner.operation)
    if not isinstance(attribute, ir.DenseElementsAttr) or prod(value.type.shape) > _MAX_CONSTANT:
        return None
    try:
        array = np.asarray(attribute)
    except TypeError:  # element types without a numpy counterpart
        return None
    return None if array.dtype == object else array


def _whole(values: np.ndarray) -> bool:
    return values.dtype.kind in "iu"


def _locations(op: ir.Operation, operands: Mapping[str, ir.Value]) -> dict[str, Location]:
    here = op_location(op)
    return {"": here, **dict.fromkeys(operands, here)}


def readable(calls: Iterable[ir.Operation]) -> Iterator[GroupedMatmulView]:
    """Views of those calls that have the form of the dialect; `megablox-verify-gmm` reports the others."""
    for call in calls:
        try:
            yield view(call)
        except MalformedOp:
            continue


def definition(value: ir.Value) -> Location:
    """Where an operand was made, for notes; the unknown location for block arguments without one."""
    return to_location(value.location)
