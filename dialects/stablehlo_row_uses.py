"""Which leading rows of a StableHLO value the program reads."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_provenance import CallPath
from mosaic_verify.dialects.stablehlo_values import integers, static_type

_ROW_BY_ROW = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("convert", "negate", "abs", "exponential", "logistic", "tanh", "rsqrt", "sqrt", "log", "sine", "cosine"),
        *("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "optimization_barrier"),
    )
)
_MAX_USES = 1000


@dataclass
class RowUses:
    """`read`: rows 0 to read - 1 hold all that are surely read. `unclear`: others may be read, for all one can see."""

    read: int = 0
    unclear: bool = False


def row_uses(value: ir.Value, path: CallPath) -> RowUses:
    """Follows a value with static rows forwards: through slices and ops that keep rows apart, and out of functions.

    A result of the program counts as read. What selects rows by other means than a slice (`select`, `gather`, a kernel)
    is unclear.

    Args:
      path: function calls that lead to the value, innermost first.
    """
    found = RowUses()
    waiting, seen = [(value, path)], 0
    while waiting:
        current, around = waiting.pop()
        for use in current.uses:
            seen += 1
            if seen > _MAX_USES:
                found.unclear = True
                return found
            waiting += _follow(use.owner.operation, use.operand_number, current, around, found)
    return found


def _follow(
    op: ir.Operation, operand: int, value: ir.Value, path: CallPath, found: RowUses
) -> list[tuple[ir.Value, CallPath]]:
    kind = static_type(value)
    rows = kind.shape[0] if kind is not None and kind.rank else 0
    if op.name == "func.return":
        if path:
            return [(path[0].results[operand], path[1:])]
        found.read = max(found.read, rows)
    elif op.name == "stablehlo.slice":
        found.read = max(found.read, integers(op, "limit_indices")[0])
    elif op.name == "stablehlo.reduce" and 0 in integers(op, "dimensions"):
        found.read = max(found.read, rows)
    elif op.name in _ROW_BY_ROW and all(_rows(result) == rows for result in op.results):
        return [(op.results[operand if op.name.endswith("barrier") else 0], path)]
    else:
        found.unclear = True
    return []


def _rows(value: ir.Value) -> int | None:
    kind = static_type(value)
    return kind.shape[0] if kind is not None and kind.rank else None
