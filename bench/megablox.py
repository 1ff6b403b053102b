"""Calls of megablox gmm and tgmm under the hook: what the rules add to one call."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from time import process_time
from typing import Any

from bench.harness import Row, interleaved

_RUNS = 51
_SECONDS = 1e-3  # what the rules may cost per call


def rows() -> Iterable[Row]:
    """Shares of the time that a call may cost; megablox itself is not called."""
    warnings.simplefilter("ignore")
    import jax
    import jax.numpy as jnp

    import mosaic_verify as mv
    from mosaic_verify.jax_hook.megablox import calls

    def arguments(kind: str, out: Any, tiling: Any = (128, 128, 128)) -> dict[str, Any]:
        shapes = {"gmm": ((4096, 1024), (64, 1024, 2048)), "tgmm": ((1024, 4096), (4096, 2048))}[kind]
        lhs, rhs = (jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in shapes)
        more = {"transpose_rhs": False} if kind == "gmm" else {"num_actual_groups": None}
        sizes = jax.ShapeDtypeStruct((64,), jnp.int32)
        operands = {"lhs": lhs, "rhs": rhs, "group_sizes": sizes, "group_offset": None, "existing_out": out}
        return operands | {"preferred_element_type": jnp.bfloat16, "tiling": tiling, "interpret": False} | more

    programs = {
        "gmm": ("gmm", arguments("gmm", None)),
        "gmm with a tiling function": ("gmm", arguments("gmm", None, lambda m, k, n: (128, 128, 128))),
        "gmm into a buffer": ("gmm", arguments("gmm", jax.ShapeDtypeStruct((4096, 2048), jnp.bfloat16))),
        "tgmm": ("tgmm", arguments("tgmm", None)),
    }
    for mode in ("report", "rewrite"):
        with mv.verifying(mode=mode):
            candidates = {
                name: lambda kind=kind, given=given: calls.handle(kind, lambda **_: None, given)  # type: ignore[arg-type]
                for name, (kind, given) in programs.items()
            }
            for name, seconds in interleaved(candidates, _RUNS, clock=process_time).items():
                yield Row(f"{name}, {mode}, of 1 ms", seconds / _SECONDS, 1.0, f"{seconds * 1e3:.2f} ms per call")
