"""What was told from a kernel's jaxpr before.

JAX 0.12 traces a kernel function once for equal arguments, and has the same jaxpr wherever it lowers the kernel again;
JAX 0.10, and any JAX behind `jax.clear_caches`, makes a new one that computes the same. What is kept here holds for
both, since it does not tell where anything was written.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any
from weakref import WeakKeyDictionary

from mosaic_verify.jax_hook.bounded import keep
from mosaic_verify.jax_hook.importer.interest import worth_importing
from mosaic_verify.jax_hook.jaxpr_fingerprint import fingerprint
from mosaic_verify.jax_hook.metadata_widths import argument_widths, sparse_mmas

_SIZE = 256  # kernels, and ways in which one of them is lowered


class KernelRecord:
    """What is known of one kernel.

    Attributes:
      worth_importing: see `importer.interest`.
      sparse: it has a sparse MMA.
      widths: see `metadata_widths.argument_widths`.
      clean: under which passes and descriptions of the kernel nothing at all was found.
      facts: what the host must know about the kernel (`stablehlo_kernel.KernelFacts`), by all that decides what JAX
        makes of it: passes and description, parameters of the compiler, mode of the hook.
    """

    def __init__(self, jaxpr: Any, worth: bool):
        self.worth_importing = worth
        sparse = sparse_mmas(jaxpr) if worth else []
        self.sparse = bool(sparse)
        self.widths: dict[int, int] = argument_widths(jaxpr, sparse) if sparse else {}
        self.clean: dict[Hashable, None] = {}
        self.facts: dict[Hashable, Any] = {}

    def found_nothing(self, description: Hashable) -> None:
        """Notes that a kernel is clean."""
        keep(self.clean, description, None, _SIZE)

    def remember(self, key: Hashable, facts: Any) -> None:
        """Notes facts."""
        keep(self.facts, key, facts, _SIZE)


_by_jaxpr: WeakKeyDictionary[Any, KernelRecord] = WeakKeyDictionary()
_by_fingerprint: dict[Hashable, KernelRecord] = {}


def record_of(jaxpr: Any) -> KernelRecord:
    """The record of an open jaxpr."""
    found = _by_jaxpr.get(jaxpr)
    if found is None:
        worth = worth_importing(jaxpr)
        key = fingerprint(jaxpr) if worth else None
        found = None if key is None else _by_fingerprint.get(key)
        if found is None:
            found = KernelRecord(jaxpr, worth)
            if key is not None:
                keep(_by_fingerprint, key, found, _SIZE)
        _by_jaxpr[jaxpr] = found
    return found


def forget() -> None:
    """Drops all records."""
    _by_jaxpr.clear()
    _by_fingerprint.clear()
