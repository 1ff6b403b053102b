"""Rewritten calls of megablox in interpret mode against plain numpy, with sizes that fit nothing."""

import itertools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas.ops.tpu.megablox import gmm as ops_gmm
from jax.experimental.pallas.ops.tpu.megablox import ops
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

import mosaic_verify as mv

K, N = 24, 40
BF16, F32 = jnp.bfloat16, jnp.float32
TILES = (16, 32, 32)


def made(*shape, dtype=F32, seed=0):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


def plain(array):
    return np.asarray(jnp.asarray(array, F32))


def wanted_gmm(lhs, rhs, sizes, out=None, offset=0, transpose_rhs=False):
    """`out` where no local group owns the row, or zero."""
    lhs, rhs = plain(lhs), plain(rhs)
    rhs = rhs if rhs.ndim == 3 else rhs[None]
    rhs = rhs.swapaxes(1, 2) if transpose_rhs else rhs
    result = np.zeros((lhs.shape[0], rhs.shape[2]), np.float32) if out is None else np.array(plain(out))
    ends = np.cumsum(sizes)
    for local, group in enumerate(range(offset, min(offset + rhs.shape[0], len(sizes)))):
        rows = slice(ends[group] - sizes[group], ends[group])
        result[rows] = lhs[rows] @ rhs[local]
    return result


def wanted_tgmm(lhs, rhs, sizes, out=None, offset=0, groups=None):
    lhs, rhs, ends = plain(lhs), plain(rhs), np.cumsum(sizes)
    groups = len(sizes) if groups is None else groups
    result = np.zeros((groups, lhs.shape[0], rhs.shape[1]), np.float32) if out is None else np.array(plain(out))
    for local, group in enumerate(range(offset, offset + groups)):
        rows = slice(ends[group] - sizes[group], ends[group])
        result[local] += lhs[:, rows] @ rhs[rows]
    return result


def gmm_case(
    m, sizes, codes, *, rhs=None, sizes_dtype=jnp.int32, out=None, preferred=F32, tiling=TILES, offset=None, **more
):
    lhs, rhs = made(m, K), made(*(rhs or (len(sizes), K, N)), seed=1)
    operands = (lhs, rhs, jnp.asarray(sizes, sizes_dtype))
    options = {
        "preferred_element_type": preferred,
        "tiling": tiling,
        "group_offset": offset,
        "existing_out": out,
    } | more
    start = 0 if offset is None else int(np.ravel(offset)[0])
    wanted = wanted_gmm(lhs, rhs, sizes, out, start, more.get("transpose_rhs", False))
    return gmm, operands, options, wanted, codes


def tgmm_case(
    m, sizes, codes, *, sizes_dtype=jnp.int32, out=None, preferred=F32, tiling=TILES, offset=None, groups=None
):
    lhs, rhs = made(K, m), made(m, N, seed=1)
    operands = (lhs, rhs, jnp.asarray(sizes, sizes_dtype))
    options = {"preferred_element_type": preferred, "tiling": tiling, "group_offset": offset, "existing_out": out}
    options |= {"num_actual_groups": groups}
    start = 0 if offset is None else int(np.ravel(offset)[0])
    return tgmm, operands, options, wanted_tgmm(lhs, rhs, sizes, out, start, groups), codes


