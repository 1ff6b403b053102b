"""Facts about sparse metadata on the host side: a kernel's operand, and an array that is to be laid out."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_verify.model.metadata_format import format_of
from mosaic_verify.model.metadata_format_classify import Laid
from mosaic_verify.model.metadata_format_pairs import PairFaults


@dataclass(frozen=True, slots=True)
class ConstantPairs:
    """Invalid values of a constant that becomes metadata.

    Attributes:
      faults: invalid pairs, or None.
      positions: row of A and logical group of `faults.first`, as far as the layout is known; else positions in the
      array.
      logical: `positions` are (row, group); otherwise they are indices of the constant's first entry of the pair.
      out_of_range: (row-major index, value) of the first value that is not in 0..3, in a constant of a wider type.
    """

    faults: PairFaults | None = None
    positions: tuple[tuple[int, ...], ...] = ()
    logical: bool = False
    out_of_range: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """Rows and logical columns (of K) of an array that a kernel gets: half-open ranges."""

    rows: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True, slots=True)
class MetadataOperand:
    """An operand of a kernel that its sparse MMAs take as metadata.

    Places: "" (the call), "layout" (the op that lays it out), "source".

    Attributes:
      index: position among the operands.
      shape, element: of the operand, as in StableHLO.
      bits: width of the MMA's operands, 16, 8 or 4; None when it cannot be told.
      kinds: `kind::` of the kernel's sparse MMAs.
      unknown: why nothing can be said about the layout although the kernel was read, or "".
      laid: comparisons of the operand with the values behind it, farthest first.
      source: where the metadata comes from, in words ("argument `pairs`", "a constant").
      source_is_tiles: the source already has the shape of tiles.
      transposed: the layout ops contain a transposition.
      constant: what is wrong with the values, when they are a constant; None when they are not.
      region, a_region: which part of its source the metadata, and which part of its own source A is, both known only
        where the two sources have the same M and K.
    """

    index: int
    shape: tuple[int, ...]
    element: str
    bits: int | None = None
    kinds: tuple[str, ...] = ()
    unknown: str = ""
    laid: tuple[Laid, ...] = ()
    source: str = ""
    source_is_tiles: bool = False
    transposed: bool = False
    constant: ConstantPairs | None = None
    region: Region | None = None
    a_region: Region | None = None

    @property
    def wanted(self) -> str | None:
        """The format that the kernel needs, None when unknown."""
        return None if self.bits is None else format_of(self.bits)


@dataclass(frozen=True, slots=True)
class MetadataArray:
    """An array that is, or is to become, metadata for one operand width. Places: "".

    Attributes:
      shape: its shape.
      dtype: name of its dtype as JAX spells it ("uint2").
      operand_dtype: dtype of A and B ("float16"); `bits` its width, None for a dtype without one.
      m, k: sizes of A (logical K), or None when only the array itself is to be judged.
      formatted: the array holds tiles (M / 128, K / 128, 128, 64); otherwise it is (M, K / 4, 2).
      group: logical elements that a pair describes: 4, or 8 for 4-bit operands.
      constant: what is wrong with the values, or None.
    """

    shape: tuple[int, ...]
    dtype: str
    operand_dtype: str
    bits: int | None
    m: int | None = None
    k: int | None = None
    formatted: bool = True
    group: int = 4
    constant: ConstantPairs | None = None
