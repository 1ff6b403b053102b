"""The checks, by the class of facts that they read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from mosaic_verify.rules.finding import Finding

Facts = TypeVar("Facts")
Check = Callable[[Any], Iterable[Finding]]

_CHECKS: dict[type, list[tuple[tuple[str, ...], Check]]] = defaultdict(list)


def check(facts: type[Facts], *codes: str) -> Callable[[Callable[[Facts], Iterable[Finding]]], Check]:
    """Registers a pure function from one fact of class `facts` to findings with `codes`."""

    def register(function: Callable[[Facts], Iterable[Finding]]) -> Check:
        _CHECKS[facts].append((codes, function))
        return function

    return register


def run_checks(facts: object) -> list[Finding]:
    """All findings about one fact, in the order in which the checks were registered.

    The module with the checks must have been imported by the caller (each pass imports the checks that it runs).
    """
    return [finding for _, function in _CHECKS[type(facts)] for finding in function(facts)]


def registered_codes() -> set[str]:
    """The codes of all checks that have been imported."""
    return {code for checks in _CHECKS.values() for codes, _ in checks for code in codes}
