"""What a kernel of the `plgpu` dialect is lowered for."""

from __future__ import annotations

import re

from jaxlib.mlir import ir

from mosaic_verify.model.facts import Target

_ARCH = re.compile(r"sm_(\d+)(\d)[af]?")


def target_of(function: ir.Operation, arch: tuple[int, int] | None = None) -> Target:
    """The target that a kernel's attributes name; `arch` overrides its architecture."""
    attributes = function.attributes
    semantics = attributes["plgpu.semantics"].value
    jax = tuple(attributes["plgpu.jax"]) if "plgpu.jax" in attributes else (0, 12, 0)
    assumed = False
    if arch is None and "plgpu.arch" in attributes:
        match = _ARCH.fullmatch(attributes["plgpu.arch"].value)
        arch = (int(match[1]), int(match[2])) if match else None
        assumed = "plgpu.arch_assumed" in attributes and attributes["plgpu.arch_assumed"].value
    return Target(arch, assumed, jax, "lane" if semantics == "lane" else "warpgroup", "plgpu")
