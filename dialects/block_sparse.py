"""`block_sparse.attention_fwd` and `block_sparse.attention_bwd`: calls of block-sparse attention, in generic form.

Operands in segments (`operandSegmentSizes`): q, k, v, (backward: dout,) then ten optional lists: `mask_cnt, mask_idx,
full_cnt, full_idx, diag_cnt, diag_idx, valid_upper, valid_lower, cu_total_m_blocks, cu_block_idx_offsets`, and backward
optionally three more: `dq_write_order, dq_write_order_full, dq_write_order_diag`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects._ods_common import _cext

from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.dialects.block_sparse_facts import Attributes, MalformedCall, call_facts
from mosaic_verify.dialects.stablehlo_provenance import CallPath, Provenance
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.namespaces import announce
from mosaic_verify.model.block_sparse.facts import ARRAYS, WRITE_ORDERS, BlockSparseAttention

FORWARD, BACKWARD = "block_sparse.attention_fwd", "block_sparse.attention_bwd"
FORWARD_SEGMENTS = ("q", "k", "v", *ARRAYS)
BACKWARD_SEGMENTS = ("q", "k", "v", "dout", *ARRAYS, *WRITE_ORDERS.values())
_REQUIRED = frozenset(("q", "k", "v", "dout"))


@_cext.register_dialect
class BlockSparseDialect(ir.Dialect):
    """Block-sparse attention."""

    DIALECT_NAMESPACE = "block_sparse"


class _AttentionOp(ir.OpView):
    _ODS_REGIONS = (0, True)

    @property
    def segments(self) -> dict[str, ir.Value]:
        """The operands that are present, by name. Raises MalformedCall."""
        return operands_of(self.operation)


@_cext.register_operation(BlockSparseDialect)
class AttentionFwdOp(_AttentionOp):
    """One forward call; results are the output and the log-sum-exp."""

    OPERATION_NAME = FORWARD


@_cext.register_operation(BlockSparseDialect)
class AttentionBwdOp(_AttentionOp):
    """One backward call; results are dq, dk and dv."""

    OPERATION_NAME = BACKWARD


announce(BlockSparseDialect.DIALECT_NAMESPACE, sys.modules[__name__])


@dataclass(frozen=True, eq=False)
class AttentionView:
    """One call, seen along one chain of function calls.

    Attributes:
      operands: list operands by name.
      qkv: what identifies q, k and v: calls of one attention share them.
      path: function calls that lead to the op, innermost first.
      carrier: True for a custom call that stands for the op.
      weak: nobody said what the call is, and kernels of others may have operands of these shapes.
    """

    op: ir.Operation
    facts: BlockSparseAttention
    operands: Mapping[str, ir.Value]
    qkv: tuple[Any, ...]
    locations: Mapping[str, Location]
    path: CallPath = ()
    carrier: bool = False
    weak: bool = False


def segment_names(op: ir.Operation) -> tuple[str, ...]:
    """Names of the segments of an op."""
    return FORWARD_SEGMENTS if op.name == FORWARD else BACKWARD_SEGMENTS


def operands_of(op: ir.Operation) -> dict[str, ir.Value]:
    """Operands by the names of their segments. Raises MalformedCall."""
    if "operandSegmentSizes" not in op.attributes:
        raise MalformedCall("requires attribute 'operandSegmentSizes'")
    attribute = op.attributes["operandSegmentSizes"]
    if not isinstance(attribute, ir.DenseI32ArrayAttr):
        raise MalformedCall("attribute 'operandSegmentSizes' must be an array<i32>")
    names, sizes, values = segment_names(op), list(attribute), list(op.operands)
    lengths = (13,) if op.name == FORWARD else (14, 17)
    if len(sizes) not in lengths:
        wanted = " or ".join(map(str, lengths))
        raise MalformedCall(f"'operandSegmentSizes' must have {wanted} entries, but has {len(sizes)}")
    for name, size in zip(names, sizes, strict=False):
        if size not in ((1,) if name in _REQUIRED else (0, 1)):
            raise MalformedCall(f"segment '{name}' has {size} operands")
    if sum(sizes) != len(values):
        raise MalformedCall(f"'operandSegmentSizes' adds up to {sum(sizes)} operands, but the op has {len(values)}")
    return dict(zip((name for name, size in zip(names, sizes, strict=False) if size), values, strict=True))


def views(
    op: ir.Operation, provenance: Provenance, defaults: Mapping[str, Any], report: Callable[[MalformedCall], None]
) -> list[AttentionView]:
    """The op as seen along each chain of calls that leads to it; `report` takes what is wrong with its form."""
    try:
        operands = operands_of(op)
        attributes = _attributes(op)
    except MalformedCall as error:
        report(error)
        return []
    found = []
    locations = {"": op_location(op)}
    direction = "fwd" if op.name == FORWARD else "bwd"
    for path in provenance.call_paths(op):
        try:
            facts = call_facts(direction, operands, attributes, provenance, path, defaults)
        except MalformedCall as error:
            report(error)
            return []
        qkv = tuple(provenance.node(operands[name], path) for name in ("q", "k", "v"))
        lists = {name: value for name, value in operands.items() if name not in _REQUIRED}
        found.append(AttentionView(op, facts, lists, qkv, locations, path))
    return found


def _attributes(op: ir.Operation) -> Attributes:
    """Attributes of the op as plain values. Raises MalformedCall for one of the wrong kind."""
    read: Attributes = {}
    for name, kind in _KINDS.items():
        if name in op.attributes:
            try:
                read[name] = kind(op.attributes[name])
            except (TypeError, ValueError):
                if name == "spt":
                    raise MalformedCall("spt must be a bool when provided", "MV531") from None
                raise MalformedCall(f"attribute '{name}' must be {_WANTED[kind]}") from None
    return read


def _integer(attribute: ir.Attribute) -> int:
    return ir.IntegerAttr(attribute).value


def _flag(attribute: ir.Attribute) -> bool:
    return True if isinstance(attribute, ir.UnitAttr) else ir.BoolAttr(attribute).value


def _string(attribute: ir.Attribute) -> str:
    return ir.StringAttr(attribute).value


def _integers(attribute: ir.Attribute) -> tuple[int, ...]:
    if isinstance(attribute, (ir.DenseI64ArrayAttr, ir.DenseI32ArrayAttr)):
        return tuple(attribute)
    return tuple(_integer(each) for each in ir.ArrayAttr(attribute))


_KINDS: dict[str, Callable[[ir.Attribute], Any]] = {
    "tile_m": _integer,
    "tile_n": _integer,
    "q_stage": _integer,
    "subtile_factor": _integer,
    "kv_subtile_factor": _integer,
    "packed_seq_len": _integer,
    "block_size": _integers,
    "pack_gqa": _flag,
    "spt": _flag,
    "deterministic": _flag,
    "kernel": _string,
}
_WANTED = {_integer: "an integer", _flag: "a boolean", _string: "a string", _integers: "an array<i64>"}
