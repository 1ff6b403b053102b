"""What happens at a call of megablox under the hook: verify, or rewrite and then call."""

from __future__ import annotations

import sys
import threading
from functools import cache
from types import FunctionType
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.jax_hook import level_passes, state
from mosaic_verify.jax_hook.lowering import Lowering, entered, guarded
from mosaic_verify.jax_hook.megablox.call_module import NotRepresentable, call_module
from mosaic_verify.jax_hook.megablox.evaluate import evaluate
from mosaic_verify.jax_hook.megablox.trampoline import user_frame

NAME = "megablox"
_PREFIXES = ("megablox-",)
_local = threading.local()  # `forward`: the forward function of `ops.gmm` is running


def handle(kind: str, original: FunctionType, arguments: dict[str, Any]) -> Any:
    """Calls `original`, `gmm` or `tgmm`, with `arguments`, possibly rewritten. Raises what `enforce` asks for."""
    current = state.current()
    if current is None:
        return original(**arguments)
    if callable(arguments["tiling"]):
        # Asked once for each size, as without us; what it raises is not kept.
        arguments = {**arguments, "tiling": cache(arguments["tiling"])}
    with entered(NAME, current) as lowering:
        module = guarded(NAME, _verified, lowering, kind, arguments) if lowering is not None else None
        if module is None:
            return original(**arguments)
        return evaluate(module, arguments, lambda changed: original(**{**arguments, **changed}))


def _verified(lowering: Lowering, kind: str, arguments: dict[str, Any]) -> ir.Module | None:
    """Verifies the call; the rewritten module, or None when the call stays as it is."""
    try:
        module = call_module(kind, arguments, user_frame())
    except NotRepresentable:
        return None
    before, root = len(lowering.report.rewrites), module.operation
    found = level_passes.findings_of_level(lowering, root, _PREFIXES, NAME)
    # Every rewrite mends what a rule reports: a call without findings is not copied and walked once more.
    if lowering.state.rewrites and level_passes.is_suspicious(found) and _can_rewrite(kind, arguments):
        level_passes.rewrite(lowering, root, _PREFIXES, NAME)
        found = level_passes.findings_of_level(lowering, root, _PREFIXES, NAME)
    level_passes.report(lowering, found, NAME)
    lowering.enforce()
    return module if len(lowering.report.rewrites) > before else None


def _can_rewrite(kind: str, arguments: dict[str, Any]) -> bool:
    """False for what the backward function cannot follow: it takes the number of groups from the rhs of the user."""
    return not (getattr(_local, "forward", False) and kind == "gmm" and len(arguments["rhs"].shape) != 3)


def handle_forward(original: FunctionType, arguments: dict[str, Any]) -> Any:
    """Calls `original`, the forward function of `ops.gmm`, and looks whether `existing_out` is differentiated."""
    current = state.current()
    if current is not None and arguments.get("existing_out") is not None and _last_operand_is_differentiated():
        with entered(NAME, current) as lowering:
            if lowering is not None:
                guarded(NAME, _verify_gradient, lowering, arguments)
    outer, _local.forward = getattr(_local, "forward", False), True
    try:
        return original(**arguments)
    finally:
        _local.forward = outer


def _verify_gradient(lowering: Lowering, arguments: dict[str, Any]) -> None:
    try:
        module = call_module("gmm", arguments, user_frame(), differentiated=True)
    except NotRepresentable:
        return
    found = level_passes.findings_of_level(lowering, module.operation, _PREFIXES, NAME)
    # Everything else is found, or mended, when the forward function calls `gmm`.
    level_passes.report(lowering, [diagnostic for diagnostic in found if diagnostic.code == "MV422"], NAME)
    lowering.enforce()


def _last_operand_is_differentiated() -> bool:
    """Whether JAX differentiates the last operand of the custom VJP that is being called.

    Without `symbolic_zeros` a forward function is not told; the tangents stand in the frame of
    `process_custom_vjp_call` (`jax/_src/interpreters/ad.py`, 0.10.2 and 0.12.0). Unknown is False.
    """
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "process_custom_vjp_call":
            tangents = frame.f_locals.get("tangents_in")
            return bool(tangents) and type(list(tangents)[-1]).__name__ not in ("Zero", "SymbolicZero")
        frame = frame.f_back
    return False
