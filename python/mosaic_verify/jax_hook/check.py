"""`check`: lowers a function for a device that is not there, and reports what was found on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mosaic_verify.diagnostics.diagnostic import Report
from mosaic_verify.jax_hook import frames, refusals
from mosaic_verify.jax_hook.errors import KernelVerificationError
from mosaic_verify.jax_hook.needed_arch import DEFAULT, needed_arch
from mosaic_verify.jax_hook.sessions import open_session
from mosaic_verify.jax_hook.suppression import check_codes
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture

_GPU = frozenset(("cuda", "gpu"))


def check(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    mode: str,
    arch: str | None,
    platforms: Sequence[str],
    ignore: tuple[str, ...],
) -> Report:
    """See `mosaic_verify.check`."""
    frames.exclude()
    check_codes(ignore)
    gpu = arch is not None or not _GPU.isdisjoint(platforms)
    if not gpu or arch is not None:
        return _attempt(function, arguments, mode, arch, platforms, ignore, named=True)
    wrong = _WrittenFor()
    report = _attempt(function, arguments, mode, DEFAULT, platforms, ignore, wrong)
    return report if wrong.arch is None else _attempt(function, arguments, mode, wrong.arch, platforms, ignore)


class _WrittenFor:
    """Says which architecture a program was written for, if that is not the one that it was traced for."""

    arch: str | None = None


def _attempt(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    mode: str,
    arch: str | None,
    platforms: Sequence[str],
    ignore: tuple[str, ...],
    wrong: _WrittenFor | None = None,
    *,
    named: bool = False,
) -> Report:
    """Lowers for one architecture; with `wrong`, a program that was written for another one is traced only.

    `named`: the user asked for `arch`.
    """
    import jax

    # A function that is jitted already keeps its static arguments, its name and its shardings.
    jitted: Any = function if hasattr(function, "trace") else jax.jit(function)
    device = find_architecture(arch) if arch is not None else None
    with open_session(mode, ignore, arch, warns=False, arch_named=named) as session, virtual_device(device):
        try:
            traced = jitted.trace(*arguments)
            if wrong is not None and needed_arch(traced.jaxpr) != arch:
                wrong.arch = needed_arch(traced.jaxpr)
                return session.report
            session.report.lowered = traced.lower(lowering_platforms=tuple(platforms))
            session.report.diagnostics.extend(session.suppression.unused())
        except KernelVerificationError:
            pass  # the session has the findings
        except Exception as error:
            refusals.keep(session, error)
    return session.report
