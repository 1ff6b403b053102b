"""Tree definitions that compare unequal to None, as every other object does.

`PyTreeDef.__eq__(None)` raises TypeError in jaxlib 0.10.2 to 0.12.0.1: nanobind refuses None for an argument that is
not declared to take it. The caches of jaxlib 0.10.2 (`weakref_lru_cache`) compare two keys wherever a few bits of
their hashes are equal, and the parameters of equations that hold the transforms of a ref are a tree definition or
None. A process that traces many variants of a kernel meets such a pair now and then, another one in each run, since
Python 3.11 hashes None by its address: "__eq__(): incompatible function arguments", whatever the kernel is. A cache
of 60 trees and one None raised in 282 of 1,200 trials with jaxlib 0.10.2, and in none with 0.11.2 and 0.12.0.1. With
this fault out of the way, what JAX raises is about the kernel.
"""

from __future__ import annotations

import jax

_TreeDef = type(jax.tree.structure(0))


def apply() -> None:
    """Lets `PyTreeDef.__eq__` answer for None in this process."""
    original = _TreeDef.__eq__
    if hasattr(original, "__wrapped__"):
        return

    def answers_none(self: object, other: object) -> bool:
        return NotImplemented if other is None else original(self, other)

    answers_none.__wrapped__ = original
    _TreeDef.__eq__ = answers_none
