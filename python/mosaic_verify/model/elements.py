"""Element types: widths, and the names that MLIR and JAX give them."""

from __future__ import annotations

import re
from functools import cache

_JAX_NAMES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "tf32": "tfloat32",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f8E4M3": "float8_e4m3",
    "f8E3M4": "float8_e3m4",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f6E2M3FN": "float6_e2m3fn",
    "f6E3M2FN": "float6_e3m2fn",
    "f4E2M1FN": "float4_e2m1fn",
    "i1": "bool",
}
_FROM_JAX = {jax: mlir for mlir, jax in _JAX_NAMES.items()}
_INTEGER = re.compile(r"([us]?)i(\d+)")
_FLOAT = re.compile(r"b?f(\d+)")
_JAX_INTEGER = re.compile(r"(u?)int(\d+)")


@cache
def bit_width(element: str) -> int | None:
    """Bits of one element in memory; None for a type that is no number. tf32 is stored in 32 bits."""
    if element == "tf32":
        return 32
    match = _INTEGER.fullmatch(element) or _FLOAT.match(element)
    return int(match[match.lastindex or 1]) if match else None


def jax_name(element: str) -> str:
    """The dtype's name in JAX ("f8E4M3FN" -> "float8_e4m3fn"), or `element` itself where JAX has none."""
    if element in _JAX_NAMES:
        return _JAX_NAMES[element]
    match = _INTEGER.fullmatch(element)
    return element if match is None else f"{'uint' if match[1] == 'u' else 'int'}{match[2]}"


def from_jax(dtype: str) -> str:
    """The MLIR type that Mosaic GPU gives a JAX dtype: integers of either sign become signless ("uint8" -> "i8")."""
    if dtype in _FROM_JAX:
        return _FROM_JAX[dtype]
    match = _JAX_INTEGER.fullmatch(dtype)
    return dtype if match is None else f"i{match[2]}"


def is_fp8(element: str | None) -> bool:
    """One of the two FP8 types that an MMA takes as operands (f8E4M3FN, f8E5M2)."""
    return element in ("f8E4M3FN", "f8E5M2")


# Exponent and mantissa bits (IEEE 754; bfloat16; OCP 8-bit floating point).
_FORMATS = {"f8E4M3FN": (4, 3), "f8E5M2": (5, 2), "f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


def is_widening(old: str, new: str) -> bool:
    """True when every value of the floating-point type `old` is a value of `new`."""
    if old not in _FORMATS or new not in _FORMATS:
        return False
    return all(before <= after for before, after in zip(_FORMATS[old], _FORMATS[new], strict=True))
