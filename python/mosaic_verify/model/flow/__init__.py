"""Dataflow of sparse metadata: an ordered event model of a kernel and the questions that are asked about it.

A view writes a kernel down as a `Program` (`program`): loops, branches, threads, and events with symbolic addresses.
`machine` runs it for concrete places of the launch into one trace per thread, `order` finds out which events every
interleaving keeps in order, and `analysis` answers for MMAs and copies: proved, refuted with a witness, not decidable.
"""

from mosaic_verify.model.flow.analysis import Answer, Violation, analyse
from mosaic_verify.model.flow.program import (
    ANY,
    Apply,
    Axis,
    Barrier,
    BarrierUse,
    Block,
    Branch,
    Const,
    Event,
    Expr,
    Fork,
    Loop,
    Opaque,
    Program,
    Region,
    Var,
)

__all__ = [
    "ANY",
    "Answer",
    "Apply",
    "Axis",
    "Barrier",
    "BarrierUse",
    "Block",
    "Branch",
    "Const",
    "Event",
    "Expr",
    "Fork",
    "Loop",
    "Opaque",
    "Program",
    "Region",
    "Var",
    "Violation",
    "analyse",
]
