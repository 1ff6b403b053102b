"""What the hook remembers of kernels that it has verified."""

import gc
import threading
import warnings
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sparse_mma
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

import mosaic_verify as mv
from mosaic_verify.dialects import stablehlo_kernel
from mosaic_verify.jax_hook import kernel_records, level_passes, plgpu_level, policy, state
from mosaic_verify.jax_hook.levels import embedded
from mosaic_verify.jax_hook.lowering import entered
from mosaic_verify.jax_hook.suppression import _configured, configured_from
from mosaic_verify.passes.plgpu_verify_sparse_mma import PlgpuVerifySparseMma
from mosaic_verify.passes.stablehlo_verify_sparse_metadata import StablehloVerifySparseMetadata


def runs_of(kind, monkeypatch):
    """Grows with each run of a pass; nothing is remembered at the start."""
    level_passes.forget()
    found, original = [], kind.run

    def run(self, op, session):
        found.append(op)
        original(self, op, session)

    monkeypatch.setattr(kind, "run", run)
    return found


@pytest.fixture
def runs(monkeypatch):
    """Grows with each run of one of the passes that the hook runs on a Pallas kernel."""
    return runs_of(PlgpuVerifySparseMma, monkeypatch)


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


def test_remarks_that_nobody_hears_are_left_out_unless_a_configuration_makes_more_of_them(tmp_path):
    config = tmp_path / "pyproject.toml"
    for text, wanted in (("", set()), ("[tool.mosaic-verify.severity]\nMV308 = 'warning'\n", {"MV308"})):
        config.write_text(f"[tool.other]\n{text}")
        _configured.cache_clear()
        with warnings.catch_warnings(record=True) as caught, configured_from(str(tmp_path)):
            warnings.simplefilter("always")
            mv.install("report")
            try:
                lower(*sparse_mma.kernel("lane"))
            finally:
                mv.uninstall()
        assert {"MV308" for w in caught if "[MV308]" in str(w.message)} == wanted


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


def test_ways_of_lowering_a_kernel_are_bounded(imports, monkeypatch):
    monkeypatch.setattr(kernel_records, "_SIZE", 2)
    function, args = sparse_mma.kernel()
    for arch in ("sm_100a", "sm_103a", "sm_110a"):
        assert mv.check(function, *args, arch=arch).ok
    [record] = kernel_records._by_fingerprint.values()
    assert len(imports) == 3 and 0 < len(record.clean) <= 2 and 0 < len(record.facts) <= 2


def test_records_do_not_keep_what_a_kernel_captured(imports):
    class Captured:
        pass

    def with_captured(captured):
        def at_mma(ref):
            @plgpu.inline_mgpu()
            def nothing(_):
                assert captured

            nothing()
            return ref

        assert check(*sparse_mma.kernel(at_mma=at_mma)).ok
        return weakref.ref(captured)

    captured = with_captured(Captured())
    jax.clear_caches()
    assert len(imports) == 1
    imports.clear()
    gc.collect()
    assert captured() is None


def with_parameters(**changed):
    original = plgpu.CompilerParams
    plgpu.CompilerParams = lambda **given: original(**given, **changed)
    try:
        return sparse_mma.kernel()
    finally:
        plgpu.CompilerParams = original


def test_a_profiled_kernel_does_not_lend_its_facts_to_a_plain_one(imports, tmp_path):
    """It has an argument more, for the profile."""
    codes = []
    for parameters in ({"profile_space": 64, "profile_dir": str(tmp_path)}, {}):
        with mv.verifying("report") as session:
            try:
                lower(*with_parameters(**parameters))
            except ValueError:
                assert parameters  # JAX needs a device behind our look at the kernel
        codes.append({diagnostic.code for diagnostic in session.report.diagnostics})
    [record] = kernel_records._by_fingerprint.values()
    assert sorted(facts.arguments for facts in record.facts.values()) == [4, 5]
    assert len(imports) == 1 and codes[1] == {"MV308"}


def test_facts_are_read_in_each_mode(imports):
    """Rewrites of the mosaic_gpu level change a module behind its jaxpr."""
    for mode in ("report", "rewrite", "report"):
        with mv.verifying(mode):
            lower(*sparse_mma.kernel())
    [record] = kernel_records._by_fingerprint.values()
    assert len(imports) == 1 and len(record.facts) == 2


def refuse(mode, **options):
    """Lowers a kernel that is refused, inside of a lowering that goes on."""
    with mv.verifying(mode), entered("host", state.current()) as lowering:
        with pytest.raises(Exception, match=r"."), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lower(*sparse_mma.kernel(**options))
        return lowering


@pytest.mark.parametrize(("mode", "options"), [("report", {"k": 64}), ("enforce", {"n": 24})])
def test_nothing_of_a_refused_kernel_stays(imports, mode, options):
    lowering = refuse(mode, **options)
    assert len(imports) == 1
    assert lowering.kernel is None and "plgpu" not in lowering.verified


