"""Whether our verdict agrees with JAX's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mosaic_verify.rules.page import load_rule

from .generator import build
from .options import Options
from .verdict import Ours, Said, ask_jax, ask_us

# Kinds of outcomes. The first group is what the harness is for; `FAILURES` must not occur.
CLEAN = "both accept"
REFUSED = "both refuse"
EXPLAINED = "refused while tracing, explained"
SILENT = "stricter on a silent rule"
OUTSIDE = "refused outside of our rules"
STRICTER = "stricter"
LAXER = "laxer"
CHANGED = "JAX's outcome changed"
TEXT = "text changed"
REWRITE = "rewritten, but refused"
FAULT = "fault"
FAILURES = (STRICTER, LAXER, CHANGED, TEXT, REWRITE, FAULT)

# Silent rules whose condition JAX does check, in one semantics.
_LOUD_IN = {("MV604", "warpgroup")}

# Rules about operands that look at dense MMAs, too.
_OF_DENSE_TOO = ("MV119", "MV168")

# What a kernel must have for an error of a silent rule to be no false alarm: the plain kernels have none of it.
_CAUSES: dict[str, Callable[[Options], bool]] = {
    "MV168": lambda o: o.arch in ("sm_90a", "sm_120a"),
    "MV210": lambda o: bool(o.a_chain or o.b_chain or o.acc_chain),
    "MV604": lambda o: o.collective,
    "MV701": lambda o: o.copy is None,
    "MV702": lambda o: o.copy == "after",
    "MV703": lambda o: bool(o.metadata_slice or o.metadata_start or o.metadata_chain or o.target_chain),
    "MV706": lambda o: o.union,
    "MV704": lambda o: o.loop,
    "MV708": lambda o: o.loop,
    "MV710": lambda o: o.collective,
    "MV711": lambda o: not o.fill,
    "MV712": lambda o: o.commit is None or not o.wait or o.collective,
}


@dataclass(frozen=True)
class Outcome:
    """The comparison for one kernel.

    Attributes:
      kind: one of the constants above.
      key: what it is counted under: codes, or a message without its figures.
      cause: (codes that explain JAX's exception, our codes) where they name different causes, else None.
      rewritten: passes that rewrote the program, whatever came of it.
      compiles: JAX refuses the program, and takes what we made of it.
    """

    kind: str
    key: str = ""
    cause: tuple[str, str] | None = None
    rewritten: tuple[str, ...] = ()
    compiles: bool = False

    @property
    def failed(self) -> bool:
        """True when this is a disagreement."""
        return self.kind in FAILURES


def compare(o: Options) -> Outcome:
    """Lowers `o` without us, with our checks, and with our rewrites."""
    kernel, arguments = build(o)
    said = ask_jax(o, kernel, arguments)

    def we_say(mode: str) -> Ours:
        return ask_us(o, kernel, arguments, mode)

    if said.error:
        return _refused(o, said, we_say)
    rewritten = we_say("rewrite")
    ours = rewritten if _quiet(rewritten) else we_say("report")
    if ours.faults or rewritten.faults:
        return Outcome(FAULT, (ours.faults or rewritten.faults)[0])
    loud = [code for code in ours.errors if not (_silent(code, o) and _CAUSES.get(code, lambda o: False)(o))]
    if ours.mapped or ours.error:
        return Outcome(CHANGED, ours.error)
    if loud:
        return Outcome(STRICTER, " ".join(loud))
    if ours.text != said.text:
        return Outcome(TEXT, "in report mode")
    if not rewritten.rewrites and not rewritten.errors and rewritten.text != said.text:
        return Outcome(TEXT, "in rewrite mode, although nothing was rewritten")
    if rewritten.rewrites and not rewritten.errors and not rewritten.text:
        return Outcome(REWRITE, _template(rewritten.error), rewritten=rewritten.rewrites)
    if ours.errors:
        return Outcome(SILENT, " ".join(ours.errors), rewritten=rewritten.rewrites)
    return Outcome(CLEAN, " ".join(ours.warnings), rewritten=rewritten.rewrites)


def _refused(o: Options, said: Said, we_say: Callable[[str], Ours]) -> Outcome:
    ours, rewritten = we_say("report"), we_say("rewrite")
    if ours.faults or rewritten.faults:
        return Outcome(FAULT, (ours.faults or rewritten.faults)[0])
    if ours.error != said.error:
        return Outcome(CHANGED, f"{_template(said.error)} -> {_template(ours.error)}")
    passes = rewritten.rewrites
    left = next(iter(rewritten.mapped), "")
    elsewhere = not left and rewritten.error == said.error  # of no rule of ours: it would have come anyway
    if passes and rewritten.error and not rewritten.errors and not elsewhere and (not left or _in_scope(left, o)):
        return Outcome(REWRITE, _template(rewritten.error), rewritten=passes)
    compiles = bool(passes and rewritten.text)
    codes = " ".join(ours.errors)
    if any(not _silent(code, o) for code in ours.errors):
        known = [code for code in said.cause if load_rule(code).checked]
        other = bool(known) and known[0] not in ours.errors
        cause = (" ".join(said.cause), codes) if other else None
        return Outcome(REFUSED, codes, cause, passes, compiles)
    mapped = next(iter(ours.mapped), "")
    if said.stage == "lower" and mapped and _in_scope(mapped, o):
        return Outcome(LAXER, f"{mapped}: {_template(said.error)}")
    if mapped and said.stage != "lower":
        return Outcome(EXPLAINED, mapped)
    return Outcome(OUTSIDE, f"{said.stage}: {mapped or 'no rule'}: {_template(said.error)}")


def _quiet(ours: Ours) -> bool:
    """Nothing was found and nothing done: every mode has then run the same checks on the same program."""
    return bool(ours.text) and not (ours.errors or ours.rewrites or ours.error or ours.faults)


def _in_scope(code: str, o: Options) -> bool:
    """True where a check covers the rule; most of those about operands of MMAs look at sparse ones."""
    return load_rule(code).checked and (o.sparse or code in _OF_DENSE_TOO or not code.startswith("MV1"))


def _silent(code: str, o: Options) -> bool:
    return load_rule(code).silent and (code, o.semantics) not in _LOUD_IN


def _template(message: str) -> str:
    """A message without its figures and names, to count by."""
    text = re.sub(r"\"[^\"]*\"(:\d+(:\d+)?( to :\d+)?)?", '""', message)
    text = re.sub(r"%\w+|0x[0-9a-f]+", "%", text)
    return re.sub(r"\d+", "#", text)[:180]
