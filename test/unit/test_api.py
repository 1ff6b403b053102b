"""The public functions."""

import pickle
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
import sparse_mma

import mosaic_verify as mv
from mosaic_verify.jax_hook import sessions, state

LINE = 1 + next(
    number
    for number, line in enumerate(Path(sparse_mma.__file__).read_text(encoding="utf-8").splitlines())
    if "plgpu.tcgen05_mma(" in line
)
LISTED = (
    "n not a multiple of 16",
    "K-major B with a 32-byte swizzle",
    "f32 operands",
    "f16 accumulator for bf16",
)


def errors(report):
    return {d.code for d in report.diagnostics if d.severity == "error"}


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", sparse_mma.CASES)
def test_check_reports_exactly_the_listed_codes(label, semantics):
    function, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
    report = mv.check(function, *args)
    assert errors(report) == sparse_mma.expected(label, semantics)
    for code in sparse_mma.CASES[label][2].split()[1:]:
        assert code in {d.code for d in report.diagnostics if d.severity == "warning"}
    for diagnostic in report.diagnostics:
        if diagnostic.severity != "remark":
            assert diagnostic.location.file == sparse_mma.__file__
    if label.startswith("valid"):
        assert report.ok and report.lowered is not None
    if semantics == "warpgroup" and label in LISTED:
        assert [d.location.line for d in report.diagnostics] == [LINE]
        assert report.diagnostics[0].rule


def test_check_never_raises_for_a_kernel_and_keeps_what_jax_raised():
    def broken(x):
        raise LookupError("a fault of the function")

    report = mv.check(broken, jnp.ones(3))
    assert isinstance(report.error, LookupError) and not report.ok
    assert report.diagnostics == [] and report.lowered is None
    assert not any("mosaic-verify" in note for note in getattr(report.error, "__notes__", ()))


def test_an_error_at_trace_time_is_mapped_at_the_users_line():
    from jax.experimental.pallas import mosaic_gpu as plgpu

    def program(x):
        return plgpu.format_tcgen05_sparse_metadata(x, jnp.float16)

    report = mv.check(program, jax.ShapeDtypeStruct((128, 64, 2), jnp.int32))
    assert report.error is not None and len(report.diagnostics) == 1
    found = report.diagnostics[0]
    assert found.code == "MV301" and found.severity == "error"
    assert found.location.file == __file__
    assert found.location.line == program.__code__.co_firstlineno + 1

    with pytest.raises(type(report.error)) as caught, mv.verifying("enforce") as session:
        jax.jit(program).trace(jax.ShapeDtypeStruct((128, 64, 2), jnp.int32))
    assert session.report.error is caught.value and [d.code for d in session.report.diagnostics] == ["MV301"]
    assert ["[MV301]" in note for note in caught.value.__notes__ if "mosaic-verify" in note] == [True]
    with pytest.raises(LookupError) as caught, mv.verifying("enforce") as session:
        raise LookupError("none of ours")
    assert session.report.ok and not hasattr(caught.value, "__notes__")


def test_an_assertion_without_a_text_names_the_scratch_ref_of_the_kernel():
    function, args = sparse_mma.kernel(k=96)
    body = 1 + next(
        number
        for number, line in enumerate(Path(sparse_mma.__file__).read_text(encoding="utf-8").splitlines())
        if "def body(" in line
    )
    (found,) = mv.check(function, *args).diagnostics
    assert (found.code, found.location.file, found.location.line) == ("MV630", sparse_mma.__file__, body)
    assert found.message == "the tiling (8, 32) of an SMEM ref does not divide its shape (128, 48)"
    assert found.notes[-1].message == "`a_smem`, scratch of `body`"


def test_check_asks_again_where_keys_of_jax_caches_cannot_be_compared():
    tree = jax.tree.structure((1,))
    as_jaxlib_has_it = type(tree).__eq__.__wrapped__  # the tests mend it, see `conformance.comparable_trees`
    asked = []

    def kernel(x, times):
        asked.append(times)
        if len(asked) <= times:
            as_jaxlib_has_it(tree, None)
        return x

    assert mv.check(lambda x: kernel(x, 1), jnp.zeros(4)).ok
    assert len(asked) == 2
    asked.clear()
    report = mv.check(lambda x: kernel(x, 9), jnp.zeros(4))
    assert not report.ok
    assert isinstance(report.error, TypeError)
    assert len(asked) == 2


def test_check_in_the_other_modes():
    function, args = sparse_mma.kernel(n=24)
    report = mv.check(function, *args, mode="enforce")
    assert errors(report) == {"MV111"} and report.error is None and report.lowered is None and not report.ok
    report = mv.check(function, *args, mode="enforce", ignore=("MV111",))
    assert errors(report) == set() and isinstance(report.error, NotImplementedError)
    function, args = sparse_mma.kernel()
    for mode in state.MODES:
        assert mv.check(function, *args, mode=mode).ok


