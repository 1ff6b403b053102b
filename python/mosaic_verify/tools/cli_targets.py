"""What `mosaic-verify check` can look at: each kind of TARGET as a list of jobs."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mosaic_verify.diagnostics.diagnostic import Diagnostic, Report
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.ir.bytecode import MAGIC, PORTABLE
from mosaic_verify.tools.cli_console import UsageError
from mosaic_verify.tools.opt_files import FileError, read_input


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How targets are checked.

    Attributes:
      rewrite: "" for none, "all", or "exact" for rewrites that keep every value.
      arch: `sm_<major><minor>[a|f]`; None is what the kernel needs.
      platform: "cuda" or "tpu", what Python functions are lowered for; None is what the kernel needs.
      select, ignore, werror: codes, prefixes or names of rules, as in `mosaic_verify.diagnostics.suppression`.
      used_comments: (file, line, pattern) of each ignore comment that was of use for any target.
      idle_comments: remarks about comments in Python files that were of no use for one kernel; another may need them.
    """

    rewrite: str = ""
    arch: str | None = None
    platform: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    werror: tuple[str, ...] | None = None
    used_comments: set[tuple[str, int, str]] = field(default_factory=set)
    idle_comments: list[Diagnostic] = field(default_factory=list)

    def suppression(self, start: str | None = None) -> Suppression:
        """The suppression for a target in or at `start`, its configuration included. Raises UsageError."""
        from mosaic_verify.diagnostics.config import ConfigError, configured_suppression

        try:
            return configured_suppression(start, select=self.select, ignore=self.ignore, werror=self.werror)
        except ConfigError as error:
            raise UsageError(str(error)) from None

    def unused_comments(self) -> list[Diagnostic]:
        """A remark for each ignore comment in a Python file that was of no use for any kernel."""
        suppression = Suppression(select=self.select, used_comments=self.used_comments)
        found: dict[Diagnostic, None] = {}
        for file, line in dict.fromkeys((each.location.file, each.location.line) for each in self.idle_comments):
            found |= dict.fromkeys(suppression.unused_comments(file or "", line, line))
        return [each for each in self.idle_comments if found.pop(each, each) is None]

    @property
    def mode(self) -> str:
        """The mode of `mosaic_verify.check`."""
        return {"": "report", "all": "rewrite", "exact": "rewrite-exact"}[self.rewrite]


@dataclass(frozen=True, slots=True)
class Job:
    """One kernel or module. `run` checks it; the report's `module` or `lowered` holds the program."""

    label: str
    run: Callable[[], Report]


# Readers of files and folders that are not MLIR. Each module has `open_artifact(path, options)`, which returns
# jobs, or None when it does not know the format.
ARTIFACT_READERS = ("mosaic_verify.tools.cli_artifacts",)


def open_target(target: str, options: CheckOptions) -> Sequence[Job]:
    """The jobs of one TARGET. Raises UsageError when there are none to be had."""
    if "::" in target:
        from mosaic_verify.tools.cli_python import open_function

        return open_function(target, options)
    if target != "-" and not os.path.exists(target):
        raise UsageError(f"cannot open '{target}': No such file or directory")
    if os.path.isdir(target):
        return _open_artifact(target, options, "no dump of a compiler in this folder")
    if target.endswith(".py"):
        from mosaic_verify.tools.cli_python import describe_functions

        raise UsageError(f"'{target}' needs the name of a function: {describe_functions(target)}")
    try:
        data = read_input(target)
    except FileError as error:
        raise UsageError(str(error)) from None
    if not data.strip():
        raise UsageError(f"{'standard input' if target == '-' else repr(target)} is empty: there is nothing to check")
    if not looks_like_mlir(data):
        return _open_artifact(target, options, "neither MLIR text nor bytecode, nor an artifact of jax.export")
    return [Job(target, lambda: check_module(target, data, options))]


def looks_like_mlir(data: bytes) -> bool:
    """True for bytecode and for text; not for portable StableHLO and HLO text, which are artifacts."""
    if data.startswith(MAGIC):
        return not data.startswith(PORTABLE)
    if b"\0" in data or data.lstrip().startswith(b"HloModule "):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def check_module(path: str, data: bytes, options: CheckOptions, platforms: Sequence[str] = ()) -> Report:
    """Runs `verify-all`, behind `rewrite-all` if asked for, on MLIR text or bytecode; `module` is the result's text.

    `platforms` are those that the module was exported for, where that is known.

    What the verifier of an op refuses is a finding. What is not MLIR at all raises UsageError.
    """
    from mosaic_verify.diagnostics.engine import Engine
    from mosaic_verify.ir.automatic import has_kernel
    from mosaic_verify.ir.context import make_context
    from mosaic_verify.ir.parse import BUFFER, is_bytecode
    from mosaic_verify.ir.source_run import run_source

    arch = f"arch={options.arch}" if options.arch else ""
    rewrites = "" if not options.rewrite else f"rewrite-all{{exact={str(options.rewrite == 'exact').lower()} {arch}}},"
    exported = f",stablehlo-verify-platforms{{platforms={','.join(platforms)}}}" if platforms else ""
    engine = Engine(options.suppression(os.path.dirname(path) or None))
    engine.files = {BUFFER: "<stdin>" if path == "-" else path}
    examined: list[bool] = []
    root = run_source(
        data,
        f"builtin.module({rewrites}verify-all{{{arch}}}{exported})",
        engine,
        make_context(),
        file=path if os.path.isfile(path) and not is_bytecode(data) else None,
        allow_unregistered=True,
        parsed=lambda root: examined.append(has_kernel(root)),
    )
    report = engine.report
    report.examined = examined != [False]
    if root is not None:
        report.module = str(root)
    elif report.diagnostics and not any(diagnostic.op or diagnostic.code for diagnostic in report.diagnostics):
        first = report.diagnostics[0]
        raise UsageError(f"{first.location}: error: {first.text}")
    for remark in engine.suppression.unused():
        engine.emit(remark)
    return report


def _open_artifact(path: str, options: CheckOptions, otherwise: str) -> Sequence[Job]:
    for name in ARTIFACT_READERS:
        if importlib.util.find_spec(name) is None:
            continue
        jobs = importlib.import_module(name).open_artifact(path, options)
        if jobs is not None:
            return jobs
    raise UsageError(f"cannot read '{path}': {otherwise}")
