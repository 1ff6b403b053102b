"""Transposes and reshapes of tensor memory in Warpgroup semantics, where they become memref ops.

MLIR's canonicalizer removes round trips of reshapes, and those of transposes where the types on both ends are equal.
A transpose gives its result a strided layout: of a ref with the identity layout, as it is allocated, no pair of them
leads back to the same type. Behind a slice the layout is strided already. Layout inference cannot handle what is left
(measured with JAX 0.10.2 and 0.12.0.1).
"""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_verify.model.chain.address import AddressMap, NotAffine, row_major
from mosaic_verify.model.chain.bubble import Numbered
from mosaic_verify.model.chain.normal import peephole
from mosaic_verify.model.chain.steps import Alias, Chain, ChainError, RefType, Reshape, Shape, Slice, Transpose
from mosaic_verify.model.chain.verdict import Verdict
from mosaic_verify.model.jax_versions import since

_BUG = "A satisfiable system should not have remaining unsatisfied constraints. This is a bug."
_RESHAPE = "TMEM reshape not allowed."


def check_memref_ops(chain: Chain, applied: Sequence[Numbered], jax: tuple[int, ...]) -> Verdict | None:
    """The first step over TMEM that does not cancel out, or that `mgpu.memref_reshape` cannot build."""
    logical = chain.types[1] if isinstance(next(iter(chain.steps), None), Alias) else chain.base
    found = _build(logical, applied, jax)
    if found is not None:
        return found
    try:
        left = peephole(logical, [step for _, step in applied])
    except ChainError:
        return None
    for kind, code, what in ((Transpose, "MV202", "transpose"), (Reshape, "MV203", "reshape")):
        if any(isinstance(step, kind) for step in left):
            number = next(n for n, step in applied if isinstance(step, kind))
            why = f"the {what} of tensor memory does not cancel out, and its rows are lanes"
            return Verdict(code, number, f"TMEM {what} not allowed.", why, _BUG if kind is Transpose else "")
    return None


def _build(ref: RefType, applied: Sequence[Numbered], jax: tuple[int, ...]) -> Verdict | None:
    strided, at_start = False, True  # layout of the memref type; whether its offset is 0
    mapped: AddressMap | None = row_major(ref.shape)
    for number, step in applied:
        if isinstance(step, Transpose) and not strided:
            why = "layout inference cannot handle a transpose of tensor memory: its rows are lanes"
            return Verdict("MV202", number, "TMEM transpose not allowed.", why, _BUG)
        before = mapped
        try:
            mapped = None if mapped is None else mapped.apply(step, ref)
            after = step.apply(ref)
        except NotAffine:
            mapped, after = None, step.apply(ref)
        except ChainError:
            return None
        if isinstance(step, Slice):
            strided, at_start = True, at_start and all(start == 0 for start in step.starts)
        elif isinstance(step, Reshape) and step.shape != ref.shape and before is not None:
            together = before.contiguous
            parallel = _parallel(ref.shape, step.shape)
            if mapped is None or mapped.strides is None or not (together or parallel):
                why = f"rows of the sliced ref do not lie together: {ref.shape} cannot become {step.shape}"
                return Verdict("MV203", number, _RESHAPE, why)
            if together and at_start and (not since("reshape-of-slice", jax) or not parallel):
                strided = False  # through one dimension, of which the type is plain
        ref = after
    return None


def _parallel(source: Shape, target: Shape) -> bool:
    """True when each dimension is split, or neighbours are folded, on its own (`mgpu.utils._reshape`)."""
    i = j = 0
    while i < len(source) and j < len(target):
        if source[i] == target[j]:
            i, j = i + 1, j + 1
            continue
        wide, parts, at = (source[i], target, j) if source[i] > target[j] else (target[j], source, i)
        size = 1
        while at < len(parts) and size < wide:
            size *= parts[at]
            at += 1
        if size != wide:
            return False
        i, j = (i + 1, at) if source[i] > target[j] else (at, j + 1)
    return True
