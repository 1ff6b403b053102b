"""Mosaic GPU modules with Warpgroup semantics: behind their construction, and before layout inference."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.jax_hook import state
from mosaic_verify.jax_hook.frames import is_user_file
from mosaic_verify.jax_hook.lowering import Lowering, entered, guarded
from mosaic_verify.jax_hook.patches import Level, Patch

_NAME = "mosaic_gpu"
_PREFIXES = ("mosaic-gpu-",)
_CORE = "jax.experimental.mosaic.gpu.core"


def _wrap_lowering(original: Callable[..., Any]) -> Callable[..., Any]:
    """`core._lower_as_gpu_kernel`: calls `body`, which builds the kernel, and verifies the module right behind it.

    Its `body` is wrapped, so that our diagnostic comes before that of MLIR's verifier. The module is complete then, but
    blocks still lack their terminators.
    """
    semantics_at = list(inspect.signature(original).parameters).index("lowering_semantics")

    def lower(body: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        current = state.current()
        if current is None:
            return original(body, *args, **kwargs)
        semantics = kwargs.get("lowering_semantics", args[semantics_at - 1] if len(args) >= semantics_at else None)
        if getattr(semantics, "name", "Warpgroup") != "Warpgroup":
            return original(body, *args, **kwargs)

        def verified_body(*operands: Any, **options: Any) -> Any:
            result = body(*operands, **options)
            if lowering is not None:
                guarded(_NAME, _at_construction, lowering)
            return result

        with entered(_NAME, current) as lowering:
            if lowering is not None:
                guarded(_NAME, _locate, lowering, body)
            return original(verified_body, *args, **kwargs)

    return lower


def _locate(lowering: Lowering, body: Callable[..., Any]) -> None:
    """For users of `as_gpu_kernel`, whose ops may have no location: the function that builds the kernel."""
    code = getattr(inspect.unwrap(body), "__code__", None)
    if code is not None and is_user_file(code.co_filename):
        lowering.locate(lambda: Location(code.co_filename, code.co_firstlineno, 1))


def _at_construction(lowering: Lowering) -> None:
    if "plgpu" in lowering.verified:
        return  # the same rules have seen the same facts, and where the user wrote them
    from jaxlib.mlir import ir

    from mosaic_verify.jax_hook import level_passes

    root = ir.InsertionPoint.current.block.owner
    while root.parent is not None:
        root = root.parent
    # Rewrites come before MLIR's verifier, too: it may refuse what a fold mends.
    suspicious = level_passes.process(lowering, root.operation, _PREFIXES, _NAME, complete=False)
    lowering.suspicious = lowering.suspicious or suspicious
    lowering.enforce()


def _wrap_inference(original: Callable[..., Any]) -> Callable[..., Any]:
    """`infer_layout`, behind `canonicalize` and `cse`: these may leave what can be folded only now."""

    def infer_layout(module: Any, *args: Any, **kwargs: Any) -> Any:
        current = state.current()
        if current is None or current.mode not in state.REWRITING:
            return original(module, *args, **kwargs)
        with entered(_NAME, current) as lowering:
            if lowering is not None and lowering.suspicious:
                guarded(_NAME, _before_inference, lowering, module)
            return original(module, *args, **kwargs)

    return infer_layout


def _before_inference(lowering: Lowering, module: Any) -> None:
    from mosaic_verify.jax_hook import level_passes

    level_passes.rewrite(lowering, module.operation, _PREFIXES, _NAME)


def _wrap_kernel(original: Callable[..., Any]) -> Callable[..., Any]:
    """`core._kernel_to_module`, for users of `as_gpu_kernel`: one lowering, from construction to the last verifier."""

    def kernel_to_module(*args: Any, **kwargs: Any) -> Any:
        current = state.current()
        if current is None:
            return original(*args, **kwargs)
        with entered(_NAME, current):
            return original(*args, **kwargs)

    return kernel_to_module


LEVEL = Level(
    _NAME,
    (
        Patch(_CORE, "_lower_as_gpu_kernel", _wrap_lowering, ("body", "lowering_semantics")),
        Patch(_CORE, "_kernel_to_module", _wrap_kernel),
        # JAX 0.12 and `as_gpu_kernel` look it up in its module, Pallas of JAX 0.10 in the package.
        Patch("jax.experimental.mosaic.gpu.layout_inference", "infer_layout", _wrap_inference, ("module",)),
        Patch("jax.experimental.mosaic.gpu", "infer_layout", _wrap_inference, ("module",)),
    ),
)
