"""How Pallas orders a chain while it lowers a ref, and where it gives up.

Pallas moves slices, reshapes, remote refs and, for some operands, transposes to the front of a chain, past untiling and
unswizzling, and applies them to the ref (`_bubble_up_transforms_for_lowering` and `_commute_transform` in
`jax/_src/pallas/mosaic_gpu/lowering.py`; the `commute_*` methods in `core.py` beside it). JAX 0.10.2 and 0.12 have the
same rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mosaic_verify.model.chain.commute import slice_before_transpose
from mosaic_verify.model.chain.jax_text import jax_repr
from mosaic_verify.model.chain.steps import (
    Alias,
    Cast,
    ExpandBatch,
    Opaque,
    RefType,
    Remote,
    Reshape,
    Shape,
    Slice,
    Step,
    Transpose,
    Unswizzle,
    Untile,
)

Numbered = tuple[int, Step]  # a step with its number in the user's chain


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """Why JAX gives up.

    Attributes:
      step: number of the offending step in the user's chain, or None for the chain as a whole.
      text: JAX's own message, "" where it prints none.
      why: what it means, in our words.
      code: rule.
    """

    step: int | None
    text: str
    why: str
    code: str = "MV204"


@dataclass(frozen=True, slots=True)
class Bubbled:
    """A chain as Pallas applies it.

    Attributes:
      applied: steps that are applied to the ref, in order, over physical shapes.
      remaining: steps that are left to the operation.
    """

    applied: tuple[Numbered, ...]
    remaining: tuple[Numbered, ...]


def bubble(base: RefType, steps: Sequence[Step], transposes: bool) -> Bubbled:
    """Orders a chain as Pallas does. Raises Refusal where two steps do not commute.

    Args:
      base: type of the ref in front of the first step.
      transposes: whether the operation lets transposes be applied to the ref (`handle_transposes`).
    """
    applied: list[Numbered] = []
    remaining: list[Numbered] = []
    ref = base
    for number, step in enumerate(steps):
        moves = isinstance(step, Slice | Reshape | Remote) or (isinstance(step, Transpose) and transposes)
        if not moves:
            if isinstance(step, Alias) and number == 0:
                ref = step.apply(ref)
            elif not (isinstance(step, Cast) and step.kind == "identity"):
                remaining.append((number, step))
            continue
        moved: Step = step
        behind: list[Numbered] = []
        for earlier, other in reversed(remaining):
            moved, kept = commute(ref, remaining, (earlier, other), (number, moved))
            if kept is not None:
                behind.append((earlier, kept))
        remaining = behind[::-1]
        applied.append((number, moved))
        ref = moved.apply(ref)
    return Bubbled(tuple(applied), tuple(remaining))


def commute(ref: RefType, remaining: Sequence[Numbered], first: Numbered, second: Numbered) -> tuple[Step, Step | None]:
    """`first, second` as `second', first'`; first' None where it is used up. Raises Refusal."""
    number, step = second
    match first[1], step:
        case Transpose() as transpose, Slice():
            moved, kept = slice_before_transpose(transpose, step)
            taken = _permutation_behind_index(transpose, step)
            if kept != taken:
                raise Refusal(
                    number,
                    "",
                    f"behind {transpose} the index leaves {kept}, but JAX goes on with {taken}",
                    "MV210",
                )
            return moved, kept
        case Untile(tiling), Slice():
            return _slice_before_untile(tiling, number, step), first[1]
        case Untile(tiling), Reshape():
            return _reshape_before_untile(tiling, _untiled_shape(ref, remaining, first), number, step)
        case Untile(tiling), Transpose(permutation):
            tail, rank = permutation[-len(tiling) :], len(permutation)
            if sorted(tail) != list(range(rank - len(tiling), rank)):
                raise Refusal(
                    number,
                    "Transpose cannot be moved before a tiling transform when it changes the set of tiled dimensions. "
                    f"(permutation: {permutation}, tiling: {tiling})",
                    "the transpose exchanges a tiled dimension with one that is not tiled",
                )
            moved = tuple(d + len(tiling) for d in tail)
            return Transpose((*permutation, *moved)), Untile(tuple(tiling[d - rank] for d in moved))
        case Unswizzle(), Transpose(permutation):
            if permutation[-1] != len(permutation) - 1:
                raise Refusal(
                    number, "Can't transpose the swizzled dimension.", "the transpose moves the swizzled dimension"
                )
            return step, first[1]
        case Unswizzle(), Reshape():
            return step, first[1]
        case Unswizzle(swizzle), Slice(starts, sizes):
            if step.dropped and max(step.dropped) >= len(sizes) - 2:
                raise Refusal(
                    number,
                    f"Non-slice indices are not supported in 2 minormost dims: {step}",
                    "a swizzled ref is indexed in one of its two minor dimensions",
                )
            width = 8 * swizzle // ref.bits if ref.bits else sizes[-1]
            if starts[-1] != 0 or sizes[-1] != width:
                raise Refusal(number, "Swizzled dims cannot be sliced", "the slice cuts a swizzled row")
            return step, first[1]
        case ExpandBatch(batch), Slice():
            return _slice_before_batch(batch, number, step), None
        case ((Untile() | Unswizzle()), Remote()):
            return step, first[1]
    shown = ", ".join((jax_repr(first[1]), jax_repr(step)))
    raise Refusal(number, f"({shown})", f"JAX has no rule that moves {step} in front of {first[1]}")


