"""The `expected-*` designators in comments of a test file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mosaic_verify.diagnostics.diagnostic import Location

# llvm/Support/SourceMgrDiagnosticVerifier.h and mlir/lib/IR/Diagnostics.cpp: one expression per line, end anchored.
_DESIGNATOR = re.compile(
    r"expected-(error|note|remark|warning)(-re)? *(@([+-][0-9]+|above|below|unknown))? *\{\{(.*)\}\}$"
)
_ATTEMPT = re.compile(r"expected-[a-z]+(-re)?[ \t]*([@:]|\{)")
_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


@dataclass(eq=False, slots=True)
class Designator:
    """One expected diagnostic.

    Attributes:
      line: the line on which the diagnostic is expected; None for `@unknown`.
      location, end_column: where the designator itself stands.
      text: what stands between the outer braces.
      found: True once a diagnostic matched.
    """

    severity: str
    line: int | None
    text: str
    matches: Callable[[str], bool]
    location: Location
    end_column: int
    found: bool = False


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that looks like a designator and is none, or whose regular expression is invalid."""

    message: str
    location: Location
    end_column: int


def read_designators(file: str, text: str, first_line: int = 1) -> tuple[list[Designator], list[Malformed]]:
    """Reads all designators of a text whose first line has number `first_line`."""
    found: list[Designator] = []
    malformed: list[Malformed] = []
    waiting: list[Designator] = []  # @below: the next line without a designator
    plain = first_line  # @above: the last line without a designator
    number = first_line
    for number, line in enumerate(text.split("\n"), first_line):
        line = line.rstrip(" \t\r\n\v\f")
        match = _DESIGNATOR.search(line)
        if match is None:
            attempt = _ATTEMPT.search(line)
            if attempt is not None:
                location = Location(file, number, attempt.start() + 1)
                malformed.append(Malformed(_advice(line, attempt), location, len(line) + 1))
            for designator in waiting:
                designator.line = number
            waiting.clear()
            plain = number
            continue
        severity, is_regex, _, offset, body = match.groups()
        location = Location(file, number, match.start() + 1)
        try:
            matches = _regex(body) if is_regex else _substring(body)
        except re.error as error:
            malformed.append(Malformed(f"invalid regex: {error}", location, match.end() + 1))
            continue
        designator = Designator(severity, number, body, matches, location, match.end() + 1)
        if offset == "below":
            waiting.append(designator)
        elif offset == "above":
            designator.line = plain
        elif offset == "unknown":
            designator.line = None
        elif offset:
            designator.line = number + int(offset)
        found.append(designator)
    for designator in waiting:
        designator.line = number
    return found, malformed


def _substring(body: str) -> Callable[[str], bool]:
    return lambda message: body in message


def _regex(body: str) -> Callable[[str], bool]:
    """Text outside inner braces is literal, inside it is a POSIX extended regular expression."""
    pattern: list[str] = []
    while body:
        literal, opening, rest = body.partition("{{")
        pattern.append(re.escape(literal))
        if not opening:
            break
        inner, closing, body = rest.partition("}}")
        if not closing:
            raise re.error("found start of regex with no end '}}'")
        re.compile(_to_python(inner))  # an error of this part alone, before it is put together
        pattern.append(f"(?:{_to_python(inner)})")
    compiled = re.compile("".join(pattern))
    return lambda message: compiled.search(message) is not None


def _to_python(expression: str) -> str:
    return re.sub(r"\[:(\w+):\]", lambda match: _POSIX_CLASSES.get(match.group(1), match.group(0)), expression)


def _advice(line: str, attempt: re.Match[str]) -> str:
    word = re.match(r"expected-([a-z]+)", attempt.group())
    assert word is not None
    severity = word.group(1)
    if severity not in ("error", "note", "remark", "warning"):
        return f"malformed designator: unknown severity '{severity}', expected error, warning, remark or note"
    rest = line[attempt.start() :]
    if re.search(r"\{\{.*\}\}.", rest):
        return "malformed designator: '}}' must be the last thing on the line"
    if "{{" not in rest or "}}" not in rest:
        return "malformed designator: expected the message between '{{' and '}}' on the same line"
    return "malformed designator: expected nothing, '@+N', '@-N', '@above', '@below' or '@unknown' before '{{'"
