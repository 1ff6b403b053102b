"""What the hook remembers of kernels that it has verified."""

import warnings

import jax
import pytest
import sparse_mma

import mosaic_verify as mv
from mosaic_verify.jax_hook import level_passes, policy
from mosaic_verify.passes.plgpu_verify_sparse_mma import PlgpuVerifySparseMma


@pytest.fixture
def runs(monkeypatch):
    """Grows with each run of one of the passes that the hook runs on a Pallas kernel."""
    level_passes.forget()
    found, original = [], PlgpuVerifySparseMma.run

    def run(self, op, session):
        found.append(op)
        original(self, op, session)

    monkeypatch.setattr(PlgpuVerifySparseMma, "run", run)
    return found


def check(function, args):
    return mv.check(function, *args)


def test_an_equal_kernel_is_verified_once(runs):
    function, args = sparse_mma.kernel("lane", n=24)
    first, second = (check(function, args) for _ in range(2))
    assert len(runs) == 1
    assert first.diagnostics == second.diagnostics and first.diagnostics[0].code == "MV111"


def test_what_differs_is_verified(runs):
    function, args = sparse_mma.kernel("lane", n=24)
    kernels = (function, args), sparse_mma.kernel("lane", n=40)
    messages = [check(*kernel).diagnostics[0].message for kernel in kernels]
    ignoring = mv.check(function, *args, ignore=("MV111",))
    elsewhere = mv.check(function, *args, arch="sm_103a")
    assert len(runs) == 3
    assert "24" in messages[0] and "40" in messages[1] and elsewhere.diagnostics[0].code == "MV111"
    assert not any(diagnostic.code == "MV111" for diagnostic in ignoring.diagnostics)


def test_a_fault_is_not_remembered(runs, monkeypatch):
    function, args = sparse_mma.kernel("lane", n=24)
    working = PlgpuVerifySparseMma.run

    def fail(self, op, session):
        raise RuntimeError("planted")

    monkeypatch.setattr(PlgpuVerifySparseMma, "run", fail)
    monkeypatch.setattr(policy, "_warned", set())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", policy.HookWarning)
        with mv.verifying("report"):
            jax.jit(function).trace(*args)
            check(function, args)
    monkeypatch.setattr(PlgpuVerifySparseMma, "run", working)
    assert [diagnostic.code for diagnostic in check(function, args).diagnostics] == ["MV111"]
    assert len(runs) == 1


def test_memory_is_bounded(runs, monkeypatch):
    monkeypatch.setattr(level_passes, "_MEMO_SIZE", 2)
    for n in (24, 40, 56):
        check(*sparse_mma.kernel("lane", n=n))
    assert len(runs) == 3 and len(level_passes._memo) <= 2
