"""Walking jaxprs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def nested_jaxprs(jaxpr: Any) -> Iterator[Any]:
    """`jaxpr`, and every jaxpr in the parameters of its equations, each once, outer ones before inner ones."""
    pending, seen = [jaxpr], set()
    while pending:
        present = pending.pop(0)
        present = getattr(present, "jaxpr", present)  # a closed jaxpr holds an open one
        if id(present) in seen:
            continue
        seen.add(id(present))
        yield present
        for equation in present.eqns:
            pending.extend(_jaxprs(equation.params.values()))


def jaxprs_of(equation: Any) -> Iterator[Any]:
    """The (open) jaxprs in the parameters of one equation."""
    for value in _jaxprs(equation.params.values()):
        yield getattr(value, "jaxpr", value)


def _jaxprs(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if hasattr(value, "eqns") or hasattr(getattr(value, "jaxpr", None), "eqns"):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _jaxprs(value)
