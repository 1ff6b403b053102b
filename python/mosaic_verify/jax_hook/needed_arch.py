"""Which architecture a traced program was written for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

DEFAULT = "sm_100a"
HOPPER = "sm_90a"


def needed_arch(jaxpr: Any) -> str:
    """sm_90a for a program with Hopper's `wgmma` and without tcgen05, else sm_100a."""
    names = set(_primitive_names(jaxpr))
    wgmma = any(name.startswith("wgmma") for name in names)
    tcgen05 = any("tcgen05" in name or "tmem" in name for name in names)
    return HOPPER if wgmma and not tcgen05 else DEFAULT


def _primitive_names(jaxpr: Any) -> Iterator[str]:
    pending, seen = [jaxpr], set()
    while pending:
        present = getattr(pending[-1], "jaxpr", pending[-1])  # a closed jaxpr holds an open one
        pending.pop()
        if id(present) in seen:
            continue
        seen.add(id(present))
        for equation in present.eqns:
            yield equation.primitive.name
            pending.extend(_jaxprs(equation.params.values()))


def _jaxprs(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if hasattr(value, "eqns") or hasattr(getattr(value, "jaxpr", None), "eqns"):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _jaxprs(value)
