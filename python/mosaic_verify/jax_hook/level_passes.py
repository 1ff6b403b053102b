"""Runs our passes on a module that JAX is building, or that a kernel was imported to."""

from __future__ import annotations

import dataclasses
import hashlib
import io
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import REMARK, Diagnostic
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.dialects import stablehlo_kernel
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.jax_hook import kernel_records, state
from mosaic_verify.jax_hook.bounded import keep
from mosaic_verify.jax_hook.lowering import Lowering, guarded
from mosaic_verify.jax_hook.policy import fault_count, own_fault
from mosaic_verify.passes import load_pass, pass_names

_MEMO_SIZE = 256  # imported kernels, and programs around kernels
_memo: dict[tuple[object, ...], tuple[Diagnostic, ...]] = {}


@cache
def passes(prefixes: tuple[str, ...], read_only: bool) -> tuple[type[Pass], ...]:
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
        if kind.automatic and kind.read_only is read_only:
            found.append(kind)
    return tuple(found)


@cache
def _names(prefixes: tuple[str, ...], read_only: bool) -> tuple[str, ...]:
    """Names of all ops that these passes look at."""
    return tuple(dict.fromkeys(name for kind in passes(prefixes, read_only) for name in kind.ops))


def process(
    lowering: Lowering,
    root: ir.Operation,
    prefixes: tuple[str, ...],
    level: str,
    *,
    complete: bool = True,
    remember: bool = False,
    quiet: bool = False,
) -> bool:
    """Verifies `root`; in the modes that rewrite, rewrites it where something was found, and verifies the outcome.

    With `remember` it is verified as by `remembered_findings`. With `quiet` remarks alone are not reported.

    Returns True when something was found before rewriting: JAX may refuse this program.
    """
    find = remembered_findings if remember else findings_of_level
    found = find(lowering, root, prefixes, level)
    suspicious = is_suspicious(found)
    if suspicious and lowering.state.rewrites:
        done = len(lowering.report.rewrites)
        rewrite(lowering, root, prefixes, level, complete=complete)
        if len(lowering.report.rewrites) > done:
            found = findings(root, prefixes, lowering.known)
    if not quiet or is_suspicious(found):
        report(lowering, found, level)
    return suspicious


def is_suspicious(found: list[Diagnostic]) -> bool:
    """True when a program with these findings may be one that JAX refuses, or one that is wrong."""
    return any(diagnostic.severity != REMARK for diagnostic in found)


def report(lowering: Lowering, found: list[Diagnostic], level: str) -> None:
    """Reports findings of a level."""
    lowering.engine.level = level
    for diagnostic in found:
        lowering.engine.emit(diagnostic)


def findings_of_level(
    lowering: Lowering, root: ir.Operation, prefixes: tuple[str, ...], level: str
) -> list[Diagnostic]:
    """The findings; notes in `lowering` when passes of this level have seen the whole program without a fault."""
    faults = fault_count()
    found = findings(root, prefixes, lowering.known)
    if _names(prefixes, True) and fault_count() == faults:
        lowering.verified.add(level)
    return found


def findings(
    root: ir.Operation, prefixes: tuple[str, ...], known: Mapping[ir.Attribute, Any] = MappingProxyType({})
) -> list[Diagnostic]:
    """What the verification passes of a level find, before suppression. They share one walk over `root`."""
    engine, names = Engine(Suppression(comments=False)), _names(prefixes, True)
    session = Session(engine, names, known)
    with root.context, root.location:
        if session.ops(root, names):
            for kind in passes(prefixes, True):
                if not kind.ops or session.ops(root, kind.ops):
                    guarded(kind.name, kind(**_target(kind)).run, root, session)
    return engine.report.diagnostics


def remembered_findings(
    lowering: Lowering, root: ir.Operation, prefixes: tuple[str, ...], level: str
) -> list[Diagnostic]:
    """As `findings_of_level`, for a small module.

    What was found in an equal one, locations included, is found again without running passes: layers of a model, and
    programs that are lowered in several ways, have the same kernels many times.
    """
    buffer = io.BytesIO()
    root.write_bytecode(buffer)
    known = tuple(tuple(facts.argument_bits.items()) for facts in lowering.known.values())  # the module tells the rest
    content = hashlib.sha256(buffer.getbuffer()).digest()
    key = (passes(prefixes, True), lowering.state.arch, lowering.state.arch_named, known, content)
    remembered = _memo.get(key)
    if remembered is not None:
        lowering.verified.add(level)
        return list(remembered)
    faults = fault_count()
    found = findings_of_level(lowering, root, prefixes, level)
    if level in lowering.verified and fault_count() == faults:
        keep(_memo, key, tuple(found), _MEMO_SIZE)
    return found


def forget() -> None:
    """Drops what is remembered of kernels that were lowered before."""
    _memo.clear()
    kernel_records.forget()
    stablehlo_kernel.forget()


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
    for kind in passes(prefixes, False):
        guarded(kind.name, _rewrite_with, lowering, root, kind, complete)


def _rewrite_with(lowering: Lowering, root: ir.Operation, kind: type[Pass], complete: bool) -> None:
    instance = _configured(kind, lowering.state.exact_only)
    if instance is None:
        return
    trial = Engine(lowering.engine.suppression)
    with root.context, root.location:
        # `ip=False`: without it the copy would be inserted where JAX is building.
        copy = root.clone(ip=False)
        instance.run(copy, Session(trial, known=lowering.known))
        if not trial.report.rewrites:
            return
        if complete and not copy.verify():
            raise RuntimeError(f"{kind.name} made a module that MLIR's verifier refuses")
        instance.run(root, Session(lowering.engine, known=lowering.known))


def _target(kind: type[Pass]) -> dict[str, str]:
    """The option `arch` of passes on calls whose kernels are compiled elsewhere: they carry no architecture."""
    current = state.current()
    if kind.level != "block_sparse" or current is None or not current.arch_named or not current.arch:
        return {}
    return {"arch": current.arch}


def _configured(kind: type[Pass], exact_only: bool) -> Pass | None:
    """The pass as the hook runs it: what JAX accepts as it stands stays as it is.

    With `exact_only` it is restricted to exact rewrites; None when it makes none.
    """
    options = {field.name for field in dataclasses.fields(kind)}
    if exact_only and "exact" not in options and kind.kind != "exact":
        return None
    chosen = {"exact": exact_only, "refused_only": True}
    return kind(**{name: value for name, value in chosen.items() if name in options}, **_target(kind))
