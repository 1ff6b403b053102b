"""Slices of refs in tensor memory: which columns a chain takes, and what JAX accepts.

`TMEMRef.slice` in `experimental/mosaic/gpu/tcgen05.py`: whole rows only, and a start that is a multiple of the base
tile of the layout. JAX 0.12 must see that of a run-time start too (`utils.is_known_divisible`; in the end it does not
look at `pl.multiple_of`), 0.10 checks only static starts in Lane semantics. In Warpgroup semantics layout inference
asks the same of all starts; there 0.10 believes `pl.multiple_of`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mosaic_verify.model.chain.bubble import Numbered
from mosaic_verify.model.chain.steps import (
    Alias,
    Chain,
    ChainError,
    Dynamic,
    ExpandBatch,
    Opaque,
    RefType,
    Shape,
    Slice,
)
from mosaic_verify.model.chain.verdict import Verdict
from mosaic_verify.model.jax_versions import since

_COLUMNS = (
    "Slicing along columns is not supported when the column index is not known to be a multiple of the base tile shape"
)


@dataclass(frozen=True, slots=True)
class Column:
    """The first column of a ref in elements: a static part, and what divides the run-time part (0: there is none).

    Attributes:
      static: known part.
      seen: divisor that JAX can see at most.
      trusted: divisor that a JAX can see at most which believes `pl.multiple_of`.
      known: divisor that is certain.
      promised: divisor that is certain with `pl.multiple_of` believed.
      name: how the run-time start is spelled, "" without.
    """

    static: int = 0
    seen: int = 0
    trusted: int = 0
    known: int = 0
    promised: int = 0
    name: str = ""

    def __add__(self, other: Column) -> Column:
        return Column(
            self.static + other.static,
            math.gcd(self.seen, other.seen),
            math.gcd(self.trusted, other.trusted),
            math.gcd(self.known, other.known),
            math.gcd(self.promised, other.promised),
            self.name or other.name,
        )

    def __mul__(self, factor: int) -> Column:
        # JAX finds a product divisible when one factor is; for powers of two, all that tiles need, that is the lcm.
        seen, trusted = (math.lcm(part, factor) if part else 0 for part in (self.seen, self.trusted))
        return Column(self.static * factor, seen, trusted, self.known * factor, self.promised * factor, self.name)

    def divisible(self, number: int) -> bool:
        """True when the column is certain to be a multiple of `number`, if what `pl.multiple_of` promises is true."""
        return not self.static % number and not self.promised % number

    def seen_divisible(self, number: int, *, believes: bool = False) -> bool:
        """False when JAX cannot see that the column is a multiple of `number`; `believes`: also by `pl.multiple_of`."""
        return not self.static % number and not (self.trusted if believes else self.seen) % number


def slice_start(step: Slice, ref: RefType, batch: int) -> Column | None:
    """Where one slice of `ref` starts, along the columns of the ref without its `batch` leading dimensions.

    None when the slice starts behind row 0.
    """
    row = Column()
    for start, extent in zip(step.starts[:batch], ref.shape[:batch], strict=False):
        row = row * extent + _number(start)
    inner = step.starts[batch:]
    if len(inner) == 2 and inner[0] != 0:
        return None
    return row * ref.shape[-1] + _number(inner[-1]) if inner else row


def _number(start: int | Dynamic) -> Column:
    if isinstance(start, int):
        return Column(start)
    promised = math.lcm(start.multiple_of, start.promised) if start.multiple_of and start.promised else 0
    seen = start.multiple_of if start.seen is None else start.seen
    trusted = promised if start.trusted is None else start.trusted
    return Column(0, seen, trusted, start.multiple_of, promised, start.name)


def column_of(chain: Chain) -> Column | None:
    """Where a chain over TMEM starts in the ref that it begins with. None when it does more than take columns.

    None also where a step does not fit: JAX does not compare the size of a slice with a run-time start with its ref.
    """
    column, ref, batch = Column(), chain.base, 0
    for step in chain.steps:
        if isinstance(step, Opaque):
            return None
        try:
            after = step.apply(ref)
        except ChainError:
            return None
        if isinstance(step, ExpandBatch):
            batch = len(step.batch)
        elif isinstance(step, Slice):
            start = slice_start(step, ref, batch)
            if start is None:
                return None
            column += start
            batch = sum(1 for dim in range(batch) if dim not in step.dropped)
        elif isinstance(step, Alias):
            column = Column()
        elif after != ref:
            return None
        ref = after
    return column


def check_tmem_slices(
    chain: Chain, applied: Sequence[Numbered], semantics: str, jax: tuple[int, ...], tile: Shape | None
) -> Verdict | None:
    """The first slice that JAX does not accept.

    Args:
      applied: the steps as Pallas applies them, over the physical two-dimensional ref.
      tile: base tile (rows, columns) of the layout, None when unknown.
    """
    user = chain.types
    ref = user[1] if chain.steps and isinstance(chain.steps[0], Alias) else user[0]
    for number, step in applied:
        if isinstance(step, Slice) and len(ref.shape) == 2:
            found = _rows(number, step, ref, tile)
            whole = step.starts == (0, 0) and step.sizes == ref.shape
            original = chain.steps[number]
            if found is None and tile is not None and not whole and isinstance(original, Slice):
                start = slice_start(original, user[number], len(user[number].shape) - 2)
                found = _column(number, start or Column(), tile[1], semantics, jax)
            if found is not None:
                return found
        ref = step.apply(ref)
    return None


def _rows(number: int, step: Slice, ref: RefType, tile: Shape | None) -> Verdict | None:
    if step.dropped:
        return Verdict("MV207", number, "TMEM can only be sliced, not indexed", "a ref in tensor memory is indexed")
    if any(stride != 1 for stride in step.strides):
        return Verdict("MV207", number, "Strided slices not implemented", "the slice has a stride")
    if step.starts == (0, 0) and step.sizes == ref.shape:
        return None
    if step.starts[0] != 0 or step.sizes[0] != ref.shape[0]:
        why = f"only whole rows can be taken, not {step.sizes[0]} of {ref.shape[0]}"
        return Verdict("MV207", number, "TMEM cannot be sliced along rows", why)
    if tile is not None and ref.shape[0] != tile[0]:
        why = f"the ref has {ref.shape[0]} rows in tiles of {tile[0]}"
        return Verdict("MV207", number, "Cannot slice TMEM with multiple tiles along rows.", why)
    return None


def _column(number: int, start: Column, multiple: int, semantics: str, jax: tuple[int, ...]) -> Verdict | None:
    old = not since("column-starts", jax)
    believes = old and semantics == "warpgroup"
    if old and semantics == "lane" and start.name:
        return None
    if start.seen_divisible(multiple, believes=believes):
        return None
    if not start.name:
        text = _COLUMNS
        if old and semantics == "lane":
            text = f"Column index ({start.static}) must be divisible by tile shape column dimension {multiple}"
        return Verdict("MV207", number, text, f"the start {start.static} is not a multiple of {multiple}")
    if start.divisible(multiple):
        whence = "is" if not start.known % multiple else "is, as `pl.multiple_of` promises,"
        why = (
            f"{start.name} {whence} a multiple of {multiple}, but JAX does not see that here: "
            f"it looks for a multiplication by {multiple}, or a mask"
        )
        return Verdict("MV207", number, _COLUMNS, why, align=multiple)
    return Verdict("MV207", number, _COLUMNS, f"the start {start.name} is not known to be a multiple of {multiple}")
