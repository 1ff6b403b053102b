"""Facts of a block-sparse call from its operands and from plain attributes, whatever op carries them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_constants import Constant, constant_behind
from mosaic_verify.dialects.stablehlo_provenance import CallPath, Provenance
from mosaic_verify.model.block_sparse.facts import ARRAYS, INTEGERS, WRITE_ORDERS, BlockSparseAttention, HostArray

Attributes = dict[str, Any]

_POSITIVE = ("tile_m", "tile_n", "q_stage", "subtile_factor", "kv_subtile_factor")
_NAMES = (*_POSITIVE, "packed_seq_len", "block_size", "pack_gqa", "spt", "deterministic", "kernel")


class MalformedCall(ValueError):
    """An op that is no call of the dialect's form; the text says why, for a diagnostic on the op with `code`."""

    def __init__(self, message: str, code: str = "MV544"):
        super().__init__(message)
        self.code = code


def call_facts(
    direction: str,
    operands: Mapping[str, ir.Value],
    attributes: Mapping[str, Any],
    provenance: Provenance,
    path: CallPath,
    defaults: Mapping[str, Any],
) -> BlockSparseAttention:
    """Facts of one call. `defaults` holds further facts, and values for attributes that are absent.

    Raises MalformedCall.
    """
    values = {**defaults, **{name: attributes[name] for name in _NAMES if name in attributes}}
    for name in _POSITIVE:
        if values.get(name) is not None and values[name] <= 0:
            raise MalformedCall(f"attribute '{name}' must be positive, but is {values[name]}")
    block_size = values.get("block_size")
    if block_size is not None and (len(block_size) != 2 or min(block_size) <= 0):
        raise MalformedCall(f"attribute 'block_size' must be two positive integers, but is {list(block_size)}")
    if values.get("kernel") not in ("ranker", "fa4"):
        raise MalformedCall(f'attribute \'kernel\' must be "ranker" or "fa4", but is "{values.get("kernel")}"')
    values["block_size"] = tuple(block_size) if block_size is not None else None
    arrays = {
        name: host_array(operands[name], provenance, path)
        for name in (*ARRAYS, *WRITE_ORDERS.values())
        if name in operands
    }
    return BlockSparseAttention(direction=direction, arrays=arrays, **_sizes(operands), **values)


def _sizes(operands: Mapping[str, ir.Value]) -> dict[str, Any]:
    """Sizes that q, k and v tell: (B, S, H, D), or (S, H, D) of packed sequences."""
    shapes = {name: _tensor(operands[name], name) for name in ("q", "k", "v")}
    for name, (shape, _) in shapes.items():
        if len(shape) not in (3, 4):
            raise MalformedCall(f"operand '{name}' must have shape (B, S, H, D), but has rank {len(shape)}")
    q, k = shapes["q"][0], shapes["k"][0]
    return {
        "batch": q[0] if len(q) == 4 else None,
        "seq_len_q": q[-3],
        "seq_len_k": k[-3],
        "num_heads": q[-2],
        "num_kv_heads": k[-2],
        "head_dim": q[-1],
        "elements": {name: element for name, (_, element) in shapes.items()},
    }


def host_array(value: ir.Value, provenance: Provenance, path: CallPath) -> HostArray:
    """A list operand, with its values where they are constant. Raises MalformedCall for what is no ranked tensor."""
    shape, element = _tensor(value, "list operand")
    known = Constant()
    if element in INTEGERS and None not in shape:
        known = constant_behind(provenance.node(value, path))
    return HostArray(shape, element, known.values, known.unreadable)


def _tensor(value: ir.Value, name: str) -> tuple[tuple[int | None, ...], str]:
    kind = value.type
    if not isinstance(kind, ir.RankedTensorType):
        raise MalformedCall(f"{name} must be a ranked tensor, but is '{kind}'")
    shape = tuple(None if kind.is_dynamic_dim(i) else kind.get_dim_size(i) for i in range(kind.rank))
    return shape, str(kind.element_type)