def test_an_ignored_code_that_matched_nothing_is_a_remark():
    function, args = sparse_mma.kernel()
    report = mv.check(function, *args, ignore="MV207")
    assert [(d.code, d.severity) for d in report.diagnostics if d.code == "MV990"] == [("MV990", "remark")]
    assert report.ok


def test_check_takes_jitted_functions_arrays_and_pytrees():
    @jax.jit
    def named(tree, scale):
        return tree["a"] * scale

    report = mv.check(named, {"a": jnp.ones((2, 2))}, jax.ShapeDtypeStruct((), jnp.float32), platforms=("cpu",))
    assert report.ok and "module @jit_named" in report.lowered.as_text()
    assert "module @jit_plain" in mv.check(plain, jnp.ones(2)).lowered.as_text()


def plain(x):
    return x + 1


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda: mv.check(plain, 1.0, mode="strict"), ValueError),
        (lambda: mv.check(plain, 1.0, arch="sm_99"), ValueError),
        (lambda: mv.check(plain, 1.0, ignore=("MV99999",)), ValueError),
        (lambda: mv.check(3, 1.0), TypeError),
        (lambda: mv.run(3, "builtin.module()"), TypeError),
        (lambda: mv.install(mode="on"), ValueError),
        (lambda: mv.install(ignore="nope"), ValueError),
        (lambda: mv.verifying(mode="warn"), ValueError),
    ],
)
def test_bad_input_is_one_line(call, kind):
    with pytest.raises(kind) as caught:
        call()
    assert "\n" not in str(caught.value) and str(caught.value)
    assert state.installed() is None and not sessions._open


def test_double_install_and_uninstall_are_one_warning_each():
    mv.install("report")
    with pytest.warns(RuntimeWarning, match="installed already: nothing changes"):
        mv.install("report")
    with pytest.warns(RuntimeWarning, match="mode 'report' is replaced by 'enforce'") as caught:
        mv.install("enforce")
    assert caught[0].filename == __file__
    assert state.installed().mode == "enforce"
    mv.uninstall()
    with pytest.warns(RuntimeWarning, match="not installed"):
        mv.uninstall()
    assert state.installed() is None


def test_the_exception_names_place_rule_and_classes():
    function, args = sparse_mma.kernel(n=24)
    with mv.verifying("enforce"), pytest.raises(mv.KernelVerificationError) as caught:
        jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
    error = caught.value
    assert isinstance(error, NotImplementedError)
    assert str(error).startswith(f"{sparse_mma.__file__}:{LINE}:")
    assert "[MV111]" in str(error) and "plgpu.tcgen05_mma(" in str(error)
    assert [d.code for d in error.diagnostics] == ["MV111"]
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, NotImplementedError) and str(again) == str(error)


def test_jax_keeps_its_own_exception_with_our_report_as_a_note():
    function, args = sparse_mma.kernel(n=24)
    with warnings.catch_warnings(), pytest.raises(NotImplementedError) as caught:
        warnings.simplefilter("ignore")
        with mv.verifying("report") as session:
            jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
    assert not isinstance(caught.value, mv.KernelVerificationError)
    assert session.report.error is caught.value
    assert ["[MV111]" in note for note in caught.value.__notes__ if "mosaic-verify" in note] == [True]


def direct(n, twice=False):
    """The sparse MMA as users of Mosaic GPU without Pallas write it."""
    from jax._src.interpreters import mlir
    from jax.experimental.mosaic import gpu as mgpu
    from jax.experimental.mosaic.gpu import dialect, tcgen05
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import arith

    def body(ctx, a, b, meta, out, scratch):
        a_smem, b_smem, meta_smem, acc, meta_tmem = scratch
        if twice:
            meta_tmem = mgpu.memref_transpose(mgpu.memref_transpose(meta_tmem, (1, 0)), (1, 0))
        dialect.async_store_sparse_metadata_smem_to_tmem(meta_smem, meta_tmem)
        no = arith.constant(ir.IntegerType.get_signless(1), 0)
        b_smem = mgpu.memref_transpose(b_smem, (1, 0))
        dialect.tcgen05_mma(acc, a_smem, b_smem, accumulate=no, a_sparse_metadata=meta_tmem)

    shape = jax.ShapeDtypeStruct
    operands = (shape((128, 64), jnp.float16), shape((n, 128), jnp.float16), shape((1, 1, 128, 64), jnp.uint2))
    with mlir.make_ir_context(), ir.Location.unknown():
        dialect.register_dialect(ir.Context.current)
        layout = tcgen05.sparse_meta_layout()
        tmem = (mgpu.TMEM((128, n), jnp.float32), mgpu.TMEM((128, 64), jnp.uint2, layout=layout))
        mgpu.as_gpu_kernel(
            body,
            (1, 1, 1),
            (128, 1, 1),
            operands,
            shape((128, n), jnp.float32),
            (*operands, *tmem),
            thread_semantics=mgpu.LoweringSemantics.Warpgroup,
        )
    return body.__code__.co_firstlineno


