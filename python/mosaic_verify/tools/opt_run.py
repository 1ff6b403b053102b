"""One run of `mosaic-verify-opt`: input, chunks, pipeline, output."""

from __future__ import annotations

import io
import os
import sys

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.diagnostics.expected import ExpectedVerifier
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.diagnostics.text import TextSink, wants_color
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.parse import BUFFER, ParseError, is_bytecode, parse
from mosaic_verify.ir.passes import Session
from mosaic_verify.ir.pipeline import Pipeline, build_pass, build_pipeline, run_pipeline
from mosaic_verify.ir.pipeline_text import PipelineError
from mosaic_verify.tools.opt_files import DEFAULT_MARKER, STANDARD_INPUT, read_input, split_chunks, write_output
from mosaic_verify.tools.opt_flags import TOOL, CommandLine, UsageError, unknown_argument


def run(line: CommandLine) -> int:
    """Processes the input that the command line names. Returns the exit code. Raises UsageError and FileError."""
    return _Run(line).run()


class _Run:
    def __init__(self, line: CommandLine):
        self.line = line
        self.context = make_context()
        self.path = line.inputs[0] if line.inputs else "-"
        self.name = STANDARD_INPUT if self.path == "-" else self.path
        self.sources = Sources()
        self.color = wants_color(sys.stderr)
        self.suppression = Suppression(line.items("select"), line.items("ignore"), _werror(line))
        self.verify_mode = line.choice("verify-diagnostics", ("all", "only-expected")) if _given(line) else ""

    def run(self) -> int:
        line = self.line
        pipeline = self._pipeline()
        data = read_input(self.path)
        self.sources.add(self.name, b"" if is_bytecode(data) else data)
        if line.on("dump-pass-pipeline"):
            from mosaic_verify.ir.pipeline_print import dump

            sys.stderr.write(dump(pipeline))
        split = line.text("split-input-file")
        chunks = [(1, data)] if split is None else split_chunks(data, split or DEFAULT_MARKER)
        outputs: list[bytes] = []
        succeeded = True
        for first_line, chunk in chunks:
            output = self._chunk(chunk, first_line, pipeline, whole=split is None)
            succeeded = succeeded and output is not None
            outputs.append(output or b"")
        marker = line.text("output-split-marker") or DEFAULT_MARKER
        path = line.text("o") or "-"
        if path == "-" or succeeded:
            write_output(path, f"{marker}\n".encode().join(outputs))
        return 0 if succeeded else 1

    def _chunk(self, data: bytes, first_line: int, pipeline: Pipeline, whole: bool) -> bytes | None:
        """The output of one chunk; None when it failed (or, with --verify-diagnostics, did not match)."""
        verifier = None
        if self.verify_mode:
            verifier = ExpectedVerifier(sys.stderr.write, self.sources, self.verify_mode == "only-expected", self.color)
            verifier.add(self.name, data.decode("utf-8", errors="replace"), first_line)
            sink = verifier
        elif self.line.choice("diagnostic-format", ("text", "json")) == "json":
            from mosaic_verify.diagnostics.jsonl import JsonSink

            sink = JsonSink(sys.stderr.write)
        else:
            sink = TextSink(sys.stderr.write, self.sources, self.color)
        engine = Engine(self.suppression, sink)
        engine.files = {BUFFER: self.name}
        output = self._process(data, first_line, pipeline, engine, whole)
        if verifier is not None:
            return (output or b"") if verifier.finish() else None
        return output

    def _process(self, data: bytes, first_line: int, pipeline: Pipeline, engine: Engine, whole: bool) -> bytes | None:
        file = self.path if whole and os.path.isfile(self.path) else None
        try:
            root = parse(
                data,
                self.context,
                file=file,
                first_line=first_line,
                allow_unregistered=self.line.on("allow-unregistered-dialect"),
                implicit_module=not self.line.on("no-implicit-module"),
            )
        except ParseError as refused:
            for diagnostic in refused.diagnostics:
                engine.emit(diagnostic)
            return None
        session = Session(engine, source=data)
        verify_each = self.line.on("verify-each", True)
        if not run_pipeline(root, pipeline, session, verify_each=verify_each) or engine.failed:
            return None
        return self._print(root, file is None)

    def _print(self, root: ir.Operation, rename: bool) -> bytes:
        line = self.line
        if line.on("emit-bytecode"):
            sink = io.BytesIO()
            root.write_bytecode(sink, desired_version=line.number("emit-bytecode-version"))
            return sink.getvalue()
        limit = line.number("mlir-elide-elementsattrs-if-larger")
        text = root.get_asm(
            binary=True,
            large_elements_limit=limit,
            large_resource_limit=line.number("mlir-elide-resource-strings-if-larger"),
            enable_debug_info=line.on("mlir-print-debuginfo") or line.on("mlir-pretty-debuginfo"),
            pretty_debug_info=line.on("mlir-pretty-debuginfo"),
            print_generic_op_form=line.on("mlir-print-op-generic"),
            use_local_scope=line.on("mlir-print-local-scope"),
            use_name_loc_as_prefix=line.on("mlir-use-nameloc-as-prefix"),
            assume_verified=line.on("verify-each", True) or line.on("mlir-print-assume-verified"),
            skip_regions=line.on("mlir-print-skip-regions"),
        )
        assert isinstance(text, bytes)
        if rename and line.on("mlir-print-debuginfo"):
            text = text.replace(b'loc("-":', b'loc("' + self.name.encode().replace(b'"', b'\\"') + b'":')
        return text.rstrip(b"\n") + b"\n\n"

    def _pipeline(self) -> Pipeline:
        line = self.line
        text = line.text("pass-pipeline")
        if text is not None and line.passes:
            raise UsageError("<unknown>:0: error: '-pass-pipeline' option can't be used with individual pass options")
        try:
            if text is not None:
                return build_pipeline(text, self.context)
            elements = [element for name, options in line.passes for element in build_pass(name, options, self.context)]
            return Pipeline("builtin.module" if elements else "any", tuple(elements))
        except PipelineError as error:
            if error.unknown and text is None:
                raise unknown_argument(error.unknown, self._known_passes()) from None
            message = f"<unknown>:0: error: {error}"
            if error.unknown:
                import difflib

                near = difflib.get_close_matches(error.unknown, self._known_passes(), 1)
                message += f"\n{TOOL}: Did you mean '{near[0]}'?" if near else ""
            raise UsageError(message) from None

    def _known_passes(self) -> list[str]:
        from mosaic_verify.ir.automatic import SUMMARIES as AUTOMATIC
        from mosaic_verify.ir.pipeline import registry
        from mosaic_verify.ir.shipped_passes import available

        return [*registry().pass_names(), *AUTOMATIC, *available(self.context)]


def _given(line: CommandLine) -> bool:
    if line.given.get("verify-diagnostics") == "":
        line.given["verify-diagnostics"] = "all"
    return "verify-diagnostics" in line.given


def _werror(line: CommandLine) -> tuple[str, ...] | None:
    return line.items("werror") if "werror" in line.given else None
