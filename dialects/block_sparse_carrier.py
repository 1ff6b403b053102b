"""Block-sparse attention as `cutlass.jax.cutlass_call` lowers it: `stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall*`.

Operands are told apart by rank and type: q, k, v (backward: dout, then log-sum-exp and such), pairs of int32 counts
(B, H, M) and indices (B, H, M, N), write orders (rank 4), and float accumulators. What else there is to know comes from
frontend attributes `mosaic_verify.*` (`mosaic_verify.annotate`) of the call or of a function call around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.dialects.block_sparse import BACKWARD, FORWARD, AttentionView
from mosaic_verify.dialects.block_sparse_facts import MalformedCall, call_facts
from mosaic_verify.dialects.stablehlo_provenance import CallPath, Provenance
from mosaic_verify.ir.locations import op_location
from mosaic_verify.model.block_sparse.facts import CLASSES, WRITE_ORDERS, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import ceil_div

CUSTOM_CALL = "stablehlo.custom_call"
TARGET_PREFIX = "CuteDSLRT_NvJaxCutlassCall"
_ATTRIBUTES = "mhlo.frontend_attributes"
_PREFIX = "mosaic_verify."
_LIBRARY = "/cutlass/jax/"
_SMALLEST_TILE = 16  # rows of the smallest MMA


def is_carrier(op: ir.Operation) -> bool:
    """True for a custom call of CuTe DSL's runtime."""
    if "call_target_name" not in op.attributes:
        return False
    target = op.attributes["call_target_name"]
    return isinstance(target, ir.StringAttr) and target.value.startswith(TARGET_PREFIX)


def carrier_views(
    op: ir.Operation,
    provenance: Provenance,
    defaults: Mapping[str, Any],
    report: Callable[[MalformedCall], None] | None = None,
) -> list[AttentionView]:
    """The call as seen along each chain of calls that leads to it; nothing when it is no attention.

    `report` takes annotations that make no sense.
    """
    found = []
    for path in provenance.call_paths(op):
        try:
            annotation = _annotation(op, path)
            seen = _view(op, annotation, provenance, path, defaults)
        except MalformedCall as error:
            if _annotated(op, path) and report is not None:
                report(error)
            continue
        if seen is not None:
            found.append(seen)
    return found


def _view(
    op: ir.Operation, annotation: dict[str, Any], provenance: Provenance, path: CallPath, defaults: Mapping[str, Any]
) -> AttentionView | None:
    name = annotation.pop("op", None)
    if name not in (None, FORWARD, BACKWARD):
        return None
    operands = _operands(op, strict=name is None)
    if operands is None or (name is not None and ("dout" in operands) != (name == BACKWARD)):
        return None
    direction = "bwd" if "dout" in operands else "fwd"
    # The wrapper of the ranker decides about pack_gqa, and nothing in the lowered program says how.
    known = {**defaults, "pack_gqa": None, "assumed": not annotation}
    facts = call_facts(direction, operands, annotation, provenance, path, known)
    weak = name is None and not _is_signature(facts)
    if weak and not _is_plausible(facts):
        return None
    qkv = tuple(provenance.node(operands[each], path) for each in ("q", "k", "v"))
    lists = {each: value for each, value in operands.items() if each not in ("q", "k", "v", "dout")}
    return AttentionView(op, facts, lists, qkv, {"": _location(op, path)}, path, carrier=True, weak=weak)


def _is_signature(facts: BlockSparseAttention) -> bool:
    """Lists of all three classes: no other kernel than the ranker's is known to take such operands."""
    return all(f"{name}_idx" in facts.arrays for name in CLASSES) and _all_int32(facts)


def _is_plausible(facts: BlockSparseAttention) -> bool:
    """Lists with the batch and heads of q, and not more rows than the smallest tiles make.

    Other kernels have counts and indices, too: for each query instead of each block (native sparse attention), or of
    pages.
    """
    heads = (1, facts.num_heads, facts.num_kv_heads)
    length = facts.seq_len_q if facts.forward else facts.seq_len_k
    most = None if length is None else ceil_div(length, _SMALLEST_TILE)
    return _all_int32(facts) and all(
        array.shape[0] in (1, facts.batch)
        and array.shape[1] in heads
        and (most is None or array.shape[2] is None or array.shape[2] <= most)
        for pair in facts.lists()
        for array in (pair.cnt, pair.idx)
    )


def _all_int32(facts: BlockSparseAttention) -> bool:
    return all(array.element == "i32" for name, array in facts.arrays.items() if name.endswith(("_cnt", "_idx")))


