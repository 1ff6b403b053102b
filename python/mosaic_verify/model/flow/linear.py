"""Numbers that depend on how far a long loop has come, or on how long it is: sums of a constant and of parameters.

There are two parameters: how many periods of the steady part of a loop are over, and by how many periods the loop is
longer than the shortest one of its kind. They lie in a polygon, so a comparison of linear numbers is decided by its
corners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Corner = tuple[int, int]
NOWHERE: tuple[Corner, ...] = ((0, 0),)


@dataclass(frozen=True, slots=True)
class Linear:
    """constant + periods * (periods that are over) + length * (periods that the loop is longer)."""

    constant: int
    periods: int = 0
    length: int = 0

    def at(self, corner: Corner) -> int:
        """The number at one point."""
        return self.constant + self.periods * corner[0] + self.length * corner[1]


Number = int | Linear


def linear(value: Number) -> Linear:
    """A number in the general form."""
    return value if isinstance(value, Linear) else Linear(value)


def plain(value: Linear) -> Number:
    """An int where nothing depends on a parameter."""
    return value if value.periods or value.length else value.constant


def plus(one: Number, other: Number, factor: int = 1) -> Number:
    """one + factor * other."""
    if isinstance(one, int) and isinstance(other, int):
        return one + factor * other
    a, b = linear(one), linear(other)
    return plain(Linear(a.constant + factor * b.constant, a.periods + factor * b.periods, a.length + factor * b.length))


def times(one: Number, factor: int) -> Number:
    """one * factor."""
    return plus(0, one, factor)


def apply_linear(op: str, args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    """An operation of `values.OPERATIONS`; None where the result is neither linear nor the same everywhere."""
    operation = _OPERATIONS.get(op)
    return None if operation is None else operation(args, corners)


def _compare(holds: Callable[[int], bool]) -> Callable[[list[Number], tuple[Corner, ...]], Number | None]:
    def decide(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
        found = {holds(number) for number in _corner_values(plus(args[0], args[1], -1), corners)}
        return int(found.pop()) if len(found) == 1 else None

    return decide


def _corner_values(value: Number, corners: tuple[Corner, ...]) -> list[int]:
    if isinstance(value, int):
        return [value]
    return [value.at(corner) for corner in corners]


def _equal(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    difference = plus(args[0], args[1], -1)
    if isinstance(difference, int):
        return int(difference == 0)
    values = _corner_values(difference, corners)
    return 0 if min(values) > 0 or max(values) < 0 else None


def _not_equal(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    equal = _equal(args, corners)
    return None if equal is None else 1 - int(equal == 1)


def _larger(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    values = _corner_values(plus(args[0], args[1], -1), corners)
    return args[0] if min(values) >= 0 else args[1] if max(values) <= 0 else None


def _smaller(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    larger = _larger(args, corners)
    if larger is None:
        return None
    return args[1] if larger == args[0] else args[0]


def _product(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    one, other = args
    if isinstance(other, int):
        return times(one, other)
    return times(other, one) if isinstance(one, int) else None


def _floor(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    value, by = args
    if not isinstance(by, int) or by <= 0:
        return None
    value = linear(value)
    if value.periods % by == 0 and value.length % by == 0:
        return plain(Linear(value.constant // by, value.periods // by, value.length // by))
    # The quotient grows with the number: it is the same everywhere when it is at all corners.
    found = {number // by for number in _corner_values(value, corners)}
    return found.pop() if len(found) == 1 else None


def _quotient(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    return _floor(args, corners) if min(_corner_values(args[0], corners)) >= 0 else None


def _remainder(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    quotient = _quotient(args, corners)
    if quotient is None or not isinstance(args[1], int):
        return None
    return plus(args[0], quotient, -args[1])


def _ceiling(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    floor = _floor([times(args[0], -1), args[1]], corners)
    return None if floor is None else times(floor, -1)


def _clamp(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    above = _larger([args[0], args[1]], corners)
    return None if above is None else _smaller([above, args[2]], corners)


def _shifted(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    return times(args[0], 1 << args[1]) if isinstance(args[1], int) and 0 <= args[1] < 64 else None


def _halved(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    return _floor([args[0], 1 << args[1]], corners) if isinstance(args[1], int) and 0 <= args[1] < 64 else None


def _masked(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    value, mask = args if isinstance(args[1], int) else args[::-1]
    if not isinstance(mask, int) or mask < 0 or mask & (mask + 1):
        return None
    return _remainder([value, mask + 1], corners)


def _wrapped(args: list[Number], corners: tuple[Corner, ...]) -> Number | None:
    value, bits = args
    if not isinstance(bits, int) or not 0 < bits <= 64:
        return None
    half = 1 << (bits - 1)
    return value if all(-half <= number < half for number in _corner_values(value, corners)) else None


_OPERATIONS: dict[str, Callable[[list[Number], tuple[Corner, ...]], Number | None]] = {
    "add": lambda args, corners: plus(args[0], args[1]),
    "sub": lambda args, corners: plus(args[0], args[1], -1),
    "neg": lambda args, corners: times(args[0], -1),
    "mul": _product,
    "div": _quotient,
    "rem": _remainder,
    "floordiv": _floor,
    "ceildiv": _ceiling,
    "max": _larger,
    "min": _smaller,
    "and": _masked,
    "shl": _shifted,
    "shr": _halved,
    "wrap": _wrapped,
    "clamp": _clamp,
    "eq": _equal,
    "ne": _not_equal,
    "lt": _compare(lambda difference: difference < 0),
    "le": _compare(lambda difference: difference <= 0),
    "gt": _compare(lambda difference: difference > 0),
    "ge": _compare(lambda difference: difference >= 0),
}
