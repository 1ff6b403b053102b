"""Real calls of megablox under the hook: verified and rewritten while they are traced."""

import contextlib
import inspect
from pathlib import Path

import jax
import jax.numpy as jnp
import megablox_calls
import numpy as np
import pytest
from jax.experimental.pallas.ops.tpu.megablox import gmm as ops_gmm

# Imported before any hook, as users do.
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm
from jax.sharding import PartitionSpec as P

import mosaic_verify as mv

M, K, N = 256, 128, 128
SIZES = (100, 156)
shape = jax.ShapeDtypeStruct
ARGUMENTS = (shape((M, K), jnp.bfloat16), shape((2, K, N), jnp.bfloat16), shape((2,), jnp.int32))


def line_of(function):
    return inspect.getsourcelines(function)[1]


def values(m=M, rhs_rank=3, groups=2, seed=0):
    random = np.random.default_rng(seed)
    rhs = random.standard_normal((groups, K, N) if rhs_rank == 3 else (K, N))
    return jnp.asarray(random.standard_normal((m, K)), jnp.bfloat16), jnp.asarray(rhs, jnp.bfloat16)


def reference(lhs, rhs, sizes, out=None):
    lhs, rhs = (np.asarray(x.astype(jnp.float32)) for x in (lhs, rhs))
    result = np.zeros((lhs.shape[0], N), np.float32) if out is None else np.array(out, np.float32)
    start = 0
    for group, size in enumerate(sizes):
        result[start : start + size] = lhs[start : start + size] @ (rhs[group] if rhs.ndim == 3 else rhs)
        start += size
    return result


def with_f32_buffer(lhs, rhs, sizes, out, interpret=False):
    return gmm(lhs, rhs, sizes, preferred_element_type=jnp.bfloat16, existing_out=out, interpret=interpret)


def test_report_and_jax_own_error():
    report = mv.check(with_f32_buffer, *ARGUMENTS, shape((M, N), jnp.float32), platforms=("tpu",))
    assert [d.code for d in report.diagnostics] == ["MV401"]
    found = report.diagnostics[0]
    assert found.message == "Existing output dtype must match preferred_element_type."
    assert (found.location.file, found.location.line) == (__file__, line_of(with_f32_buffer) + 1)
    assert isinstance(report.error, ValueError)


def test_enforce_raises_both_classes():
    with mv.verifying(mode="enforce"), pytest.raises(mv.KernelVerificationError) as caught:
        jax.jit(with_f32_buffer).trace(*ARGUMENTS, shape((M, N), jnp.float32))
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"{__file__}:{line_of(with_f32_buffer) + 1}:")
    assert "[MV401]" in str(caught.value)


def test_rewrite_lowers_for_tpu():
    with mv.verifying(mode="rewrite") as session:
        traced = jax.jit(with_f32_buffer).trace(*ARGUMENTS, shape((M, N), jnp.float32))
        text = traced.lower(lowering_platforms=("tpu",)).as_text()
    assert "tpu_custom_call" in text
    assert [(r.kind, r.code) for r in session.report.rewrites] == [("repairing", "MV401")]
    assert [(d.severity, d.code) for d in session.report.diagnostics] == [("warning", "MV401")]


def test_rewrite_computes_the_reference():
    lhs, rhs = values()
    out = jnp.full((M, N), 3.0, jnp.float32)
    sizes = (100, 100)  # the last rows keep what existing_out holds
    with mv.verifying(mode="rewrite"):
        got = with_f32_buffer(lhs, rhs, jnp.asarray(sizes, jnp.int32), out, interpret=True)
    assert got.dtype == jnp.bfloat16
    np.testing.assert_allclose(np.asarray(got, np.float32), reference(lhs, rhs, sizes, out), rtol=2e-2, atol=0.1)


def odd_call(lhs, rhs, sizes, offset):
    return gmm(lhs, rhs, sizes, preferred_element_type=jnp.float32, group_offset=offset, tiling=None, interpret=True)


def test_every_repair_at_once():
    lhs, rhs = values(m=250, rhs_rank=2)
    sizes, offset = jnp.asarray([250], jnp.int16), jnp.zeros(1, jnp.int32)
    with mv.verifying(mode="rewrite") as session:
        got = jax.jit(odd_call)(lhs, rhs, sizes, offset)
    assert sorted(r.code for r in session.report.rewrites) == ["MV402", "MV403", "MV405", "MV407", "MV414"]
    np.testing.assert_allclose(np.asarray(got), reference(lhs, rhs, (250,)), rtol=1e-4, atol=1e-3)


