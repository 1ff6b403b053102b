"""Where a kernel stands, and what stands around its MMA, changes nothing: same text, code and line, in each mode."""

import contextlib
import threading
import warnings

import jax
import pytest
import sparse_mma
import surroundings
from jax import export

import mosaic_verify as mv
from mosaic_verify.jax_hook.policy import HookWarning

PLACES = [
    (f"{group}: {label}", make)
    for group, places in (("inside", surroundings.INSIDE), ("around", surroundings.AROUND))
    for label, make in places.items()
]
IDS = [label for label, _ in PLACES]
# Every second place in each semantics: they do not depend on each other.
ALTERNATING = [(label, make, list(sparse_mma.SEMANTICS)[number % 2]) for number, (label, make) in enumerate(PLACES)]


def straight(ref):
    return ref


def transposed(ref):
    return ref.transpose((1, 0))


twice = sparse_mma.twice((1, 0))


@contextlib.contextmanager
def flags(**wanted):
    old = {name: getattr(jax.config, name) for name in wanted}
    try:
        for name, value in wanted.items():
            jax.config.update(name, value)
        yield
    finally:
        for name, value in old.items():
            jax.config.update(name, value)


def outcomes(fn, args, modes):
    """Per mode (None: without us) the lowered text or what was raised, and the report."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", HookWarning)
        for mode in modes:
            jax.clear_caches()
            with mv.verifying(mode) if mode else contextlib.nullcontext() as session:
                try:  # one line for all modes: it is part of the text
                    text = jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",)).as_text(debug_info=True)
                except Exception as error:
                    text = error
            found.append((text, session.report if session is not None else None))
    return found


def codes(report):
    return [d.code for d in report.diagnostics if d.severity != "remark"]


def line_of_mma():
    with open(surroundings.__file__, encoding="utf-8") as source:
        [number] = [n for n, line in enumerate(source, 1) if line.startswith("    plgpu.tcgen05_mma(")]
    return number


def check(make, semantics, kinds=("valid", "refused", "folded")):
    if "valid" in kinds:
        (off, _), (on, report) = outcomes(*make(semantics, straight), (None, "rewrite"))
        assert isinstance(off, str) and on == off
        assert codes(report) == [] and report.rewrites == []
    if "refused" in kinds:
        (off, _), (on, report), (enforced, _) = outcomes(*make(semantics, transposed), (None, "report", "enforce"))
        assert type(on) is type(off) and str(on) == str(off) and isinstance(off, Exception)
        assert set(codes(report)) == {"MV202"}
        assert {d.location.line for d in report.diagnostics if d.code == "MV202"} == {line_of_mma()}
        assert isinstance(enforced, mv.KernelVerificationError)
    if "folded" in kinds:
        [(text, report)] = outcomes(*make(semantics, twice), ("rewrite",))
        assert isinstance(text, str) and codes(report) == [] and report.rewrites


@pytest.mark.parametrize(("label", "make", "semantics"), ALTERNATING, ids=IDS)
def test_places(label, make, semantics):
    check(make, semantics)


def test_columns_count_from_one_without_a_file_too():
    """JAX counts columns of Python from 0, whatever the file is called."""
    columns = set()
    for place in ("without a file", "functools.partial"):
        [(_, report)] = outcomes(*surroundings.AROUND[place]("lane", transposed), ("report",))
        columns.add(report.diagnostics[0].location.column)
    assert columns == {5}


@pytest.mark.parametrize("label", surroundings.NOT_LOWERED)
def test_refusals_of_jax_stay_its_own(label):
    fn, args = surroundings.NOT_LOWERED[label]("lane", straight)
    (off, _), (on, _) = outcomes(fn, args, (None, "rewrite"))
    assert type(on) is type(off) and str(on) == str(off)
    [(folded, _)] = outcomes(*surroundings.NOT_LOWERED[label]("lane", twice), ("rewrite",))
    assert type(folded) is type(off)
    assert isinstance(off, str) or str(folded) == str(off)


@pytest.mark.parametrize(
    "wanted",
    [
        dict(jax_debug_nans=True),
        dict(jax_enable_checks=True),
        dict(jax_enable_x64=True),
        dict(jax_disable_jit=True),
        dict(jax_traceback_filtering="off"),
        dict(jax_numpy_dtype_promotion="strict"),
        dict(jax_include_full_tracebacks_in_locations=False),
    ],
    ids=lambda wanted: "".join(wanted),
)
def test_configurations(wanted):
    with flags(**wanted):
        check(surroundings.INSIDE["loop"], "lane", ("valid", "refused"))


@pytest.mark.skipif(jax.__version_info__ < (0, 11), reason="a message of JAX 0.11 and later")
@pytest.mark.parametrize(("start", "code"), [(lambda i: i, "MV232"), (lambda i: i * 128, None)])
def test_start_of_a_copy(start, code):
    """Layout inference asks for starts that are visibly multiples of a tile, and names the dimension only."""
    fn, args = surroundings.sliced_load("warpgroup", start)
    report = mv.check(fn, *args)
    assert [d.code for d in report.diagnostics if d.severity == "error"] == ([code] if code else [])
    if code:
        assert report.diagnostics[0].location.file == surroundings.__file__


def test_threads_with_different_modes():
    """Each session hears of its own kernels only, and each thread gets what its mode says."""
    wrong = []

    def work(at_mma, mode):
        fn, args = surroundings.INSIDE["pl.when"]("lane", at_mma)
        for _ in range(2):
            with mv.verifying(mode) if mode else contextlib.nullcontext() as session:
                try:
                    text = jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",)).as_text()
                except Exception as error:
                    text = error
            lowers = at_mma is straight or (at_mma is twice and mode == "rewrite")
            blocks = not lowers and mode in ("enforce", "rewrite")
            as_expected = isinstance(text, str) == lowers
            as_expected &= isinstance(text, mv.KernelVerificationError) == blocks
            if session is not None:
                as_expected &= codes(session.report) == ([] if lowers else ["MV202"])
            if not as_expected:
                wrong.append((at_mma, mode, text))

    work(straight, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [
            threading.Thread(target=work, args=(at_mma, mode))
            for at_mma in (straight, transposed, twice)
            for mode in (None, "report", "enforce", "rewrite")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@pytest.mark.filterwarnings("ignore")
def test_export():
    trusted = [export.DisabledSafetyCheck.custom_call(name) for name in ("mosaic_gpu", "mosaic_gpu_v2")]

    def exported(at_mma, modes):
        fn, args = surroundings.AROUND["functools.partial"]("warpgroup", at_mma)
        found = []
        for mode in modes:
            jax.clear_caches()
            with mv.verifying(mode) if mode else contextlib.nullcontext() as session:
                program = export.export(jax.jit(fn), platforms=["cuda"], disabled_checks=trusted)(*args)
                found.append(program.mlir_module_serialized)
        return found, session.report

    (off, on), report = exported(straight, (None, "rewrite"))
    assert on == off and codes(report) == []
    _, report = exported(twice, ("rewrite",))
    assert codes(report) == [] and report.rewrites
    with pytest.raises(mv.KernelVerificationError):
        exported(transposed, ("enforce",))
