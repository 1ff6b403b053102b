"""The virtual device: what a kernel asks its GPU for, and that nobody else hears the answer."""

import sys
import threading
import types

import jax
import ops_gpu
import pytest

import mosaic_verify as mv
from mosaic_verify.jax_hook import needed_arch, virtual_device
from mosaic_verify.model.architectures import architecture_names, find_architecture

NAMES = tuple(virtual_device._ANSWERS)


def device():
    return jax.devices()[0]


def seen():
    return {name: getattr(device(), name, "absent") for name in NAMES}


def cuda_versions():
    from jax._src import lib

    return lib.cuda_versions


def test_every_architecture_answers_as_its_table_says():
    for name in architecture_names():
        arch = find_architecture(name)
        with virtual_device.virtual_device(arch):
            assert device().core_count == arch.sm_count
            assert device().compute_capability == arch.compute_capability
            assert device().device_kind == arch.device_kind
            assert device().shared_memory_per_block_optin == arch.shared_memory
            assert jax.local_devices()[0].core_count == arch.sm_count
    assert find_architecture("sm_100a").compute_capability == "10.0"
    assert find_architecture("sm_90").sm_count == 132


@pytest.mark.parametrize("name", ["sm_99", "sm_80a", "sm_90f", "sm100", "100", "", "SM_100a", "sm_100b", None, 100])
def test_an_unknown_architecture_is_one_line_with_the_list(name):
    with pytest.raises(ValueError) as caught:
        find_architecture(name)
    text = str(caught.value)
    assert "\n" not in text and repr(name) in text and "sm_100a" in text and "sm_90" in text


def test_nothing_is_seen_outside():
    plain = seen()
    assert plain["core_count"] == "absent" and plain["device_kind"] == "cpu"
    before = dict(vars(type(device())))
    with virtual_device.virtual_device(find_architecture("sm_100a")):
        assert seen()["core_count"] == 148
        with virtual_device.virtual_device(find_architecture("sm_90a")):
            assert seen()["core_count"] == 132
        assert seen()["core_count"] == 148
        with pytest.raises(AttributeError):
            device().core_count = 1
    assert seen() == plain and dict(vars(type(device()))) == before


def test_other_threads_do_not_see_it():
    found = {}
    inside, done = threading.Event(), threading.Event()

    def elsewhere():
        inside.wait(10)
        found.update(seen(), cuda=cuda_versions())
        try:
            found["version"] = cuda_versions().cuda_runtime_get_version()
        except AttributeError as error:
            found["version"] = str(error)
        done.set()

    plain = seen()
    thread = threading.Thread(target=elsewhere)
    thread.start()
    with virtual_device.virtual_device(find_architecture("sm_100a")):
        inside.set()
        assert done.wait(10)
        assert cuda_versions().cuda_runtime_get_version() == virtual_device.CUDA_VERSION
    thread.join()
    assert {name: found[name] for name in NAMES} == plain
    assert found["version"] == "'NoneType' object has no attribute 'cuda_runtime_get_version'"
    assert cuda_versions() is None


def test_modules_imported_meanwhile_lose_the_stand_in():
    late = types.ModuleType("test_late_import_of_cuda_versions")
    with virtual_device.virtual_device(find_architecture("sm_100a")):
        late.cuda_versions = cuda_versions()
        sys.modules[late.__name__] = late
        assert late.cuda_versions is not None
    del sys.modules[late.__name__]
    assert late.cuda_versions is None


def test_each_check_sees_its_own_device_also_through_an_inner_jit():
    @jax.jit
    def inner(x):
        return x * getattr(device(), "core_count", 1)

    def outer(x):
        return inner(x) + 1

    shape = jax.ShapeDtypeStruct((4,), "float32")

    def factor(lowered):
        return [line for line in lowered.as_text().splitlines() if "stablehlo.constant" in line]

    jitted = jax.jit(outer)
    plain = factor(jitted.lower(shape))
    hopper = factor(mv.check(outer, shape, arch="sm_90a").lowered)
    blackwell = factor(mv.check(outer, shape, arch="sm_100a").lowered)
    assert any("1.320000e+02" in line for line in hopper)
    assert any("1.480000e+02" in line for line in blackwell)
    assert factor(jitted.lower(shape)) == plain
    assert factor(jax.jit(lambda x: inner(x) + 1).lower(shape)) == plain
    assert not any("e+02" in line for line in plain)
    assert float(inner(jax.numpy.ones(()))) == 1.0


@pytest.mark.parametrize("label, function, shapes", ops_gpu.kernels(), ids=lambda value: str(value)[:40])
def test_kernels_of_jax_lower_without_a_gpu_and_without_a_finding(label, function, shapes):
    report = mv.check(function, *shapes)
    assert report.error is None and report.lowered is not None and report.ok
    assert report.diagnostics == []
    assert "mosaic_gpu" in report.lowered.as_text()


def test_the_architecture_is_what_the_kernel_was_written_for():
    asked = {}
    for label, function, shapes in ops_gpu.kernels():
        if label in ("hopper matmul", "blackwell matmul"):

            def spy(*args, label=label, function=function):
                asked.setdefault(label, []).append(device().compute_capability)
                return function(*args)

            assert mv.check(spy, *shapes).ok
    assert asked["hopper matmul"][-1] == "9.0" and asked["blackwell matmul"] == ["10.0"]
    assert needed_arch.needed_arch(jax.make_jaxpr(lambda x: x)(1.0)) == "sm_100a"