def test_exact_mode_leaves_repairs_to_the_user():
    lhs, rhs = values(m=250, rhs_rank=2)
    with mv.verifying(mode="rewrite-exact") as session, pytest.raises(ValueError, match="MV403"):
        jax.jit(odd_call)(lhs, rhs, jnp.asarray([250], jnp.int16), jnp.zeros(1, jnp.int32))
    assert {r.kind for r in session.report.rewrites} == {"exact"}


def test_a_tiling_function_is_asked():
    asked = []

    def tiling(m, k, n):
        asked.append((m, k, n))

    report = mv.check(lambda *args: gmm(*args, tiling=tiling), *ARGUMENTS, platforms=("tpu",))
    assert [d.code for d in report.diagnostics] == ["MV403"]
    assert report.diagnostics[0].message == f"No tuned tiling found for (m, k, n) = ({M}, {K}, {N})"
    assert asked[0] == (M, K, N)


def test_contraction_that_jax_accepts():
    def program(lhs, rhs, sizes):
        return gmm(lhs, rhs, sizes, preferred_element_type=jnp.float32)

    operands = (ARGUMENTS[0], shape((2, 2 * K, N), jnp.bfloat16), ARGUMENTS[2])
    report = mv.check(program, *operands, platforms=("tpu",))
    assert [d.code for d in report.diagnostics] == ["MV410"]
    assert report.error is None and report.lowered is not None


def test_tgmm():
    def program(lhs, rhs, sizes):
        return tgmm(lhs, rhs, sizes)

    report = mv.check(
        program, shape((K, M), jnp.float32), shape((128, N), jnp.float32), ARGUMENTS[2], platforms=("tpu",)
    )
    assert [d.code for d in report.diagnostics] == ["MV420"]
    assert report.diagnostics[0].op == "megablox.tgmm"


def loss(out, lhs, rhs, sizes):
    return ops_gmm(lhs, rhs, sizes, existing_out=out, interpret=True).sum()


def test_gradient_of_existing_out_is_seen_only_where_it_is_taken():
    lhs, rhs = (x.astype(jnp.float32) for x in values())
    operands = (jnp.zeros((M, N)), lhs, rhs, jnp.asarray(SIZES, jnp.int32))
    with_respect_to_out = mv.check(jax.grad(loss), *operands, platforms=("cpu",))
    assert [(d.severity, d.code) for d in with_respect_to_out.diagnostics] == [("warning", "MV422")]
    with_respect_to_lhs = mv.check(jax.grad(loss, argnums=1), *operands, platforms=("cpu",))
    assert with_respect_to_lhs.diagnostics == []


def test_a_chain_of_calls_for_parts_of_the_groups_is_no_warning():
    def chained(rhs, lhs, sizes):
        out = ops_gmm(lhs, rhs[:1], sizes, interpret=True)
        return ops_gmm(lhs, rhs[1:], sizes, group_offset=jnp.int32(1), existing_out=out, interpret=True).sum()

    lhs, rhs = (x.astype(jnp.float32) for x in values())
    report = mv.check(jax.grad(chained), rhs, lhs, jnp.asarray(SIZES, jnp.int32), platforms=("cpu",))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("remark", "MV422")]


def test_nothing_remains_of_a_session():
    lhs, rhs = values()
    call = lambda: jax.jit(with_f32_buffer)(lhs, rhs, jnp.asarray(SIZES, jnp.int32), jnp.zeros((M, N)))  # noqa: E731
    code = gmm.__wrapped__.__code__
    with mv.verifying(mode="rewrite"):
        assert gmm.__wrapped__.__code__ is not code
    assert gmm.__wrapped__.__code__ is code
    with pytest.raises(ValueError, match="must match preferred_element_type"):
        call()


def test_the_same_text_with_the_hook_and_without():
    def program(lhs, rhs, sizes):
        return ops_gmm(lhs, rhs, sizes)

    def text():
        lowered = jax.jit(program).trace(*ARGUMENTS).lower(lowering_platforms=("tpu",))
        return lowered.as_text(debug_info=True)

    texts = {}
    for mode in (None, "report", "enforce", "rewrite"):
        with mv.verifying(mode=mode) if mode else contextlib.nullcontext() as session:
            texts[mode] = text()
        assert session is None or (session.report.diagnostics == [] and session.report.rewrites == [])
    assert len(set(texts.values())) == 1


