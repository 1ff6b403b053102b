"""The grammar of textual pass pipelines: `builtin.module(func.func(cse),canonicalize{max-iterations=3})`."""

from __future__ import annotations

import re
from typing import NamedTuple

_BUFFER = "MLIR Textual PassPipeline Parser"
_ANCHOR_EXPECTED = "expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'"
_SEPARATOR = re.compile(r"[,(){]")


class PipelineError(ValueError):
    """A pipeline that cannot be read or built. The text is one message, possibly with the line and a caret below it.

    Attributes:
      unknown: the name that refers to no pass, or "".
    """

    def __init__(self, message: str, unknown: str = ""):
        super().__init__(message)
        self.unknown = unknown


class Step(NamedTuple):
    """One element. A nested pipeline has `nested` and no options; a pass has `options`, the text between its braces.

    Attributes:
      offset: position of the name within the text that holds it, for messages.
    """

    name: str
    options: str = ""
    nested: tuple[Step, ...] | None = None
    offset: int = 0

    def __str__(self) -> str:
        if self.nested is not None:
            return f"{self.name}({','.join(map(str, self.nested))})"
        return f"{self.name}{{{self.options}}}" if self.options else self.name


def parse_pipeline(text: str) -> tuple[Step, str]:
    """Reads an anchored pipeline. Returns it with the text inside the anchor's parentheses, which offsets refer to.

    Raises:
      PipelineError: no anchor, unbalanced parentheses or braces, with the texts of mlir-opt.
    """
    text = text.strip()
    opening = text.find("(")
    if opening <= 0 or not text.endswith(")"):
        raise PipelineError(_ANCHOR_EXPECTED)
    inner = text[opening + 1 : -1]
    steps = parse_elements(inner) if inner.strip() else ()
    return Step(text[:opening].rstrip(), nested=steps), inner


def parse_elements(text: str) -> tuple[Step, ...]:
    """Reads the comma-separated elements inside an anchor. Raises PipelineError."""
    levels: list[list[Step]] = [[]]
    anchors: list[tuple[str, int]] = []
    at = 0
    while True:
        match = _SEPARATOR.search(text, at)
        end = match.start() if match else len(text)
        name = text[at:end].strip()
        offset = at + len(text[at:end]) - len(text[at:end].lstrip())
        if match is None:
            levels[-1].append(Step(name, offset=offset))
            break
        at = end
        if text[at] == "(":
            levels.append([])
            anchors.append((name, offset))
            at += 1
            if text[at:].lstrip()[:1] != ")":
                continue
            at = len(text) - len(text[at:].lstrip())
        elif text[at] == "{":
            close = _closing_brace(text, at)
            levels[-1].append(Step(name, text[at + 1 : close].strip(), offset=offset))
            at = _skip_blanks(text, close + 1)
        else:
            levels[-1].append(Step(name, offset=offset))
        while text.startswith(")", at):
            if not anchors:
                message = "encountered extra closing ')' creating unbalanced parentheses while parsing pipeline"
                raise pipeline_error(message, text, at)
            anchor, offset = anchors.pop()
            nested = tuple(levels.pop())
            levels[-1].append(Step(anchor, nested=nested, offset=offset))
            at = _skip_blanks(text, at + 1)
        if at >= len(text):
            break
        if text[at] != ",":
            raise pipeline_error("expected ',' after parsing pipeline", text, at)
        at += 1
    if anchors:
        raise pipeline_error("encountered unbalanced parentheses while parsing pipeline", text, 0)
    return tuple(levels[0])


def pipeline_error(message: str, text: str, at: int, unknown: str = "") -> PipelineError:
    """An error with the pipeline's text and a caret below it."""
    line_start = text.rfind("\n", 0, at) + 1
    number, column = text.count("\n", 0, at) + 1, at - line_start
    line = text[line_start:].partition("\n")[0]
    return PipelineError(f"{_BUFFER}:{number}:{column + 1}: error: {message}\n{line}\n{' ' * column}^", unknown)


def _closing_brace(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    raise pipeline_error("missing closing '}' while processing pass options", text, opening)


def _skip_blanks(text: str, at: int) -> int:
    return len(text) - len(text[at:].lstrip())
