"""Diagnostics that carry a rule's code without a finding about facts behind them."""

from __future__ import annotations

from mosaic_verify.diagnostics.diagnostic import Diagnostic, Location, Note
from mosaic_verify.rules.matching import match_message
from mosaic_verify.rules.page import load_rule


def coded(code: str, message: str, location: Location, op: str = "", notes: tuple[Note, ...] = ()) -> Diagnostic:
    """A diagnostic with the name and the severity of the rule `code`. Raises KeyError for an unknown code."""
    rule = load_rule(code)
    return Diagnostic(rule.severity, message, location, code, rule.name, op, notes)


def documented(message: str) -> str | None:
    """The code of the rule whose page has this text, None when no page has it."""
    found = next((match for match in match_message(message) if match.template and not match.rule.fallback), None)
    return found.rule.code if found is not None else None
