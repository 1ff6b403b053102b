"""Where the pipeline of `mosaic-verify-opt` comes from, and what happens to it besides running."""

from __future__ import annotations

import io

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic, Location, Note
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.automatic import SUMMARIES as AUTOMATIC
from mosaic_verify.ir.automatic import Automatic, Deferred
from mosaic_verify.ir.passes import Pass
from mosaic_verify.ir.pipeline import Pipeline, build_pass, build_pipeline, registry
from mosaic_verify.ir.pipeline_text import PipelineError
from mosaic_verify.ir.runner import Element, Nest
from mosaic_verify.tools.opt_files import write_output
from mosaic_verify.tools.opt_flags import TOOL, CommandLine, UsageError, unknown_argument


def from_flags(line: CommandLine, context: ir.Context) -> Pipeline:
    """The pipeline of `--pass-pipeline` or of individual pass flags, in their order. Raises UsageError."""
    text = line.text("pass-pipeline")
    if text is not None and line.passes:
        _check_names(line, context)
        raise UsageError("<unknown>:0: error: '-pass-pipeline' option can't be used with individual pass options")
    if text is not None:
        return from_text(text, context)
    _check_names(line, context)
    try:
        elements = [element for name, options in line.passes for element in build_pass(name, options, context)]
    except PipelineError as error:
        raise UsageError(f"<unknown>:0: error: {error}") from None
    return Pipeline("builtin.module" if elements else "any", tuple(elements))


def from_text(text: str, context: ir.Context) -> Pipeline:
    """The pipeline of a text. Raises UsageError."""
    try:
        return build_pipeline(text, context)
    except PipelineError as error:
        message = f"<unknown>:0: error: {error}"
        if error.unknown:
            import difflib

            near = difflib.get_close_matches(error.unknown, _known(context), 1)
            message += f"\n{TOOL}: Did you mean '{near[0]}'?" if near else ""
        raise UsageError(message) from None


def from_reproducer(data: bytes, name: str, context: ir.Context) -> tuple[Pipeline, bool]:
    """The pipeline that a reproducer names, and whether to verify behind each pass. Raises UsageError."""
    from mosaic_verify.ir.reproducer import read_reproducer

    found = read_reproducer(data.decode("utf-8", errors="replace"))
    if found is None:
        raise UsageError(f"{name}:0:0: error: the input has no resource mlir_reproducer with a pipeline")
    return from_text(found[0], context), found[1]


def has_own_pass(pipeline: Pipeline) -> bool:
    """Whether a pass of ours is in the pipeline."""

    def own(element: Element) -> bool:
        if isinstance(element, Nest):
            return any(map(own, element.elements))
        return isinstance(element, (Pass, Deferred, Automatic))

    return any(map(own, pipeline.elements))


def survives_roundtrip(root: ir.Operation) -> bool:
    """Whether a module written as bytecode and read again prints the same."""
    sink = io.BytesIO()
    root.write_bytecode(sink)
    try:
        again = ir.Module.parse(sink.getvalue(), root.context).operation
    except ir.MLIRError:
        return False
    options = {"print_generic_op_form": True, "enable_debug_info": True}
    return again.get_asm(**options) == root.get_asm(**options)


class Reproducer:
    """Writes reproducers, where a flag asks for one: before the pipeline runs, or when it failed."""

    def __init__(self, line: CommandLine, pipeline: Pipeline, verify_each: bool):
        self._before = line.text("mlir-generate-reproducer")
        self._after = line.text("mlir-pass-pipeline-crash-reproducer")
        self._pipeline, self._verify_each = pipeline, verify_each
        self._text: str | None = None

    def keep(self, root: ir.Operation) -> None:
        """Takes the module as it is before the pipeline. Raises FileError."""
        if self._before is None and self._after is None:
            return
        from mosaic_verify.ir.reproducer import write_reproducer

        module = root.get_asm(print_generic_op_form=True)
        assert isinstance(module, str)
        self._text = write_reproducer(module, str(self._pipeline), self._verify_each)
        if self._before is not None:
            write_output(self._before, self._text.encode())

    def failed(self, engine: Engine, name: str) -> None:
        """Writes the reproducer of a pipeline that failed. Raises FileError."""
        if self._after is None or self._text is None:
            return
        write_output(self._after, self._text.encode())
        where = Location(name)
        note = Note(f"reproducer generated at `{self._after}`", where)
        message = "Failures have been detected while processing an MLIR pass pipeline"
        engine.emit(Diagnostic(ERROR, message, where, notes=(note,)))


def _check_names(line: CommandLine, context: ir.Context) -> None:
    """Raises UsageError for the first flag that is no pass either."""
    for name, _ in line.passes:
        if name in registry().pass_names() or name in AUTOMATIC:
            continue
        try:
            build_pass(name, "", context)
        except PipelineError as error:
            if error.unknown or "does not refer to" in str(error):
                raise unknown_argument(name, _known(context)) from None


def _known(context: ir.Context) -> list[str]:
    from mosaic_verify.ir.shipped_passes import available

    return [*registry().pass_names(), *AUTOMATIC, *available(context)]
