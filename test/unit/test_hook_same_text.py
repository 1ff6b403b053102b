"""A program that needs no rewrite lowers to the same text with the hook as without, locations included."""

import warnings

import jax
import ops_gpu
import pytest
import sparse_mma

import mosaic_verify as mv
from mosaic_verify.jax_hook import state
from mosaic_verify.jax_hook.policy import HookWarning
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture

MODES = ("off", *state.MODES, "session", "off")


def lowered_texts(function, args, arch):
    """The text in each mode; one line for all, since the line of the call is part of it."""
    texts = []
    with warnings.catch_warnings(), virtual_device(arch and find_architecture(arch)):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", HookWarning)
        for mode in MODES:
            jax.clear_caches()
            if mode in state.MODES:
                mv.install(mode)
            session = mv.verifying("rewrite") if mode == "session" else warnings.catch_warnings()
            with session as found:
                lowered = jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
                texts.append(lowered.as_text(debug_info=True))
            if mode in state.MODES:
                mv.uninstall()
            if mode == "session":
                assert found.report.rewrites == []
    return texts


VALID = [label for label in sparse_mma.CASES if label.startswith("valid")]


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", [*VALID, "metadata from an odd column", "copy source transposed twice"])
def test_valid_kernels(label, semantics):
    function, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
    texts = lowered_texts(function, args, None)
    if label == "copy source transposed twice":  # this one is rewritten
        assert texts[0] == texts[1] == texts[2] == texts[6]
    else:
        assert len(set(texts)) == 1
    assert sparse_mma.__file__ in texts[0]


def test_a_program_with_its_host_side():
    program, args = sparse_mma.host()
    assert len(set(lowered_texts(program, args, None))) == 1


@pytest.mark.parametrize("label, function, shapes", ops_gpu.kernels(), ids=lambda value: str(value)[:40])
def test_kernels_of_jax(label, function, shapes):
    texts = lowered_texts(function, shapes, "sm_100a")
    assert len(set(texts)) == 1
