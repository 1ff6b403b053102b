"""Options of our passes: the fields of the pass's dataclass, `foo_bar` written `foo-bar`.

A field is an `int`, `bool` or `str`, a tuple of `int` or `str`, or one of these with `| None`.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mosaic_verify.ir.passes import Pass
from mosaic_verify.ir.pipeline_text import PipelineError

_OPENING, _CLOSING = "([{", ")]}"


def make_pass(kind: type[Pass], text: str) -> Pass:
    """An instance with the options in `text`, such as `a=1 b=2`. Raises PipelineError with mlir-opt's texts."""
    types = {
        field.name.replace("_", "-"): field.type.__name__ if type(field.type) is type else str(field.type)
        for field in fields(kind)
    }
    values: dict[str, Any] = {}
    problem = ""
    try:
        for key, value in split_options(text):
            if key not in types:
                problem = f"<Pass-Options-Parser>: no such option {key}{_nearest(key, types)}"
                break
            values[key.replace("-", "_")] = _convert(key, value, types[key])
        if not problem:
            return kind(**values)
    except ValueError as error:  # a value of the wrong kind, or one that the pass itself refuses
        problem = str(error)
    raise PipelineError(f"{problem}\nfailed to add `{kind.name}` with options `{text}`")


def print_options(one: Pass) -> str:
    """All options of a pass, sorted, as `a=1 b=true c={x,y}`; "" for a pass without options."""
    values = {field.name.replace("_", "-"): getattr(one, field.name) for field in fields(one)}
    return " ".join(f"{key}={_text(values[key])}" for key in sorted(values) if values[key] is not None)


def split_options(text: str) -> list[tuple[str, str | None]]:
    """Splits `a=1 b c={x y}` at blanks outside brackets and quotes into keys and values; a key alone has None."""
    found: list[tuple[str, str | None]] = []
    for word in _split(text, " \t\r\n"):
        key, equals, value = word.partition("=")
        if (value[:1] == "{" and value[-1:] == "}") or (len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]):
            value = value[1:-1]
        found.append((key, value if equals else None))
    return found


def _split(text: str, separators: str) -> list[str]:
    words: list[str] = []
    word, depth, quote = "", 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char in separators and depth <= 0:
            words.append(word)
            word = ""
            continue
        word += char
    return [each for each in [*words, word] if each]


def _convert(key: str, value: str | None, annotation: str) -> Any:
    kind = annotation.removesuffix("| None").strip()
    if kind == "bool":
        if value in (None, "", "true", "TRUE", "True", "1"):
            return True
        if value in ("false", "FALSE", "False", "0"):
            return False
        raise ValueError(f"for the --{key} option: '{value}' is invalid value for boolean argument! Try 0 or 1")
    if value is None:
        raise ValueError(f"for the --{key} option: requires a value!")
    if kind == "int":
        return _integer(key, value)
    if kind.startswith("tuple"):
        items = [item.strip() for item in _split(value, ",")]
        return tuple(_integer(key, item) for item in items) if "int" in kind else tuple(items)
    return value


def _integer(key: str, value: str) -> int:
    try:
        return int(value, 0)
    except ValueError:
        raise ValueError(f"for the --{key} option: '{value}' value invalid for integer argument!") from None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "{" + ",".join(map(_text, value)) + "}"
    text = str(value)
    return "{" + text + "}" if any(char in " \t{}()[]," for char in text) else text


def _nearest(key: str, known: dict[str, str]) -> str:
    import difflib

    near = difflib.get_close_matches(key, known, 1)
    return f", did you mean '{near[0]}'?" if near else ""
