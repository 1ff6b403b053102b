"""Walking jaxprs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

_holds_no_jaxpr: set[type] = set()  # of parameters: most of them, and asking an object takes longer


def nested_jaxprs(jaxpr: Any) -> Iterator[Any]:
    """`jaxpr`, and every jaxpr in the parameters of its equations, each once, outer ones before inner ones."""
    pending, seen = deque([jaxpr]), set()
    while pending:
        present = pending.popleft()
        present = getattr(present, "jaxpr", present)  # a closed jaxpr holds an open one
        if id(present) in seen:
            continue
        seen.add(id(present))
        yield present
        for equation in present.eqns:
            for value in equation.params.values():
                if type(value) not in _holds_no_jaxpr:
                    pending.extend(_jaxprs(value))


def jaxprs_of(equation: Any) -> Iterator[Any]:
    """The (open) jaxprs in the parameters of one equation."""
    for parameter in equation.params.values():
        for value in _jaxprs(parameter):
            yield getattr(value, "jaxpr", value)


def is_jaxpr(value: Any) -> bool:
    """True for an open jaxpr and for a closed one."""
    return hasattr(value, "eqns") or hasattr(getattr(value, "jaxpr", None), "eqns")


def _jaxprs(value: Any) -> Iterable[Any]:
    kind = type(value)
    if kind in _holds_no_jaxpr:
        return ()
    if is_jaxpr(value):
        return (value,)
    if isinstance(value, (tuple, list)):
        return [found for item in value for found in _jaxprs(item)]
    if not hasattr(value, "jaxpr"):  # one that is None here may hold a jaxpr elsewhere
        _holds_no_jaxpr.add(kind)
    return ()
