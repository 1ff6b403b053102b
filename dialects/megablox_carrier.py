"""What JAX makes of a megablox call: `stablehlo.custom_call @tpu_custom_call` inside a function named `gmm` or `tgmm`.

Operands: number of active tiles (i32), group offsets (groups + 1), group ids and row-tile ids (tiles + groups - 1
each), group offset (1), lhs, rhs, existing_out if there is one. tk, tn and `transpose_rhs` are inside the kernel.
"""

from __future__ import annotations

import re
from dataclasses import replace

from jaxlib.mlir import ir

from mosaic_verify.dialects.megablox import MalformedOp, array_of
from mosaic_verify.dialects.stablehlo_constants import constant_behind
from mosaic_verify.dialects.stablehlo_provenance import CallPath, Provenance
from mosaic_verify.dialects.stablehlo_row_uses import row_uses
from mosaic_verify.model.gmm import AliasedCall, Array, GroupedMatmul

CUSTOM_CALL = "stablehlo.custom_call"
_FUNCTION = re.compile(r"(t?gmm)(_\d+)?")
_OPERAND = re.compile(r"operand_index = (\d+)")
_RESULT = re.compile(r"output_tuple_indices = \[([\d, ]*)\]")
_NESTED = re.compile(r"operand_tuple_indices = \[\s*\d")


def target(call: ir.Operation) -> str:
    """The name behind the @, or "" where the attribute is missing."""
    if "call_target_name" not in call.attributes:
        return ""
    name = call.attributes["call_target_name"]
    return name.value if isinstance(name, ir.StringAttr | ir.FlatSymbolRefAttr) else ""


def aliases(call: ir.Operation) -> AliasedCall | None:
    """The pairs that `output_operand_aliases` of any custom call makes; None without aliases."""
    if "output_operand_aliases" not in call.attributes:
        return None
    operands, results = list(call.operands), list(call.results)
    pairs = []
    for alias in ir.ArrayAttr(call.attributes["output_operand_aliases"]):
        text = str(alias)
        operand, result = _OPERAND.search(text), _RESULT.search(text)
        if operand is None or _NESTED.search(text):
            continue
        indices = [int(index) for index in result[1].split(",") if index.strip()] if result else []
        if len(indices) > 1 or int(operand[1]) >= len(operands) or (indices or [0])[0] >= len(results):
            continue
        index = indices[0] if indices else 0
        pairs.append((int(operand[1]), str(operands[int(operand[1])].type), str(results[index].type)))
    return AliasedCall(target(call), tuple(pairs))


def carrier(call: ir.Operation) -> GroupedMatmul | None:
    """The call of gmm or tgmm that a `@tpu_custom_call` was, as far as it can be told; else None."""
    if target(call) != "tpu_custom_call":
        return None
    match = _FUNCTION.fullmatch(enclosing_function(call))
    if match is None or len(call.operands) not in (7, 8) or len(call.results) != 1:
        return None
    name = match[1]
    try:
        active, offsets, ids, tiles, offset, lhs, rhs, *out = (array_of(value.type, "") for value in call.operands)
        result = array_of(call.results[0].type, "")
    except MalformedOp:
        return None
    tables = (active, offsets, ids, tiles, offset)
    ranks = (lhs.rank, rhs.rank, result.rank) == ((2, 3, 2) if name == "gmm" else (2, 2, 3))
    if (
        not ranks
        or any(table.element != "i32" for table in tables)
        or [table.rank for table in tables] != [0, 1, 1, 1, 1]
    ):
        return None
    if ids != tiles or offset.shape != (1,):
        return None
    (entries,), (table,) = offsets.shape, ids.shape
    if entries is None or table is None:
        return None
    groups = entries - 1
    row_tiles = table - groups + 1
    if name == "tgmm":  # the kernel gets lhs as (m, k)
        lhs = Array((lhs.shape[1], lhs.shape[0]), lhs.element)
    m = lhs.shape[0 if name == "gmm" else 1]
    if row_tiles < 1 or m is None or m % row_tiles:
        return None
    return GroupedMatmul(
        kind=name,
        lhs=lhs,
        rhs=rhs,
        group_sizes=Array((groups,), "i32"),
        group_offset=Array((), "i32"),
        existing_out=out[0] if out else None,
        preferred=result.element,
        tiling=None,
        transpose_rhs=_transposed(lhs, rhs, result) if name == "gmm" else False,
        num_actual_groups=result.shape[0] if name == "tgmm" else None,
    )


def enclosing_function(call: ir.Operation) -> str:
    """The name of the function that holds an op, or ""."""
    parent = call.parent
    while parent is not None and parent.operation.name != "func.func":
        parent = parent.operation.parent
    return "" if parent is None else ir.StringAttr(parent.operation.attributes["sym_name"]).value


def in_context(facts: GroupedMatmul, call: ir.Operation, provenance: Provenance, path: CallPath) -> GroupedMatmul:
    """The facts with what one chain of calls tells: constant group sizes and offset, and which rows are read.

    `gmm` and `tgmm` are jitted, and the third argument of the function that JAX makes of them is `group_sizes`.
    """
    sizes = None
    if path and facts.group_sizes is not None and len(path[0].operands) >= 3:
        operand = path[0].operands[2]
        if array_of(operand.type, "group_sizes") == facts.group_sizes:
            sizes = constant_behind(provenance.node(operand, path[1:])).values
    offset = constant_behind(provenance.node(call.operands[4], path)).values
    uses = row_uses(call.results[0], path)
    return replace(
        facts,
        sizes=sizes,
        offset=None if offset is None else int(offset[0]),
        read_rows=uses.read,
        possible_rows=uses.possible,
    )


def _transposed(lhs: Array, rhs: Array, result: Array) -> bool | None:
    """`transpose_rhs`, which the sizes of rhs tell unless both of its dimensions, or neither, could be n."""
    n, k = result.shape[1], lhs.shape[1]
    as_is, exchanged = rhs.shape[2] == n, rhs.shape[1] == n
    if as_is != exchanged:
        return exchanged
    return False if as_is and rhs.shape[1] == k == n else None
