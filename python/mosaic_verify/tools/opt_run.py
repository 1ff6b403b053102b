"""One run of `mosaic-verify-opt`: input, chunks, pipeline, output."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic
from mosaic_verify.diagnostics.engine import Engine, Sink
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.diagnostics.text import TextSink, wants_color
from mosaic_verify.ir.bytecode import PORTABLE
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.parse import BUFFER, is_bytecode
from mosaic_verify.ir.pipeline import Pipeline
from mosaic_verify.ir.runner import Listener
from mosaic_verify.ir.source_run import run_source
from mosaic_verify.tools import opt_pipeline, opt_sinks
from mosaic_verify.tools.opt_files import (
    DEFAULT_MARKER,
    STANDARD_INPUT,
    FileError,
    read_input,
    split_chunks,
    write_output,
)
from mosaic_verify.tools.opt_flags import TOOL, CommandLine, UsageError
from mosaic_verify.tools.opt_print import asm_options, print_module


def process(line: CommandLine) -> int:
    """Processes the input that the command line names. Returns the exit code. Raises UsageError and FileError."""
    return _Run(line).run()


def _module(data: bytes, name: str) -> bytes:
    """The module in an artifact of `jax.export` or in portable StableHLO; other data as it is."""
    if not data.startswith(PORTABLE) and (is_bytecode(data) or b"\0" not in data):
        return data
    from mosaic_verify.ir.artifacts import UnreadableArtifact, read_module

    try:
        return read_module(data) or data
    except UnreadableArtifact as error:
        raise FileError(f"cannot read '{name}': {error}") from None


class _Run:
    def __init__(self, line: CommandLine):
        self.line = line
        self.path = line.input
        self.name = STANDARD_INPUT if self.path == "-" else self.path
        self.sources = Sources()
        self.suppression = _suppression(line, self.path, self.sources)
        self.color = wants_color(sys.stderr)
        self.json = line.choice("diagnostic-format", ("text", "json")) == "json"
        self.verify_mode = ""
        if "verify-diagnostics" in line.given:
            self.verify_mode = line.choice("verify-diagnostics", ("all", "only-expected"))
        opt_sinks.least_severity(line)  # wrong values of flags are refused before anything is read
        asm_options(line)
        self.verify_each = line.on("verify-each", True)
        self.codes: set[str] = set()
        self.file: str | None = None  # the regular file that MLIR itself can read
        self.context = make_context()
        self.timer, self.listener = _listener(line)

    def run(self) -> int:
        line = self.line
        read = read_input(self.path)
        data = _module(read, self.name)
        self.file = self.path if data is read and os.path.isfile(self.path) else None
        self.sources.add(self.name, b"" if is_bytecode(data) else data)
        if line.on("run-reproducer"):
            pipeline, self.verify_each = opt_pipeline.from_reproducer(data, self.name, self.context)
        else:
            pipeline = opt_pipeline.from_flags(line, self.context)
        if line.on("dump-pass-pipeline"):
            from mosaic_verify.ir.pipeline_print import dump

            sys.stderr.write(dump(pipeline))
        marker = line.text("split-input-file")
        if marker is None or is_bytecode(data):
            chunks = [(1, data)]
        else:
            chunks = split_chunks(data, marker or DEFAULT_MARKER)
        outputs = [self._chunk(chunk, first, pipeline, whole=marker is None) for first, chunk in chunks]
        succeeded = None not in outputs
        self._finish(pipeline)
        path = line.text("o") or "-"
        if path == "-" or succeeded:
            joint = (line.text("output-split-marker") or DEFAULT_MARKER) + "\n"
            write_output(path, joint.encode().join(output or b"" for output in outputs))
        return 0 if succeeded else 1

    def _chunk(self, data: bytes, first_line: int, pipeline: Pipeline, whole: bool) -> bytes | None:
        """The output of one chunk; None when it failed or, with --verify-diagnostics, did not match."""
        if not self.verify_mode:
            return self._process(data, first_line, pipeline, whole, self._sink())
        from mosaic_verify.diagnostics.expected import ExpectedVerifier

        only_expected = self.verify_mode == "only-expected"
        verifier = ExpectedVerifier(sys.stderr.write, self.sources, only_expected, self.color)
        if not is_bytecode(data):
            verifier.add(self.name, data.decode("utf-8", errors="replace"), first_line)
        output = self._process(data, first_line, pipeline, whole, verifier)
        return (output or b"") if verifier.finish() else None

    def _process(self, data: bytes, first_line: int, pipeline: Pipeline, whole: bool, sink: Sink) -> bytes | None:
        engine = Engine(self.suppression, sink)
        engine.files = {BUFFER: self.name}
        file = self.file if whole else None
        start = perf_counter()
        reproducer = opt_pipeline.Reproducer(self.line, pipeline, self.verify_each)
        root = run_source(
            data,
            pipeline,
            engine,
            self.context,
            file=file,
            first_line=first_line,
            allow_unregistered=self.line.on("allow-unregistered-dialect"),
            implicit_module=not self.line.on("no-implicit-module"),
            verify_each=self.verify_each,
            listener=self.listener,
            parsed=self._parsed(start, reproducer),
        )
        self.codes.update(found.code for found in engine.report.diagnostics if found.severity == ERROR)
        if root is None:
            reproducer.failed(engine, self.name)
        elif self.line.on("verify-roundtrip") and not opt_pipeline.survives_roundtrip(root):
            message = "roundTrip testing roundtripped module differs from reference"
            engine.emit(Diagnostic(ERROR, message))
        if root is None or engine.failed:
            return None
        start = perf_counter()
        output = print_module(root, self.line, self.name if file is None else None, self.verify_each)
        if self.timer is not None:
            self.timer.add(("Output",), perf_counter() - start)
        return output

    def _parsed(self, start: float, reproducer: opt_pipeline.Reproducer):
        def parsed(root: ir.Operation) -> None:
            if self.timer is not None:
                self.timer.add(("Parser",), perf_counter() - start)
            reproducer.keep(root)

        return parsed

    def _sink(self) -> Sink:
        if self.json:
            from mosaic_verify.diagnostics.jsonl import JsonSink

            sink: Sink = JsonSink(sys.stderr.write)
        else:
            sink = TextSink(sys.stderr.write, self.sources, self.color)
        return opt_sinks.filtered(sink, self.line)

    def _finish(self, pipeline: Pipeline) -> None:
        """What is said once, behind all chunks: unused codes, where to read more, times."""
        if not self.verify_mode:
            if self.suppression.ignore and opt_pipeline.has_own_pass(pipeline):
                engine = Engine(self.suppression, self._sink())
                for remark in self.suppression.unused():
                    engine.emit(remark)
            explained = sorted(filter(None, self.codes))
            if explained and not self.json:
                more = f" (also {', '.join(explained[1:])})" if len(explained) > 1 else ""
                sys.stderr.write(f"for details: {TOOL} --explain {explained[0]}{more}\n")
        if self.timer is not None:
            from mosaic_verify.ir.instrument import timing_report

            form = self.line.choice("mlir-output-format", ("text", "json"))
            display = self.line.choice("mlir-timing-display", ("tree", "list"))
            sys.stderr.write(timing_report(self.timer.rows(), form, display))


def _suppression(line: CommandLine, path: str, sources: Sources) -> Suppression:
    from mosaic_verify.diagnostics.config import ConfigError, configured_suppression

    try:
        return configured_suppression(
            None if path == "-" else path,
            select=line.items("select"),
            ignore=line.items("ignore"),
            werror=line.items("werror") if "werror" in line.given else None,
            sources=sources,
        )
    except ConfigError as error:
        raise UsageError(f"{TOOL}: {error}") from None


def _listener(line: CommandLine):
    """The timer, if there is one, and all listeners as one."""
    listeners: list[Listener] = []
    timer = None
    printing = [name for name in line.given if name.startswith("mlir-print-ir-")]
    if line.on("mlir-timing") or printing:
        from mosaic_verify.ir import instrument

        if printing:
            before, after = line.items("mlir-print-ir-before"), line.items("mlir-print-ir-after")
            all_before, all_after = line.on("mlir-print-ir-before-all"), line.on("mlir-print-ir-after-all")
            printer = instrument.IrPrinter(
                lambda argument: all_before or argument in before,
                lambda argument: all_after or argument in after,
                only_change=line.on("mlir-print-ir-after-change"),
                only_failure=line.on("mlir-print-ir-after-failure"),
                module_scope=line.on("mlir-print-ir-module-scope"),
                asm=asm_options(line),
            )
            listeners.append(printer)
        if line.on("mlir-timing"):
            timer = instrument.Timer()
            listeners.append(timer)
        return timer, instrument.Listeners(listeners)
    return None, None
