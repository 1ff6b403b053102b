"""What an op makes of a ref behind its chain: tiles and strides in SMEM, the first column in TMEM."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mosaic_verify.model.chain import (
    Alias,
    Chain,
    ChainError,
    Dynamic,
    ExpandBatch,
    Opaque,
    Reshape,
    Slice,
    Transpose,
    Unswizzle,
    Untile,
)
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.operand_tiles import operand_tile, possible_swizzles


@dataclass(frozen=True, slots=True)
class Tiles:
    """Tiling and swizzle (bytes) that a chain undoes, and whether it transposes the tiled dimensions behind that."""

    tiling: tuple[int, ...] | None
    swizzle: int | None
    transposed: bool | None


def tiles_of(chain: Chain) -> Tiles:
    """The tiles of an SMEM ref; `transposed` is None where a chain does more than swap the two minor dimensions."""
    tiling, swizzle, transposed = None, None, False
    try:
        types = chain.types
    except ChainError:
        return Tiles(None, None, None)
    for step, ref in zip(chain.steps, types[:-1], strict=True):
        match step:
            case Untile(sizes):
                tiling, transposed = sizes, False
            case Unswizzle(size):
                swizzle = size
            case Transpose(permutation) if transposed is not None:
                rank = len(permutation)
                minor = set(permutation[-2:])
                if rank < 2 or minor != {rank - 1, rank - 2}:
                    transposed = None
                elif permutation[-1] == rank - 2:
                    transposed = not transposed
            case Reshape(shape) if shape[-2:] != ref.shape[-2:]:
                transposed = None
            case Opaque():
                transposed = None
    return Tiles(tiling, swizzle, transposed)


def swizzles_that_fit(shape: tuple[int, ...], element: str, chain: Chain) -> tuple[int, ...]:
    """Swizzles that layout inference can choose for the ref behind a chain: their tiles divide it and all slices."""
    bits = bit_width(element)
    transposed = bool(tiles_of(chain).transposed)
    if bits is None or len(shape) != 2:
        return ()
    fitting = possible_swizzles((shape[0], shape[1]), bits, transposed)
    for step in chain.steps:
        if isinstance(step, Slice):
            kept = [dim for dim in range(len(step.sizes)) if dim not in step.dropped][-2:]
            for dim, side in zip(kept, (0, 1), strict=False):
                start = step.starts[dim]
                known = start if isinstance(start, int) else start.multiple_of
                fitting = tuple(s for s in fitting if known % operand_tile(s, bits)[side] == 0)
    return fitting


def strides_of(chain: Chain) -> tuple[int, ...] | None:
    """Strides (elements) of a ref as the memref type of JAX's lowering has them; None for tiled refs and unknown ones.

    Unlike `model.chain`, it keeps the strides of dimensions of extent 1, which JAX compares too.
    """
    try:
        types = chain.types
    except ChainError:
        return None
    strides = _row_major(chain.base.shape)
    for step, ref in zip(chain.steps, types[:-1], strict=True):
        match step:
            case Slice():
                strides = tuple(s * step.strides[dim] for dim, s in enumerate(strides) if dim not in step.dropped)
            case Transpose(permutation) if len(permutation) == len(strides):
                strides = tuple(strides[dim] for dim in permutation)
            case Reshape(target):
                reshaped = _reshape(ref.shape, strides, target)
                if reshaped is None:
                    return None
                strides = reshaped
            case Alias():
                strides = _row_major(step.shape)
            case _:
                return None
    return strides


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, run = [], 1
    for extent in reversed(shape):
        strides.append(run)
        run *= extent
    return tuple(reversed(strides))


def _reshape(shape: tuple[int, ...], strides: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides behind `mgpu.memref_reshape`."""
    if shape == target:
        return strides
    if strides == _row_major(shape):
        return _row_major(target)
    return None


def column_of(chain: Chain) -> tuple[int | None, int]:
    """(first column in elements, divisor of a run-time start) of a TMEM operand, see `facts.Operand`."""
    column, multiple = 0, 0
    batch: tuple[int, int] | None = None
    try:
        types = chain.types
    except ChainError:
        return None, 0
    batch_sizes: tuple[int, ...] = ()
    for step, ref in zip(chain.steps, types[:-1], strict=True):
        match step:
            case ExpandBatch(sizes):
                batch_sizes = sizes
                batch = (len(sizes), ref.shape[1] // max(math.prod(sizes), 1))
            case Slice():
                scale = [1] * len(step.starts)
                if batch is not None and len(step.starts) == batch[0] + 2:
                    run = batch[1]
                    for dim in reversed(range(batch[0])):
                        scale[dim] = run
                        run *= batch_sizes[dim]
                for dim, start in enumerate(step.starts):
                    if dim == len(step.starts) - 2:
                        continue  # rows
                    if isinstance(start, Dynamic):
                        divisor = start.multiple_of * scale[dim]
                        multiple = math.gcd(multiple, divisor) if multiple else divisor
                    else:
                        column += start * scale[dim]
            case Alias():
                column, multiple = 0, 0
            case Transpose() | Opaque():
                return None, 0
            case Reshape(shape) if shape != ref.shape:
                return None, 0
    if multiple:
        return None, math.gcd(multiple, column) if column else multiple
    return column, 0
