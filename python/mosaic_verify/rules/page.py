"""Rule pages: `MVnnn.md` beside this file, TOML front matter between `+++` lines, then the explanation."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_PAGE = re.compile(r"\A\+\+\+\n(.*?)\n\+\+\+\n(.*)\Z", re.S)


@dataclass(frozen=True, slots=True)
class Rule:
    """Front matter of a rule's page.

    Attributes:
      code: "MV111". Given numbers never change.
      name: kebab-case, names the bad pattern, such as "sparse-n".
      summary: one line, imperative or statement, no period.
      severity: "error", "warning" or "remark".
      silent: True where JAX, FA4 or megablox accept the program without a word.
      raises: class names that JAX, FA4 or megablox document for this refusal, such as "NotImplementedError".
      messages: templates of documented texts, with {} for each variable part; `explain MESSAGE` matches them.
      shared_messages: such texts that other programs raise too ("too many values to unpack (expected 2)"), so that they
        count for an exception only when it passed through one of `frames`. The bare name of an exception class stands
        for an exception without text.
      frames: where JAX raises shared messages, "mosaic_gpu/core.py:TilingTransform.transform_type" (end of the file's
        path, qualified function).
      fallback: its messages are only a frame around others, so that every other match comes first.
      checked: False while the page only documents messages and no check emits the code.
      exact_rewrite, repairing_rewrite: names of passes that mend it, or "".
      explanation: the page's markdown.
    """

    code: str
    name: str
    summary: str
    severity: str = "error"
    silent: bool = False
    raises: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    shared_messages: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    fallback: bool = False
    checked: bool = True
    exact_rewrite: str = ""
    repairing_rewrite: str = ""
    explanation: str = field(default="", repr=False)


def parse_page(text: str) -> Rule:
    """Reads one page. Raises ValueError when the front matter is missing or has an unknown key."""
    match = _PAGE.match(text)
    if match is None:
        raise ValueError("a rule page starts with TOML front matter between two lines of +++")
    front: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in tomllib.loads(match.group(1)).items()
    }
    try:
        return Rule(**front, explanation=match.group(2).strip() + "\n")
    except TypeError as error:
        raise ValueError(f"unknown or missing key in front matter: {error}") from None


def rule_codes() -> list[str]:
    """All codes that have a page, ascending."""
    return sorted(path.stem for path in _FOLDER.glob("MV*.md"))


@cache
def load_rule(code: str) -> Rule:
    """The page of one code. Raises KeyError for an unknown code."""
    path = _FOLDER / f"{code}.md"
    if not re.fullmatch(r"MV\d{3}", code) or not path.is_file():
        raise KeyError(code)
    return parse_page(path.read_text(encoding="utf-8"))


def all_rules() -> list[Rule]:
    """Every rule, by code."""
    return [load_rule(code) for code in rule_codes()]
