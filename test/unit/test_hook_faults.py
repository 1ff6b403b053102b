"""Faults of our own and a JAX that has moved: JAX's result stays what it is, and there is one warning."""

import collections
import dataclasses
import importlib
import inspect
import os
import sys
import warnings

import hook_probe
import jax
import pytest
import sparse_mma

import mosaic_verify as mv
from mosaic_verify.jax_hook import level_passes, levels, patches, policy, state
from mosaic_verify.jax_hook.policy import HookWarning, KernelVerificationWarning

PACKAGE = os.path.dirname(mv.__file__) + os.sep
PASSES = os.path.dirname(level_passes.load_pass.__wrapped__.__code__.co_filename) + os.sep
# What stands between JAX and the guard: nothing can catch what is raised at its first instruction.
GUARD = {
    *("guarded", "entered.__init__", "entered.__enter__", "entered.__exit__"),
    *("own_fault", "warn_once", "strict", "_ConfigHolder.get"),
}


class Planted(Exception):
    """A fault of ours."""


def is_ours(code):
    file = code.co_filename
    if not file.startswith((PACKAGE, PASSES, hook_probe.__file__)) or code.co_qualname in GUARD:
        return False
    return not (os.path.dirname(file) == os.path.dirname(levels.__file__) and "<locals>" in code.co_qualname)


def absorbed(code):
    """The importer leaves as unknown what it does not understand, so faults in it need not reach the guard."""
    return f"{os.sep}importer{os.sep}" in code.co_filename


def with_profile(function, profile):
    level_passes.forget()  # a kernel that was seen before is not looked at again
    sys.setprofile(profile)
    try:
        return function()
    finally:
        sys.setprofile(None)


def functions_called(function):
    """How often each function of ours is called."""
    found = collections.Counter()

    def note(frame, event, _):
        if event == "call" and is_ours(frame.f_code):
            found[frame.f_code] += 1

    with_profile(function, note)
    return found


def plant(code, number, raised):
    """Raises at one call of a function, and notes it: Python takes a profile function out when it raises."""
    left = number

    def fail(frame, event, _):
        nonlocal left
        if event == "call" and frame.f_code is code:
            left -= 1
            if left == 0:
                raised.append(code.co_qualname)
                raise Planted(code.co_qualname)

    return fail


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(policy, "_warned", set())
    yield
    if state.installed() is not None:  # a test that failed half-way
        mv.uninstall()
    assert state.installed() is None and patches._applied._users == 0


def outcome(function, args):
    jax.clear_caches()
    try:
        return function.trace(*args).lower(lowering_platforms=("cuda",)).as_text(debug_info=True)
    except Exception as error:
        return error


def deep(code):
    """A function below the passes and the importer: a fault in it comes up like one of its caller."""
    parts = code.co_filename.split(os.sep)
    return any(part in ("importer", "dialects", "rules", "model", "diagnostics") for part in parts[-3:])


@pytest.mark.parametrize("mode, n", [*((mode, 24) for mode in state.MODES), ("report", 64), ("rewrite", 64)])
def test_a_fault_at_any_call_leaves_jax_alone(mode, n):
    function, args = sparse_mma.kernel(n=n)
    function = jax.jit(function)
    results, raised = {}, []
    with hook_probe.passes(hook_probe.VerifyN, hook_probe.MarkKernel), warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelVerificationWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        # One line for all lowerings: the line of the call is part of the text.
        for step in ("off", "on", "faults"):
            if step != "off":
                mv.install(mode)
            places = [(None, 0)]
            if step == "faults":
                called = functions_called(lambda: outcome(function, args))
                places = [(code, 1) for code in called if not deep(code) or (mode, n) == ("enforce", 24)]
                if mode == "rewrite":
                    generators = inspect.CO_GENERATOR  # called again each time they go on
                    places += [
                        (code, count)
                        for code, count in called.items()
                        if count > 1 and not deep(code) and not code.co_flags & generators
                    ]
            for code, number in places:
                policy._warned.clear()
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    profile = plant(code, number, raised) if code is not None else None
                    result = with_profile(lambda: outcome(function, args), profile)
                said = [w for w in caught if issubclass(w.category, HookWarning)]
                if step != "faults":
                    assert not said, str(said[0].message)
                    results[step] = result
                    continue
                name = code.co_qualname
                assert len(said) == 1 or absorbed(code), (name, said)
                assert all("report it" in str(w.message) for w in said), name
                if n == 64:
                    assert result in (results["off"], results["on"]), (name, result)
                else:
                    assert isinstance(result, NotImplementedError), (name, result)
                    if not isinstance(result, mv.KernelVerificationError):
                        assert str(result) == str(results["off"]), name
            if step != "off":
                mv.uninstall()
            if step == "faults":
                assert len([name for name in raised if name]) > 12


