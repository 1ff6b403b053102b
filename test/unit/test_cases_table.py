"""The table of `test/kernels/sparse_mma.py`: each kernel gives exactly the listed codes, at the right line."""

import inspect

import pytest
import sparse_mma
import structures
import variants

import mosaic_verify as mv
from mosaic_verify.passes import pass_names

ENTRIES = [(label, semantics) for label in sparse_mma.CASES for semantics in sparse_mma.SEMANTICS]
_COPY = ("MV13", "MV103")  # refused at the metadata copy; memory (MV60) is refused for the kernel as a whole


@pytest.fixture(scope="module")
def lines():
    """Lines of `sparse_mma.py` with the MMA, the metadata copy, and the head of the kernel function."""
    source, first = inspect.getsourcelines(sparse_mma.kernel)
    found = {}
    for number, line in enumerate(source, first):
        for name in ("plgpu.tcgen05_mma(", "plgpu.async_copy_sparse_metadata_to_tmem(", "def body("):
            if name in line:
                found[name] = number
    return found


def check(label, semantics, mode):
    fn, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
    return mv.check(fn, *args, mode=mode)


@pytest.mark.parametrize(("label", "semantics"), ENTRIES)
def test_codes(label, semantics, lines):
    report = check(label, semantics, "report")
    errors = [d for d in report.diagnostics if d.severity == "error"]
    assert {d.code for d in errors} == sparse_mma.expected(label, semantics)
    # One cause, one error: no code twice, from whichever level.
    assert len(errors) == len({d.code for d in errors}), [d.text for d in errors]
    for diagnostic in errors:
        assert diagnostic.location.file == sparse_mma.__file__
        wanted = "plgpu.tcgen05_mma("
        if diagnostic.code.startswith(_COPY):
            wanted = "plgpu.async_copy_sparse_metadata_to_tmem("
        elif diagnostic.code.startswith("MV60"):
            wanted = "def body("
        assert diagnostic.location.line == lines[wanted], diagnostic.text
    assert report.ok == (not errors and report.error is None)
    assert (report.error is None) == (not errors), "JAX and we must agree on whether the kernel lowers"


@pytest.mark.parametrize(
    ("label", "semantics"), [entry for entry in ENTRIES if "warns" in sparse_mma.CASES[entry[0]][2]]
)
def test_warnings(label, semantics):
    report = check(label, semantics, "report")
    [code] = sparse_mma.CASES[label][2].split()[1:]
    assert code in {d.code for d in report.diagnostics if d.severity == "warning"}


@pytest.mark.parametrize(("label", "semantics"), [e for e in ENTRIES if sparse_mma.CASES[e[0]][1] == set()])
def test_valid_kernels_give_no_error_and_no_warning(label, semantics):
    report = check(label, semantics, "report")
    said = [d.text for d in report.diagnostics if d.severity != "remark"]
    warns = sparse_mma.CASES[label][2].startswith("warns")
    assert (len(said) == 1) if warns else said == []


@pytest.mark.skipif("plgpu-fold-transforms" not in pass_names(), reason="nothing folds transforms")
@pytest.mark.parametrize(
    ("label", "semantics"), [entry for entry in ENTRIES if sparse_mma.CASES[entry[0]][2] == "compiles"]
)
def test_rewriting_makes_it_compile(label, semantics):
    for mode in ("rewrite", "rewrite-exact"):
        report = check(label, semantics, mode)
        assert report.ok and report.lowered is not None, [d.text for d in report.diagnostics]
        if sparse_mma.expected(label, semantics):
            assert report.rewrites and all(rewrite.kind == "exact" for rewrite in report.rewrites)


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", variants.VARIANTS)
def test_variants(label, semantics):
    options, arch, codes = variants.VARIANTS[label]
    fn, args = variants.kernel(semantics, **options)
    report = mv.check(fn, *args, mode="report", arch=arch)
    assert {d.code for d in report.diagnostics if d.severity == "error"} == codes[semantics]
    refused = bool(codes[semantics]) and codes[semantics] != {"MV604"}  # JAX takes mixed collectives in Lane semantics
    assert (report.error is not None) >= refused
    assert bool(codes[semantics]) or report.error is None


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", structures.KERNELS)
def test_structures(label, semantics):
    fn, args = structures.KERNELS[label](semantics)
    report = mv.check(fn, *args, mode="report")
    assert [d.text for d in report.diagnostics if d.severity != "remark"] == []
    assert report.error is None


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
@pytest.mark.parametrize("label", ["metadata transposed", "n=512", "k=192"])
def test_enforcing_raises_our_finding(label, semantics):
    report = check(label, semantics, "enforce")
    assert not report.ok
    assert {d.code for d in report.diagnostics if d.severity == "error"} == sparse_mma.expected(label, semantics)
