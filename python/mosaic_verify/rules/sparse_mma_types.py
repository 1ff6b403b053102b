"""Checks of element types: MV114 to MV116 of a sparse MMA, MV140 of any; and the device of any, MV168."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.architectures import lacks_tcgen05
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import SparseMma
from mosaic_verify.model.mma_types import (
    accumulators,
    may_mix,
    mixed_fp8_allowed,
    scalable,
    scale_elements,
    supported_operand,
)
from mosaic_verify.model.sparsity import fp4_depends_on_arch
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check


def type_text(mma: SparseMma) -> str:
    """Element types as JAX's messages spell them: one, or both in parentheses."""
    return f"{mma.a.element}" if mma.a.element == mma.b.element else f"({mma.a.element}, {mma.b.element})"


@check(SparseMma, "MV168")
def architecture(mma: SparseMma) -> Iterable[Finding]:
    """JAX lowers tcgen05 for any device; one that it only assumes, for want of a GPU, proves nothing."""
    target = mma.target
    if target.arch is None or target.arch_assumed or not lacks_tcgen05(target.arch):
        return
    if mma.sparse and mma.a.element is not None and bit_width(mma.a.element) == 4 and fp4_depends_on_arch(target):
        return  # MV141
    major, minor = target.arch
    yield Finding(
        "MV168",
        f"tcgen05_mma needs sm_100a, sm_103a or sm_110a, but the kernel is lowered for sm_{major}{minor}",
        "",
        (FindingNote("", "JAX lowers it without a word; ptxas or the driver refuses the kernel"),),
        ("run the kernel on a data center Blackwell device; Hopper (sm_90a) has plgpu.wgmma",),
    )


@check(SparseMma, "MV114")
def no_f32(mma: SparseMma) -> Iterable[Finding]:
    """There is a sparse kind for tf32 in PTX, but JAX does not issue it."""
    if mma.sparse and mma.a.element in ("f32", "tf32"):
        yield Finding(
            "MV114",
            "Sparse MMA unsupported for f32",
            "a",
            (),
            ("cast A and B to bfloat16 or float16; values are rounded",),
        )


@check(SparseMma, "MV115")
def accumulator(mma: SparseMma) -> Iterable[Finding]:
    """The accumulator's element type follows from the operands'."""
    if not mma.sparse or mma.a.element is None or mma.accumulator.element is None or mma.a.element == "f32":
        return
    allowed = accumulators(mma.a.element, scaled=mma.scaled)
    got = mma.accumulator.element
    if not allowed or got in allowed:
        return
    if mma.scaled:
        text = f"Block-scaled MMA with element type {type_text(mma)} only supports f32 accumulators, but got: {got}"
    elif allowed == ("i32",):
        text = f"MMA with element type s8 only supports s32 accumulators, but got: {got}"
    else:
        types = " or ".join(allowed)
        text = f"MMA with element type {type_text(mma)} only supports accumulators of type {types}, but got: {got}"
    fix = "int32" if allowed == ("i32",) else "float32"
    yield Finding(
        "MV115", text, "accumulator", (), (f"allocate the accumulator as jnp.{fix} and convert after the MMA",)
    )


@check(SparseMma, "MV116")
def operand_types(mma: SparseMma) -> Iterable[Finding]:
    """A and B have one element type; from JAX 0.12 on, the two FP8 types may be mixed."""
    a, b = mma.a.element, mma.b.element
    if not mma.sparse or a is None or b is None or may_mix(a, b, mma.target):
        return
    extra = ", except that FP8 types (f8E4M3FN and f8E5M2) may be mixed;" if mixed_fp8_allowed(mma.target) else ","
    yield Finding("MV116", f"MMA requires A and B to have the same element type{extra} got: {a} and {b}", "b", (), ())


@check(SparseMma, "MV140")
def kind(mma: SparseMma) -> Iterable[Finding]:
    """The types of A, B and scales select a kind of instruction, or none."""
    element = mma.a.element
    if element is None or (mma.b.element is not None and not may_mix(element, mma.b.element, mma.target)):
        return  # MV116
    if not supported_operand(element):
        yield Finding(
            "MV140",
            f"Unsupported element type: {type_text(mma)}",
            "a",
            (FindingNote("a", "an MMA takes f16, bf16, f8E4M3FN, f8E5M2, i8, f32 (dense), f4E2M1FN (with scales)"),),
        )
    elif element == "f4E2M1FN" and not mma.scaled and mma.a_scale is None and mma.b_scale is None:
        yield Finding(
            "MV140",
            f"MMA with element type {type_text(mma)} only supports block scaling",
            "a",
            (),
            ("pass a_scale and b_scale; scales of 1.0 (float8_e8m0fnu 127) keep the values",),
        )
    elif mma.scaled and not scalable(element):
        if mma.sparse and element == "f32":
            return  # MV114
        yield Finding("MV140", f"MMA with element type {type_text(mma)} does not support block scaling", "a_scale")
    elif mma.scaled and mma.a_scale is not None and mma.b_scale is not None:
        yield from _scale_kind(element, mma.a_scale.element, mma.b_scale.element)


def _scale_kind(element: str, a_scale: str | None, b_scale: str | None) -> Iterable[Finding]:
    allowed = scale_elements(element)
    if a_scale is not None and a_scale not in allowed:
        names = " or ".join(name.lower() for name in allowed)
        yield Finding("MV140", f"Scale element type mismatch: expected {names}, got {a_scale}", "a_scale")
    elif a_scale is not None and b_scale is not None and a_scale != b_scale:
        yield Finding("MV140", f"B scale dtype mismatch: expected {a_scale} (same as A), got {b_scale}", "b_scale")
