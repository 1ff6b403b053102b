"""Finds the rules behind a message that JAX, FlashAttention or MLIR printed.

A template is a documented text with `{}` for each variable part. It matches anywhere in a message: JAX wraps texts
("Pallas encountered an internal verification error ... Error details:", "Verification failed:", "INTERNAL: CpuCallback
error"), adds notes behind them, and terminals break lines, so white space counts as one blank and case does not count.
The template with the most literal characters is the most specific one. Messages that say nothing (a bare
AssertionError) are told apart by the function that raised them, texts that others raise too by the functions in the
traceback.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from types import TracebackType

from mosaic_verify.rules.page import Rule, all_rules

_PLACEHOLDER = re.compile(r"\{\w*\}")
_VALUE = r"(.{0,4000}?)"  # some texts print a whole op
_END_VALUE = r"(\([^()]*\)|\[[^\[\]]*\]|\S{0,200})"
_FRAME_WEIGHT = 50  # a function that the page names says more than most texts
_CODE = re.compile(r"\bMV\d{3}\b")
_UNFILTERED = "UnfilteredStackTrace"  # JAX hangs it below an exception whose own traceback it has filtered
# Python itself says these of the statement that it is at, whatever was called before.
_OF_PYTHON = ("values to unpack", "called match pattern", "division or modulo by zero")


@dataclass(frozen=True, slots=True)
class Match:
    """One rule that a message can come from.

    Attributes:
      template: the documented text that matched; "" when only the code or the traceback did.
      values: what stood in the place of each `{}`.
      score: how specific the match is; only comparable within one message.
    """

    rule: Rule
    template: str
    values: tuple[str, ...] = ()
    score: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback: the file as printed, and the function (its qualified name where that is known)."""

    file: str
    function: str


@dataclass(frozen=True, slots=True)
class Template:
    """One documented text, ready to be searched for in text that `squeeze` has normalised."""

    text: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    weight: int

    @classmethod
    def compile(cls, text: str) -> Template:
        # The final period of a sentence is often lost on the way, or followed by a note.
        parts = [squeeze(part, strip=False) for part in _PLACEHOLDER.split(text.removesuffix("."))]
        last = len(parts) - 2  # index of the last placeholder
        pattern = re.escape(parts[0])
        for index, part in enumerate(parts[1:]):
            # A value at either end has nothing to stop at: it is one bracketed group or one word.
            outermost = (index == 0 and not parts[0].strip()) or (index == last and not part.strip())
            pattern += (_END_VALUE if outermost else _VALUE) + re.escape(part)
        weight = sum(len(re.sub(r"\s", "", part)) for part in parts)
        return cls(text, tuple(part for part in parts if part.strip()), re.compile(pattern, re.S | re.I), weight)

    def search(self, text: str, folded: str) -> re.Match[str] | None:
        """The first occurrence in `text`; `folded` is its `casefold()`."""
        if not all(literal.casefold() in folded for literal in self.literals):
            return None
        return self.pattern.search(text)


def squeeze(text: str, *, strip: bool = True) -> str:
    """`text` without terminal colours and with each run of white space as one blank."""
    text = re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*m", "", text))
    return text.strip() if strip else text


@cache
def _templates() -> tuple[tuple[Rule, Template, bool], ...]:
    """Rule, template, and whether other programs raise the text too."""
    return tuple(
        (rule, Template.compile(text), text in rule.shared_messages)
        for rule in all_rules()
        for text in (*rule.messages, *rule.shared_messages)
    )