def programs(semantics):
    """Host programs around kernels of different widths, with right and wrong metadata."""
    right, args = sparse_mma.host(semantics=semantics)
    wrong, _ = sparse_mma.host(how=jnp.float8_e4m3fn, semantics=semantics)
    narrow, narrow_args = sparse_mma.host(jnp.float8_e4m3fn, jnp.float16, semantics=semantics)
    return {
        "right": (right, args),
        "wrong": (wrong, args),
        "two widths": (lambda ones, others: (right(*ones), narrow(*others)), (args, narrow_args)),
        "two widths, other order": (lambda ones, others: (narrow(*others), right(*ones)), (args, narrow_args)),
        "branches": (
            lambda which, ones: lax.cond(which, lambda: right(*ones), lambda: wrong(*ones)),
            (jax.ShapeDtypeStruct((), bool), args),
        ),
    }


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_the_host_is_judged_by_the_facts_of_its_own_kernels(monkeypatch, semantics):
    def found(function, args):
        with mv.verifying("report") as session:
            lower(function, args)
        return sorted((d.code, d.message) for d in session.report.diagnostics)

    inspected = []
    read_back = stablehlo_kernel.inspect
    monkeypatch.setattr(stablehlo_kernel, "inspect", lambda module: inspected.append(module) or read_back(module))
    kernels = programs(semantics)
    level_passes.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        handed_over = {label: found(*program) for label, program in kernels.items()}
        assert len(inspected) == 2  # the kernels of two widths
        assert {label: found(*program) for label, program in kernels.items()} == handed_over
        level_passes.forget()
        monkeypatch.setattr(embedded, "_remember", lambda *_: None)
        assert {label: found(*program) for label, program in kernels.items()} == handed_over
    assert {label: [code for code, _ in codes] for label, codes in handed_over.items()} == {
        label: [] if label == "right" else ["MV305"] for label in kernels
    }


def test_threads_share_the_records(imports, monkeypatch):
    monkeypatch.setattr(kernel_records, "_SIZE", 2)
    monkeypatch.setattr(level_passes, "_MEMO_SIZE", 2)
    kernels = [sparse_mma.kernel(**options) for options in ({}, {"n": 24}, {"k": 64}, {"semantics": "lane"})]
    cases = [(kernel, arch) for kernel in kernels for arch in ("sm_100a", "sm_103a")]

    def found(kernel, arch):
        report = mv.check(lambda *args: kernel[0](*args), *kernel[1], arch=arch)
        return sorted((d.code, d.message) for d in report.diagnostics), type(report.error)

    wanted, wrong = [found(*case) for case in cases], []

    def run(first):
        for number in range(first, first + 3):
            got = found(*cases[number % len(cases)])
            if got != wanted[number % len(cases)]:
                wrong.append((number, got))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        (plgpu_level, "record_of"),
        (plgpu_level, "describe"),
        (kernel_records, "fingerprint"),
        (kernel_records, "argument_widths"),
        (stablehlo_kernel, "serialised"),
        (embedded, "present"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_leaves_jax_alone(monkeypatch, module, name, seen):
    level_passes.forget()
    monkeypatch.setattr(policy, "_warned", set())
    wanted = lower(*sparse_mma.kernel())
    with mv.verifying("enforce"):
        if seen:
            lower(*sparse_mma.kernel())
            jax.clear_caches()
        planted = []

        def fail(*_):
            planted.append(name)
            raise RuntimeError("planted")

        with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", policy.HookWarning)
            patch.setattr(module, name, fail)
            text = lower(*sparse_mma.kernel())
    if jax.__version__ != "0.11.2":  # it numbers its kernels
        assert text == wanted
    assert len([w for w in warned if issubclass(w.category, policy.HookWarning)]) == (1 if planted else 0)
    assert planted or (seen and name == "argument_widths")
    assert not check(*sparse_mma.kernel(n=24)).ok


@pytest.fixture
def host_runs(monkeypatch):
    """Grows with each host program that is verified."""
    return runs_of(StablehloVerifySparseMetadata, monkeypatch)


def test_an_equal_program_around_a_kernel_is_verified_once(host_runs):
    kernel = sparse_mma.kernel()
    first, second = (check(*kernel) for _ in range(2))
    assert len(host_runs) == 1
    assert first.diagnostics == second.diagnostics and [d.code for d in first.diagnostics] == ["MV308"]


def test_another_program_around_an_equal_kernel_is_verified(host_runs):
    function, args = sparse_mma.kernel()

    def reshaped(a, b, pairs):
        return function(a, b, pairs.reshape(1, 1, 128, 64))

    rows = jax.ShapeDtypeStruct((128, 32, 2), args[2].dtype)
    codes = [{d.code for d in check(*each).diagnostics} for each in ((function, args), (reshaped, (*args[:2], rows)))]
    assert len(host_runs) == 2
    assert codes == [{"MV308"}, {"MV306"}]


def test_a_large_program_is_verified_each_time(host_runs):
    function, args = sparse_mma.kernel()
    table = np.arange(5000, dtype=np.int32)

    def with_table(*values):
        return function(*values), jax.numpy.asarray(table) + 1, jax.lax.fori_loop(0, 3, lambda _, x: x + 1, 0)

    for _ in range(2):
        assert check(with_table, args).ok
    assert len(host_runs) == 2
