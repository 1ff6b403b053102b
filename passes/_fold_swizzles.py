"""Equal swizzles for A and B, which Lane semantics asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import AllocOp, Tcgen05MmaOp, space
from mosaic_verify.dialects.plgpu_chain import chain_of
from mosaic_verify.dialects.plgpu_refs import ref_type
from mosaic_verify.dialects.plgpu_uses import uses_of
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.chain import Chain, ChainError, Role, Unswizzle, Untile, accepts
from mosaic_verify.model.facts import Target
from mosaic_verify.model.operand_tiles import SWIZZLES, operand_tile
from mosaic_verify.passes._fold_allocations import with_swizzle

Codes = Callable[[], set[str]]


def equal_swizzles(mmas: Iterable[ir.Operation], target: Target, codes: Codes) -> Iterator[tuple[ir.Operation, str]]:
    """Gives refs that meet at MMAs one swizzle, where only TMA and MMAs touch them.

    Both address a tiled ref by its logical shape, so that no value moves. The smallest swizzle is taken that makes the
    rules say less and nothing new; without one the refs stay as they are.

    Args:
      codes: the codes of the errors that the rules find in the kernel as it stands.

    Yields an MMA and what was done.
    """
    mmas = list(mmas)
    done: set[int] = set()
    for number, mma in enumerate(mmas):
        if number in done:
            continue
        together, numbers = _component(mmas, number)
        done |= numbers
        swizzles = [AllocOp(alloc).swizzle for alloc in together]
        if len(set(swizzles)) < 2 or not all(map(_only_operands, together)):
            continue
        before = codes()
        allocs = together
        for swizzle in sorted(SWIZZLES):
            if not all(_fits(alloc, swizzle, target) for alloc in allocs):
                continue
            names = [AllocOp(alloc).ref_name or "ref" for alloc in allocs]
            allocs = [with_swizzle(alloc, swizzle) for alloc in allocs]
            if codes() < before:
                yield mma, f"{' and '.join(f'`{name}`' for name in names)} have a {swizzle}-byte swizzle now"
                break
        else:
            for alloc, swizzle in zip(allocs, swizzles, strict=True):
                if swizzle is not None:
                    with_swizzle(alloc, swizzle)


def _component(mmas: list[ir.Operation], number: int) -> tuple[list[ir.Operation], set[int]]:
    """The allocations that are tied to those of one MMA through MMAs, and the numbers of these."""
    pairs = [_allocations(mma) for mma in mmas]
    allocs, numbers = list(dict.fromkeys(pairs[number])), {number}
    grown = True
    while grown:
        grown = False
        for other, pair in enumerate(pairs):
            if other not in numbers and any(alloc in allocs for alloc in pair):
                allocs += [alloc for alloc in pair if alloc not in allocs]
                numbers.add(other)
                grown = True
    return allocs, numbers


def _allocations(mma: ir.Operation) -> list[ir.Operation]:
    """The swizzled SMEM allocations behind A and B."""
    found = []
    for value in (Tcgen05MmaOp(mma).a, Tcgen05MmaOp(mma).b):
        base = None if value is None else chain_of(value).base
        op = None if base is None else owner(base)
        if op is not None and base is not None and op.name == "plgpu.alloc" and space(base) == "smem":
            found.append(op)
    return found


def _only_operands(alloc: ir.Operation) -> bool:
    """True when only TMA and MMAs touch a tiled and swizzled ref, and each use undoes both first."""
    view = AllocOp(alloc)
    if view.tiling is None or view.swizzle is None or "union" in alloc.attributes or len(view.tiling) != 2:
        return False
    start = (Unswizzle(view.swizzle), Untile(view.tiling))
    return all(
        use.role in ("a", "b", "tma") and use.movable and use.found.chain.steps[:2] == start
        for use in uses_of(alloc.results[0])
    )


def _fits(alloc: ir.Operation, swizzle: int, target: Target) -> bool:
    """True when the tile of `swizzle` divides the ref and every slice of it."""
    ref = ref_type(alloc.results[0])
    if not ref.bits:
        return False
    tile = operand_tile(swizzle, ref.bits)
    for use in uses_of(alloc.results[0]):
        steps = use.found.chain.steps
        try:
            logical = Chain(ref, steps[:2]).result
            rows, columns = logical.shape[-2:]
            if rows % tile[0] or columns % tile[1]:
                return False
            shape = (*logical.shape[:-2], rows // tile[0], columns // tile[1], *tile)
            base = type(ref)(shape, ref.element, ref.space, ref.bits)
            moved = Chain(base, (Unswizzle(swizzle), Untile(tile), *steps[2:]))
            role: Role = "b" if use.role == "b" else "a"  # TMA takes what A takes
            if accepts(moved, role, target.semantics, target.jax) is not None:
                return False
        except ChainError:
            return False
    return True
