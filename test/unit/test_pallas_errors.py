"""Errors of Pallas that stand beside those of megablox: JAX's own refusal is mapped to its rule, at the user's line."""

import inspect

import jax
import jax._src.pallas.mosaic.pallas_call_registration
import jax._src.pallas.triton.pallas_call_registration  # JAX compares platforms once both are imported
import jax.numpy as jnp
import pytest
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic import core as tpu_core
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

import mosaic_verify as mv

X = jax.ShapeDtypeStruct((8, 128), jnp.float32)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def for_tpu_only(x):
    return pl.pallas_call(copy, out_shape=X, compiler_params=pltpu.CompilerParams())(x)


def test_compiler_params_of_another_platform():
    report = mv.check(for_tpu_only, X, platforms=("cuda",))
    assert isinstance(report.error, ValueError)
    assert [d.code for d in report.diagnostics] == ["MV901"]
    place = report.diagnostics[0].location
    assert (place.file, place.line) == (__file__, inspect.getsourcelines(for_tpu_only)[1] + 1)
    assert mv.check(for_tpu_only, X, platforms=("tpu",)).ok


def unsupported_space(x):
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=1) if hasattr(pltpu, "create_tensorcore_mesh") else None
    pallas_core.CoreMemorySpace(plgpu.SMEM, mesh)
    return x


@pytest.mark.skipif(
    not hasattr(pltpu, "create_tensorcore_mesh"), reason="this JAX makes no TensorCore mesh without a TPU"
)
def test_memory_space_of_another_mesh():
    report = mv.check(unsupported_space, X, platforms=("tpu",))
    assert isinstance(report.error, ValueError)
    assert [d.code for d in report.diagnostics] == ["MV902"]


@pytest.mark.skipif(not hasattr(tpu_core, "AccMemorySpace"), reason="JAX before 0.12 has no accumulator refs")
@pytest.mark.parametrize(
    ("shape", "dtype", "code"), [((128,), jnp.float32, "MV903"), ((8, 128), jnp.bfloat16, "MV960")]
)
def test_accumulator_refs(shape, dtype, code):
    def program(x):
        tpu_core.AccMemorySpace(0)(shape, dtype)
        return x

    report = mv.check(program, X, platforms=("tpu",))
    assert isinstance(report.error, ValueError)
    assert [d.code for d in report.diagnostics] == [code]
    assert report.diagnostics[0].location.line == inspect.getsourcelines(program)[1] + 1
