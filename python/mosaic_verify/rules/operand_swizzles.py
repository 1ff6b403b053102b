"""Which swizzles A and B of an MMA may have: what the kernel says, or what layout inference may choose."""

from __future__ import annotations

from mosaic_verify.model.facts import Operand, SparseMma


def choices(operand: Operand) -> tuple[int, ...]:
    """Swizzles in bytes that the operand can end up with; () when nothing is known about it."""
    if operand.space != "smem":
        return ()
    if operand.smem_known:
        return (operand.swizzle,) if operand.swizzle else ()
    return operand.swizzle_candidates[:1] if operand.swizzle_settled else operand.swizzle_candidates


def swizzle_pairs(mma: SparseMma) -> list[tuple[int, int]]:
    """Swizzles of A and B that are possible together; for A in TMEM, JAX takes B's for both."""
    if mma.a.space == "tmem":
        return [(swizzle, swizzle) for swizzle in choices(mma.b)]
    return [(a, b) for a in choices(mma.a) for b in choices(mma.b)]
