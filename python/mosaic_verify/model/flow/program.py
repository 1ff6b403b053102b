"""A kernel as a structured program: what a view writes and what the machine runs.

Addresses count bits: within shared memory, and along one row (lane) of tensor memory, where a column has 32 bits.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

# Expressions


@dataclass(frozen=True, slots=True)
class Const:
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class Var:
    """A value that a loop carries, or that a branch or loop results in."""

    key: Hashable


@dataclass(frozen=True, slots=True)
class Axis:
    """Where the thread stands along a named axis: of the grid, the cluster, the warpgroups, the warps."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An integer operation; `values.OPERATIONS` lists them, any other gives an unknown number."""

    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A number that is known only at run time.

    Attributes:
      depth: loops around the place where it comes into being: in each of their iterations it is another number. None
        for one that is another number wherever it is used.
    """

    key: Hashable
    depth: int | None = None


Expr = Const | Var | Axis | Apply | Opaque

ANY = "any"  # among the regions of an "unknown" event: it may touch every allocation


# Memory and barriers


@dataclass(frozen=True, slots=True)
class Region:
    """A contiguous piece of an allocation.

    Attributes:
      allocation: which one; pieces of different allocations never overlap.
      start: constant part of the first bit.
      terms: (expression, bits) whose products are added to `start`.
      length: bits.
      exact: False when the piece is only known to lie within `start .. start + length`.
    """

    allocation: Hashable
    start: int
    length: int
    terms: tuple[tuple[Expr, int], ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Barrier:
    """An allocation of barriers.

    Attributes:
      arrivals: that complete one phase, of one CTA.
      axes: of the cluster: along them every CTA arrives at the copy of every other one.
      leader_tracked: only the first CTA's copy is used.
    """

    arrivals: int
    axes: tuple[str, ...] = ()
    leader_tracked: bool = False


@dataclass(frozen=True, slots=True)
class BarrierUse:
    """One barrier of an allocation: its index is `start` plus the terms; None as a start is not known."""

    allocation: Hashable
    start: int | None = 0
    terms: tuple[tuple[Expr, int], ...] = ()


# Statements

Kind = Literal[
    "load",  # TMA into shared memory; arrives at `barrier` when it has written
    "store",  # registers to shared memory
    "copy",  # asynchronous metadata copy from shared to tensor memory
    "mma",  # asynchronous, reads the metadata; `barrier` commits it right away
    "tmem_write",  # anything else that writes tensor memory in order of the thread
    "commit",  # arrives at `barrier` when all preceding copies and MMAs of the thread are complete
    "arrive",
    "wait",
    "fence",  # commit_smem
    "unknown",  # touches `regions` or `barrier` in a way that is not understood
    "sync",  # orders threads in a way that is not understood
]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a thread does.

    Attributes:
      place: path into the kernel's facts ("mmas[0]", "copies[1]") or of the view ("events[3]").
      reads: of a "copy" its source, of an "mma" its metadata.
      writes: of a "load" and a "store" shared memory, of a "copy" and a "tmem_write" tensor memory; of an "mma" its
        accumulator.
      inputs: of an "mma" other refs in tensor memory that must not share cells with the metadata.
      operands: of an "mma" A and B in shared memory.
      source: of a "load" what it reads from global memory.
      contraction: of an "mma" where K is in its operands, None where that is not known.
      collective: for both CTAs of a pair along the minor axis of the cluster; executed by the first CTA only.
      axes: of the cluster, of a "load" that arrives in every CTA along them.
      leader_tracked: a "load" that arrives at the barrier of the first CTA along `axes`.
      arrives: of a "load", False when the arrival at its barrier is an event of its own in front of it.
      predicate: the event happens where this is not 0.
      regions: of an "unknown" event, the allocations that it may touch, beside the piece of memory in `writes`.
    """

    kind: Kind
    place: str
    reads: Region | None = None
    writes: Region | None = None
    barrier: BarrierUse | None = None
    inputs: tuple[tuple[str, Region], ...] = ()
    operands: tuple[Operand, ...] = ()
    source: Source | None = None
    contraction: Contraction | None = None
    collective: bool = False
    axes: tuple[str, ...] = ()
    leader_tracked: bool = False
    arrives: bool = True
    predicate: Expr | None = None
    regions: tuple[Hashable, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A slice of an array in global memory: per dimension the start (constant part, terms) and the size."""

    array: Hashable
    shape: tuple[int, ...]
    starts: tuple[tuple[int, tuple[tuple[Expr, int], ...]], ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """A or B of an MMA in shared memory.

    Attributes:
      role: "a" or "b".
      region: the tiles around it as a whole; a slice of a matrix that is laid out in tiles is no piece of memory.
      start, terms: where K starts within `region`, in elements.
    """

    role: str
    region: Region
    start: int = 0
    terms: tuple[tuple[Expr, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Contraction:
    """Where K is in the operands of a sparse MMA.

    Attributes:
      k: logical size.
      a_axis, b_axis: dimension of A's and B's arrays that K runs along, -1 or -2.
      columns: of metadata for `k`, two bits each.
    """

    k: int
    a_axis: int
    b_axis: int
    columns: int


@dataclass(slots=True)
class Block:
    """Statements in order."""

    statements: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A loop. `count` None and `condition` None: it is not known how often it runs.

    Attributes:
      variables: carried values, in the order of `initial`, `next` and `results`.
      condition: in terms of `variables`; the loop ends when it is 0.
    """

    variables: tuple[Hashable, ...]
    initial: tuple[Expr, ...]
    next: tuple[Expr, ...]
    results: tuple[Hashable, ...]
    body: Block
    count: Expr | None = None
    condition: Expr | None = None


@dataclass(slots=True)
class Branch:
    """Runs `bodies[selector]`; a selector behind the end takes the last, a negative one the first."""

    selector: Expr
    bodies: list[Block]
    yields: list[tuple[Expr, ...]]
    results: tuple[Hashable, ...]


@dataclass(slots=True)
class Fork:
    """Runs the body once per warp of the warpgroup, at the same time."""

    axis: str
    count: int
    body: Block


Statement = Event | Loop | Branch | Fork


@dataclass(slots=True)
class Program:
    """A kernel.

    Attributes:
      body: what each warpgroup runs.
      grid: sizes of the axes that tell blocks apart.
      cluster: (name, size) of the axes of the cluster, minor one last.
      threads: (name of the axis, number of warpgroups).
      barriers: by allocation.
      places: what a view needs to locate the places of events that the kernel's facts do not have.
      unsigned: (place of an MMA, role) of operands with unsigned elements.
    """

    body: Block
    grid: dict[str, int] = field(default_factory=dict)
    cluster: tuple[tuple[str, int], ...] = ()
    threads: tuple[str, int] = ("", 1)
    barriers: dict[Hashable, Barrier] = field(default_factory=dict)
    places: dict[str, Any] = field(default_factory=dict)
    unsigned: list[tuple[str, str]] = field(default_factory=list)
