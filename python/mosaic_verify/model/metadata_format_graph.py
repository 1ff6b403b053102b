"""Layout ops as a graph of plain nodes, and the addresses of their elements.

A node is one array value. Four kinds cover every op that only moves elements: "reshape"; "strided" (transpose,
slice, reverse, broadcast: one formula per dimension); "pad"; "concatenate". "selected" is one slice of a stack, at an
index that only the running program knows: it is described as the first one, which tells the layout of all, but no
values. "convert" changes the element type and "elementwise" the values, but neither moves anything. Everything else is
a "root".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

FILL = -1  # address of an element that comes from the padding value


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One array value and the op that makes it. Nodes are compared by identity.

    Attributes:
      kind: "root", "reshape", "strided", "selected", "pad", "concatenate", "convert" or "elementwise".
      shape: static shape of the value.
      inputs: values that the op reads (of "pad" the padded array only).
      axes: "strided" and "selected": for each dimension of the value (dimension of the input or None, start, step).
      low, interior: "pad": per dimension; negative edges are allowed.
      axis: "concatenate".
      fill: "pad": padding value as a node.
      element: element type as in StableHLO ("ui2").
      opaque: a "root" whose shape says nothing about what it holds (compilers reinterpret buffers at will).
      moves: "strided": the op permutes dimensions (a transposition).
      origin: whatever the maker wants to find again (the IR value, the op).
    """

    kind: str
    shape: tuple[int, ...]
    inputs: tuple[Node, ...] = ()
    axes: tuple[tuple[int | None, int, int], ...] = ()
    low: tuple[int, ...] = ()
    interior: tuple[int, ...] = ()
    axis: int = 0
    fill: Node | None = None
    element: str = ""
    moves: bool = False
    opaque: bool = False
    origin: Any = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


def row_major_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements of a dense row-major array."""
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def ancestors(node: Node) -> list[Node]:
    """The node and everything that it reads, each before its inputs."""
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        current, done = stack.pop()
        if done:
            order.append(current)
        elif id(current) not in seen:
            seen.add(id(current))
            stack.append((current, True))
            stack.extend((child, False) for child in current.inputs)
    return order[::-1]


def waists(node: Node) -> list[Node]:
    """Values that every element of `node` passes through, from the farthest (nearest to the root) to `node` itself."""
    found = []
    open_nodes: set[int] = {id(node)}
    for current in ancestors(node):
        if len(open_nodes) == 1 and id(current) in open_nodes:
            found.append(current)
        open_nodes.discard(id(current))
        open_nodes.update(id(child) for child in current.inputs)
        if current.kind == "root" and open_nodes:
            break  # another root is still open: nothing farther is a waist
    return found[::-1]


def addresses(node: Node, target: Node, at: np.ndarray) -> np.ndarray:
    """Row-major index in `target` of each element `at` (row-major indices) of `node`, or FILL.

    `target` must be a waist of `node`. The result has the dtype of `at`, which must hold every index on the way (see
    `index_dtype`); memory is a few times that of `at`: call it with chunks.
    """
    if node is target:
        return at
    if node.kind in ("reshape", "convert", "elementwise"):
        return addresses(node.inputs[0], target, at)
    if node.kind == "concatenate":
        return _concatenated(node, target, at)
    if node.kind in ("strided", "selected"):
        return addresses(node.inputs[0], target, _strided(node, at))
    if node.kind == "pad":
        inside, below = _padded(node, at)
        if inside is None:
            return addresses(node.inputs[0], target, below)
        result = np.full(at.shape, FILL, at.dtype)
        result[inside] = addresses(node.inputs[0], target, below[inside])
        return result
    raise ValueError("the target is not a waist of the node")


def index_dtype(node: Node) -> type[np.signedinteger]:
    """int32 where every index between `node` and its roots fits (three times as fast), else int64."""
    return np.int32 if all(abs(value.size) < 1 << 30 for value in ancestors(node)) else np.int64


def _strided(node: Node, at: np.ndarray) -> np.ndarray:
    (child,) = node.inputs
    strides = row_major_strides(child.shape)
    result = np.full(at.shape, sum(start * strides[i] for i, start, _ in node.axes if i is not None), at.dtype)
    rest = at
    for index in range(len(node.shape) - 1, -1, -1):
        size, (source, _, step) = node.shape[index], node.axes[index]
        if size == 1:
            continue
        above, digit = _divmod(rest, size, last=index == 0)
        if source is not None:
            result += digit * at.dtype.type(step * strides[source])
        rest = above
    return result


def _concatenated(node: Node, target: Node, at: np.ndarray) -> np.ndarray:
    below = prod(node.shape[node.axis + 1 :])
    above, rest = _divmod(at, below * node.shape[node.axis])
    result = np.empty(at.shape, at.dtype)
    start = 0
    for child in node.inputs:
        length = child.shape[node.axis] * below
        mine = (rest >= start) & (rest < start + length)
        inner = above * at.dtype.type(length) + (rest - at.dtype.type(start))
        if mine.all():
            return addresses(child, target, inner)
        if mine.any():
            result[mine] = addresses(child, target, inner[mine])
        start += length
    return result


def _padded(node: Node, at: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Which elements are not padding (None: all of them), and their indices in the padded array."""
    (child,) = node.inputs
    strides = row_major_strides(child.shape)
    inside: np.ndarray | None = None
    below = np.zeros(at.shape, at.dtype)
    rest, untouched, unit = at, 1, 1
    for index in range(len(node.shape) - 1, -1, -1):
        size, low, gap, inner = node.shape[index], node.low[index], node.interior[index], child.shape[index]
        if not low and not gap and size == inner and index:
            unit = strides[index] if untouched == 1 else unit
            untouched *= size  # counted together with the next dimension that is padded
            continue
        above, digit = _divmod(rest, untouched * size, last=index == 0)
        coordinate, within = _divmod(digit, untouched)
        coordinate = coordinate - at.dtype.type(low)
        valid = coordinate >= 0
        if gap:
            coordinate, off = _divmod(np.maximum(coordinate, 0), gap + 1)
            valid &= off == 0
        valid &= coordinate < inner
        if not valid.all():
            inside = valid if inside is None else inside & valid
        below += coordinate * at.dtype.type(strides[index]) + within * at.dtype.type(unit)
        rest, untouched, unit = above, 1, 1
    return inside, below


def _divmod(values: np.ndarray, divisor: int, *, last: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Quotient and remainder of values >= 0; numpy's own divmod is not vectorised, its `//` by a scalar is.

    `last` says that the quotient is zero everywhere.
    """
    scalar = values.dtype.type(divisor)
    if divisor == 1:
        return values, np.zeros_like(values)
    if last:
        return values, values
    if divisor & (divisor - 1) == 0:
        return values >> (divisor.bit_length() - 1), values & values.dtype.type(divisor - 1)
    above = values // scalar
    return above, values - above * scalar
