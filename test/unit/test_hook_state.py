"""The hook's state and JAX's caches: nothing made under one state is served under another."""

import asyncio
import sys
import threading
import warnings

import hook_probe
import jax
import jax.numpy as jnp
import mosaic_verify_jax_plugin
import pytest
import sparse_mma

import mosaic_verify as mv
from mosaic_verify.jax_hook import patches, state
from mosaic_verify.jax_hook.policy import KernelVerificationWarning

MODES = ("report", "enforce", "rewrite", "rewrite-exact")


@pytest.fixture(autouse=True)
def probe():
    with hook_probe.passes(hook_probe.VerifyN, hook_probe.MarkKernel) as calls:
        yield calls
    assert state.installed() is None and patches._applied._users == 0


def lowered_text(function, args):
    # One line for every lowering, since the line of the call is part of the text.
    return function.trace(*args).lower(lowering_platforms=("cuda",)).as_text(debug_info=True)


def kernel(**options):
    function, args = sparse_mma.kernel(**options)
    return jax.jit(function), args


@pytest.fixture
def installed():
    """`install` in a mode; the hook is out again behind the test."""

    def install(mode, **options):
        if state.installed() is not None:
            mv.uninstall()
        if mode != "off":
            mv.install(mode, **options)

    yield install
    if state.installed() is not None:
        mv.uninstall()


def test_modes_in_turn_on_one_jitted_function(installed, probe):
    function, args = kernel(n=64)
    texts = []
    for mode in ("off", "report", "enforce", "rewrite", "off", "rewrite-exact", "report"):
        installed(mode)
        probe.clear()
        texts.append(lowered_text(function, args))
        fresh = len(texts) < 5 or mode == "rewrite-exact"
        assert ("mosaic-gpu-verify-n" in probe) is (mode != "off" and fresh), mode
    assert texts[0] == texts[1] == texts[2] == texts[4] == texts[6]
    assert texts[3] == texts[5] != texts[0]


def test_sessions_in_turn_on_one_jitted_function():
    function, args = kernel(n=24)
    for _ in range(2):
        with mv.verifying(mode="report") as session, pytest.warns(KernelVerificationWarning, match="MV111"):
            function.trace(*args).jaxpr  # noqa: B018  # tracing alone finds nothing
            try_lower(function, args)
        assert [d.code for d in session.report.diagnostics] == ["MV111"]
    # What a session has rewritten stays in it.
    function, args = kernel(n=64)
    plain = lowered_text(function, args)
    with mv.verifying(mode="rewrite") as session:
        rewritten = lowered_text(function, args)
    assert len(session.report.rewrites) == 1
    assert lowered_text(function, args) == plain != rewritten


def try_lower(function, args):
    """Lowers; JAX's own refusal of N = 24 is what the test is not about."""
    try:
        return lowered_text(function, args)
    except NotImplementedError:
        warnings.warn(KernelVerificationWarning("MV111 as a note"), stacklevel=1)


def test_sessions_nest():
    bad, args = kernel(n=24)
    also_bad, other_args = kernel(n=40)
    with mv.verifying(mode="rewrite") as outer:
        with mv.verifying(mode="enforce") as inner, pytest.raises(mv.KernelVerificationError):
            lowered_text(bad, args)
        with pytest.raises(mv.KernelVerificationError):
            lowered_text(also_bad, other_args)
    assert [d.message[-4:] for d in inner.report.diagnostics] == ["N=24"]
    assert [d.message[-4:] for d in outer.report.diagnostics] == ["N=40"]


def test_enforce_raises_at_every_call():
    function, args = kernel(n=24)
    with mv.verifying(mode="enforce") as session:
        for _ in range(3):
            with pytest.raises(NotImplementedError) as caught:
                lowered_text(function, args)
            assert isinstance(caught.value, mv.KernelVerificationError)
            assert not isinstance(caught.value, TypeError)
    assert len(session.report.diagnostics) == 1


def test_ignored_codes_are_part_of_the_state(installed):
    function, args = kernel(n=24)
    with mv.verifying(mode="enforce"), pytest.raises(mv.KernelVerificationError):
        lowered_text(function, args)
    with mv.verifying(mode="enforce", ignore=("MV1",)) as session:
        with pytest.raises(NotImplementedError) as caught:
            lowered_text(function, args)
        assert not isinstance(caught.value, mv.KernelVerificationError)  # JAX's own
    assert [d.code for d in session.report.diagnostics if d.code == "MV111"] == []