def match_message(message: str, *, frames: Sequence[Frame] = (), error: str = "", strict: bool = False) -> list[Match]:
    """The rules that `message` can come from, the most specific first; one match per rule.

    Args:
      message: the text of an error, without a traceback. A code in it ("[MV111]") comes before everything else.
      frames: the functions of its traceback, outermost first.
      error: name of the exception's class. A template that is just the name of a class ("AssertionError") stands for an
        exception without text: it and what Python itself says count only where the innermost frame is one of the rule.
      strict: texts that other programs raise too count only where `frames` has a frame of the rule. Without it they
        also count when `frames` has none of JAX's own frames, which JAX cuts out of what it prints.
    """
    text = squeeze(message)
    folded = text.casefold()
    need_frames = strict or any(_is_internal(frame) for frame in frames)
    best: dict[str, Match] = {}
    for rule, template, shared in _templates():
        if template.text.isidentifier():
            named = template.text in (error, text.partition(" ")[0])
            if not named or (text not in ("", template.text) and not _frame_score(rule.frames, (), message)):
                continue
            found, values = True, ()
        else:
            found = template.search(text, folded)
            values = tuple(found.groups()) if found else ()
        raised_here = template.text.isidentifier() or any(said in template.text for said in _OF_PYTHON)
        fit = _frame_score(rule.frames, frames[-1:] if raised_here else frames, message) if found and shared else 0
        if not found or (shared and need_frames and not fit):
            continue
        score = 0 if rule.fallback else template.weight + fit + (error in rule.raises)
        if rule.code not in best or score > best[rule.code].score:
            best[rule.code] = Match(rule, template.text, values, score)
    for code in _CODE.findall(message):
        for rule in all_rules():
            if rule.code == code:
                best[code] = Match(rule, "", (), 1_000_000)
    return sorted(best.values(), key=lambda match: (-match.score, match.rule.code))


def match_exception(exception: BaseException) -> list[Match]:
    """The rules that an exception can come from. A text that others raise too counts only with a frame of the rule."""
    frames: list[Frame] = []
    present: BaseException | None = exception
    while present is not None:  # JAX may cut its own frames out of a traceback, and hang them below the exception
        found = traceback_frames(present.__traceback__)
        # The unfiltered traceback is the whole one, down to the raise; the other ones lead to the exception.
        place = len(frames) if type(present).__name__ == _UNFILTERED else 0
        frames[place:place] = found
        present = present.__cause__
    return match_message(str(exception), frames=frames, error=type(exception).__name__, strict=True)


def traceback_frames(traceback: TracebackType | None) -> list[Frame]:
    """File and qualified function of each frame, outermost first."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(Frame(code.co_filename, code.co_qualname))
        traceback = traceback.tb_next
    return frames


def _is_internal(frame: Frame) -> bool:
    """True for JAX's own frames; without any, JAX has cut them out of what it printed."""
    return "/jax/" in frame.file.replace("\\", "/")


def _frame_score(hints: Iterable[str], frames: Sequence[Frame], text: str) -> int:
    """How well "mosaic_gpu/core.py:TilingTransform.transform_type" fits: 0, or more the nearer to the raise.

    A printed traceback has bare function names, so the class in the hint counts only where the frame has one too.
    Outside of a traceback the hint's function must be written in the text itself.
    """
    best = 0
    for hint in hints:
        file, _, function = hint.rpartition(":")
        for depth, frame in enumerate(reversed(frames)):
            if not frame.file.replace("\\", "/").endswith(file):
                continue
            exact = frame.function == function
            if exact or frame.function == function.rpartition(".")[2]:
                best = max(best, 2 * _FRAME_WEIGHT - min(depth, _FRAME_WEIGHT) + exact)
        if "." in function and function in text:
            best = max(best, _FRAME_WEIGHT)
    return best


def nearest_rules(text: str, limit: int = 5) -> list[Rule]:
    """Rules whose texts, name or summary hold most words of `text`: for a query that no template matches."""
    words = set(re.findall(r"\w{3,}", text.casefold()))
    if not words:
        return []
    scored = []
    for rule in all_rules():
        for candidate in (rule.name, rule.summary, *rule.messages):
            score = len(words & set(re.findall(r"\w{3,}", candidate.casefold()))) / len(words)
            scored.append((-score, rule.code, rule))
    result: dict[str, Rule] = {}
    for score, code, rule in sorted(scored, key=lambda item: item[:2]):
        if score <= -0.5 and len(result) < limit:
            result.setdefault(code, rule)
    return list(result.values())
