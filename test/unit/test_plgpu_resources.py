"""Memory of a kernel as we add it up, against Pallas' own estimate."""

import ops_gpu
import pytest
import sparse_mma
import structures
import variants
from jax._src.pallas.mosaic_gpu import lowering
from plgpu_kernels import arguments_of

import mosaic_verify as mv
from mosaic_verify.dialects.plgpu import kernels
from mosaic_verify.dialects.plgpu_resources import RESOURCE_OPS, resources_of
from mosaic_verify.ir.passes import collect
from mosaic_verify.jax_hook.plgpu_level import import_kernel
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture


def estimate(arguments):
    """(bytes of SMEM, columns of TMEM) that Pallas asks for."""
    params = arguments["params"]
    context = lowering.ResourceEstimatorContext(
        reduction_scratch_bytes=params.reduction_scratch_bytes,
        axis_names=arguments["axis_names"].reverse(),
        lowering_semantics=params.lowering_semantics,
    )
    found = lowering._estimate_resources(context, arguments["jaxpr"])
    columns = found.tmem_scratch_cols + found.tmem_collective_scratch_cols
    barriers = sum(barrier.num_barriers for barrier in found.barriers)
    return found.smem_scratch_bytes + 8 * barriers + (4 if columns else 0), columns


def ours(arguments):
    imported = import_kernel(arguments["jaxpr"], arguments)  # keeps the module alive
    [function] = kernels(imported.module.operation)
    found = resources_of(function, [op for ops in collect(function, RESOURCE_OPS).values() for op in ops])
    assert found.known
    return found.smem_bytes, found.columns


KERNELS = [
    (label, lambda s=semantics, make=make: make(s))
    for label, make in structures.KERNELS.items()
    for semantics in ("lane", "warpgroup")
]
KERNELS += [(label, lambda fn=fn, args=args: (fn, args)) for label, fn, args in ops_gpu.kernels()]
KERNELS += [
    (label, lambda o=options: variants.kernel("lane", **o)) for label, (options, _, _) in variants.VARIANTS.items()
]


@pytest.mark.parametrize(("label", "make"), KERNELS, ids=lambda value: value if isinstance(value, str) else "")
def test_agrees_with_pallas(label, make):
    fn, args = make()
    with virtual_device(find_architecture("sm_90a" if "attention" in label else "sm_100a")):
        arguments = arguments_of(fn, *args)
    assert ours(arguments) == estimate(arguments)


@pytest.mark.parametrize("semantics", sparse_mma.SEMANTICS)
def test_too_much_shared_memory(semantics):
    """JAX's number and ours are the same, and no kernel is refused that JAX takes."""
    fn, args = sparse_mma.kernel(semantics, k=896, n=256)
    report = mv.check(fn, *args, mode="report")
    [finding] = [d for d in report.diagnostics if d.severity == "error"]
    assert finding.code == "MV603"
    assert finding.message in str(report.error)
    names = [note.message.split("`")[1] for note in finding.notes if "takes" in note.message]
    assert names[0] == "b_smem" and "a_smem" in names
    fits, args = sparse_mma.kernel(semantics, k=512, n=128)
    assert mv.check(fits, *args, mode="report").error is None