def test_other_threads_do_not_see_a_session(probe):
    function, args = kernel(n=24)
    seen = {}

    def elsewhere():
        seen["state"] = state.current()
        with pytest.raises(NotImplementedError) as caught:
            lowered_text(function, args)
        seen["error"] = caught.value

    with mv.verifying(mode="enforce"):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert seen["state"] is None and not isinstance(seen["error"], mv.KernelVerificationError)
    assert probe == []


@pytest.mark.parametrize("mode", MODES)
def test_transformations_pass_through_the_hook(mode):
    import jax.export

    function, args = sparse_mma.kernel(n=24)
    floats = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in args]
    batched = [jax.ShapeDtypeStruct((2, *a.shape), a.dtype) for a in args]

    @jax.custom_vjp
    def differentiable(a, b, c):
        return function(a, b, c)

    def forward(a, b, c):
        return function(a, b, c), (a, b, c)

    def backward(residuals, g):
        a, b, _ = residuals
        return jnp.zeros_like(a), jnp.zeros_like(b), None

    differentiable.defvjp(forward, backward)
    metadata = jnp.zeros(args[2].shape, args[2].dtype)

    def loss(a, b):
        return differentiable(a, b, metadata).sum()

    gradient = jax.value_and_grad(loss, argnums=(0, 1))
    ways = {
        "jit": lambda: jax.jit(function).trace(*floats).lower(lowering_platforms=("cuda",)),
        "nested jit": lambda: (
            jax.jit(lambda *x: jax.jit(function)(*x)).trace(*floats).lower(lowering_platforms=("cuda",))
        ),
        "vmap": lambda: jax.jit(jax.vmap(function)).trace(*batched).lower(lowering_platforms=("cuda",)),
        "grad": lambda: jax.jit(gradient).trace(*floats[:2]).lower(lowering_platforms=("cuda",)),
        "export": lambda: jax.export.export(jax.jit(function), platforms=("cuda",))(*floats),
    }
    for label, way in ways.items():
        with warnings.catch_warnings(), mv.verifying(mode=mode) as session:
            warnings.simplefilter("ignore", KernelVerificationWarning)
            with pytest.raises(NotImplementedError) as caught:
                way()
        assert isinstance(caught.value, mv.KernelVerificationError) is (mode != "report"), label
        assert [d.code for d in session.report.diagnostics] == ["MV111"], label
        assert session.report.diagnostics[0].location.file == sparse_mma.__file__, label


def test_without_the_configuration_facility_caches_are_cleared(monkeypatch):
    holder = state._ClearingHolder()
    for name, value in dict(
        current=holder.get, installed=holder.get_global, set_installed=holder.set_global, local=holder.local
    ).items():
        monkeypatch.setattr(state, name, value)
    function, args = kernel(n=64)

    def text():  # without locations: each call traces anew, from another line of this test
        return function.trace(*args).lower(lowering_platforms=("cuda",)).as_text()

    plain = text()
    with mv.verifying(mode="rewrite"):
        rewritten = text()
    assert text() == plain != rewritten
    mv.install("rewrite")
    assert text() == rewritten
    mv.uninstall()
    assert text() == plain


@pytest.mark.parametrize("make", [state._ConfigHolder, state._ClearingHolder])
def test_blocks_are_left_in_any_order_and_by_any_thread(make):
    holder = make()
    first, second = state.HookState("enforce", session=1), state.HookState("report", session=2)
    outer, inner = holder.local(first), holder.local(second)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert holder.get() == second
    inner.__exit__(None, None, None)
    assert holder.get() is None

    outer, inner = holder.local(first), holder.local(second)
    outer.__enter__()
    inner.__enter__()
    for block, left in ((inner, first), (outer, None)):  # as when a generator is collected there
        thread = threading.Thread(target=block.__exit__, args=(None, None, None))
        thread.start()
        thread.join()
        assert holder.get() == left
    installed = state.HookState("rewrite")
    holder.set_global(installed)
    assert holder.get() == installed
    holder.set_global(None)


def test_tasks_that_overlap_leave_no_mode_behind():
    async def task(mode, begin, end):
        await asyncio.sleep(begin)
        with mv.verifying(mode=mode):
            await asyncio.sleep(end)

    async def tasks():
        await asyncio.gather(task("enforce", 0, 0.02), task("report", 0.01, 0.03))

    asyncio.run(tasks())
    assert state.current() is None


def test_the_plugin_never_raises(monkeypatch, capsys):
    monkeypatch.setenv("MOSAIC_VERIFY", "enforce")
    monkeypatch.setitem(sys.modules, "mosaic_verify.jax_hook.entry", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mosaic_verify_jax_plugin.initialize()
    assert "NOTHING IS VERIFIED" in capsys.readouterr().err
