"""Shorter chains with the same addresses."""

from __future__ import annotations

import itertools
import math

from mosaic_verify.model.chain.address import AddressMap, NotAffine, address_map, row_major
from mosaic_verify.model.chain.commute import slice_before_reshape, slice_before_transpose
from mosaic_verify.model.chain.steps import (
    Bitcast,
    Cast,
    Chain,
    ChainError,
    Dynamic,
    RefType,
    Reshape,
    Slice,
    Start,
    Step,
    Transpose,
)

_MOVES = (Slice, Transpose, Reshape, Bitcast)


def is_identity(step: Step, ref: RefType) -> bool:
    """True when `step` gives a ref of type `ref` back unchanged: same shape, same element at each index."""
    match step:
        case Slice(starts, sizes, strides, dropped):
            return (
                not dropped
                and sizes == ref.shape
                and all(isinstance(s, int) and s == 0 for s in starts)
                and all(stride == 1 for stride in strides)
            )
        case Transpose(permutation):
            return permutation == tuple(range(len(permutation)))
        case Reshape(shape):
            return shape == ref.shape
        case Bitcast(element, _, shape):
            return element == ref.element and shape == ref.shape
        case Cast(kind, to):
            return kind == "identity" or (kind == "space" and to == ref.space)
    return False


def merge_slices(first: Slice, second: Slice) -> Slice | None:
    """One slice for two in a row; None where both have a run-time start in one dimension, or one under a stride."""
    kept = [d for d in range(len(first.sizes)) if d not in first.dropped]
    starts, sizes, strides = list(first.starts), list(first.sizes), list(first.strides)
    for inner, dim in enumerate(kept):
        start = _add(first.starts[dim], second.starts[inner], first.strides[dim])
        if start is None:
            return None
        starts[dim], sizes[dim] = start, second.sizes[inner]
        strides[dim] = first.strides[dim] * second.strides[inner]
    dropped = sorted({*first.dropped, *(kept[inner] for inner in second.dropped)})
    return Slice(tuple(starts), tuple(sizes), tuple(strides), tuple(dropped))


def _add(first: Start, second: Start, stride: int) -> Start | None:
    if isinstance(second, int):
        if isinstance(first, int):
            return first + stride * second
        return first if second == 0 else None
    return second if first == 0 and stride == 1 else None


def simplify(chain: Chain) -> Chain:
    """The chain without what cancels out, with slices merged and in front of transposes and reshapes.

    Steps that move elements are rewritten in runs between steps that must stay where they are (untiling, unswizzling,
    batch dimensions, aliases, remote refs, casts of layout). The result has the same type, and the same element at each
    index: a run whose addresses are not known, or that would change, is left alone.
    """
    out: list[Step] = []
    run: list[Step] = []
    ref = start = chain.base
    for step in chain.steps:
        if isinstance(step, _MOVES):
            start = start if run else ref
            run.append(step)
        else:
            out += _simplify_run(start, run)
            run = []
            if not is_identity(step, ref):
                out.append(step)
        ref = step.apply(ref)
    out += _simplify_run(start, run)
    return Chain(chain.base, tuple(out), chain.name)


def _simplify_run(base: RefType, run: list[Step]) -> list[Step]:
    if not run:
        return []
    run = peephole(base, run)  # dropping and joining needs no proof by addresses
    try:
        before = address_map(base, tuple(run))
    except NotAffine:
        return run
    shorter, last = run, None
    while shorter != last:  # ends: a round never makes a chain longer, and only a shorter one can give a new start
        last, shorter = shorter, _shortest(base, _rewrite(base, shorter))
    result = Chain(base, tuple(run)).result
    same = Chain(base, tuple(shorter)).result == result and address_map(base, tuple(shorter)) == before
    return shorter if same else run


def _rewrite(base: RefType, run: list[Step]) -> list[Step]:
    """Local rewrites to a fixed point: drop, join, move slices forward, move casts of equal width back."""
    steps = peephole(base, run)
    for _ in range(4 * len(run) + 4):
        moved = _move_one(base, steps)
        if moved is None:
            break
        steps = peephole(base, moved)
    return steps


def peephole(base: RefType, run: list[Step]) -> list[Step]:
    """Drops steps that do nothing and joins neighbours of one kind."""
    steps = list(run)
    changed = True
    while changed:
        changed, ref = False, base
        for i, step in enumerate(steps):
            if is_identity(step, ref):
                del steps[i]
                changed = True
                break
            joined = _join(ref, step, steps[i + 1]) if i + 1 < len(steps) else None
            if joined is not None:
                steps[i : i + 2] = [joined]
                changed = True
                break
            ref = step.apply(ref)
    return steps


