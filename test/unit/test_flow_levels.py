"""Both levels say the same about a kernel, and nothing is said twice."""

import flow_kernels
import pytest
import structures
from jaxlib.mlir import ir

import mosaic_verify as mv
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.dialects.mosaic_gpu_flow import program_of
from mosaic_verify.ir.passes import Session
from mosaic_verify.jax_hook.levels import mosaic_gpu as level
from mosaic_verify.model.flow import analyse
from mosaic_verify.passes._mosaic_gpu import views_of
from mosaic_verify.rules.metadata_flow import flow_findings

# The device module knows neither arrays nor unsigned elements.
ONLY_PLGPU = ("MV709", "MV713")


def in_cluster(label):
    """The barriers of a cluster are inline assembly in the device module."""
    return "CTAs" in label or flow_kernels.KERNELS[label][0] == "MV710"


@pytest.fixture
def device_answers(monkeypatch):
    """Answers of the event model about each mosaic_gpu module that is built, with their programs."""
    found = []

    def look(lowering):
        root = ir.InsertionPoint.current.block.owner
        while root.parent is not None:
            root = root.parent
        for view in views_of(root.operation, Session(Engine())):
            program = program_of(view)
            found.append((program, analyse(program)))

    monkeypatch.setattr(level, "_at_construction", look)
    return found


@pytest.mark.parametrize("label", flow_kernels.KERNELS)
def test_mistake_is_found_in_the_device_module(label, device_answers):
    code, make = flow_kernels.KERNELS[label]
    fn, args = make("warpgroup", True)
    report = mv.check(fn, *args, mode="report")
    assert len([d for d in report.diagnostics if d.severity != "remark"]) == 1
    [(program, answer)] = device_answers
    codes = {finding.code for finding in flow_findings(program, answer)}
    assert codes == (set() if code in ONLY_PLGPU or in_cluster(label) else {code})


@pytest.mark.parametrize("label", flow_kernels.KERNELS)
def test_twin_is_proved_in_the_device_module(label, device_answers):
    fn, args = flow_kernels.KERNELS[label][1]("warpgroup", False)
    assert mv.check(fn, *args, mode="report").ok
    [(_, answer)] = device_answers
    assert answer.violations == ()
    assert (answer.undecided == ()) != in_cluster(label)


@pytest.mark.parametrize("label", structures.KERNELS)
def test_structures_give_nothing_in_the_device_module(label, device_answers):
    fn, args = structures.KERNELS[label]("warpgroup")
    assert mv.check(fn, *args, mode="report").ok
    [(_, answer)] = device_answers
    assert answer.violations == ()
