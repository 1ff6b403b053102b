"""Modules that a shipped verifier refuses: its message in our words, and every other finding as well.

jaxlib's parser always verifies, so such a module never reaches a pass. It is parsed a second time in a context without
Mosaic GPU, where its ops are unregistered and unverified, and the verification passes run on that.

The module `mosaic_verify.dialects.shipped_errors` knows the shipped messages. It is looked up by name when a module was
refused, since it stands above this package:

* `map_refusal(diagnostic: Diagnostic) -> Diagnostic | None`: the same error with our code and text; None when there is
  no rule for it. The notes hold MLIR's "see current operation".
* `relax(text: str) -> str`: the text with what cannot be parsed without the dialect replaced.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from types import ModuleType

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic, Note
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.parse import ParseError, is_bytecode
from mosaic_verify.ir.passes import Session
from mosaic_verify.ir.pipeline import Pipeline
from mosaic_verify.ir.runner import Runner, read_only

_KNOWN = "mosaic_verify.dialects.shipped_errors"
_DIALECT = "mosaic_gpu."


def report_refusal(refused: ParseError, data: bytes, first_line: int, pipeline: Pipeline, engine: Engine) -> None:
    """Reports why a module was refused, and what the verification passes of `pipeline` find in it."""
    known = _known_messages()
    pairs = [(shipped, known.map_refusal(shipped) if known else None) for shipped in refused.diagnostics]
    findings: list[Diagnostic] = []
    if not is_bytecode(data) and any(shipped.op.startswith(_DIALECT) or mapped for shipped, mapped in pairs):
        findings = _findings(data, first_line, pipeline, engine, known)
    for shipped, mapped in pairs:
        at = next((i for i, each in enumerate(findings) if _explains(each, shipped)), None)
        if at is not None:  # one cause, one error: what MLIR says about it becomes a note
            note = Note(f"refused by MLIR's verifier: {shipped.text}", shipped.location)
            findings[at] = replace(findings[at], notes=(*findings[at].notes, note))
        elif mapped is None or not engine.emit(mapped):  # an ignored code does not make the module parse
            engine.emit(shipped)
    for finding in findings:
        engine.emit(finding)


def _findings(
    data: bytes, first_line: int, pipeline: Pipeline, engine: Engine, known: ModuleType | None
) -> list[Diagnostic]:
    from mosaic_verify.ir.context import make_context

    text = data.decode("utf-8", errors="replace")
    text = known.relax(text) if known else text
    collector = Engine(engine.suppression)
    collector.files = engine.files
    context = make_context(unregistered=True, mosaic_gpu=False)
    try:
        root = ir.Module.parse("\n" * (first_line - 1) + text, context).operation
    except ir.MLIRError:
        return []
    checks = [element for element in pipeline.elements if read_only(element)]
    Runner(Session(collector), verify_each=False).run(root, checks)
    # What has no code is a pass that could not cope with a module that is wrong, which MLIR's message says already.
    return [found for found in collector.report.diagnostics if found.code]


def _explains(finding: Diagnostic, shipped: Diagnostic) -> bool:
    here, there = finding.location, shipped.location
    return finding.severity == ERROR and (here.line, here.column) == (there.line, there.column)


def _known_messages() -> ModuleType | None:
    try:
        return importlib.import_module(_KNOWN)
    except ModuleNotFoundError as error:
        if error.name != _KNOWN:
            raise
        return None
