"""What `mosaic-verify check` reads beside MLIR: artifacts of `jax.export`, HLO, and folders of dumps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from mosaic_verify.diagnostics.diagnostic import REMARK, WARNING, Diagnostic, Location, Report
from mosaic_verify.rules.page import load_rule
from mosaic_verify.tools.cli_console import Progress, UsageError
from mosaic_verify.tools.cli_targets import CheckOptions, Job, check_module

_PARALLEL_FROM = 8  # files: below, starting processes (0.3 s each) costs more than it saves
_MAX_PROCESSES = 8

# Written next to modules by MOSAIC_GPU_DUMP_*, XLA and JAX; nobody expects them to be checked.
_OTHER_DUMPS = (
    *(".ptx", ".sass", ".cubin", ".ll", ".bc", ".dot", ".html", ".s", ".o", ".json", ".csv", ".pbtxt", ".log"),
    *(".constraint_system.txt", ".resources.txt", ".debug_options", ".options"),
    *("-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt"),
    *("-memory-usage-report.txt", "-memory-usage-report.pb", "compile_options.pb", "topology.pb"),
)


def open_artifact(path: str, options: CheckOptions) -> Sequence[Job] | None:
    """Jobs for a file or a folder; None when a file is of no kind that is known here.

    Raises UsageError when nothing at all could be read.
    """
    return _open_folder(path, options) if os.path.isdir(path) else _open_file(path, options)


def _open_file(path: str, options: CheckOptions) -> Sequence[Job] | None:
    from mosaic_verify.ir.artifacts import UnreadableArtifact, exported_platforms, read_module

    try:
        with open(path, "rb") as file:
            data = file.read()
        module = read_module(data, os.path.basename(path))
    except (UnreadableArtifact, OSError) as error:
        raise UsageError(f"cannot read '{path}': {error}") from None
    if module is None:
        return None
    platforms = exported_platforms(data)
    return [Job(path, lambda: _named(check_module("-", module, options, platforms), path))]


def _open_folder(folder: str, options: CheckOptions) -> Sequence[Job]:
    paths = [os.path.join(top, name) for top, _, names in sorted(os.walk(folder)) for name in sorted(names)]
    paths = [path for path in paths if not path.endswith(_OTHER_DUMPS) and _may_be_read(path)]
    progress = Progress()
    results: list[tuple[str, Report | str | None]] = []
    if len(paths) < _PARALLEL_FROM:
        for path in paths:
            progress.show(f"reading {path} ({len(results) + 1} of {len(paths)})")
            results.append((path, check_file(path, options)))
    else:
        workers = min(_MAX_PROCESSES, os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            futures: list[Future[Report | str | None]] = [pool.submit(check_file, path, options) for path in paths]
            for number, (path, future) in enumerate(zip(paths, futures, strict=True), 1):
                progress.show(f"reading {path} ({number} of {len(paths)})")
                results.append((path, future.result()))
    progress.clear()
    if not any(isinstance(result, Report) for _, result in results):
        reasons = [f"'{path}': {result}" for path, result in results if isinstance(result, str)]
        why = "; ".join(reasons[:3]) or "no dump of a compiler in this folder"
        raise UsageError(f"cannot read '{folder}': {why}")
    return [_job(path, result) for path, result in results]


def _may_be_read(path: str) -> bool:
    """False for empty files and for what would block (pipes, sockets); a link to nothing is told like a bad file."""
    if os.path.islink(path) and not os.path.exists(path):
        return True
    return os.path.isfile(path) and os.path.getsize(path) > 0


def check_file(path: str, options: CheckOptions) -> Report | str | None:
    """The report of one file, why it cannot be read, or None when it holds no module at all."""
    from mosaic_verify.ir.artifacts import UnreadableArtifact, exported_platforms, read_module

    try:
        with open(path, "rb") as file:
            data = file.read()
        module = read_module(data, os.path.basename(path))
        if module is None:
            return None
        name = path if module is data else "-"
        return _named(check_module(name, module, options, exported_platforms(data)), path)
    except OSError as error:
        return error.strerror or str(error)
    except (UnreadableArtifact, UsageError) as error:
        return str(error)


def _job(path: str, result: Report | str | None) -> Job:
    if isinstance(result, Report):
        return Job(path, lambda: result)
    said = "holds no module that can be checked" if result is None else f"cannot be read: {result}"
    rule = load_rule("MV922")
    severity = REMARK if result is None else WARNING
    found = Diagnostic(severity, f"this file {said}", Location(path), code=rule.code, rule=rule.name)
    return Job(path, lambda: Report(diagnostics=[found]))


def _named(report: Report, path: str) -> Report:
    """The report with the file's name in place of the standard input, which is what its module was read from."""
    from mosaic_verify.diagnostics.engine import rename_files

    report.diagnostics = [rename_files(found, {"<stdin>": path, "-": path}) for found in report.diagnostics]
    return report
