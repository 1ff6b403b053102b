"""What a kernel of the `plgpu` dialect is lowered for."""

from __future__ import annotations

import re

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import boolean, integers, string
from mosaic_verify.model.facts import Target

_ARCH = re.compile(r"sm_(\d+)(\d)[af]?")


def target_of(function: ir.Operation, arch: tuple[int, int] | None = None) -> Target:
    """The target that a kernel's attributes name; `arch` overrides its architecture."""
    semantics = string(function, "plgpu.semantics")
    jax = integers(function, "plgpu.jax") or (0, 12, 0)
    assumed = False
    named = string(function, "plgpu.arch")
    if arch is None and named is not None:
        match = _ARCH.fullmatch(named)
        arch = (int(match[1]), int(match[2])) if match else None
        assumed = boolean(function, "plgpu.arch_assumed") or False
    return Target(arch, assumed, jax, "lane" if semantics == "lane" else "warpgroup", "plgpu")