def test_symbolic_sizes_are_left_alone():
    from jax import export

    (rows,) = export.symbolic_shape("m")
    with mv.verifying(mode="enforce") as session, pytest.raises(Exception):  # noqa: B017  # JAX's own refusal
        jax.jit(with_f32_buffer).trace(shape((rows, K), jnp.bfloat16), *ARGUMENTS[1:], shape((M, N), jnp.bfloat16))
    assert all(d.op == "" for d in session.report.diagnostics)  # JAX's exception, not a finding of ours


def test_constant_sizes_are_seen_in_the_lowered_program():
    def program(lhs, rhs):
        return gmm(lhs, rhs, jnp.asarray([100, 100], jnp.int32))

    report = mv.check(program, *ARGUMENTS[:2], platforms=("tpu",))
    assert [(d.code, d.message) for d in report.diagnostics] == [
        ("MV411", f"group_sizes add up to 200 rows, but lhs has {M}")
    ]
    assert report.diagnostics[0].location.line == line_of(program) + 1
    whole = mv.check(
        lambda lhs, rhs: gmm(lhs, rhs, jnp.asarray([100, 156], jnp.int32)), *ARGUMENTS[:2], platforms=("tpu",)
    )
    assert whole.ok and whole.diagnostics == []


def test_padded_rows_are_no_missing_rows():
    def program(lhs, rhs):
        return gmm(lhs, rhs, jnp.asarray([100, 150], jnp.int32))

    report = mv.check(program, shape((250, K), jnp.bfloat16), ARGUMENTS[1], platforms=("tpu",), mode="rewrite")
    assert [(d.severity, d.code) for d in report.diagnostics] == [("warning", "MV414")]
    assert report.ok and report.lowered is not None


SIZES_THAT_FIT = np.asarray([100, 156], np.int32)


def clean_though_rows_have_no_group():
    """Programs whose rows behind the last group are never read."""
    sizes = jnp.asarray([100, 100], jnp.int32)
    return {
        "sliced": lambda lhs, rhs: gmm(lhs, rhs, sizes)[:200],
        "padded by hand": lambda lhs, rhs: gmm(jnp.pad(lhs[:200], ((0, 56), (0, 0))), rhs, sizes)[:200] * 2,
        "through a function": lambda lhs, rhs: jax.jit(lambda x: gmm(x, rhs, sizes) + 1)(lhs)[:150],
        "backward": lambda lhs, rhs: jax.grad(lambda x: ops_gmm(x, rhs, sizes)[:200].sum())(lhs)[:200],
        "columns first": lambda lhs, rhs: gmm(lhs, rhs, sizes)[:, :64][:200],
        "gate and up": lambda lhs, rhs: jnp.multiply(*jnp.split(gmm(lhs, rhs, sizes), 2, axis=1))[:200],
        "the other part is dropped": lambda lhs, rhs: jnp.split(gmm(lhs, rhs, sizes), [200])[0],
        "parts of parts": lambda lhs, rhs: gmm(lhs, rhs, sizes)[50:][:150],
        "every 150th row": lambda lhs, rhs: gmm(lhs, rhs, sizes)[::150],
        "a gather behind a slice": lambda lhs, rhs: gmm(lhs, rhs, sizes)[:200][jnp.argsort(lhs[:200, 0])],
        "a sum that nobody wants": lambda lhs, rhs: ((out := gmm(lhs, rhs, sizes)).sum() * 2, out[:200])[1],
        "only gradients of rhs": lambda lhs, rhs: jax.grad(lambda x: ops_gmm(lhs, x, sizes).sum())(rhs),
        "rows before group_offset": lambda lhs, rhs: gmm(lhs, rhs, SIZES_THAT_FIT, group_offset=jnp.int32(1))[100:],
    }


@pytest.mark.parametrize("name", clean_though_rows_have_no_group())
def test_rows_that_nobody_reads_need_no_group(name):
    program = clean_though_rows_have_no_group()[name]
    report = mv.check(program, *ARGUMENTS[:2], platforms=("tpu",))
    assert report.error is None and report.diagnostics == []


