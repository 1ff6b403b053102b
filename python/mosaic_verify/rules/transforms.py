"""Checks of transform chains: MV201 to MV209, on every ref operand of an MMA and of the copies into TMEM.

What an operand accepts is decided by `model.chain`, which the rewrites use too; here it becomes a finding with the
chain spelled out and the offending step marked.
"""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.chain import (
    Alias,
    Chain,
    ChainError,
    ExpandBatch,
    RefType,
    Role,
    Step,
    Unswizzle,
    Untile,
    Verdict,
    accepts,
    column_of,
    mark,
    simplify,
)
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import MetadataCopy, Operand, SparseMma, Target, TmemCopy
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check

CODES = ("MV201", "MV202", "MV203", "MV204", "MV205", "MV206", "MV207", "MV208", "MV210")
CHAIN_CODES = frozenset(f"MV2{number:02}" for number in range(1, 30))  # what `plgpu-verify-transforms` reports
_WITHOUT_TEXT = {  # findings for which no message is documented
    "MV204": "transforms of `{}` do not commute",
    "MV205": "unsupported transforms for `{}`",
    "MV210": "operand `{}` is silently transposed",
}
_MMA: tuple[Role, ...] = ("accumulator", "a", "b", "metadata", "a_scale", "b_scale")


@check(SparseMma, *CODES)
def mma_chains(mma: SparseMma) -> Iterable[Finding]:
    """Each operand of an MMA takes only certain chains."""
    for role in _MMA:
        operand = getattr(mma, role)
        if operand is not None:
            yield from chain_findings(operand, role, role, mma.target)


@check(MetadataCopy, *CODES)
def metadata_copy_chains(copy: MetadataCopy) -> Iterable[Finding]:
    """Both sides of a metadata copy."""
    yield from chain_findings(copy.source, "source", "copy_source", copy.target)
    yield from chain_findings(copy.destination, "destination", "copy_target", copy.target)


@check(TmemCopy, *CODES)
def tmem_copy_chains(copy: TmemCopy) -> Iterable[Finding]:
    """Both sides of a copy of scales."""
    if copy.kind == "scales":
        yield from chain_findings(copy.source, "source", "copy_source", copy.target)
        yield from chain_findings(copy.destination, "destination", "copy_target", copy.target)


def chain_of(operand: Operand) -> Chain | None:
    """The chain of an operand, None when it is not known where it starts."""
    base = operand.base
    name = operand.allocation.name if operand.allocation is not None else ""
    if base is None:
        if operand.allocation is None or operand.allocation.shape is None:
            return None
        element = operand.allocation.element or ""
        base = RefType(operand.allocation.shape, element, operand.space or "", bit_width(element) or 0)
    return Chain(base, operand.chain, name)


def chain_findings(operand: Operand, place: str, role: Role, target: Target) -> Iterable[Finding]:
    """What is wrong with the chain of one operand: at most one finding."""
    chain = chain_of(operand)
    if chain is None:
        return
    lowered = target.level == "mosaic_gpu"
    tile = operand.layout.base_tile if operand.layout is not None else None
    base_tile = tile if tile is not None and len(tile) == 2 else None
    verdict = accepts(chain, role, target.semantics, target.jax, base_tile, lowered=lowered)
    if verdict is not None:
        yield _finding(chain, verdict, place, role, target, base_tile)
    elif role == "metadata" and operand.space == "tmem":
        yield from _half_of_a_column_pair(chain, place)


def _finding(
    chain: Chain, verdict: Verdict, place: str, role: Role, target: Target, tile: tuple[int, ...] | None
) -> Finding:
    at = place if verdict.step is None else f"{place}.chain[{verdict.step}]"
    notes = [FindingNote(at, f"the chain is {mark(chain, verdict)}")]
    message = verdict.text or f"{_WITHOUT_TEXT[verdict.code].format(place)}: {verdict.why}"
    if verdict.text:
        notes.append(FindingNote(at, verdict.why))
    if verdict.said:
        notes.append(FindingNote(place, f"JAX itself says only '{verdict.said}'"))
    return Finding(verdict.code, message, place, tuple(notes), _fixes(chain, verdict, role, target, tile), "error")


def user_steps(chain: Chain) -> tuple[Step, ...]:
    """The steps that a user wrote: those behind aliases, untiling, unswizzling and batch dimensions."""
    steps = chain.steps
    while steps and isinstance(steps[0], Alias | Unswizzle | Untile | ExpandBatch):
        steps = steps[1:]
    return steps


def _fixes(chain: Chain, verdict: Verdict, role: Role, target: Target, tile: tuple[int, ...] | None) -> tuple[str, ...]:
    try:
        short = simplify(chain)
    except ChainError:
        return ()
    name = "ref" if any(isinstance(step, Alias) for step in chain.steps) else chain.name or "ref"
    lowered = target.level == "mosaic_gpu"
    if short.steps != chain.steps and not accepts(short, role, target.semantics, target.jax, tile, lowered=lowered):
        written = name + "".join(map(str, user_steps(short)))
        return (f"write `{written}`: it is the same ref (mode rewrite does this)",)
    match verdict.code:
        case "MV202":
            return ("allocate the TMEM ref in the order in which the operation reads it, and write it in that order",)
        case "MV203":
            return ("allocate the TMEM ref with the shape that the operation takes",)
        case "MV205" | "MV206":
            return _tiles(chain)
        case "MV207" if verdict.align:
            n = verdict.align
            return (f"write the start as `(start // {n}) * {n}`, which JAX can see through (mode rewrite masks it)",)
        case "MV201" if role == "copy_source":
            return ("allocate the SMEM ref of the metadata without transforms",)
    return ()


def _tiles(chain: Chain) -> tuple[str, ...]:
    bits = chain.result.bits
    swizzle = next((step.swizzle for step in chain.steps if isinstance(step, Unswizzle)), None)
    if not bits or any(not isinstance(step, Unswizzle | Untile) for step in user_steps(chain)):
        return ()
    shape = chain.result.shape
    wide = [swizzle] if swizzle else [s for s in (128, 64, 32) if shape and not shape[-1] % (8 * s // bits)]
    return tuple(
        f"allocate it with transforms=(plgpu.TilingTransform((8, {8 * s // bits})), plgpu.SwizzleTransform({s}))"
        for s in wide[:1]
    )


def _half_of_a_column_pair(chain: Chain, place: str) -> Iterable[Finding]:
    """The MMA addresses metadata by pairs of TMEM columns, 32 entries; JAX lets a slice start between two of them."""
    column = column_of(chain)
    if column is None or column.divisible(32) or not column.divisible(16):
        return
    start = f"{column.static}" if not column.name else f"{column.name}, a multiple of 16 and maybe not of 32"
    yield Finding(
        "MV207",
        f"slice of the sparse metadata starts at an odd TMEM column: entry {start}",
        place,
        (
            FindingNote(place, f"the chain is {chain.spell()}"),
            FindingNote(
                place,
                "16 entries fill one column and the MMA reads pairs of columns from an even one: JAX accepts the slice "
                "and computes an address that is off by one column",
            ),
        ),
        ("start the slice at a multiple of 32 entries",),
        severity="warning",
    )
