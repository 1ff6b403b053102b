"""Makes the kernel of a disagreement as small as it can be."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator

from .options import Options


def shrink(o: Options, holds: Callable[[Options], bool], tries: int = 120) -> Options:
    """The smallest variant of `o` for which `holds` is still true; at most `tries` variants are tried."""
    tried = {o}
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(o):
            if smaller in tried:
                continue
            if len(tried) > tries:
                return o
            tried.add(smaller)
            if holds(smaller):
                o, progress = smaller, True
                break
    return o


def _smaller(o: Options) -> Iterator[Options]:
    changed = o.changed()
    for name in changed:
        yield dataclasses.replace(o, **{name: getattr(Options, name)})
    for name, value in changed.items():
        if name.endswith("_chain") and isinstance(value, str):
            steps = re.findall(r"\.\w+(?:\[[^]]*\]|\((?:[^()]|\([^()]*\))*\))(?:\[[^]]*\])?", value)
            for index in range(len(steps)):
                yield dataclasses.replace(o, **{name: "".join(steps[:index] + steps[index + 1 :])})
    for name in ("k", "n"):
        value = getattr(o, name)
        if value > 128:
            yield dataclasses.replace(o, **{name: value // 2})
