"""Kernels that others wrote: no finding of severity error or warning, and the text that they lower to without us."""

import contextlib
import importlib.util
import pkgutil
import re
import warnings

import jax
import jax.experimental.pallas.ops.gpu
import ops_gpu
import ops_gpu_others
import pytest
from jax._src import source_info_util
from plgpu_kernels import semantics_of

import mosaic_verify as mv
from mosaic_verify.jax_hook.policy import HookWarning
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture

# The line from which a kernel is lowered is no part of it.
source_info_util.register_exclusion(__file__)
ARCH = "sm_100a"


def lower(function, shapes, mode, arch=ARCH):
    """The lowered text or what was raised, and the findings; `mode` None is without us."""
    jax.clear_caches()
    with contextlib.ExitStack() as stack:
        stack.enter_context(virtual_device(find_architecture(arch)))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", HookWarning)
        report = stack.enter_context(mv.verifying(mode)).report if mode is not None else mv.Report()
        try:
            text = jax.jit(function).trace(*shapes).lower(lowering_platforms=("cuda",)).as_text(debug_info=True)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    return text, [d for d in report.diagnostics if d.severity != "remark"], report.rewrites


def check_kernel(function, shapes, semantics=None, arch=ARCH):
    """Returns what JAX raises without us, "" when it lowers."""
    with semantics_of(semantics):
        plain, _, _ = lower(function, shapes, None, arch)
        refused = "" if plain.startswith(("module", "#loc")) else plain
        for mode in ("report", "enforce"):
            text, findings, rewrites = lower(function, shapes, mode, arch)
            assert text == plain and rewrites == []
            if not refused:
                assert findings == [] and re.search(r"custom_call @(mosaic_gpu|__gpu\$xla.gpu.triton)", text)
            elif mode == "report":
                break
    return refused


KERNELS = [*ops_gpu.kernels(), *ops_gpu_others.kernels()]


def test_every_module_has_a_kernel():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        modules = {module.name for module in pkgutil.iter_modules(jax.experimental.pallas.ops.gpu.__path__)}
    used = {name for module in (ops_gpu, ops_gpu_others) for name in vars(module)}
    assert modules and modules <= used


@pytest.mark.parametrize("label, function, shapes", KERNELS, ids=[label for label, _, _ in KERNELS])
def test_kernels_of_jax(label, function, shapes):
    assert check_kernel(function, shapes) == ""


# Most of these kernels ask for Warpgroup semantics; what follows needs it.
NOT_IN_LANE = {
    "blackwell ragged dot": "Failed to synthesize a transfer pattern",
    "ragged dot": "WGMMA lhs",
    "ragged dot, transposed rhs": "WGMMA lhs",
    "attention, pipeline emitter": "WGMMA lhs",
}
MOSAIC_GPU = [entry for entry in KERNELS if not entry[0].startswith("Triton")]


@pytest.mark.parametrize("label, function, shapes", MOSAIC_GPU, ids=[label for label, _, _ in MOSAIC_GPU])
def test_kernels_of_jax_in_lane_semantics(label, function, shapes):
    refused = check_kernel(function, shapes, "Lane")
    assert not refused or NOT_IN_LANE[label] in refused


# Too heavy for the extra `test`: pip install 'mosaic-verify[tokamax]'.
TOKAMAX = importlib.util.find_spec("tokamax") is not None


SPLAT = "WGSplatFragLayout"  # JAX cannot store it to TMEM in Lane semantics
TOKAMAX_NOT_IN_LANE = {"attention": SPLAT, "causal attention": SPLAT, "gradient of attention": SPLAT}


@pytest.mark.skipif(not TOKAMAX, reason="tokamax is not installed")
@pytest.mark.parametrize("semantics", ["Lane", "Warpgroup"])
@pytest.mark.parametrize("capability", [8, 9, 10])
def test_kernels_of_tokamax(capability, semantics):
    import tokamax_kernels

    with tokamax_kernels.device(float(capability)):
        for label, function, shapes in tokamax_kernels.kernels(capability):
            refused = check_kernel(function, shapes, semantics, arch=f"sm_{capability}0")
            assert not refused or ((semantics, capability) == ("Lane", 10) and TOKAMAX_NOT_IN_LANE[label] in refused)