@pytest.mark.parametrize("rows", [M, 230])
def test_rows_that_may_be_masked_are_a_remark(rows):
    def masked(lhs, rhs):
        out = gmm(lhs, rhs, jnp.asarray([100, 100], jnp.int32))[:rows]
        return jnp.where(jnp.arange(rows)[:, None] < 200, out, 0)

    report = mv.check(masked, *ARGUMENTS[:2], platforms=("tpu",))
    assert report.ok and [(d.severity, d.code) for d in report.diagnostics] == [("remark", "MV411")]


def nested(function, depth):
    for _ in range(depth):
        function = jax.jit(lambda *args, inner=function: inner(*args) * 2)
    return function


def not_followed_to_the_end():
    """Programs that read no row of no group, with a caller that is not found: too far away, or no `func.call`."""
    layer = lambda lhs, rhs: gmm(lhs, rhs, jnp.full((2,), 100, jnp.int32))  # noqa: E731
    return {
        "functions in functions": nested(layer, 20),
        "composite": jax.lax.composite(layer, "example.layer"),
        "composite of functions": nested(jax.lax.composite(nested(layer, 2), "example.layer"), 2),
    }


@pytest.mark.parametrize("name", not_followed_to_the_end())
def test_what_is_returned_to_an_unknown_caller_may_be_sliced(name):
    program = not_followed_to_the_end()[name]
    report = mv.check(lambda *args: program(*args)[:200], *ARGUMENTS[:2], platforms=("tpu",))
    assert report.ok and {(d.severity, d.code) for d in report.diagnostics} <= {("remark", "MV411")}


def test_rows_before_the_offset_that_may_be_masked_are_a_remark():
    def masked(lhs, rhs):
        out = gmm(lhs, rhs, SIZES_THAT_FIT, group_offset=jnp.int32(1))
        return jnp.where(jnp.arange(M)[:, None] < 100, 0, out)

    report = mv.check(masked, *ARGUMENTS[:2], platforms=("tpu",))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("remark", "MV432")]
    program = lambda lhs, rhs: gmm(lhs, rhs, SIZES_THAT_FIT, group_offset=jnp.int32(1))[99:]  # noqa: E731
    report = mv.check(program, *ARGUMENTS[:2], platforms=("tpu",))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("warning", "MV432")]


@pytest.mark.parametrize(
    "read",
    [lambda out: out[:201], lambda out: out[150:][:51], lambda out: out[::100], lambda out: (out[:, 1:] + 1).sum(0)],
)
def test_one_row_too_many_is_an_error(read):
    program = lambda lhs, rhs: read(gmm(lhs, rhs, jnp.asarray([100, 100], jnp.int32)))  # noqa: E731
    report = mv.check(program, *ARGUMENTS[:2], platforms=("tpu",))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("error", "MV411")]


def test_an_error_is_not_hidden_by_a_remark_on_the_same_line():
    """Three calls are made of one line; what the last of them returns is the gradient, with rows of no group."""

    def loss(lhs, rhs):
        layer = lambda x: ops_gmm(x, rhs, jnp.asarray([100, 100], jnp.int32))  # noqa: E731
        return layer(jnp.tanh(layer(lhs))).at[200:].set(0).sum()

    report = mv.check(jax.grad(loss), *ARGUMENTS[:2], platforms=("tpu",))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("remark", "MV411"), ("error", "MV411")]
    lhs, rhs = values()
    gradient = jax.grad(lambda lhs: (ops_gmm(lhs, rhs, jnp.asarray([100, 100], jnp.int32), interpret=True)[:200]).sum())
    assert np.isnan(np.asarray(gradient(lhs).astype(jnp.float32))[200:]).all()


@pytest.mark.parametrize(
    "sizes",
    [
        lambda: jnp.full((2,), 100, jnp.int32),
        lambda: jnp.concatenate([jnp.asarray([100], jnp.int32), jnp.asarray([100], jnp.int32)]),
        lambda: np.asarray([100, 100], np.int32),
    ],
)
def test_constant_sizes_are_seen_behind_layout_ops_and_calls(sizes):
    def program(lhs, rhs):
        inner = jax.jit(lambda lhs, rhs, sizes: gmm(lhs, rhs, sizes))
        return inner(lhs, rhs, sizes()), inner(lhs, rhs, jnp.asarray([100, 156], jnp.int32))

    report = mv.check(program, *ARGUMENTS[:2], platforms=("tpu",))
    assert [(d.severity, d.code) for d in report.diagnostics] == [("error", "MV411")]


