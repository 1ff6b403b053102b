"""Slices and transposes of refs in shared memory: what is left to refuse when the steps commute."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mosaic_verify.model.chain.bubble import Numbered
from mosaic_verify.model.chain.normal import is_identity
from mosaic_verify.model.chain.steps import Alias, Chain, RefType, Reshape, Slice, Step, Transpose, Unswizzle, Untile
from mosaic_verify.model.chain.verdict import Verdict
from mosaic_verify.model.jax_versions import since


def physical_prefix(steps: Sequence[Step]) -> int:
    """Number of leading steps that lead from the physical ref to the logical one (alias, unswizzle, untile)."""
    for number, step in enumerate(steps):
        if not isinstance(step, Unswizzle | Untile) and not (number == 0 and isinstance(step, Alias)):
            return number
    return len(steps)


def check_smem(
    chain: Chain, logical: RefType, role: str, semantics: str, jax: tuple[int, ...], applied: Sequence[Numbered]
) -> Verdict | None:
    """The first step over SMEM that JAX refuses when it applies it; `logical` is the type in front of `applied`."""
    found = _strided(applied)
    return found if found is not None or semantics == "lane" else _warpgroup_smem(chain, logical, role, jax, applied)


def _strided(applied: Sequence[Numbered]) -> Verdict | None:
    for number, step in applied:
        if isinstance(step, Slice) and any(stride != 1 for stride in step.strides):
            return Verdict("MV204", number, "Strided slices not implemented", "the slice has a stride")
    return None


def _warpgroup_smem(
    chain: Chain, logical: RefType, role: str, jax: tuple[int, ...], applied: Sequence[Numbered]
) -> Verdict | None:
    """Transposes and slices of A and B become memref ops; layout inference follows tiles through some of them only."""
    if role not in ("a", "b"):
        return None
    ref = logical
    tiling = next((step.tiling for step in chain.steps[: physical_prefix(chain.steps)] if isinstance(step, Untile)), ())
    dims = list(range(len(ref.shape)))  # the source dimension of each present one
    tiled = set(dims[len(dims) - len(tiling) :]) if tiling else set()
    last = 0
    for place, (number, step) in enumerate(applied):
        cuts = isinstance(step, Slice) and not is_identity(step, ref)
        if cuts and tiled and set(dims[-len(tiling) :]) != tiled:
            return _tiles_are_lost(last)
        if cuts and not since("slice-of-transposed", jax) and dims != sorted(dims):
            text = "SubViewOp does not support transposed memrefs."
            return Verdict("MV205", number, text, "JAX 0.10 cannot slice a transposed ref: slice first, then transpose")
        if isinstance(step, Transpose):
            dims, last = [dims[d] for d in step.permutation], number
        elif isinstance(step, Slice):
            dims = [dim for at, dim in enumerate(dims) if at not in step.dropped]
        elif isinstance(step, Reshape):
            if tiling or not _splits_a_tile(ref, applied[place:]):
                return None
            why = "layout inference takes no tiles through a reshape of a matrix to more dimensions: index without it"
            return Verdict("MV205", number, "", why, "Failed to infer a possible set of layouts.")
        ref = step.apply(ref)
    return _tiles_are_lost(last) if tiled and set(dims[-len(tiling) :]) != tiled else None


def _splits_a_tile(ref: RefType, applied: Sequence[Numbered]) -> bool:
    """True when a matrix gets more dimensions, one of which is indexed; a reshape back would cancel out."""
    (_, reshape), *rest = applied
    if not isinstance(reshape, Reshape) or len(ref.shape) != 2 or len(reshape.shape) <= 2:
        return False
    following = itertools.takewhile(lambda numbered: not isinstance(numbered[1], Reshape), rest)
    return any(isinstance(step, Slice) and step.dropped for _, step in following)


def _tiles_are_lost(number: int) -> Verdict:
    said = "Failed to infer a possible set of layouts."
    why = "the transpose moves a tiled dimension away from the two minor ones: index the leading dimensions first"
    return Verdict("MV205", number, "", why, said)
