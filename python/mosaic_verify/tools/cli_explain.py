"""`mosaic-verify explain` and `mosaic-verify rules`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from mosaic_verify.rules.matching import Match, nearest_rules
from mosaic_verify.rules.page import Rule, all_rules
from mosaic_verify.rules.tracebacks import match_text
from mosaic_verify.tools.cli_console import UsageError, complain, paint, suggest
from mosaic_verify.tools.cli_markdown import render_page, rules_as_markdown, rules_as_text


def explain(options: argparse.Namespace) -> int:
    """Prints the page behind a code, a name, a message or a traceback. 1 when no rule is behind it."""
    query = " ".join(options.query)
    if query == "-":
        query = sys.stdin.buffer.read().decode("utf-8", errors="replace")
        if not query.strip():
            raise UsageError("nothing to explain on standard input")
    rule = find_rule(query)
    if rule is not None:
        matches = [Match(rule, "")]
    else:
        family = rules_with_prefix(query)
        if family and options.format == "text":
            print(rules_as_text(family, stream=sys.stdout), end="")
            return 0
        if family:
            print(json.dumps([_as_json(Match(each, "")) for each in family], indent=2))
            return 0
        if looks_like_code(query):
            raise UsageError(f"unknown code '{query.strip()}' (`mosaic-verify rules` lists them all)")
        _, matches = match_text(query)
    if options.format == "json":
        print(json.dumps([_as_json(match) for match in matches], indent=2))
        return 0 if matches else 1
    if not matches:
        _say_nothing_found(query)
        return 1
    _print_matches(matches)
    return 0


def find_rule(query: str) -> Rule | None:
    """The rule with this code or name, however it is written."""
    word = query.strip().strip("[]").casefold()
    return next((rule for rule in all_rules() if word in (rule.code.casefold(), rule.name)), None)


def rules_with_prefix(query: str) -> list[Rule]:
    """The rules whose code begins with a prefix such as "MV7"; none for what is no beginning of a code."""
    word = query.strip().strip("[]").upper()
    return [rule for rule in all_rules() if rule.code.startswith(word)] if word.startswith("MV") else []


def looks_like_code(query: str) -> bool:
    """True for "MV999" and "mv12": a code, not a message."""
    word = query.strip().strip("[]").casefold()
    return word.startswith("mv") and word[2:].isdigit()


def rules(options: argparse.Namespace) -> int:
    """Prints the list of rules."""
    if options.format == "json":
        print(json.dumps([dataclasses.asdict(rule) for rule in all_rules()], indent=2))
    elif options.format == "markdown":
        print(rules_as_markdown(all_rules()), end="")
    else:
        print(rules_as_text(all_rules(), stream=sys.stdout), end="")
    return 0


def _as_json(match: Match) -> dict[str, object]:
    return {**dataclasses.asdict(match.rule), "matched": match.template, "values": match.values}


def _print_matches(matches: list[Match]) -> None:
    best, *others = matches
    if best.template:
        print(paint("message: ", "dim", stream=sys.stdout) + best.template.replace("{}", "…"))
        print()
    print(render_page(best.rule, stream=sys.stdout), end="")
    if others:
        print("\nOther rules that the message can come from:")
        for match in others[:5]:
            print(f"  {paint(match.rule.code, 'bold', stream=sys.stdout)} {match.rule.name}: {match.rule.summary}")


def _say_nothing_found(query: str) -> None:
    names = [rule.name for rule in all_rules()]
    if len(query.split()) == 1:
        complain(f"no rule is called '{query.strip()}'{suggest(query.strip(), names)}")
        return
    complain("no rule has this message")
    for rule in nearest_rules(query):
        print(f"  nearest: {rule.code} {rule.name}: {rule.summary}", file=sys.stderr)
