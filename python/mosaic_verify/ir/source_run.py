"""From the text or bytecode of a module through a pipeline, with what MLIR's own verifiers refuse."""

from __future__ import annotations

from collections.abc import Callable

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.parse import BUFFER, ParseError, parse
from mosaic_verify.ir.passes import Session
from mosaic_verify.ir.pipeline import Pipeline, build_pipeline, run_pipeline
from mosaic_verify.ir.runner import Listener

_COMMENT = b"mosaic-verify:"


def run_source(
    data: bytes,
    pipeline: Pipeline | str,
    engine: Engine,
    context: ir.Context,
    *,
    file: str | None = None,
    first_line: int = 1,
    allow_unregistered: bool = False,
    implicit_module: bool = True,
    verify_each: bool = True,
    listener: Listener | None = None,
    parsed: Callable[[ir.Operation], object] | None = None,
) -> ir.Operation | None:
    """Parses a module and runs a pipeline on it; everything that was found goes to `engine`.

    A module that a shipped verifier refuses is parsed once more without that dialect, so that the verification passes
    of the pipeline can say what is wrong with it in our words.

    Args:
      file, first_line, allow_unregistered, implicit_module: as for `mosaic_verify.ir.parse.parse`.
      verify_each, listener: as for `mosaic_verify.ir.pipeline.run_pipeline`.
      parsed: called with the top-level op before the pipeline runs.

    Returns:
      The top-level op behind the pipeline; None when the module was refused, or a pass failed or found an error.

    Raises:
      PipelineError: the pipeline's text is wrong.
    """
    name = engine.files.get(BUFFER, BUFFER) if file is None else file
    if file is None and name not in engine.suppression.sources:
        engine.suppression.sources.add(name, data)
    if isinstance(pipeline, str):
        pipeline = build_pipeline(pipeline, context)
    try:
        root = parse(
            data,
            context,
            file=file,
            first_line=first_line,
            allow_unregistered=allow_unregistered,
            implicit_module=implicit_module,
            warn=engine.emit,
        )
    except ParseError as refused:
        from mosaic_verify.ir.refused import report_refusal

        report_refusal(refused, data, first_line, pipeline, engine)
        return None
    if parsed is not None:
        parsed(root)
    session = Session(engine)
    succeeded = run_pipeline(root, pipeline, session, verify_each=verify_each, listener=listener)
    if session.ran_own_pass and _COMMENT in data:
        last_line = first_line + data.count(b"\n")
        for remark in engine.suppression.unused_comments(name, first_line, last_line):
            engine.emit(remark)
    return root if succeeded else None
