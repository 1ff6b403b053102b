"""Exceptions that JAX raised where no level of the hook sees them: while it traces."""

from __future__ import annotations

from mosaic_verify.diagnostics.diagnostic import Diagnostic
from mosaic_verify.jax_hook import jax_errors
from mosaic_verify.jax_hook.errors import KernelVerificationError, text_of
from mosaic_verify.jax_hook.lowering import guarded
from mosaic_verify.jax_hook.policy import KernelVerificationWarning
from mosaic_verify.jax_hook.sessions import Session


def is_collision(error: BaseException | None) -> bool:
    """True for an exception that says nothing about the program, and is gone once JAX's caches are empty.

    Caches of jaxlib 0.10.2 (`weakref_lru_cache`) compare keys where a few bits of their hashes are equal, and
    `PyTreeDef.__eq__` raises for None: a process that traces many variants of a kernel meets this by chance.
    """
    return isinstance(error, TypeError) and str(error).startswith("__eq__(): incompatible function arguments")


def keep(session: Session, error: Exception) -> None:
    """Keeps an exception in the session's report, with the rule behind it where there is one."""
    if session.report.error is not error:
        session.report.error = error
        _explain(session, error)


def note(session: Session, error: Exception) -> None:
    """The same for an exception that goes on: only if a rule is behind it, which becomes a note of the exception."""
    if session.report.error is error or isinstance(error, (KernelVerificationError, KernelVerificationWarning)):
        return
    shown = _explain(session, error)
    if shown is not None:
        session.report.error = error
        error.add_note(f"mosaic-verify:\n{text_of(shown)}")


def _explain(session: Session, error: Exception) -> Diagnostic | None:
    cause = guarded("jax", jax_errors.to_diagnostic, error, session.report.diagnostics)
    shown = None if cause is None else session.suppression.apply(cause)
    if shown is not None:
        session.report.diagnostics.append(shown)
    return shown
