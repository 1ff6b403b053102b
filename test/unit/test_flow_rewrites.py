"""The rewrites of the metadata's dataflow, on real kernels."""

import flow_kernels
import pytest
import sparse_mma
import variants

import mosaic_verify as mv
from mosaic_verify.dialects.stablehlo_kernel import CUSTOM_CALL, kernel_bytes, read_kernel
from mosaic_verify.ir.passes import collect

SEMANTICS = pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)


def check(kernel, mode):
    fn, args = kernel
    return mv.check(fn, *args, mode=mode)


def device_text(report):
    """The lowered kernel without source locations."""
    host = report.lowered.compiler_ir("stablehlo").operation
    [call] = collect(host, [CUSTOM_CALL])[CUSTOM_CALL]
    return read_kernel(kernel_bytes(call)).get_asm(use_local_scope=True)


def errors(report):
    return [d.code for d in report.diagnostics if d.severity == "error"]


@SEMANTICS
def test_commit_smem(semantics):
    make = flow_kernels.KERNELS["registers"][1]
    report = check(make(semantics, True), "rewrite")
    assert report.ok and errors(report) == []
    [rewrite] = report.rewrites
    assert (rewrite.kind, rewrite.pass_name, rewrite.code) == ("repairing", "plgpu-insert-commit-smem", "MV705")
    assert [d.code for d in report.diagnostics if d.severity == "warning"] == ["MV705"]
    # The same kernel as if the call had been written.
    assert device_text(report) == device_text(check(make(semantics, False), "report"))


@SEMANTICS
def test_commit_smem_is_no_exact_rewrite(semantics):
    report = check(flow_kernels.KERNELS["registers"][1](semantics, True), "rewrite-exact")
    assert report.rewrites == [] and errors(report) == ["MV705"]


@SEMANTICS
def test_a_committed_kernel_is_left_alone(semantics):
    report = check(flow_kernels.KERNELS["registers"][1](semantics, False), "rewrite")
    assert report.ok and report.rewrites == []


@SEMANTICS
def test_collective_copy(semantics):
    options = dict(collective=True, n=64)
    report = check(variants.kernel(semantics, **options, collective_copy=False), "rewrite")
    assert report.ok and errors(report) == []
    [rewrite] = report.rewrites
    assert (rewrite.kind, rewrite.pass_name, rewrite.code) == ("repairing", "plgpu-complete-collective", "MV604")
    assert device_text(report) == device_text(check(variants.kernel(semantics, **options), "report"))


@SEMANTICS
def test_no_collective_copy_without_a_cluster_barrier(semantics):
    report = check(flow_kernels.peer(semantics, True, collective_copy=False), "rewrite")
    assert report.rewrites == [] and "MV604" in errors(report)