def test_users_of_as_gpu_kernel_are_served(monkeypatch):
    ignore = ("MV7",)  # nobody waits for this MMA
    with mv.verifying("enforce", ignore=ignore) as session, pytest.raises(NotImplementedError) as caught:
        direct(24)
    assert isinstance(caught.value, mv.KernelVerificationError)
    assert errors(session.report) == {"MV111"} and session.report.diagnostics[0].location.file == __file__
    assert session.report.diagnostics[0].location.line == direct.__code__.co_firstlineno + 8
    with pytest.raises(AssertionError), mv.verifying("report", ignore=ignore) as session:
        direct(32, twice=True)
    assert errors(session.report) == {"MV202"} and isinstance(session.report.error, AssertionError)
    with mv.verifying("rewrite", ignore=ignore) as session:
        direct(32, twice=True)
    assert session.report.ok and {rewrite.kind for rewrite in session.report.rewrites} == {"exact"}


def test_a_refusal_outside_of_our_scope_is_left_alone():
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import mosaic_gpu as plgpu

    def body(x_ref, o_ref):
        o_ref[...] = jnp.sort(x_ref[...])

    function = pl.pallas_call(
        body, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), compiler_params=plgpu.CompilerParams()
    )
    said = []
    for mode in (None, *state.MODES):
        if mode is not None:
            mv.install(mode)
        try:
            with pytest.raises(Exception) as caught:
                jax.jit(function).trace(jax.ShapeDtypeStruct((128,), jnp.float32)).lower(lowering_platforms=("cuda",))
        finally:
            if mode is not None:
                mv.uninstall()
        said.append((type(caught.value), str(caught.value), getattr(caught.value, "__notes__", [])))
    assert all(each == said[0] for each in said)
    assert not isinstance(caught.value, mv.KernelVerificationError)


def test_32_kernels_in_8_threads():
    labels = list(sparse_mma.CASES)[:16]
    work = [(label, semantics) for label in labels for semantics in sparse_mma.SEMANTICS]
    assert len(work) == 32
    kernels = {item: sparse_mma.kernel(item[1], **sparse_mma.CASES[item[0]][0]) for item in work}
    barrier = threading.Barrier(8)

    def check(item):
        function, args = kernels[item]
        return errors(mv.check(function, *args))

    with ThreadPoolExecutor(8, initializer=barrier.wait) as pool:
        found = dict(zip(work, pool.map(check, work), strict=True))
    assert found == {item: sparse_mma.expected(*item) for item in work}
    assert jax.devices()[0].device_kind == "cpu" and not sessions._open


def test_installed_hook_in_threads():
    kernels = [sparse_mma.kernel(n=24 if number % 2 else 32) for number in range(8)]

    def lower(kernel):
        function, args = kernel
        try:
            jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
        except mv.KernelVerificationError as error:
            return [d.code for d in error.diagnostics]
        return []

    mv.install("enforce")
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lower, kernels)) == [[], ["MV111"]] * 4
    finally:
        mv.uninstall()


def test_annotations_reach_the_lowered_program():
    def program(x):
        with mv.annotate("block_sparse.attention_fwd", tile_m=128, pack_gqa=False, block_size=(128, 64)):
            return jnp.sin(x)

    text = mv.check(program, jnp.ones(2), platforms=("cpu",)).lowered.as_text()
    assert 'mosaic_verify.op = "block_sparse.attention_fwd"' in text
    assert 'mosaic_verify.tile_m = "128"' in text
    assert 'mosaic_verify.pack_gqa = "false"' in text
    assert 'mosaic_verify.block_size = "128,64"' in text


def test_run_reports_and_returns_the_module():
    report = mv.run("func.func @f() { return }", "builtin.module(canonicalize)")
    assert report.ok and "func.func @f" in report.module
    broken = mv.run("func.func @f( {", "builtin.module(canonicalize)")
    assert not broken.ok and broken.module is None and broken.diagnostics[0].location.line == 1
    with pytest.raises(ValueError):
        mv.run("module {}", "builtin.module(no-such-pass)")


def test_run_leaves_a_module_of_the_bindings_alone():
    function, args = sparse_mma.kernel()
    module = mv.check(function, *args).lowered.compiler_ir()
    before = str(module)
    assert mv.run(module, "builtin.module(strip-debuginfo,canonicalize)").module
    assert str(module) == before


def test_explain_and_rules():
    assert "MV111" in mv.explain("MV111") and mv.explain("sparse-n") == mv.explain("MV111")
    assert mv.explain("N must be a multiple of 16 for sparse MMA, but got N=24") == mv.explain("MV111")
    with pytest.raises(KeyError):
        mv.explain("xyzzy")
    assert "MV111" in {rule.code for rule in mv.all_rules()}


def test_importing_the_package_imports_no_jax():
    code = (
        "import sys, mosaic_verify as mv; mv.all_rules(); mv.KernelVerificationError; "
        "sys.exit('jax' in sys.modules or 'jaxlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
