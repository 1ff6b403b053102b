"""Which element of the base each element of a chain's result is: nested strides, as in CuTe layouts.

A dimension is a list of (extent, stride) pairs, outermost first: position i of the dimension is split into mixed-radix
digits, and each digit moves by its stride. Slices, transposes, reshapes, untiling and batch dimensions all stay inside
this form, except reshapes that cut across digits. Strides count elements of the base in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace

from mosaic_verify.model.chain.steps import (
    Bitcast,
    Cast,
    Dynamic,
    ExpandBatch,
    RefType,
    Remote,
    Reshape,
    Shape,
    Slice,
    Start,
    Step,
    Transpose,
    Unswizzle,
    Untile,
)

Digits = tuple[tuple[int, int], ...]


class NotAffine(Exception):
    """The step cannot be described with nested strides; nothing is known about its addresses."""


@dataclass(frozen=True, slots=True)
class AddressMap:
    """Maps an index of a chain's result to an element of its base.

    Attributes:
      dims: digits of each dimension; extent-1 digits are dropped and digits that run on are joined, so that two maps
        are equal exactly when they give every index the same element.
      offset: element of index 0, without the run-time part.
      terms: (key, factor) for each start known only at run time, sorted; each adds `factor * value` to the offset.
    """

    dims: tuple[Digits, ...]
    offset: int = 0
    terms: tuple[tuple[Hashable, int], ...] = ()

    @property
    def shape(self) -> Shape:
        """Extents of the result."""
        return tuple(math.prod(extent for extent, _ in digits) for digits in self.dims)

    @property
    def strides(self) -> tuple[int, ...] | None:
        """Strides of the dimensions, None when one has several digits. A dimension of extent 1 gets the stride that it
        would have in a contiguous ref of this shape."""
        if any(len(digits) > 1 for digits in self.dims):
            return None
        strides, run = [], 1
        for digits, extent in zip(reversed(self.dims), reversed(self.shape), strict=True):
            strides.append(digits[0][1] if digits else run)
            run *= extent
        return tuple(reversed(strides))

    @property
    def contiguous(self) -> bool:
        """True when the elements lie one behind another in row-major order, whatever extent-1 dimensions have."""
        return self.dims == row_major(self.shape).dims

    def apply(self, step: Step, ref: RefType) -> AddressMap:
        """The map behind `step`, which is applied to a ref of type `ref`. Raises NotAffine."""
        match step:
            case Transpose(permutation):
                return replace(self, dims=tuple(self.dims[d] for d in permutation))
            case Reshape(shape):
                return replace(self, dims=_regroup(self.dims, shape))
            case Slice():
                return self._slice(step)
            case Untile(tiling):
                n, lead = len(tiling), len(self.dims) - 2 * len(tiling)
                tiles = [_join(self.dims[lead + d] + self.dims[lead + n + d]) for d in range(n)]
                return replace(self, dims=(*self.dims[:lead], *tiles))
            case ExpandBatch(batch):
                rows, columns = self.dims
                split = _regroup((columns,), (*batch, ref.shape[1] // math.prod(batch)))
                return replace(self, dims=(*split[:-1], rows, split[-1]))
            case Bitcast(bits=bits) if bits == ref.bits:
                return self
            case Unswizzle() | Remote() | Cast():
                return self
        raise NotAffine(str(step))

    def _slice(self, step: Slice) -> AddressMap:
        dims, offset, terms = [], self.offset, dict(self.terms)
        for dim, digits in enumerate(self.dims):
            start, size, stride = step.starts[dim], step.sizes[dim], step.strides[dim]
            digits, moved, factor = _cut(digits, start, size, stride)
            offset += moved
            if isinstance(start, Dynamic):
                terms[start.key] = terms.get(start.key, 0) + factor
            if dim not in step.dropped:
                dims.append(digits)
        ordered = sorted(((key, f) for key, f in terms.items() if f), key=lambda term: str(term[0]))
        return AddressMap(tuple(dims), offset, tuple(ordered))


def row_major(shape: Shape) -> AddressMap:
    """The map of a ref that nothing was done to."""
    dims, stride = [], 1
    for extent in reversed(shape):
        dims.append(((extent, stride),) if extent != 1 else ())
        stride *= extent
    return AddressMap(tuple(reversed(dims)))


def address_map(base: RefType, steps: tuple[Step, ...]) -> AddressMap:
    """The map of a chain. Raises NotAffine where it is not known, ChainError when a step does not fit."""
    mapped, ref = row_major(base.shape), base
    for step in steps:
        result = step.apply(ref)
        mapped = mapped.apply(step, ref)
        ref = result
    return mapped


def _join(digits: Digits) -> Digits:
    joined: list[tuple[int, int]] = []
    for extent, stride in digits:
        if extent == 1:
            continue
        if joined and joined[-1][1] == extent * stride:
            joined[-1] = (joined[-1][0] * extent, stride)
        else:
            joined.append((extent, stride))
    return tuple(joined)


def _regroup(dims: tuple[Digits, ...], shape: Shape) -> tuple[Digits, ...]:
    """Deals the digits of all dimensions out to the extents of `shape`, innermost first, splitting digits as needed."""
    rest = list(_join(tuple(digit for digits in dims for digit in digits)))
    groups: list[Digits] = []
    for extent in reversed(shape):
        group: list[tuple[int, int]] = []
        while extent > 1:
            if not rest:
                raise NotAffine("sizes differ")
            have, stride = rest.pop()
            take = math.gcd(have, extent)
            if take != have and take != extent:
                raise NotAffine("a reshape cuts across dimensions")
            if take == have:
                group.append((have, stride))
            else:
                group.append((take, stride))
                rest.append((have // take, stride * take))
            extent //= take
        groups.append(_join(tuple(reversed(group))))
    if rest:
        raise NotAffine("sizes differ")
    return tuple(reversed(groups))


def _cut(digits: Digits, start: Start, size: int, stride: int) -> tuple[Digits, int, int]:
    """A slice of one dimension: (digits, static offset, factor of a run-time start). Raises NotAffine."""
    extent = math.prod(e for e, _ in digits)
    if isinstance(start, int) and start == 0 and size == extent and stride == 1:
        return digits, 0, 0
    if not digits:
        if isinstance(start, int):
            return (), 0, 0
        raise NotAffine("a run-time start in a dimension of extent 1")  # anything but 0 is out of bounds: keep it
    if len(digits) == 1:
        step = digits[0][1]
        cut = ((size, step * stride),) if size != 1 else ()
        return (cut, start * step, 0) if isinstance(start, int) else (cut, 0, step)
    inner = math.prod(e for e, _ in digits[1:])
    if isinstance(start, int):
        first, inside = divmod(start, inner)
        if inside + (size - 1) * stride < inner:
            cut, moved, _ = _cut(digits[1:], inside, size, stride)
            return cut, moved + first * digits[0][1], 0
        if stride == 1 and not inside and not size % inner:
            return _join(((size // inner, digits[0][1]), *digits[1:])), first * digits[0][1], 0
    elif stride == 1 and not start.multiple_of % inner and not size % inner and not digits[0][1] % inner:
        return _join(((size // inner, digits[0][1]), *digits[1:])), 0, digits[0][1] // inner
    raise NotAffine("a slice cuts across dimensions")
