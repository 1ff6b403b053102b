"""Real kernels: each mistake is found at its place, in both semantics, and its correct twin is clean."""

import inspect

import flow_kernels
import flow_valid_kernels
import ops_gpu
import pytest
import sparse_mma
import structures
import variants
from plgpu_kernels import module_of

import mosaic_verify as mv
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.dialects.plgpu_flow import program_of
from mosaic_verify.dialects.plgpu_view import OPS, kernel_views
from mosaic_verify.ir.passes import Session
from mosaic_verify.model.flow import analyse

SEMANTICS = pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
WARNINGS = ("MV709", "MV713")


def said(report):
    return [d for d in report.diagnostics if d.severity != "remark"]


def check(kernel, mode="report"):
    fn, args = kernel
    return mv.check(fn, *args, mode=mode)


@SEMANTICS
@pytest.mark.parametrize("label", flow_kernels.KERNELS)
def test_mistake(label, semantics):
    code, make = flow_kernels.KERNELS[label]
    report = check(make(semantics, True))
    assert report.error is None, "JAX lowers it without a word"
    [found] = said(report)
    assert found.code == code
    assert found.severity == ("warning" if code in WARNINGS else "error")
    assert found.location.file == flow_kernels.__file__
    assert all(note.location.file == flow_kernels.__file__ for note in found.notes)
    assert found.fixes


@SEMANTICS
@pytest.mark.parametrize("label", flow_kernels.KERNELS)
def test_twin_is_clean_and_proved(label, semantics):
    kernel = flow_kernels.KERNELS[label][1](semantics, False)
    report = check(kernel)
    assert report.error is None
    assert [d.text for d in said(report)] == []
    answer = answer_of(kernel)
    assert answer.undecided == () and answer.violations == ()
    assert any(place.startswith("mmas") for place in answer.proved)


def answer_of(kernel):
    _, imported = module_of(*[kernel[0], *kernel[1]])
    root = imported.module.operation
    [view] = kernel_views(root, Session(Engine()).ops(root, OPS))
    program = program_of(view)
    assert program is not None
    return analyse(program)


@pytest.mark.parametrize(("label", "wanted"), [("too few arrivals", 3), ("too many arrivals", 3)])
def test_number_of_arrivals_that_would_be_right(label, wanted):
    [found] = said(check(flow_kernels.KERNELS[label][1]("warpgroup", True)))
    assert f"`num_arrivals={wanted}`" in found.fixes[0]


def test_a_missing_load_explains_the_wait():
    [found] = said(check(flow_kernels.KERNELS["never loaded, but counted"][1]("warpgroup", True)))
    assert [note.message for note in found.notes][:1] == ["this wait never ends: no more loads arrive at its barrier"]


def line_of(text):
    source, first = inspect.getsourcelines(sparse_mma.kernel)
    return next(number for number, line in enumerate(source, first) if text in line)


@SEMANTICS
@pytest.mark.parametrize(
    ("options", "code"), [({"copy": False}, "MV701"), ({"copy_first": False}, "MV702")], ids=["no copy", "copied after"]
)
def test_shared_cases(options, code, semantics):
    report = check(sparse_mma.kernel(semantics, **options))
    [found] = said(report)
    assert (found.code, found.location.line) == (code, line_of("plgpu.tcgen05_mma("))
    if code == "MV702":
        assert line_of("plgpu.async_copy_sparse_metadata_to_tmem(") in [note.location.line for note in found.notes]
    assert not check(sparse_mma.kernel(semantics, **options), "enforce").ok


@SEMANTICS
@pytest.mark.parametrize("label", structures.KERNELS)
def test_structures_are_proved(label, semantics):
    answer = answer_of(structures.KERNELS[label](semantics))
    assert answer.violations == () and answer.undecided == ()


def clean_answer(kernel):
    """The answer about a kernel in which nothing is found."""
    report = check(kernel)
    assert report.error is None
    assert [d.text for d in said(report)] == []
    answer = answer_of(kernel)
    assert answer.violations == ()
    return answer


@SEMANTICS
@pytest.mark.parametrize("label", flow_valid_kernels.KERNELS)
def test_well_known_structures_are_clean_and_proved(label, semantics):
    assert clean_answer(flow_valid_kernels.KERNELS[label](semantics)).undecided == ()


@SEMANTICS
@pytest.mark.parametrize("label", flow_valid_kernels.UNDECIDED)
def test_what_is_not_understood_is_clean(label, semantics):
    assert clean_answer(flow_valid_kernels.UNDECIDED[label](semantics)).undecided


@SEMANTICS
@pytest.mark.parametrize("label", variants.VARIANTS)
def test_variants_give_no_flow_finding(label, semantics):
    options, arch, _ = variants.VARIANTS[label]
    fn, args = variants.kernel(semantics, **options)
    report = mv.check(fn, *args, mode="report", arch=arch)
    found = {d.code for d in said(report) if d.code.startswith("MV7")}
    assert found == ({"MV713"} if label == "uint8" else set())


@SEMANTICS
@pytest.mark.parametrize("label", sparse_mma.CASES)
def test_other_causes_silence_the_flow(label, semantics):
    report = check(sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0]))
    assert [d.text for d in said(report) if d.code.startswith("MV7")] == []


@pytest.mark.parametrize("entry", ops_gpu.kernels(), ids=lambda entry: entry[0])
def test_kernels_of_jax_are_clean(entry):
    _, function, shapes = entry
    report = mv.check(function, *shapes, mode="report")
    assert report.error is None
    assert [d.text for d in said(report)] == []
