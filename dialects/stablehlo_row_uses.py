"""Which rows of a StableHLO value the program reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_provenance import CallPath
from mosaic_verify.dialects.stablehlo_values import enclosing_function, integers, static_type

_ROW_BY_ROW = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("convert", "negate", "abs", "exponential", "logistic", "tanh", "rsqrt", "sqrt", "log", "sine", "cosine"),
        *("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "optimization_barrier"),
    )
)
_PURE = _ROW_BY_ROW | {
    f"stablehlo.{name}"
    for name in (
        *("slice", "reduce", "broadcast_in_dim", "reshape", "transpose", "concatenate", "pad"),
        *("compare", "select", "dot_general"),
    )
}
_MAX_USES = 1000


@dataclass
class RowUses:
    """The rows in `read` hold all that are surely read, those in `possible` all that may be."""

    read: range = range(0)
    possible: range = range(0)

    def note(self, start: int, end: int, *, sure: bool) -> None:
        """Rows start to end - 1 hold what one op reads."""
        self.possible = _around(self.possible, range(start, end))
        if sure:
            self.read = _around(self.read, range(start, end))


def _around(a: range, b: range) -> range:
    """The smallest range that holds both."""
    return range(min(a.start, b.start), max(a.stop, b.stop)) if a and b else a or b


@dataclass(frozen=True)
class _Part:
    """A value whose row i is row `start + i * stride` of the value that is followed; `path` as of `row_uses`."""

    value: ir.Value
    path: CallPath
    start: int = 0
    stride: int = 1

    @property
    def rows(self) -> int:
        kind = static_type(self.value)
        return kind.shape[0] if kind is not None and kind.rank else 0

    @property
    def end(self) -> int:
        """One behind the last row."""
        return self.start + (self.rows - 1) * self.stride + 1 if self.rows else self.start


def row_uses(value: ir.Value, path: CallPath) -> RowUses:
    """Follows a value with static rows forwards: through slices and ops that keep rows apart, and out of functions.

    A result of the program counts as read, an op whose results nobody uses reads nothing. What selects rows by other
    means than a slice (`select`, `gather`, a kernel) may read them all.

    Args:
      path: function calls that lead to the value, innermost first.
    """
    found = RowUses()
    waiting, seen = [_Part(value, path)], 0
    while waiting:
        part = waiting.pop()
        for use in part.value.uses:
            seen += 1
            if seen > _MAX_USES:
                found.note(0, _Part(value, path).end, sure=False)
                return found
            waiting += _follow(use.owner.operation, use.operand_number, part, found)
    return found


def _follow(op: ir.Operation, operand: int, part: _Part, found: RowUses) -> list[_Part]:
    if op.name == "func.return":
        if part.path:
            return [replace(part, value=part.path[0].results[operand], path=part.path[1:])]
        found.note(part.start, part.end, sure=not _is_private(op))
    elif op.name == "stablehlo.slice":
        start, stride = integers(op, "start_indices")[0], integers(op, "strides")[0]
        return [replace(part, value=op.results[0], start=part.start + start * part.stride, stride=part.stride * stride)]
    elif op.name == "stablehlo.reduce" and 0 in integers(op, "dimensions"):
        if not _unused(op):
            found.note(part.start, part.end, sure=True)
    elif op.name in _ROW_BY_ROW and all(_rows(result) == part.rows for result in op.results):
        return [replace(part, value=op.results[operand if op.name.endswith("barrier") else 0])]
    else:
        found.note(part.start, part.end, sure=False)
    return []


def _is_private(op: ir.Operation) -> bool:
    """True in a function that others call: in ways that are not followed, or too far away, where no path is left."""
    function = enclosing_function(op)
    if function is None or "sym_visibility" not in function.attributes:
        return False
    return ir.StringAttr(function.attributes["sym_visibility"]).value == "private"


def _unused(op: ir.Operation) -> bool:
    """True when the results go to nobody, or only to ops without effects whose results go to nobody."""
    waiting, seen = [op], 0
    while waiting:
        for result in waiting.pop().results:
            for use in result.uses:
                user, seen = use.owner.operation, seen + 1
                if user.name not in _PURE or seen > _MAX_USES:
                    return False
                waiting.append(user)
    return True


def _rows(value: ir.Value) -> int | None:
    kind = static_type(value)
    return kind.shape[0] if kind is not None and kind.rank else None
