"""Runs our passes on a module that JAX is building."""

from __future__ import annotations

import dataclasses
from functools import cache

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.jax_hook.lowering import Lowering, guarded
from mosaic_verify.jax_hook.policy import own_fault
from mosaic_verify.passes import load_pass, pass_names


@cache
def _passes(prefixes: tuple[str, ...], read_only: bool) -> tuple[type[Pass], ...]:
    """The verification or the rewrite passes whose names begin with one of `prefixes`, by name."""
    found = []
    for name in pass_names():
        if not name.startswith(prefixes):
            continue
        try:
            kind = load_pass(name)
        except Exception as error:
            own_fault(name, error)
            continue
        if kind.read_only is read_only:
            found.append(kind)
    return tuple(found)


@cache
def _names(prefixes: tuple[str, ...], read_only: bool) -> tuple[str, ...]:
    """Names of all ops that these passes look at."""
    return tuple(dict.fromkeys(name for kind in _passes(prefixes, read_only) for name in kind.ops))


def verify(lowering: Lowering, root: ir.Operation, prefixes: tuple[str, ...], level: str) -> None:
    """Runs the verification passes of a level; they share one walk over `root`."""
    lowering.engine.level = level
    names = _names(prefixes, True)
    session = Session(lowering.engine, names)
    with root.context, root.location:
        if not session.ops(root, names):
            return
        for kind in _passes(prefixes, True):
            if not kind.ops or session.ops(root, kind.ops):
                guarded(kind.name, kind().run, root, session)


def rewrite(
    lowering: Lowering, root: ir.Operation, prefixes: tuple[str, ...], level: str, *, complete: bool = True
) -> None:
    """Runs the rewrite passes of a level on `root`, if they have something to do.

    Each pass runs on a copy first. Where it does nothing, or fails, `root` is not touched at all; what it makes of a
    complete module must also pass MLIR's verifier. `complete` False is for a module that is still being built.
    """
    names = _names(prefixes, False)
    if not names or not Session(lowering.engine, names).ops(root, names):
        return
    lowering.engine.level = level
    for kind in _passes(prefixes, False):
        guarded(kind.name, _rewrite_with, lowering, root, kind, complete)


def _rewrite_with(lowering: Lowering, root: ir.Operation, kind: type[Pass], complete: bool) -> None:
    instance = _configured(kind, lowering.state.exact_only)
    if instance is None:
        return
    trial = Engine()
    with root.context, root.location:
        # `ip=False`: without it the copy would be inserted where JAX is building.
        copy = root.clone(ip=False)
        instance.run(copy, Session(trial))
        if not trial.report.rewrites:
            return
        if complete and not copy.verify():
            raise RuntimeError(f"{kind.name} made a module that MLIR's verifier refuses")
        instance.run(root, Session(lowering.engine))


def _configured(kind: type[Pass], exact_only: bool) -> Pass | None:
    """The pass, restricted to exact rewrites where that is asked for; None when it makes no exact ones.

    A pass that can tell is asked to leave alone what JAX lowers as it stands.
    """
    fields = {field.name for field in dataclasses.fields(kind)}
    options = {"refused_only": True} if "refused_only" in fields else {}
    if not exact_only:
        return kind(**options)
    if "exact" in fields:
        return kind(exact=True, **options)  # type: ignore[call-arg]
    return kind(**options) if getattr(kind, "kind", "exact") == "exact" else None