CASES = {
    "rows into a buffer": lambda: gmm_case(37, (5, 0, 20), ["MV414"], out=made(37, N, seed=2)),
    "fewer rows than one tile": lambda: gmm_case(3, (1, 2), ["MV414"], rhs=(2, N, K), transpose_rhs=True),
    "rows of local groups": lambda: gmm_case(
        37, (5, 20, 12), ["MV414"], rhs=(1, K, N), offset=jnp.asarray(1), tiling=lambda *_: TILES
    ),
    "narrower buffer": lambda: gmm_case(32, (5, 20), ["MV401"], out=made(32, N, seed=2), preferred=BF16),
    "wider buffer": lambda: gmm_case(32, (5, 20), ["MV401"], out=made(32, N, dtype=BF16, seed=2)),
    "offset and 8-bit sizes": lambda: gmm_case(
        37, (5, 20, 12), ["MV402", "MV407", "MV414"], rhs=(2, K, N), offset=jnp.ones(1, jnp.int32), sizes_dtype=jnp.int8
    ),
    "rank of rhs and 16-bit sizes": lambda: gmm_case(
        32, (32,), ["MV405", "MV407"], rhs=(K, N), sizes_dtype=jnp.uint16, tiling=lambda *_: TILES
    ),
    "rank of a transposed rhs": lambda: gmm_case(32, (32,), ["MV405"], rhs=(N, K), transpose_rhs=True),
    "tiling, then rows": lambda: gmm_case(130, (101, 29), ["MV403", "MV414"], tiling=lambda *_: None),
    "tgmm, rows": lambda: tgmm_case(37, (5, 0, 20), ["MV414"], out=made(3, K, N, seed=2)),
    "tgmm, narrower buffer": lambda: tgmm_case(32, (5, 27), ["MV401"], out=made(2, K, N, seed=2), preferred=BF16),
    "tgmm, offset and sizes": lambda: tgmm_case(
        37, (5, 20, 12), ["MV402", "MV407", "MV414"], offset=jnp.ones(1, jnp.int32), groups=2, sizes_dtype=jnp.int16
    ),
    "tgmm, tiling, then rows": lambda: tgmm_case(130, (101, 29), ["MV403", "MV414"], tiling=None),
}  # fmt: skip