def _join(ref: RefType, first: Step, second: Step) -> Step | None:
    match first, second:
        case Transpose(p), Transpose(q):
            return Transpose(tuple(p[d] for d in q))
        case Reshape(), Reshape():
            return second
        case Slice(), Slice():
            return merge_slices(first, second)
        case Bitcast(), Bitcast():
            # Through a wider or narrower type and back is the identity; in other pairs the width in between matters.
            back = second.bits == ref.bits and (first.bits == ref.bits or second.shape == ref.shape)
            return second if back else None
    return None


def _move_one(base: RefType, steps: list[Step]) -> list[Step] | None:
    ref = base
    for i, (first, second) in enumerate(itertools.pairwise(steps)):
        pair = _swap(ref, first, second)
        if pair is not None:
            return [*steps[:i], *pair, *steps[i + 2 :]]
        ref = first.apply(ref)
    return None


def _swap(ref: RefType, first: Step, second: Step) -> tuple[Step, Step] | None:
    match first, second:
        case Transpose(), Slice():
            return slice_before_transpose(first, second)
        case Reshape(), Slice():
            return slice_before_reshape(ref.shape, first, second)
        case Bitcast(element, bits, _), (Slice() | Transpose() | Reshape()) if bits == ref.bits:
            return second, Bitcast(element, bits, second.apply(ref).shape)
    return None


def _shortest(base: RefType, steps: list[Step]) -> list[Step]:
    """Replaces the transposes and reshapes behind the slice by the shortest chain with the same addresses."""
    head = 1 if steps and isinstance(steps[0], Slice) else 0
    tail = len(steps) - (1 if steps and isinstance(steps[-1], Bitcast) else 0)
    middle = steps[head:tail]
    if not middle or not all(isinstance(step, Transpose | Reshape) for step in middle):
        return steps
    source = Chain(base, tuple(steps[:head])).result
    best = moves(source, address_map(source, tuple(middle)))
    return [*steps[:head], *(best if len(best) < len(middle) else middle), *steps[tail:]]


def moves(source: RefType, target: AddressMap) -> list[Step]:
    """The shortest reshape, transpose, reshape that gives `target` over all elements of a ref of type `source`."""
    if target == row_major(source.shape):
        return []
    shape = target.shape
    if target == row_major(shape):
        return [Reshape(shape)]
    direct = _direct_permutation(source.shape, target)
    if direct is not None:
        return [Transpose(direct)]
    digits = [digit for dim in target.dims for digit in dim]
    order = sorted(range(len(digits)), key=lambda n: -digits[n][1])
    split = tuple(digits[n][0] for n in order)
    permutation = tuple(order.index(n) for n in range(len(digits)))
    steps = [Reshape(split), Transpose(permutation), Reshape(shape)]
    ref, kept = source, []
    for step in steps:
        if not is_identity(step, ref):
            kept.append(step)
        ref = step.apply(ref)
    return kept


def _direct_permutation(shape: tuple[int, ...], target: AddressMap) -> tuple[int, ...] | None:
    """The permutation of `shape`'s own dimensions that gives `target`, if there is one."""
    free = list(range(len(shape)))
    base = row_major(shape).dims
    permutation = []
    if len(target.dims) != len(shape) or target.offset or target.terms:
        return None
    for digits in target.dims:
        match = next((d for d in free if base[d] == digits and shape[d] == math.prod(e for e, _ in digits)), None)
        if match is None:
            return None
        free.remove(match)
        permutation.append(match)
    return tuple(permutation)


def contiguous_form(chain: Chain) -> tuple[Step, ...] | None:
    """Steps with the addresses of `chain` whose strides are those of a contiguous ref in every dimension, or None.

    Dimensions of extent 1 are dropped by the slice and put back by a reshape, which computes their strides anew.
    """
    try:
        mapped = address_map(chain.base, chain.steps)
    except (NotAffine, ChainError):
        return None
    slices = [step for step in chain.steps if isinstance(step, Slice)]
    if not mapped.contiguous or len(slices) != 1 or not isinstance(chain.steps[0], Slice):
        return None
    first = slices[0]
    cut = Slice(first.starts, first.sizes, first.strides, tuple(d for d, size in enumerate(first.sizes) if size == 1))
    steps = (cut, Reshape(chain.result.shape))
    return steps if address_map(chain.base, steps) == mapped else None


def run_time_starts(chain: Chain) -> list[Dynamic]:
    """The starts of a chain that are known only at run time, in order."""
    return [
        start for step in chain.steps if isinstance(step, Slice) for start in step.starts if isinstance(start, Dynamic)
    ]


def same_addresses(left: Chain, right: Chain) -> bool | None:
    """True when both chains give each index the same element of one base; None when it is not known."""
    try:
        if left.base.shape != right.base.shape or left.result.shape != right.result.shape:
            return False
        return address_map(left.base, left.steps) == address_map(right.base, right.steps)
    except (NotAffine, ChainError):
        return None
