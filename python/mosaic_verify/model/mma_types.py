"""Element types of an MMA: which kind of instruction they select, and the accumulators it takes.

Source: JAX `jax/experimental/mosaic/gpu/tcgen05.py` (`mma`, `_do_mma`); PTX ISA, "Kinds of tcgen05.mma".
"""

from __future__ import annotations

from mosaic_verify.model.elements import is_fp8
from mosaic_verify.model.facts import Target
from mosaic_verify.model.jax_versions import since

# Element types of A and B that the dialect's verifier lets pass (`mosaic_gpu.tcgen05_mma`, both versions).
DIALECT_OPERANDS = frozenset(
    ("f16", "f32", "bf16", "tf32", "f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "i8")
)
DIALECT_ACCUMULATORS = frozenset(("f16", "f32", "i32"))
DIALECT_SCALES = frozenset(("f8E8M0FNU", "f8E4M3FN"))

_ACCUMULATORS = {
    "f16": ("f32", "f16"),
    "bf16": ("f32",),
    "f32": ("f32",),
    "f8E4M3FN": ("f32", "f16"),
    "f8E5M2": ("f32", "f16"),
    "i8": ("i32",),
    "f4E2M1FN": ("f32",),
}


def may_mix(a: str, b: str, target: Target) -> bool:
    """True when A and B may have these element types together."""
    return a == b or (mixed_fp8_allowed(target) and is_fp8(a) and is_fp8(b))


def mixed_fp8_allowed(target: Target) -> bool:
    """True when this JAX takes two different FP8 types."""
    return since("mixed-fp8", target.jax)


def supported_operand(element: str) -> bool:
    """True when some kind of MMA takes this element type (f32 only in a dense one)."""
    return element in _ACCUMULATORS


def scalable(element: str) -> bool:
    """True when a block-scaled kind takes this element type."""
    return is_fp8(element) or element == "f4E2M1FN"


def accumulators(element: str, *, scaled: bool) -> tuple[str, ...]:
    """Accumulator types that an MMA with operands of `element` takes, preferred first; () for an unsupported type."""
    return ("f32",) if scaled and scalable(element) else _ACCUMULATORS.get(element, ())


def scale_elements(element: str) -> tuple[str, ...]:
    """Element types of scales that fit operands of `element`."""
    if is_fp8(element):
        return ("f8E8M0FNU",)
    return ("f8E8M0FNU", "f8E4M3FN") if element == "f4E2M1FN" else ()


def scale_blocks(element: str, scale: str, target: Target) -> tuple[int, ...]:
    """Elements of K that one scale may cover in a dense MMA; a sparse one covers twice as many.

    JAX 0.10 derives the block from the scale's type alone.
    """
    if not since("scale-block-from-shape", target.jax):
        return (32,) if scale == "f8E8M0FNU" else (16,)
    if element == "f4E2M1FN":
        return (16, 32) if scale == "f8E8M0FNU" else (16,)
    return (32,)
