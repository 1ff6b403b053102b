"""The public functions. Importing this module imports neither JAX nor jaxlib; calling `check` or `install` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from mosaic_verify.diagnostics.diagnostic import Diagnostic, Location, Note, Report, Rewrite
from mosaic_verify.jax_hook.errors import KernelVerificationError
from mosaic_verify.rules.page import Rule, all_rules

if TYPE_CHECKING:
    from mosaic_verify.jax_hook.sessions import Session

__all__ = [
    "Diagnostic",
    "KernelVerificationError",
    "Location",
    "Note",
    "Report",
    "Rewrite",
    "Rule",
    "all_rules",
    "annotate",
    "check",
    "explain",
    "install",
    "run",
    "uninstall",
    "verifying",
]


def check(
    fn: Callable[..., Any],
    *args: Any,
    mode: str = "report",
    arch: str | None = None,
    platforms: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
) -> Report:
    """Lowers `fn(*args)` without running it, and reports what was found.

    No GPU is needed: while `fn` is traced and lowered, JAX's device answers as one of architecture `arch` does, in this
    thread only.

    Args:
      fn: a function that JAX can trace, jitted or not.
      args: arrays, `jax.ShapeDtypeStruct`s, or pytrees of them.
      mode: "report" lets JAX go on whatever is found; "enforce" stops at an error; "rewrite" rewrites first, and
        "rewrite-exact" applies only rewrites that keep every value.
      arch: `sm_<major><minor>[a|f]`; None is the one that the kernel was written for (sm_90a for Hopper's wgmma, else
        sm_100a).
      platforms: what to lower for, as in `lower(lowering_platforms=...)`; None is what the kernel was written for
        (`("tpu",)` for Mosaic TPU's, such as megablox `gmm`, when `arch` is None too; else `("cuda",)`).
      ignore: codes, or prefixes of codes ("MV7"), that are not reported.

    Returns:
      A report with the findings, the rewrites, `lowered` (None when JAX refused or the mode stopped it) and `error`,
      what JAX itself raised. A fault of the kernel never raises.

    Raises:
      ValueError: an unknown mode, architecture or code.
      TypeError: `fn` is not callable.
    """
    from mosaic_verify.model.architectures import find_architecture

    if not callable(fn):
        raise TypeError(f"check needs a function, got {type(fn).__name__}")
    if arch is not None:
        find_architecture(arch)
    from mosaic_verify.jax_hook import state
    from mosaic_verify.jax_hook.check import check as check_function

    return check_function(
        fn, args, state.check_mode(mode), arch, None if platforms is None else _words(platforms), _words(ignore)
    )


def install(mode: str = "enforce", ignore: Iterable[str] = ()) -> None:
    """Puts the hook in force in the whole process: every kernel that JAX lowers from now on is verified.

    Args:
      mode: "report" warns, "enforce" raises `KernelVerificationError`, "rewrite" and "rewrite-exact" rewrite, then
        raise for what is left.
      ignore: codes, or prefixes of codes, that are not reported.

    Raises:
      ValueError: an unknown mode or code.
    """
    from mosaic_verify.jax_hook.install import install as install_hook

    install_hook(mode, _words(ignore))


def uninstall() -> None:
    """Takes the hook out of JAX again. Programs that were rewritten are not served any more."""
    from mosaic_verify.jax_hook.install import uninstall as uninstall_hook

    uninstall_hook()


def verifying(mode: str = "report", ignore: Iterable[str] = ()) -> AbstractContextManager[Session]:
    """The hook in force in this thread for the duration of a `with` block; the session has a `report`.

    What was lowered before is lowered, and verified, again. Sessions nest; the innermost one collects.

    Raises:
      ValueError: an unknown mode or code.
    """
    from mosaic_verify.jax_hook import state
    from mosaic_verify.jax_hook.install import verifying as open_session

    return open_session(state.check_mode(mode), _words(ignore))


def run(module_or_text: Any, pipeline: str) -> Report:
    """Runs a pass pipeline, such as `builtin.module(mosaic-gpu-verify-sparse-mma)`, on a module of any level.

    Args:
      module_or_text: MLIR text, bytecode, or a module of jaxlib's bindings, which is not changed.
      pipeline: as for `mosaic-verify-opt --pass-pipeline`.

    Returns:
      A report. `module` is the text of what the pipeline made of the module; None when a pass failed or found an
      error. What MLIR refuses to parse is in the report too. What MOSAIC_VERIFY_IGNORE, `[tool.mosaic-verify]` above
      the script that runs, or a comment ignores is not.

    Raises:
      ValueError: the pipeline is wrong.
      TypeError: `module_or_text` is something else.
    """
    from mosaic_verify.diagnostics.engine import Engine
    from mosaic_verify.diagnostics.source import Sources
    from mosaic_verify.ir.context import thread_context
    from mosaic_verify.ir.passes import Session
    from mosaic_verify.ir.pipeline import run_pipeline
    from mosaic_verify.ir.source_run import run_source
    from mosaic_verify.jax_hook.suppression import make_suppression

    engine = Engine(make_suppression((), Sources()))
    if isinstance(module_or_text, (str, bytes)):
        data = module_or_text.encode() if isinstance(module_or_text, str) else module_or_text
        root = run_source(data, pipeline, engine, thread_context())
    elif not hasattr(module_or_text, "operation"):
        raise TypeError(f"run needs MLIR text, bytecode or a module, got {type(module_or_text).__name__}")
    else:
        root = module_or_text.operation.clone(ip=False)
        root = root if run_pipeline(root, pipeline, Session(engine)) else None
    if root is not None:
        engine.report.module = str(root)
    return engine.report


def explain(what: str) -> str:
    """The page of a rule, in Markdown, by its code, its name, or a message (or whole traceback) that it explains.

    Raises:
      KeyError: there is no such rule.
    """
    rules = all_rules()
    for rule in rules:
        if what in (rule.code, rule.name):
            return rule.explanation
    from mosaic_verify.rules.tracebacks import match_text

    _, matches = match_text(what)
    if not matches:
        raise KeyError(f"no rule with code, name or message {what!r}")
    return matches[0].rule.explanation


def annotate(op: str, **parameters: object) -> AbstractContextManager[None]:
    """Says what the calls in a `with` block are, where the lowered program does not.

    `with mv.annotate("block_sparse.attention_fwd", tile_m=128, tile_n=128): ...` sets frontend attributes
    `mosaic_verify.op = "block_sparse.attention_fwd"`, `mosaic_verify.tile_m = "128"`, ... on every op that is traced
    in the block (JAX's `set_xla_metadata`); values are strings.
    """
    from mosaic_verify.jax_hook.annotate import annotate as set_metadata

    return set_metadata(op, parameters)


def _words(values: Iterable[str]) -> tuple[str, ...]:
    """A tuple of strings; one string is one word, not its letters."""
    return (values,) if isinstance(values, str) else tuple(values)