TRANSFORMED = {
    "vmap": lambda lhs, rhs, sizes: jax.vmap(gmm, in_axes=(0, None, None))(jnp.stack([lhs, lhs]), rhs, sizes),
    "grad": lambda lhs, rhs, sizes: jax.grad(lambda x: ops_gmm(x, rhs, sizes).sum())(lhs),
    "scan": lambda lhs, rhs, sizes: jax.lax.scan(
        lambda c, _: (c + gmm(lhs, rhs, sizes), None), jnp.zeros((M, N)), None, 2
    ),
    "cond": lambda lhs, rhs, sizes: jax.lax.cond(sizes[0] > 3, lambda: gmm(lhs, rhs, sizes), lambda: jnp.ones((M, N))),
    "remat": lambda lhs, rhs, sizes: jax.grad(lambda x: jax.checkpoint(ops_gmm)(x, rhs, sizes).sum())(lhs),
    "nested": lambda lhs, rhs, sizes: jax.jit(jax.jit(gmm))(lhs, rhs, sizes),
    "shard_map": lambda lhs, rhs, sizes: jax.shard_map(
        gmm, mesh=jax.sharding.Mesh(jax.devices()[:1], "x"), in_specs=P(), out_specs=P(), check_vma=False
    )(lhs, rhs, sizes),
    "no rows": lambda lhs, rhs, sizes: gmm(lhs[:0], rhs, sizes),
    "no columns": lambda lhs, rhs, sizes: gmm(lhs[:, :0], rhs[:, :0], sizes),
    "no groups": lambda lhs, rhs, sizes: gmm(lhs, rhs[:0], sizes[:0]),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformations_around_a_call_leave_no_trace(name):
    arguments = (shape((M, K), jnp.float32), shape((2, K, N), jnp.float32), ARGUMENTS[2])
    texts = set()
    for mode in (None, "report", "rewrite"):
        jax.clear_caches()  # what is cached keeps the locations of an earlier call, which are part of the kernel
        with mv.verifying(mode=mode) if mode else contextlib.nullcontext() as session:
            texts.add(jax.jit(TRANSFORMED[name]).trace(*arguments).lower(lowering_platforms=("tpu",)).as_text())
        assert session is None or (session.report.diagnostics == [] and session.report.rewrites == [])
    assert len(texts) == 1


@pytest.mark.filterwarnings("error:.*internal fault")
@pytest.mark.parametrize("tiling", [128, "abc", object(), (128, "x", 128), (1.5, 2, 3)])
def test_what_is_no_tiling_is_left_to_jax(tiling):
    report = mv.check(lambda *operands: gmm(*operands, tiling=tiling), *ARGUMENTS, platforms=("tpu",), mode="rewrite")
    assert report.error is not None


def test_tgmm_with_a_buffer_of_another_type():
    def program(lhs, rhs, sizes, out):
        return tgmm(lhs, rhs, sizes, jnp.bfloat16, existing_out=out, interpret=True)

    (lhs, _), (other, _) = values(), values(seed=1)
    operands = (lhs.T, other, jnp.asarray(SIZES, jnp.int32), jnp.zeros((2, K, N), jnp.float32))
    assert [d.code for d in mv.check(program, *operands, platforms=("cpu",)).diagnostics] == ["MV401"]
    with mv.verifying(mode="rewrite") as session:
        got = program(*operands)
    assert [r.code for r in session.report.rewrites] == ["MV401"] and got.dtype == jnp.bfloat16
    left, right = (np.asarray(x.astype(jnp.float32)) for x in operands[:2])
    wanted = [left[:, :100] @ right[:100], left[:, 100:] @ right[100:]]
    np.testing.assert_allclose(np.asarray(got, np.float32), wanted, rtol=2e-2, atol=0.2)


def test_the_stored_calls_are_those_of_this_jax():
    function, shapes = megablox_calls.program((100, 156))
    text = jax.jit(function).trace(*shapes).lower(lowering_platforms=("tpu",)).as_text()
    stored = Path(__file__).parents[1] / "passes" / "megablox-verify-gmm" / "carrier.mlir"
    assert megablox_calls.without_kernels(text).strip() in stored.read_text()
