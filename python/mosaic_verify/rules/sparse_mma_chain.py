"""Checks of transform chains on TMEM operands in Warpgroup semantics: MV202 and MV203.

In Lane semantics a chain is judged before it becomes IR, by the rules of the `plgpu` level.
"""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.chain import Chain, ChainError, RefType, Reshape, Transpose, simplify
from mosaic_verify.model.facts import MetadataCopy, Operand, SparseMma
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check
from mosaic_verify.rules.sparse_mma_operands import operands


@check(SparseMma, "MV202", "MV203")
def mma_chains(mma: SparseMma) -> Iterable[Finding]:
    """TMEM operands are neither transposed nor reshaped."""
    if mma.target.semantics == "warpgroup":
        for place, operand in operands(mma).items():
            yield from _tmem_chain(place, operand)


@check(MetadataCopy, "MV202", "MV203")
def copy_chain(copy: MetadataCopy) -> Iterable[Finding]:
    """The destination of a metadata copy is neither transposed nor reshaped."""
    if copy.target.semantics == "warpgroup":
        yield from _tmem_chain("destination", copy.destination)


def _tmem_chain(place: str, operand: Operand) -> Iterable[Finding]:
    if operand.space != "tmem" or operand.allocation is None or operand.allocation.shape is None:
        return
    base = RefType(operand.allocation.shape, operand.allocation.element or "", "tmem")
    chain = Chain(base, operand.chain, operand.allocation.name)
    for number, step in enumerate(operand.chain):
        if isinstance(step, Transpose):
            yield Finding(
                "MV202",
                "TMEM transpose not allowed",
                place,
                (FindingNote(f"{place}.chain[{number}]", f"the chain is {chain.spell(number)}"),),
                (_transpose_fix(chain),),
            )
            return
    try:
        left = simplify(chain).steps
    except ChainError:
        return
    if any(isinstance(step, Reshape) for step in left):
        number = next(number for number, step in enumerate(operand.chain) if isinstance(step, Reshape))
        yield Finding(
            "MV203",
            "TMEM reshape not allowed",
            place,
            (FindingNote(f"{place}.chain[{number}]", f"the chain is {chain.spell(number)}"),),
            ("allocate the TMEM ref with the shape that the operation takes",),
        )


def _transpose_fix(chain: Chain) -> str:
    try:
        identity = not any(isinstance(step, Transpose) for step in simplify(chain).steps)
    except ChainError:
        identity = False
    if identity:
        return "remove the transposes: together they change nothing"
    return "allocate the TMEM ref in the order in which the operation reads it, and write it in that order"
