"""`check`: lowers a function for a device that is not there, and reports what was found on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mosaic_verify.diagnostics.diagnostic import Report
from mosaic_verify.jax_hook import frames, jax_errors
from mosaic_verify.jax_hook.errors import KernelVerificationError
from mosaic_verify.jax_hook.needed_arch import DEFAULT, needed_arch
from mosaic_verify.jax_hook.sessions import Session, open_session
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
    first = (arch or DEFAULT) if gpu else None
    report, wanted = _attempt(function, arguments, mode, first, platforms, ignore)
    if gpu and arch is None and wanted != first:
        report, _ = _attempt(function, arguments, mode, wanted, platforms, ignore)
    return report


def _attempt(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    mode: str,
    arch: str | None,
    platforms: Sequence[str],
    ignore: tuple[str, ...],
) -> tuple[Report, str | None]:
    """Lowers for one architecture. Also returns the architecture that the program was written for.

    When it was written for another one, it is traced only.
    """
    import jax

    # A function that is jitted already keeps its static arguments, its name and its shardings.
    jitted = function if hasattr(function, "trace") else jax.jit(function)
    device = find_architecture(arch) if arch is not None else None
    wanted = arch
    with open_session(mode, ignore, arch, warns=False) as session, virtual_device(device):
        try:
            traced = jitted.trace(*arguments)
            wanted = needed_arch(traced.jaxpr)
            if wanted == arch or arch != DEFAULT:
                session.report.lowered = traced.lower(lowering_platforms=tuple(platforms))
                session.report.diagnostics.extend(session.suppression.unused())
        except KernelVerificationError:
            pass  # the session has the findings
        except Exception as error:
            _refused(session, error)
    return session.report, wanted


def _refused(session: Session, error: Exception) -> None:
    """JAX raised: at trace time nobody of ours has seen it yet."""
    report = session.report
    if report.error is not error:
        report.error = error
        cause = jax_errors.to_diagnostic(error, report.diagnostics)
        if cause is not None:
            shown = session.suppression.apply(cause)
            if shown is not None:
                report.diagnostics.append(shown)
