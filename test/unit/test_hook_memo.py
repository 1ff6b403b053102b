"""What the hook remembers of kernels that it has verified."""

import gc
import warnings

import jax
import pytest
import sparse_mma
from jax.experimental.pallas import mosaic_gpu as plgpu

import mosaic_verify as mv
from mosaic_verify.dialects import stablehlo_kernel
from mosaic_verify.jax_hook import kernel_records, level_passes, plgpu_level, policy
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


@pytest.fixture
def imports(monkeypatch):
    """Grows with each kernel that is imported."""
    level_passes.forget()
    found, original = [], plgpu_level._import

    def count(*arguments):
        found.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(plgpu_level, "_import", count)
    return found


def lower(function, args):
    return jax.jit(lambda *values: function(*values)).trace(*args).lower(lowering_platforms=("cuda",)).as_text()


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_a_clean_kernel_is_imported_once(imports, semantics):
    with mv.verifying("enforce") as session:
        texts = {lower(*sparse_mma.kernel(semantics)) for _ in range(2)}
        jax.clear_caches()
        texts.add(lower(*sparse_mma.kernel(semantics)))
    assert len(imports) == 1
    assert {d.code for d in session.report.diagnostics} == {"MV308"}  # of the host level, for each lowering
    if jax.__version__ != "0.11.2":  # it numbers its kernels
        assert len(texts) == 1


def test_a_kernel_with_findings_is_imported_again(imports):
    for _ in range(2):
        assert not check(*sparse_mma.kernel(n=24)).ok
    assert len(imports) == 2


@pytest.mark.parametrize(
    "changed",
    [
        {"semantics": "lane"},
        {"n": 64},
        {"dtype": jax.numpy.bfloat16},
        {"meta_layout": plgpu.TMEMLayout.SCALES_LAYOUT},  # `==` of JAX's refs does not compare layouts
    ],
    ids=str,
)
def test_another_kernel_is_another_record(imports, changed):
    for options in ({}, changed):
        check(*sparse_mma.kernel(**options))
    assert len(imports) == 2


def test_another_architecture_or_pass_is_looked_at(imports, monkeypatch):
    kernel = sparse_mma.kernel()
    check(*kernel)
    mv.check(kernel[0], *kernel[1], arch="sm_103a")
    monkeypatch.setattr(level_passes, "passes", lambda prefixes, read_only: (PlgpuVerifySparseMma,))
    mv.check(kernel[0], *kernel[1], arch="sm_103a")
    assert len(imports) == 3


def test_a_refused_kernel_does_not_lend_its_facts_to_the_next(monkeypatch):
    """JAX refuses a kernel behind our look at it; the next one in the same lowering is read by itself."""
    level_passes.forget()
    read = []
    monkeypatch.setattr(
        stablehlo_kernel,
        "inspect",
        lambda module, original=stablehlo_kernel.inspect: read.append(module) or original(module),
    )
    with mv.verifying("report") as session:
        for options in ({"k": 64}, {}):
            try:
                lower(*sparse_mma.kernel(**options))
            except Exception as error:
                assert options, error
    assert len(read) == 1 and any(d.code == "MV308" for d in session.report.diagnostics)


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", [label for label in sparse_mma.CASES if label.startswith("valid")])
def test_facts_before_and_behind_serialisation_are_the_same(monkeypatch, semantics, label):
    level_passes.forget()
    before, original = [], stablehlo_kernel.inspect

    def inspect(module):
        before.append(original(module))
        return before[-1]

    monkeypatch.setattr(stablehlo_kernel, "inspect", inspect)
    function, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
    with mv.verifying("report"):
        lowered = jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
    calls = []
    lowered.compiler_ir().operation.walk(
        lambda op: calls.append(op) or 1 if op.name == stablehlo_kernel.CUSTOM_CALL else 1
    )
    behind = [original(stablehlo_kernel.read_kernel(stablehlo_kernel.kernel_bytes(call))) for call in calls]
    assert len(before) == 1 and before == behind


def test_records_live_as_long_as_their_jaxprs(imports):
    lower_and_check = check(*sparse_mma.kernel())
    assert lower_and_check.ok and len(kernel_records._by_jaxpr) == 1
    del lower_and_check
    jax.clear_caches()
    imports.clear()
    gc.collect()
    assert not kernel_records._by_jaxpr


def test_records_are_bounded(imports, monkeypatch):
    monkeypatch.setattr(kernel_records, "_SIZE", 2)
    for n in (48, 64, 128):
        assert check(*sparse_mma.kernel(n=n)).ok
    assert len(kernel_records._by_fingerprint) <= 2
