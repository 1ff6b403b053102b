"""`check`: lowers a function for a device that is not there, and reports what was found on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mosaic_verify.diagnostics.diagnostic import ERROR, Report
from mosaic_verify.jax_hook import comments, frames, jax_errors, refusals
from mosaic_verify.jax_hook.errors import KernelVerificationError
from mosaic_verify.jax_hook.lowering import guarded
from mosaic_verify.jax_hook.needed_arch import DEFAULT, needed_arch, needed_platform
from mosaic_verify.jax_hook.sessions import open_session
from mosaic_verify.jax_hook.suppression import check_codes
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture

_GPU = frozenset(("cuda", "gpu"))
_CUDA = ("cuda",)


def check(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    mode: str,
    arch: str | None,
    platforms: Sequence[str] | None,
    ignore: tuple[str, ...],
) -> Report:
    """See `mosaic_verify.check`."""
    import jax

    frames.exclude()
    check_codes(ignore)
    attempt = partial(_attempt, function, arguments, mode, ignore)
    report = _on_its_device(attempt, arch, platforms)
    if refusals.is_collision(report.error):
        jax.clear_caches()
        report = _on_its_device(attempt, arch, platforms)
    return report


def _on_its_device(attempt: Callable[..., Report], arch: str | None, platforms: Sequence[str] | None) -> Report:
    """Attempts to lower for the device that the user names, else for the one that the program was written for."""
    gpu = platforms is None or not _GPU.isdisjoint(platforms)
    if not gpu or arch is not None:
        return attempt(arch, platforms or _CUDA, named=True)
    wrong = _WrittenFor(platforms)
    report = attempt(DEFAULT, platforms or _CUDA, wrong)
    return report if not wrong.found else attempt(wrong.arch, wrong.platforms)


class _WrittenFor:
    """What a program was written for; `found` when that is not what it was traced for.

    `platforms`: those that the user asked for, None to find out.
    """

    def __init__(self, platforms: Sequence[str] | None) -> None:
        self.chosen, self.platforms = platforms is not None, platforms or _CUDA
        self.arch: str | None = DEFAULT
        self.found = False

    def look(self, jaxpr: object) -> bool:
        """Reads a traced program; the value of `found`."""
        if not self.chosen and needed_platform(jaxpr) == "tpu":
            self.platforms, self.arch = ("tpu",), None
        else:
            self.arch = needed_arch(jaxpr)
        self.found = self.arch != DEFAULT
        return self.found


def _attempt(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    mode: str,
    ignore: tuple[str, ...],
    arch: str | None,
    platforms: Sequence[str],
    wrong: _WrittenFor | None = None,
    *,
    named: bool = False,
) -> Report:
    """Lowers for one architecture; with `wrong`, a program that was written for another device is traced only.

    `named`: the user asked for `arch`.
    """
    import jax

    # A function that is jitted already keeps its static arguments, its name and its shardings.
    jitted: Any = function if hasattr(function, "trace") else jax.jit(function)
    device = find_architecture(arch) if arch is not None else None
    with open_session(mode, ignore, arch, warns=False, arch_named=named) as session, virtual_device(device):
        try:
            traced = jitted.trace(*arguments)
            if wrong is not None and wrong.look(traced.jaxpr):
                return session.report
            session.report.lowered = traced.lower(lowering_platforms=tuple(platforms))
            session.report.diagnostics.extend(session.suppression.unused())
            unused = guarded("jax", comments.unused_comments, traced.jaxpr, session.suppression)
            session.report.diagnostics.extend(unused or ())
        except KernelVerificationError:
            pass  # the session has the findings
        except Exception as error:
            refusals.keep(session, error)
            _place(session.report, error)
    return session.report


def _place(report: Report, error: Exception) -> None:
    """Reports a refusal that nothing explains: where the user's own code leads to it, and what JAX said."""
    if all(found.severity != ERROR for found in report.diagnostics):
        said = guarded("jax", jax_errors.without_rule, error)
        if said is not None:
            report.diagnostics.append(said)