def close(got, wanted):
    tolerance = 3e-2 if got.dtype == BF16 else 1e-4
    np.testing.assert_allclose(plain(got), wanted, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("name", CASES)
def test_rewritten_calls_compute_the_reference(name):
    function, operands, options, wanted, codes = CASES[name]()
    with pytest.raises(Exception):  # noqa: B017  # every one of them is refused as it stands
        function(*operands, **options, interpret=True)
    with mv.verifying(mode="rewrite") as session:
        got = function(*operands, **options, interpret=True)
    assert sorted(rewrite.code for rewrite in session.report.rewrites) == codes
    assert not [d for d in session.report.diagnostics if d.severity == "error"]
    assert got.dtype == options["preferred_element_type"]
    close(got, wanted)


M, SIZES = 37, (5, 12, 20)
LHS, RHS = made(M, K), made(3, K, N, seed=1)


def padded(lhs, rhs=RHS, function=gmm):
    """A call that JAX refuses: 16 does not divide 37 rows."""
    return function(lhs, rhs, jnp.asarray(SIZES, jnp.int32), tiling=TILES, interpret=True)


def gradients():
    """Of the sum of all results, with respect to lhs and rhs."""
    ends = np.cumsum((0, *SIZES))
    groups = np.searchsorted(ends[1:], np.arange(M), side="right")
    sums = np.stack([plain(LHS)[start:end].sum(0) for start, end in itertools.pairwise(ends)])
    return plain(RHS).sum(2)[groups], np.repeat(sums[:, :, None], N, axis=2)


def loss(lhs, rhs):
    return padded(lhs, rhs, ops_gmm).sum()


TRANSFORMED = {
    "vmap": (lambda: jax.vmap(padded)(jnp.stack([LHS, LHS * 2]))[1] / 2, "result"),
    "pmap": (lambda: jax.pmap(padded)(LHS[None])[0], "result"),
    "scan of jit in jit": (
        lambda: jax.lax.scan(lambda c, x: (c, jax.jit(jax.jit(padded))(x)), 0.0, LHS[None])[1][0],
        "result",
    ),
    "shard_map": (
        lambda: jax.shard_map(padded, mesh=Mesh(jax.devices()[:1], "x"), in_specs=P(), out_specs=P(), check_vma=False)(
            LHS
        ),
        "result",
    ),
    "grad under jit and remat": (
        lambda: jax.jit(jax.grad(jax.checkpoint(loss), argnums=(0, 1)))(LHS, RHS),
        "gradients",
    ),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_rewrites_inside_of_transformations(name):
    program, kind = TRANSFORMED[name]
    with pytest.raises(Exception, match="divisible"):
        program()
    with mv.verifying(mode="rewrite") as session:
        got = program()
    assert {rewrite.code for rewrite in session.report.rewrites} == {"MV414"}
    for each, wanted in zip(
        *(((got,), (wanted_gmm(LHS, RHS, SIZES),)) if kind == "result" else (got, gradients())), strict=True
    ):
        close(each, wanted)
    with pytest.raises(Exception, match="divisible"):  # nothing of the session is served afterwards
        program()


def test_threads_have_sessions_of_their_own():
    """Each thread has a mode of its own, and a call that the others do not make."""
    outcome, barrier = {}, threading.Barrier(4)

    def work(number, mode):
        lhs = made(20 + number, K)

        def call():
            return gmm(lhs, RHS, jnp.asarray((4, 6, 10 + number), jnp.int32), tiling=TILES, interpret=True)

        barrier.wait()
        with mv.verifying(mode=mode) as session:
            try:
                got = call()
            except Exception as error:
                got = error
        outcome[number] = (mode, got, session.report, wanted_gmm(lhs, RHS, (4, 6, 10 + number)))

    modes = ("rewrite", "report", "enforce", "rewrite")
    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(modes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcome) == 4
    for number, (mode, got, report, wanted) in outcome.items():
        assert {d.code for d in report.diagnostics} == {"MV414"}
        assert all(f"m={20 + number}" in str(d) for d in report.diagnostics if d.severity == "warning")
        if mode == "rewrite":
            close(got, wanted)
        else:
            assert isinstance(got, ValueError)
            assert isinstance(got, mv.KernelVerificationError) is (mode == "enforce")


def test_the_code_of_megablox_comes_back():
    functions = [gmm.__wrapped__, tgmm.__wrapped__, ops._gmm_fwd]
    codes = [function.__code__ for function in functions]
    mv.install("report")
    try:
        assert all(function.__code__ is not code for function, code in zip(functions, codes, strict=True))
        with mv.verifying(mode="rewrite"), mv.verifying(mode="enforce"):
            pass
        assert all(function.__code__ is not code for function, code in zip(functions, codes, strict=True))
    finally:
        mv.uninstall()
    assert [function.__code__ for function in functions] == codes


def test_what_the_backward_pass_cannot_follow_is_not_rewritten():
    """`ops._gmm_fwd` keeps the rhs of the user, whose first size it takes for the number of groups."""

    def loss(lhs, rhs):
        return ops_gmm(lhs, rhs, jnp.asarray([32], jnp.int32), tiling=TILES, interpret=True).sum()

    report = mv.check(jax.grad(loss), made(32, K), made(K, N), platforms=("cpu",), mode="rewrite")
    assert [(d.severity, d.code) for d in report.diagnostics] == [("error", "MV405")]
    assert report.rewrites == []


def test_a_tiling_function_is_asked_once():
    asked = []

    def tiling(m, k, n):
        asked.append((m, k, n))
        return TILES

    lhs, sizes = made(48, K), jnp.asarray((8, 20, 20), jnp.int32)
    with mv.verifying(mode="report"):
        gmm(lhs, RHS, sizes, tiling=tiling, interpret=True)
    assert asked == [(48, K, N)]


@pytest.mark.filterwarnings("error:.*internal fault")
def test_what_a_tiling_function_raises_is_the_users():
    table = {}
    with mv.verifying(mode="enforce") as session, pytest.raises(KeyError):
        jax.eval_shape(lambda lhs: gmm(lhs, RHS, jnp.asarray(SIZES), tiling=lambda *sizes: table[sizes]), LHS)
    assert session.report.diagnostics == []
