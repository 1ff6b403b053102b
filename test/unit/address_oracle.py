"""Element addresses of transform chains with numpy alone: the oracle that rewrites are proved against.

Nothing here uses the algebra of `mosaic_verify.model.chain`: an array of element numbers goes through numpy's own
transpose, reshape and indexing, and what comes out is, for each index, the element of the allocation that it names.
"""

from __future__ import annotations

import math

import numpy as np


def addresses(shape, steps, values=None):
    """Element numbers (row-major in the base of `shape`) behind `steps`, as an array of the result's shape.

    Args:
      shape: shape of the base.
      steps: steps of `mosaic_verify.model.chain`, told apart by their class names.
      values: run-time starts by key.
    """
    refs = np.arange(math.prod(shape)).reshape(shape)
    for step in steps:
        refs = getattr(_Steps, type(step).__name__.lower())(refs, step, values or {})
    return refs


class _Steps:
    @staticmethod
    def slice(refs, step, values):
        at = []
        for dim, (start, size, stride) in enumerate(zip(step.starts, step.sizes, step.strides, strict=True)):
            first = start if isinstance(start, int) else values[start.key]
            positions = first + stride * np.arange(size)
            if positions.size and (positions[0] < 0 or positions[-1] >= refs.shape[dim]):
                raise IndexError(f"{positions} in dimension {dim} of {refs.shape}")
            at.append(positions)
        refs = refs[np.ix_(*at)]
        return refs.reshape([n for d, n in enumerate(refs.shape) if d not in step.dropped])

    @staticmethod
    def transpose(refs, step, values):
        return refs.transpose(step.permutation)

    @staticmethod
    def reshape(refs, step, values):
        return refs.reshape(step.shape)

    @staticmethod
    def bitcast(refs, step, values):
        if refs.shape != step.shape:
            raise NotImplementedError("a bitcast that changes the width")
        return refs

    @staticmethod
    def untile(refs, step, values):
        n = len(step.tiling)
        lead = refs.ndim - 2 * n
        order = list(range(lead))
        for d in range(n):
            order += [lead + d, lead + n + d]
        tiles = refs.shape[lead : lead + n]
        return refs.transpose(order).reshape(
            *refs.shape[:lead], *(a * b for a, b in zip(tiles, step.tiling, strict=True))
        )

    @staticmethod
    def expandbatch(refs, step, values):
        rows = refs.shape[0]
        return np.moveaxis(refs.reshape(rows, *step.batch, -1), 0, -2)

    @staticmethod
    def unswizzle(refs, step, values):
        return refs  # a permutation of the bytes inside a tile, undone before the user's steps

    @staticmethod
    def remote(refs, step, values):
        return refs

    @staticmethod
    def cast(refs, step, values):
        return refs


def strided(shape, strides, offset):
    """Element numbers of a strided memref: shape, strides and offset in elements."""
    refs = np.full(shape, offset)
    for dim, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
        along = [1] * len(shape)
        along[dim] = extent
        refs = refs + (np.arange(extent) * stride).reshape(along)
    return refs
