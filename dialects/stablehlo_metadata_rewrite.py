"""Ops that bring a kernel's metadata operand into the format that the kernel needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_constants import constant_behind
from mosaic_verify.dialects.stablehlo_metadata import ViewedOperand
from mosaic_verify.ir.dense import dense_integers
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.metadata_format import (
    BITS_8,
    BITS_16,
    ROW_MAJOR,
    TILE_COLUMNS,
    TILE_ROWS,
    exchange_tiles,
    format_tiles,
)
from mosaic_verify.model.metadata_format_facts import MetadataOperand

# (..., 128, 64) split into rows (8, 2, 8) and columns (4, 2, 8); exchanging the two 2s leads from one format to the
# other.
_SPLIT_TILE = (8, 2, 8, 4, 2, 8)
_EXCHANGED = (0, 4, 2, 3, 1, 5)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What mends a metadata operand.

    Attributes:
      code: the finding that it mends.
      kind: "exact" where the present layout is proved, else "repairing".
      message: what it does, in one line.
      entries: metadata entries per row of the logical array, for operands in row-major order; None for tiles in the
        other format.
      bits: operand width of the kernel.
    """

    code: str
    kind: Literal["exact", "repairing"]
    message: str
    entries: int | None
    bits: int


def conversion(facts: MetadataOperand) -> Conversion | None:
    """The conversion that makes the layout right, or None where it is right or not known well enough."""
    wanted, bits = facts.wanted, facts.bits
    if wanted is None or bits is None or facts.unknown or any(wanted in laid.formats for laid in facts.laid):
        return None
    laid = next((laid for laid in facts.laid if laid.logical and laid.formats), None)
    if laid is None:
        return None
    other = BITS_8 if wanted == BITS_16 else BITS_16
    if other in laid.formats and (facts.transposed or ROW_MAJOR not in laid.formats):
        message = f"converted metadata operand {facts.index} from the {other} to the {wanted} format"
        return Conversion("MV305", "exact", message, None, bits)
    size = 1
    for extent in facts.shape:
        size *= extent
    whole_rows = not (laid.start or 0) % laid.entries and not size % (TILE_ROWS * laid.entries)
    if ROW_MAJOR in laid.formats and whole_rows and not laid.entries % TILE_COLUMNS:
        message = f"laid metadata operand {facts.index} out in the {wanted} format"
        return Conversion("MV306", "repairing", message, laid.entries, bits)
    return None


def convert(call: ir.Operation, operand: ViewedOperand, needed: Conversion) -> ir.Value:
    """The operand in the format that is needed: as ops in front of `call`, or as a new constant."""
    kind = ir.RankedTensorType(operand.value.type)
    values = constant_behind(operand.node).values
    if values is not None:
        return _constant(call, _permuted(values, needed), kind)
    shape = tuple(kind.shape)
    value = operand.value
    if needed.entries is None:
        lead = shape[:-2]
        first = len(lead)
        value = _reshape(call, value, (*lead, *_SPLIT_TILE))
        value = _transpose(call, value, (*range(first), *(first + i for i in _EXCHANGED)))
        return _reshape(call, value, shape)
    m, per_row = operand.node.size // needed.entries // TILE_ROWS, needed.entries // TILE_COLUMNS
    if needed.bits == 16:
        value = _reshape(call, value, (m, 8, 2, 8, per_row, 4, 2, 8))
        value = _transpose(call, value, (0, 4, 1, 6, 3, 5, 2, 7))
    else:
        value = _reshape(call, value, (m, TILE_ROWS, per_row, TILE_COLUMNS))
        value = _transpose(call, value, (0, 2, 1, 3))
    return _reshape(call, value, shape)


def is_wide(value: ir.Value) -> bool:
    """Whether `value` holds integers of more than two bits."""
    element = ir.RankedTensorType(value.type).element_type
    return isinstance(element, ir.IntegerType) and (bit_width(str(element)) or 0) > 2


def narrow(call: ir.Operation, value: ir.Value) -> ir.Value:
    """`value`, which is wide, as 2-bit integers."""
    kind = ir.RankedTensorType(value.type)
    wanted = ir.RankedTensorType.get(kind.shape, ir.IntegerType.get_unsigned(2))
    return _op(call, "stablehlo.convert", value, wanted)


def _permuted(values: np.ndarray, needed: Conversion) -> np.ndarray:
    if needed.entries is None:
        return exchange_tiles(values)
    pairs = values.reshape(-1, needed.entries // 2, 2)
    return format_tiles(pairs, needed.bits).reshape(values.shape)


def _constant(call: ir.Operation, values: np.ndarray, kind: ir.RankedTensorType) -> ir.Value:
    attributes = {"value": dense_integers(values, kind)}
    op = ir.Operation.create(
        "stablehlo.constant", [kind], [], attributes, loc=call.location, ip=ir.InsertionPoint(call)
    )
    return op.results[0]


def _reshape(call: ir.Operation, value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    kind = ir.RankedTensorType(value.type)
    if tuple(kind.shape) == shape:
        return value
    return _op(call, "stablehlo.reshape", value, ir.RankedTensorType.get(shape, kind.element_type))


def _transpose(call: ir.Operation, value: ir.Value, permutation: tuple[int, ...]) -> ir.Value:
    kind = ir.RankedTensorType(value.type)
    shape = [kind.shape[i] for i in permutation]
    attributes: dict[str, ir.Attribute] = {"permutation": ir.DenseI64ArrayAttr.get(permutation)}
    return _op(call, "stablehlo.transpose", value, ir.RankedTensorType.get(shape, kind.element_type), attributes)


def _op(
    call: ir.Operation, name: str, value: ir.Value, kind: ir.Type, attributes: dict[str, ir.Attribute] | None = None
) -> ir.Value:
    where = ir.InsertionPoint(call)
    return ir.Operation.create(name, [kind], [value], attributes or {}, loc=call.location, ip=where).results[0]
