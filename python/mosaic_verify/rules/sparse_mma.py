"""All checks of MMAs and metadata copies over one kernel, with one error for each cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import mosaic_verify.rules.sparse_mma_copy
import mosaic_verify.rules.sparse_mma_metadata
import mosaic_verify.rules.sparse_mma_operands
import mosaic_verify.rules.sparse_mma_scales
import mosaic_verify.rules.sparse_mma_sizes
import mosaic_verify.rules.sparse_mma_tiles
import mosaic_verify.rules.sparse_mma_types
import mosaic_verify.rules.transforms  # noqa: F401  (these register their checks)
from mosaic_verify.model.facts import Kernel
from mosaic_verify.rules.explained_by import explain
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import run_checks


def within(prefix: str, finding: Finding) -> Finding:
    """The same finding with its places below `prefix`, such as "mmas[0]"."""

    def path(place: str) -> str:
        return f"{prefix}.{place}" if place else prefix

    notes = tuple(replace(note, place=path(note.place)) for note in finding.notes)
    return replace(finding, place=path(finding.place), notes=notes)


def op_findings(kernel: Kernel) -> Iterable[Finding]:
    """What is wrong with each MMA and metadata copy on its own, nothing left out; places are paths into `kernel`."""
    for kind, facts in (("mmas", kernel.mmas), ("copies", kernel.copies)):
        for number, fact in enumerate(facts):
            for finding in run_checks(fact):
                yield within(f"{kind}[{number}]", finding)


def check_kernel(kernel: Kernel, more: Iterable[Finding] = ()) -> list[Finding]:
    """Findings about a kernel's MMAs and metadata copies, one for each cause.

    Args:
      more: findings that others made about the same kernel (chains, memory, dataflow); they explain and are explained.
    """
    return explain(kernel, [*more, *op_findings(kernel)])