def test_strict_raises_a_fault(monkeypatch):
    class Broken(hook_probe.VerifyN):
        name = "mosaic-gpu-verify-broken"

        def run(self, op, session):
            raise Planted("broken pass")

    function, args = sparse_mma.kernel(n=64)
    with hook_probe.passes(Broken):
        monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
        with mv.verifying("report"):
            assert isinstance(outcome(jax.jit(function), args), Planted)
        monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "0")
        with mv.verifying("report"), pytest.warns(HookWarning, match="mosaic-gpu-verify-broken"):
            assert isinstance(outcome(jax.jit(function), args), str)


def test_a_fault_is_no_error_even_where_warnings_are(capsys):
    class Broken(hook_probe.VerifyN):
        def run(self, op, session):
            raise Planted("broken pass")

    function, args = sparse_mma.kernel(n=64)
    with hook_probe.passes(Broken), mv.verifying("enforce"), warnings.catch_warnings():
        warnings.simplefilter("error", HookWarning)
        assert isinstance(outcome(jax.jit(function), args), str)
        assert isinstance(outcome(jax.jit(function), args), str)
    assert capsys.readouterr().err.count("broken pass") == 1


def every_patch():
    return [(level, patch) for level in patches.all_levels() for patch in level.patches]


@pytest.mark.parametrize("level, patch", every_patch(), ids=lambda value: getattr(value, "attribute", ""))
@pytest.mark.parametrize("how", ["attribute", "module", "parameter"])
def test_a_jax_that_moved_disables_one_level(monkeypatch, level, patch, how):
    """Another name in the level's own table stands for an attribute that this JAX does not have any more."""
    if how == "parameter" and not patch.parameters:
        pytest.skip("this one needs no parameter")
    changed = {
        "attribute": dict(attribute=patch.attribute + "_gone"),
        "module": dict(module=patch.module + ".gone"),
        "parameter": dict(parameters=("gone",)),
    }[how]
    importlib.import_module(patch.module)  # the hook looks at a module when it is imported
    moved = dataclasses.replace(patch, **changed)
    others = tuple(moved if each is patch else each for each in level.patches)
    table = tuple(
        dataclasses.replace(level, patches=others) if each is level else each for each in patches.all_levels()
    )
    monkeypatch.setattr(patches, "all_levels", lambda: table)
    function, args = sparse_mma.kernel(n=24)
    with hook_probe.passes(hook_probe.VerifyN), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            with mv.verifying("enforce"):
                result = outcome(jax.jit(function), args)
            assert isinstance(result, NotImplementedError)
            assert isinstance(result, mv.KernelVerificationError) is (level.name != "mosaic_gpu")
    said = [str(w.message) for w in caught if issubclass(w.category, HookWarning)]
    assert len(said) == 1 and level.name in said[0] and "gone" in said[0]


def test_the_attributes_of_jax_are_its_own_again():
    own = ("mosaic_gpu", "plgpu", "host")

    def present():
        return [
            vars(importlib.import_module(patch.module)).get(patch.attribute)
            for level, patch in every_patch()
            if level.name in own
        ]

    before = present()
    with mv.verifying("report"):
        assert all(now is not then for now, then in zip(present(), before, strict=True))
        with mv.verifying("enforce"):
            pass
        assert all(now is not then for now, then in zip(present(), before, strict=True))
    assert all(now is then for now, then in zip(present(), before, strict=True))


def test_a_fault_in_what_all_levels_use_is_one_warning(monkeypatch):
    monkeypatch.setattr(policy, "_warned", set())
    level_passes.forget()

    def broken(*_):
        raise Planted("in all of them")

    monkeypatch.setattr(level_passes, "findings", broken)
    function, args = sparse_mma.kernel()
    with warnings.catch_warnings(record=True) as caught, mv.verifying(mode="enforce"):
        warnings.simplefilter("always")
        jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
    assert len([each for each in caught if each.category is HookWarning]) == 1
