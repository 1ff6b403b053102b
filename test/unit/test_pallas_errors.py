"""Errors of Pallas that stand beside those of megablox: JAX's own refusal is mapped to its rule, at the user's line."""

import inspect
from dataclasses import replace

import jax
import jax._src.pallas.mosaic.pallas_call_registration
import jax._src.pallas.triton.pallas_call_registration  # JAX compares platforms once both are imported
import jax.numpy as jnp
import pytest
from jax import export
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic import core as tpu_core
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm

import mosaic_verify as mv
from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location
from mosaic_verify.ir.user_frames import user_location

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


def grouped(lhs, rhs, sizes):
    return gmm(lhs, rhs, sizes)


@pytest.mark.parametrize("exported", [True, False])
def test_a_shipped_kernel_in_a_module_for_another_platform(exported):
    """The custom call stands in a function of megablox's own file: the user called that function."""
    shapes = [
        jax.ShapeDtypeStruct(s, d) for s, d in (((256, 128), "float32"), ((2, 128, 128), "float32"), ((2,), "int32"))
    ]
    if exported:
        text = export.export(jax.jit(grouped), platforms=("tpu",))(*shapes).mlir_module()
    else:
        text = jax.jit(grouped).trace(*shapes).lower(lowering_platforms=("tpu",)).as_text(debug_info=True)
    (found,) = mv.run(text, "builtin.module(stablehlo-verify-platforms{platforms=cuda})").diagnostics
    line = inspect.getsourcelines(grouped)[1] + 1
    assert (found.code, found.location.file, found.location.line) == ("MV901", __file__, line)
    inside = found.notes[-1]
    assert inside.message == "the kernel is called here" and inside.location.file.endswith("megablox/gmm.py")


def test_the_users_frame_of_a_location():
    inner = Location("/x/lib/python3.12/site-packages/jax/_src/pallas/pallas_call.py", 3, 1)
    kernel = Location("/src/jax/experimental/pallas/ops/gpu/attention.py", 7, 1)
    mine, outer = Location("/src/jax_model.py", 9, 5), Location("/src/jax/train.py", 20, 1)
    assert user_location(replace(inner, callers=(kernel, mine, outer))) == replace(mine, callers=(outer,))
    assert user_location(replace(inner, callers=(kernel,)), UNKNOWN, outer) == outer
    assert user_location(UNKNOWN, inner, kernel) == inner
    assert user_location(UNKNOWN) == UNKNOWN
