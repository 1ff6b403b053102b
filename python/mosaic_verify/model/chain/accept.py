"""What each operand of each operation accepts, per lowering semantics and version of JAX.

Source: `jax/_src/pallas/mosaic_gpu/primitives.py` (`_tcgen05_mma_lowering`, `_tcgen05_mma_lowering_wg`,
`_async_copy_to_tmem_lowering_rule`), `lowering.py` (`_handle_transforms`) and `experimental/mosaic/gpu/tcgen05.py`
(`TMEMRef.slice`). In Warpgroup semantics the steps become memref ops, which layout inference accepts or not; what it
does with transposes and reshapes of TMEM was measured with JAX 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from mosaic_verify.model.chain.bubble import Numbered, Refusal, bubble, opaque
from mosaic_verify.model.chain.jax_text import jax_text
from mosaic_verify.model.chain.memref_ops import check_memref_ops
from mosaic_verify.model.chain.normal import is_identity
from mosaic_verify.model.chain.smem import check_smem, physical_prefix
from mosaic_verify.model.chain.steps import (
    Alias,
    Cast,
    Chain,
    ChainError,
    ExpandBatch,
    RefType,
    Reshape,
    Shape,
    Step,
    Transpose,
    Unswizzle,
    Untile,
)
from mosaic_verify.model.chain.tmem import check_tmem_slices
from mosaic_verify.model.chain.verdict import Verdict

Role = Literal["accumulator", "a", "b", "metadata", "a_scale", "b_scale", "copy_source", "copy_target"]
_SIDE = {"a": "LHS", "b": "RHS"}


def accepts(
    chain: Chain,
    role: Role,
    semantics: Literal["lane", "warpgroup"],
    jax: tuple[int, ...],
    base_tile: Shape | None = None,
    *,
    lowered: bool = False,
) -> Verdict | None:
    """Whether JAX accepts a chain for an operand: None, or why not.

    A chain with a step that nobody knows, or that does not fit its own types, is accepted: there is nothing to say.

    Args:
      chain: from the allocation to the operation; its base has the memory space.
      role: which operand.
      semantics: Pallas lowering semantics.
      jax: version of JAX that lowers it.
      base_tile: base tile (rows, columns) of the TMEM layout where it is known; slices must keep to it.
      lowered: the chain was read from memref ops in front of layout inference: Pallas has accepted it already.
    """
    steps = chain.steps
    try:
        if len(chain.types) != len(steps) + 1 or opaque(steps):
            return None
        in_tmem = chain.base.space == "tmem"
        transposes = role not in ("accumulator", "a", "b")
        if lowered:
            logical = chain.base
            applied, remaining = tuple((n, step) for n, step in enumerate(steps) if not isinstance(step, Cast)), ()
        elif semantics == "warpgroup":
            _must_commute(chain.base, steps)
            transposes = role != "accumulator" and not (role == "a" and in_tmem)
            prefix = physical_prefix(steps)
            late = next((n for n in range(prefix, len(steps)) if isinstance(steps[n], Untile | Unswizzle)), None)
            if late is not None:
                text = f"Unexpected untiling or unswizzle transform found in remaining transforms: {jax_text(steps)}."
                return Verdict("MV205" if role in _SIDE else "MV201", late, text, "untiling comes behind other steps")
            swapped = any(isinstance(step, Unswizzle) and _untiles(steps[:n]) for n, step in enumerate(steps[:prefix]))
            if swapped and role in _SIDE:
                why = "the swizzle of a ref comes behind its tiling: transforms=(TilingTransform, SwizzleTransform)"
                return Verdict("MV205", None, "", why, "Unsupported transforms [...]")
            logical = Chain(chain.base, steps[:prefix]).result
            ordered = bubble(logical, steps[prefix:], transposes)
            applied = tuple((n + prefix, step) for n, step in ordered.applied)
            remaining = tuple((n + prefix, step) for n, step in ordered.remaining)
        else:
            logical = chain.base
            ordered = bubble(logical, steps, transposes)
            applied, remaining = ordered.applied, ordered.remaining
    except Refusal as refusal:
        bare = refusal.text.startswith("(")  # JAX prints the two transforms and nothing else
        text, said = ("", refusal.text) if bare else (refusal.text, "")
        return Verdict(refusal.code, refusal.step, text, refusal.why, said)
    except ChainError:
        return None
    if in_tmem:
        found = _alias_rows(chain, semantics)
        if found is not None:
            return found
        found = _lane_tmem(chain, applied) if semantics == "lane" else check_memref_ops(chain, applied, jax)
        if found is not None:
            return found
    found = _remaining(chain, role, semantics, remaining)
    if found is not None:
        return found
    if in_tmem:
        return check_tmem_slices(chain, applied, semantics, jax, base_tile)
    return check_smem(chain, logical, role, semantics, jax, applied)


def _untiles(steps: Sequence[Step]) -> bool:
    return any(isinstance(step, Untile) for step in steps)


def _must_commute(base: RefType, steps: Sequence[Step]) -> None:
    """Warpgroup lowering commutes the whole chain as a check, and then does not use the result."""
    try:
        bubble(base, steps, transposes=False)
    except Refusal as refusal:
        if refusal.code == "MV204":
            raise


def _lane_tmem(chain: Chain, applied: Sequence[Numbered]) -> Verdict | None:
    for number, step in applied:
        if isinstance(step, Transpose):
            why = "a ref in tensor memory cannot be transposed: its rows are lanes"
            if step.permutation == tuple(range(len(step.permutation))):
                why = "JAX refuses every transpose of a ref in tensor memory, even the identity"
            return Verdict("MV202", number, "TMEM transpose not allowed.", why)
        if isinstance(step, Reshape):
            why = "a ref in tensor memory cannot be reshaped: its rows are lanes"
            if is_identity(step, chain.types[number]):
                why = "JAX refuses every reshape of a ref in tensor memory, even to the shape that it has"
            return Verdict("MV203", number, "TMEM reshape not allowed.", why)
    return None


def _alias_rows(chain: Chain, semantics: str) -> Verdict | None:
    first = next(iter(chain.steps), None)
    if semantics != "lane" or not isinstance(first, Alias) or first.shape[:1] == chain.base.shape[:1]:
        return None
    have, want = first.shape[0], chain.base.shape[0]
    text = f"TMEM aliasing only supported for Refs with the same first dimension, got {want} != {have}."
    return Verdict("MV208", 0, text, f"the member of the union has {have} rows, the union {want}")


def _remaining(chain: Chain, role: Role, semantics: str, remaining: Sequence[Numbered]) -> Verdict | None:
    if role in _SIDE:
        return _mma_operand(chain, role, semantics, remaining)
    if not remaining:
        return None
    text = jax_text([step for _, step in remaining])
    number, step = remaining[0]
    why = f"{step} is left over when the operation is lowered"
    if isinstance(step, ExpandBatch):
        why = "the leading dimensions of the ref must be indexed before it is used"
    elif isinstance(step, Untile | Unswizzle):
        why = "metadata tiles must be plain rows, but the ref was allocated with tiling or swizzle"
    if role in ("copy_source", "copy_target"):
        shown = f"Unimplemented transforms for {'SMEM' if role == 'copy_source' else 'TMEM'} refs: {text}"
    elif semantics == "warpgroup":
        shown = f"Unsupported transforms for {chain.name or 'the ref'}. Transforms {text}."
    else:
        shown = (
            f"Unsupported transforms for ACC: {text}." if role == "accumulator" else f"Unsupported transforms: {text}"
        )
    return Verdict("MV201", number, shown, why)


def _mma_operand(chain: Chain, role: Role, semantics: str, remaining: Sequence[Numbered]) -> Verdict | None:
    steps = [step for _, step in remaining]
    in_tmem = chain.base.space == "tmem"
    if semantics == "warpgroup" or in_tmem:
        if not steps:
            return None
        if semantics == "warpgroup":
            text = f"Unsupported transforms for {chain.name or 'the ref'}. Transforms {jax_text(steps)}."
        else:
            text = f"Unsupported transforms for {_SIDE[role]}: {jax_text(steps)}."
        return Verdict("MV205", remaining[0][0], text, f"{steps[0]} is left over when the operation is lowered")
    match steps:
        case [Unswizzle(swizzle), Untile(tiling)] | [Unswizzle(swizzle), Untile(tiling), Transpose((1, 0))]:
            bits = chain.result.bits
            expected = (8, 8 * swizzle // bits) if bits else tiling
            if tiling == expected:
                return None
            side, colon = ("lhs", ".") if role == "a" else ("rhs", "")
            return Verdict(
                "MV206",
                remaining[1][0],
                f"MMA {side} tiling does not fit swizzle{colon} {side}_tiling={tiling} expected={expected}",
                f"with a {swizzle}-byte swizzle the tiles of a {bits}-bit operand are {expected}, not {tiling}",
            )
    text = f"Unsupported transforms for {_SIDE[role]}: {jax_text(steps)}."
    extra = next((n for n, step in remaining if not isinstance(step, Unswizzle | Untile)), None)
    if not any(isinstance(step, Unswizzle) for step in steps) or not any(isinstance(step, Untile) for step in steps):
        missing = "SwizzleTransform" if any(isinstance(step, Untile) for step in steps) else "TilingTransform"
        return Verdict("MV205", extra, text, f"the ref was allocated without a {missing}, which Lane semantics needs")
    return Verdict("MV205", extra, text, "only one transpose (1, 0) may be left behind untiling")


def mark(chain: Chain, verdict: Verdict) -> str:
    """The chain spelled out with the offending step marked."""
    return replace(chain, name=chain.name or "ref").spell(verdict.step)