def _permutation_behind_index(transpose: Transpose, step: Slice) -> Transpose:
    """What JAX makes of a transpose when an index moves in front of it (`commute_transpose_indexer`).

    It looks for the indexed dimensions, numbered behind the transpose, among the source dimensions of the permutation.
    """
    kept = [d for d in transpose.permutation if d not in step.dropped]
    return Transpose(tuple(d - sum(gone < d for gone in step.dropped) for d in kept))


def _untiled_shape(ref: RefType, remaining: Sequence[Numbered], first: Numbered) -> Shape:
    """The shape behind `first`, when the steps of `remaining` up to it are applied to `ref`."""
    for number, step in remaining:
        ref = step.apply(ref)
        if number == first[0]:
            break
    return ref.shape


def _slice_before_untile(tiling: Shape, number: int, step: Slice) -> Slice:
    lead = len(step.sizes) - len(tiling)
    starts, sizes = list(step.starts[:lead]), list(step.sizes[:lead])
    for dim, tile in zip(range(lead, len(step.sizes)), tiling, strict=True):
        start, size, stride = step.starts[dim], step.sizes[dim], step.strides[dim]
        if dim in step.dropped:
            raise Refusal(
                number,
                "Unsupported index type: an integer in a tiled dimension",
                f"dimension {dim} is tiled by {tile} and can be sliced by whole tiles, not indexed",
            )
        if stride != 1:
            raise Refusal(number, f"Strided slices unsupported. Got stride: {stride}", "the slice has a stride")
        if size % tile or (isinstance(start, int) and start % tile):
            raise Refusal(
                number,
                f"Expected slice start ({start}) and slice size ({size}) to be divisible by the tile size ({tile})",
                f"dimension {dim} is tiled by {tile} and can be sliced by whole tiles",
            )
        # A run-time start is divided by the tile as well; which tile that is does not matter here.
        starts.append(start // tile if isinstance(start, int) else start)
        sizes.append(size // tile)
    strides = (*step.strides[:lead], *(1 for _ in tiling), *(1 for _ in tiling))
    return Slice((*starts, *(0 for _ in tiling)), (*sizes, *tiling), strides, step.dropped)


def _slice_before_batch(batch: Shape, number: int, step: Slice) -> Slice:
    lead = len(batch)
    if any(dim not in step.dropped for dim in range(lead)):
        raise Refusal(
            number,
            "Slicing batch dimensions is not supported.",
            "leading dimensions of a TMEM ref can be indexed with an integer, not sliced",
        )
    columns, row = step.starts[-1], 0
    for start, extent in zip(step.starts[:lead], batch, strict=True):
        row = row * extent + start if isinstance(row, int) and isinstance(start, int) else start
    if isinstance(row, int) and isinstance(columns, int):
        columns += row * step.sizes[-1]  # enough for the size of the result; places are read off the user's own chain
    elif not isinstance(row, int):
        columns = row
    dropped = tuple(dim - lead for dim in step.dropped if dim >= lead)
    return Slice((step.starts[-2], columns), step.sizes[-2:], step.strides[-2:], dropped)


def _reshape_before_untile(tiling: Shape, shape: Shape, number: int, step: Reshape) -> tuple[Reshape, Untile]:
    groups: list[list[int]] = [[]]
    for extent in shape:
        groups[-1].append(extent)
        have, want = math.prod(groups[-1]), step.shape[len(groups) - 1] if len(groups) <= len(step.shape) else 0
        if have == want:
            groups.append([])
        elif have > want:
            raise Refusal(
                number,
                "Unfolding dimensions is not supported when commuting an  `UntilingTransform` with a "
                "`ReshapeTransform`",
                f"a tiled ref can fold dimensions, but {shape} to {step.shape} splits one",
            )
    if groups[-1] or len(groups) - 1 != len(step.shape):
        raise Refusal(number, "", f"a tiled ref of shape {shape} cannot take the shape {step.shape}")
    tiles, extents = list(tiling), list(shape[-len(tiling) :])
    new_tiling: list[int] = []
    new_tiles: list[int] = []
    for group in reversed(groups[:-1]):
        if not tiles:
            break
        n = len(group)
        if len(tiles) < n:
            raise Refusal(
                number,
                "Folding tiled dimensions into untiled dimensions is not supported",
                "the reshape folds a tiled dimension into one that is not tiled",
            )
        tile = tiles[-n:]
        if any(t != 1 for t in tile[:-1]):
            raise Refusal(
                number,
                "Cannot commute `UntilingTransform` with `ReshapeTransform` when any of the dimensions being collapsed "
                "other than the minormost one has non-unit tiling.",
                f"the reshape folds dimensions that are tiled by {tuple(tile)}",
            )
        new_tiling.insert(0, math.prod(tile))
        new_tiles.insert(0, math.prod(extents[-n:]) // math.prod(tile))
        tiles, extents = tiles[:-n], extents[:-n]
    lead = step.shape[: len(step.shape) - len(new_tiling)]
    return Reshape((*lead, *new_tiles, *new_tiling)), Untile(tuple(new_tiling))


def opaque(steps: Sequence[Step]) -> bool:
    """True when a step is of a kind that nobody here knows: no verdict about the chain can be given."""
    return any(isinstance(step, Opaque) for step in steps)
