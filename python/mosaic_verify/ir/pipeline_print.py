"""Pipelines as indented text (`--dump-pass-pipeline`)."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_verify.ir.pipeline import Pipeline, element_text
from mosaic_verify.ir.runner import Element, Nest


def dump(pipeline: Pipeline) -> str:
    """The text that `OpPassManager::dump` prints: the number of passes, then the pipeline with all options."""
    anchor = "builtin.module" if pipeline.anchor == "any" and not pipeline.elements else pipeline.anchor
    body = _nested(anchor, pipeline.elements, 0)
    return f"Pass Manager with {len(pipeline.elements)} passes:\n{body}\n\n"


def _nested(anchor: str, elements: Sequence[Element], depth: int) -> str:
    blanks = "  " * (depth + 1)
    lines = [
        blanks + (_nested(each.anchor, each.elements, depth + 1) if isinstance(each, Nest) else element_text(each))
        for each in elements
    ]
    return f"{anchor}(\n" + ",\n".join(lines) + f"\n{'  ' * depth})"
