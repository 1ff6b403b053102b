"""`mosaic-verify check`: runs the jobs of all targets and says what was found."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic, Report
from mosaic_verify.diagnostics.jsonl import rewrite_to_dict, to_dict
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.suppression import UNUSED_IGNORE
from mosaic_verify.diagnostics.text import render
from mosaic_verify.tools.cli_console import Progress, UsageError, complain, has_colours, paint
from mosaic_verify.tools.cli_targets import CheckOptions, Job, open_target
from mosaic_verify.tools.opt_files import DEFAULT_MARKER, FileError, write_output


def check(options: argparse.Namespace) -> int:
    """0 when every report is ok, 1 when one is not, 2 when a target could not be checked (the others still are)."""
    if options.output is not None and not options.rewrite:
        raise UsageError("-o needs --rewrite: it is where the rewritten program goes")
    how = CheckOptions(
        rewrite=options.rewrite or "",
        arch=_known_arch(options.arch),
        platform=options.platform,
        select=words(options.select),
        ignore=words(options.ignore),
        werror=None if options.werror is None else words(options.werror),
    )
    how.suppression(os.sep)  # codes that do not exist are refused before anything is read
    unreadable = 0
    jobs: list[Job] = []
    for target in options.targets:
        try:
            jobs += open_target(target, how)
        except UsageError as error:
            complain(str(error))
            unreadable += 1
    progress, show = Progress(), _show_json if options.format == "json" else _Text().show
    programs: list[str] = []
    unused: list[dict[str, Diagnostic]] = []
    reports: list[Report] = []
    for number, job in enumerate(jobs, 1):
        progress.show(f"checking {job.label} ({number} of {len(jobs)})")
        try:
            report = _run(job)
        except UsageError as error:
            progress.clear()
            complain(str(error))
            unreadable += 1
            continue
        progress.clear()
        unused.append(_take_unused(report))
        reports.append(report)
        show(job.label, report)
        if options.output is not None and report.ok:
            programs.append(_program(job, report))
    for message, diagnostic in (unused[0] if unused else {}).items():
        if all(message in each for each in unused):
            show("", Report([diagnostic]))
    for diagnostic in how.unused_comments():
        show("", Report([diagnostic]))
    clean = sum(report.ok for report in reports)
    if options.format == "text":
        _show_total(reports, clean)
    if unreadable:
        return 2
    if options.output is not None and clean == len(reports):
        try:
            write_output(options.output, f"{DEFAULT_MARKER}\n".join(programs).encode())
        except FileError as error:
            raise UsageError(str(error)) from None
    return 0 if clean == len(reports) else 1


def words(text: str | None) -> tuple[str, ...]:
    """The parts of a list that is written with commas."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _known_arch(name: str | None) -> str | None:
    if name is not None:
        from mosaic_verify.model.architectures import find_architecture

        try:
            find_architecture(name)
        except ValueError as error:
            raise UsageError(str(error)) from None
    return name


def _run(job: Job) -> Report:
    try:
        return job.run()
    except UsageError:
        raise
    except Exception as error:
        if os.environ.get("MOSAIC_VERIFY_STRICT") == "1":
            raise
        raise UsageError(
            f"{job.label}: internal error, {type(error).__name__}: {error} "
            "(a fault of mosaic-verify, not of the program; MOSAIC_VERIFY_STRICT=1 shows where it arose)"
        ) from None


def _take_unused(report: Report) -> dict[str, Diagnostic]:
    """Takes out what says that a code of --ignore matched nothing, by message: that counts for all targets together."""
    found = {d.message: d for d in report.diagnostics if d.code == UNUSED_IGNORE[0] and d.location.file is None}
    report.diagnostics[:] = [d for d in report.diagnostics if d.message not in found]
    return found


def _program(job: Job, report: Report) -> str:
    """The text of a program that is fine, ending in one line break."""
    text = report.module
    if text is None and report.lowered is not None:
        text = report.lowered.as_text()  # pyright: ignore[reportAttributeAccessIssue]: a jax.stages.Lowered
    if text is None:
        raise UsageError(f"{job.label}: there is no program to write")
    return text.rstrip("\n") + "\n"


def _refusal(report: Report) -> str:
    """What JAX raised, in one line."""
    error = report.error
    text = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}{': ' if text else ''}{text}"


class _Text:
    """Diagnostics in the format of mlir-opt, then one line per label."""

    def __init__(self) -> None:
        self._sources, self._colour = Sources(), has_colours(sys.stdout)

    def show(self, label: str, report: Report) -> None:
        for diagnostic in report.diagnostics:
            print(render(diagnostic, self._sources, self._colour), end="")
        for rewrite in report.rewrites:
            print(rewrite)
        if label:
            print(_summary(label, report))


def _summary(label: str, report: Report) -> str:
    verdict = paint("ok", "green", stream=sys.stdout) if report.ok else paint("refused", "red", stream=sys.stdout)
    return f"{paint(label, 'bold', stream=sys.stdout)}: {verdict}" + (f" ({report.counts})" if report.counts else "")


def _show_total(reports: Sequence[Report], clean: int) -> None:
    if len(reports) > 1:
        print(f"{clean} of {len(reports)} ok, {len(reports) - clean} refused")
    codes = sorted({diagnostic.code for report in reports for diagnostic in report.diagnostics if diagnostic.code})
    if codes:
        print(
            f"for details: mosaic-verify explain {codes[0]}" + (f" (also {', '.join(codes[1:])})" if codes[1:] else "")
        )


def _show_json(label: str, report: Report) -> None:
    """One object per diagnostic and per rewrite, then one for the label."""
    for diagnostic in report.diagnostics:
        print(json.dumps({"kind": "diagnostic", "label": label, **to_dict(diagnostic)}))
    for rewrite in report.rewrites:
        values = rewrite_to_dict(rewrite)
        values["rewrite"] = values.pop("kind")
        print(json.dumps({"kind": "rewrite", "label": label, **values}))
    if not label:
        return
    summary = {"kind": "report", "label": label, "ok": report.ok, "examined": report.examined}
    print(
        json.dumps(
            {**summary, "error": None if report.error is None else _refusal(report), **_counts(report.diagnostics)}
        )
    )


def _counts(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    return {
        f"{severity}s": sum(diagnostic.severity == severity for diagnostic in diagnostics)
        for severity in (ERROR, "warning", "remark")
    }