def _location(op: ir.Operation, path: CallPath) -> Location:
    """The innermost place outside of the library: `cutlass_call` is a user's function as far as JAX knows."""
    for each in (op, *path):
        place = op_location(each)
        if place.file is not None and _LIBRARY not in place.file.replace("\\", "/"):
            return place
    return op_location(op)


def _operands(op: ir.Operation, strict: bool) -> dict[str, ir.Value] | None:
    """Operands by name, or None. `strict` asks for everything to fit together, since nobody said what the call is."""
    values = list(op.operands)
    kinds = [value.type for value in values if isinstance(value.type, ir.RankedTensorType)]
    if len(values) < 5 or len(kinds) != len(values):
        return None
    integer = [isinstance(kind.element_type, ir.IntegerType) for kind in kinds]
    if True not in integer:
        return None
    first = integer.index(True)
    if first < 3 or any(kind.rank != 4 for kind in kinds[:3]):
        return None
    found: dict[str, ir.Value] = dict(zip(("q", "k", "v"), values, strict=False))
    if first > 3:
        if kinds[3].rank != 4:
            return None
        found["dout"] = values[3]
    if strict and not _attention_shapes(kinds[:3], kinds[3] if first > 3 else None, [r.type for r in op.results]):
        return None
    rest = _lists(values[first:], found, strict)
    if rest is None or any(isinstance(value.type.element_type, ir.IntegerType) for value in rest):
        return None
    if strict and rest and "dout" not in found:
        return None
    return found


def _lists(values: list[ir.Value], found: dict[str, ir.Value], strict: bool) -> list[ir.Value] | None:
    """Takes list operands off the front of `values`; the rest, or None when there is no pair."""
    classes = iter(CLASSES)
    while len(values) > 1 and (_rank(values[0]), _rank(values[1])) == (3, 4):
        name = next(classes, None)
        if name is None:
            return None
        if strict and list(values[0].type.shape) != list(values[1].type.shape)[:3]:
            return None
        found[f"{name}_cnt"], found[f"{name}_idx"], *values = values
    if "mask_idx" not in found:
        return None
    if len(values) > 1 and (_rank(values[0]), _rank(values[1])) == (3, 3):
        found["valid_upper"], found["valid_lower"], *values = values
    for name in CLASSES:
        if values and f"{name}_idx" in found and "dout" in found and _rank(values[0]) == 4:
            found[WRITE_ORDERS[name]], *values = values
    return values


def _rank(value: ir.Value) -> int:
    """Rank of an integer tensor, -1 for any other."""
    kind = value.type
    return kind.rank if isinstance(kind.element_type, ir.IntegerType) else -1


def _attention_shapes(qkv: list[ir.RankedTensorType], dout: ir.RankedTensorType | None, results: list[ir.Type]) -> bool:
    q, k, v = (list(kind.shape) for kind in qkv)
    if len({str(kind.element_type) for kind in qkv}) != 1:
        return False
    if k[:3] != v[:3] or q[0] != k[0] or q[3] != k[3]:
        return False
    out = [*q[:3], v[3]]
    if dout is not None:
        return list(dout.shape) == out
    return bool(results) and isinstance(results[0], ir.RankedTensorType) and list(results[0].shape) == out


def _annotated(op: ir.Operation, path: CallPath) -> dict[str, str]:
    """What `mv.annotate` says about the call, as it is spelled; the innermost annotation of each name holds."""
    found: dict[str, str] = {}
    for holder in (*reversed(path), op):
        if _ATTRIBUTES in holder.attributes:
            for named in ir.DictAttr(holder.attributes[_ATTRIBUTES]):
                if named.name.startswith(_PREFIX) and isinstance(named.attr, ir.StringAttr):
                    found[named.name.removeprefix(_PREFIX)] = named.attr.value
    return found


def _annotation(op: ir.Operation, path: CallPath) -> dict[str, Any]:
    """The values of the annotation. Raises MalformedCall."""
    return {name: _value(name, text) for name, text in _annotated(op, path).items()}


def _value(name: str, text: str) -> Any:
    """Values are strings: "128", "true", "128,128", "fa4"."""
    if name in ("op", "kernel"):
        return text
    if text in ("true", "false"):
        return text == "true"
    try:
        numbers = [int(part) for part in text.strip("()[]").split(",")]
    except ValueError:
        numbers = []
    if name == "block_size" and numbers:
        return tuple(numbers)
    if len(numbers) != 1:
        raise MalformedCall(f"annotation {name}={text!r} is no number")
    return numbers[0]
