"""Reads printed tracebacks: of Python, of pytest, and those that JAX nests in the text of an exception."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mosaic_verify.rules.matching import Frame, Match, match_message

_START = re.compile(r"Traceback \(most recent call last\):?")
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line \d+(?:, in (?P<function>\S+))?')
_ERROR = re.compile(
    r"^(?P<type>[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Failure|Iteration))(?:: ?(?P<text>.*))?$", re.S
)
_SEPARATORS = (
    "The above exception was the direct cause",
    "During handling of the above exception",
    "The preceding stack trace is the source of the JAX operation",
    "The stack trace below excludes JAX-internal frames",
    "For simplicity, JAX has removed its internal frames",
    "-" * 20,
)
# JAX appends these to show where user code is; they say nothing about the cause themselves.
_WRAPPERS = frozenset(("SimplifiedTraceback", "JaxStackTraceBeforeTransformation", "UnfilteredStackTrace"))


@dataclass(frozen=True, slots=True)
class PrintedError:
    """One exception as it was printed: class name without its module, text, and the frames above it."""

    type: str
    text: str
    frames: tuple[Frame, ...] = ()


def printed_errors(text: str) -> list[PrintedError]:
    """The exceptions in `text`, in the order in which they were printed; [] when nothing in it looks like one."""
    text = _clean(text)
    errors = []
    starts = [match.start() for match in _START.finditer(text)]
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        error = _read_segment(text[start:end])
        if error is not None:
            errors.append(error)
    return errors


def match_text(text: str) -> tuple[PrintedError | None, list[Match]]:
    """The last error in `text` that has rules, and these; (None, rules behind the text as a whole) without one."""
    for error in reversed(printed_errors(text)):
        matches = match_message(error.text, frames=error.frames, error=error.type)
        if matches:
            return error, matches
    return None, match_message(_clean(text))


def _clean(text: str) -> str:
    """Without terminal colours, the margin of exception groups, and pytest's `E   ` margin."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n")
    lines = text.split("\n")
    if any(re.match(r"E {3}\S", line) for line in lines):
        lines = [re.sub(r"^E {3}", "", line) if line.startswith("E   ") else line for line in lines]
    return "\n".join(re.sub(r"^ *\| ?", "", line) if re.match(r"^ +\|", line) else line for line in lines)


def _read_segment(segment: str) -> PrintedError | None:
    frames: list[Frame] = []
    lines = segment.split("\n")
    body = 0
    for number, line in enumerate(lines):
        match = _FRAME.match(line)
        if match is not None:
            frames.append(Frame(match["file"], match["function"] or ""))
            body = number + 1
    # Behind the last frame stand its source line, markers (indented), then the error at the margin.
    for number in range(body, len(lines)):
        found = _parse_error(lines[number])
        if found is not None:
            return PrintedError(
                found[0], "\n".join([found[1], *_message_lines(lines[number + 1 :])]).strip(), tuple(frames)
            )
    return None


def _parse_error(line: str) -> tuple[str, str] | None:
    match = _ERROR.match(line.rstrip())
    if match is None:
        return None
    kind, text = match["type"].rpartition(".")[2], match["text"] or ""
    if kind in _WRAPPERS:
        return _parse_error(text)  # `JaxStackTraceBeforeTransformation: ValueError: ...`: the cause follows
    return kind, text


def _message_lines(lines: list[str]) -> list[str]:
    result = []
    for line in lines:
        if line.startswith(_SEPARATORS):
            break
        result.append(line)
    return result
