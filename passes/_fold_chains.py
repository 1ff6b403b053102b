"""Chains of single operands: what cancels out goes, what stands in the wrong order moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import string
from mosaic_verify.dialects.plgpu_layout import read_layout
from mosaic_verify.dialects.plgpu_operands import strides_of
from mosaic_verify.dialects.plgpu_uses import Use, buildable, rebuild
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.model.chain import (
    Alias,
    Chain,
    ChainError,
    Dynamic,
    ExpandBatch,
    Role,
    Slice,
    Step,
    Unswizzle,
    Untile,
    Verdict,
    accepts,
    contiguous_form,
    simplify,
)
from mosaic_verify.model.facts import Target
from mosaic_verify.model.jax_versions import since
from mosaic_verify.passes._fold_allocations import is_contiguous

_INDEX_BITS = 32  # of an index whose conversion JAX looks through


@dataclass(frozen=True)
class Masked:
    """Stands for `start & -align`, of which JAX sees that it is a multiple of the power of two `align`."""

    start: ir.Value
    align: int


@dataclass(frozen=True)
class ChainFold:
    """What to do with one chain.

    Attributes:
      steps: the new chain.
      verdict: why JAX does not take the old one, or takes it wrongly; None when it does.
      message: what is done, for the report.
    """

    steps: tuple[Step, ...]
    verdict: Verdict | None
    message: str

    @property
    def repairing(self) -> bool:
        """JAX compiles the old chain to something else than it says."""
        return self.verdict is not None and self.verdict.code == "MV210"


def base_tile(use: Use) -> tuple[int, ...] | None:
    """Base tile of the TMEM layout of a ref, None when it has none or it is unknown."""
    text = next((step.layout for step in use.found.chain.steps if isinstance(step, Alias)), None)
    if text is None:
        op = owner(use.found.base)
        text = (string(op, "layout") or "") if op is not None else ""
    layout = read_layout(text) if text else None
    return layout.base_tile if layout is not None and len(layout.base_tile) == 2 else None


def plan(use: Use, role: Role, target: Target, *, refused_only: bool) -> ChainFold | None:
    """The fold of one operand's chain, None when there is nothing to gain.

    Args:
      refused_only: leave alone what JAX lowers as it stands.
    """
    chain = use.found.chain
    tile = base_tile(use)
    try:
        short = simplify(chain)
        verdict = accepts(chain, role, target.semantics, target.jax, tile)
        after = verdict if short == chain else accepts(short, role, target.semantics, target.jax, tile)
        steps = short.steps
        if role == "copy_source" and after is None:
            steps = _contiguous(short, target) or steps
        if after is not None and after.align:
            steps, after = _aligned(short, after, role, target, tile)
    except ChainError:
        return None
    if steps == chain.steps or not all(map(buildable, steps[use.kept(steps) :])):
        return None
    shorter = len(steps) < len(chain.steps)
    mended = verdict is not None and (after is None or shorter)
    if not mended and steps == short.steps and (refused_only or not shorter):
        return None
    name = "ref" if any(isinstance(step, Alias) for step in steps) else chain.name or "ref"
    old, new = (name + "".join(map(str, _user(part))) for part in (chain.steps, steps))
    return ChainFold(steps, verdict, f"`{role}`: {old} became {new}")


def _user(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(step for step in steps if not isinstance(step, Alias | Unswizzle | Untile | ExpandBatch))


def _contiguous(chain: Chain, target: Target) -> tuple[Step, ...] | None:
    """Steps that give a metadata copy the strides that JAX asks for, None when it has them or cannot get them.

    JAX 0.10 cannot infer layouts behind the reshape in Warpgroup semantics; there the fold is made on memref ops.
    """
    if target.semantics == "warpgroup" and not since("layouts-behind-reshape", target.jax):
        return None
    return None if strides_of(chain) is None or is_contiguous(chain) else contiguous_form(chain)


def _aligned(
    chain: Chain, verdict: Verdict, role: Role, target: Target, tile: tuple[int, ...] | None
) -> tuple[tuple[Step, ...], Verdict | None]:
    """The chain with masked column starts, and what JAX says about that; the chain as it is where none can be masked.

    A mask keeps a start that is a multiple of the tile, which is certain, or promised by `pl.multiple_of`.
    """
    steps, left, align = list(chain.steps), verdict, verdict.align
    for _ in chain.steps:
        number = left.step
        step = steps[number] if number is not None else None
        if not left.align or number is None or not isinstance(step, Slice):
            break
        start = step.starts[-1]
        if not isinstance(start, Dynamic) or not _maskable(start, align):
            break
        masked = Dynamic(Masked(start.key, align), f"({start}) & -{align}", align, start.promised, align, align)  # type: ignore[arg-type]
        steps[number] = replace(step, starts=(*step.starts[:-1], masked))
        after = accepts(replace(chain, steps=tuple(steps)), role, target.semantics, target.jax, tile)
        if after is None:
            return tuple(steps), None
        left = after
    return chain.steps, verdict


def _maskable(start: Dynamic, align: int) -> bool:
    value = start.key
    return (
        not align & (align - 1)
        and isinstance(value, ir.Value)
        and isinstance(value.type, ir.IntegerType)
        and value.type.width == _INDEX_BITS
        and not (math.lcm(start.multiple_of, start.promised) if start.multiple_of and start.promised else 0) % align
    )


def fold(use: Use, planned: ChainFold) -> None:
    """Does what was planned."""
    rebuild(use, use.found.base, [_built(step, use.op) for step in planned.steps])


def _built(step: Step, before: ir.Operation) -> Step:
    """A step whose masked starts are values, computed in front of `before`."""
    if not isinstance(step, Slice):
        return step
    starts = []
    for start in step.starts:
        if isinstance(start, Dynamic) and isinstance(start.key, Masked):
            start = replace(start, key=_mask(start.key, before))
        starts.append(start)
    return replace(step, starts=tuple(starts))


def _mask(masked: Masked, before: ir.Operation) -> ir.Value:
    kind, point, loc = masked.start.type, ir.InsertionPoint(before), before.location
    bits = -masked.align if not kind.is_unsigned else (1 << kind.width) - masked.align
    value: dict[str, ir.Attribute] = {"value": ir.IntegerAttr.get(kind, bits)}
    mask = ir.Operation.create("plgpu.constant", [kind], attributes=value, loc=loc, ip=point).results[0]
    name: dict[str, ir.Attribute] = {"name": ir.StringAttr.get("and", kind.context)}
    return ir.Operation.create("plgpu.primitive", [kind], [masked.start, mask], name, loc=loc, ip=point).results[0]
