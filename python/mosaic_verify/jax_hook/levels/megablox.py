"""Calls of megablox `gmm` and `tgmm` while they are traced, before megablox's own checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mosaic_verify.jax_hook.patches import Diversion, Level

_PACKAGE = "jax.experimental.pallas.ops.tpu.megablox"
_OPERANDS = ("lhs", "rhs", "group_sizes", "preferred_element_type", "tiling", "group_offset", "existing_out")


def _divert_to(kind: str) -> Callable[[Callable[..., Any]], Callable[[], None]]:
    def divert(function: Callable[..., Any]) -> Callable[[], None]:
        from mosaic_verify.jax_hook.megablox import calls, trampoline

        # `gmm` and `tgmm` are jitted: the function below has the code.
        plain = getattr(function, "__wrapped__", function)
        if kind == "forward":
            return trampoline.divert(plain, kind, calls.handle_forward)
        return trampoline.divert(plain, kind, lambda original, arguments: calls.handle(kind, original, arguments))

    return divert


LEVEL = Level(
    "megablox",
    (
        Diversion(f"{_PACKAGE}.gmm", "gmm", _divert_to("gmm"), (*_OPERANDS, "transpose_rhs")),
        Diversion(f"{_PACKAGE}.gmm", "tgmm", _divert_to("tgmm"), (*_OPERANDS, "num_actual_groups")),
        Diversion(f"{_PACKAGE}.ops", "_gmm_fwd", _divert_to("forward"), _OPERANDS),
    ),
)
