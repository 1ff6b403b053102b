"""The steps of a transform chain: what a kernel does to a ref between its allocation and an operation.

A step maps the type of a ref (shape, element type, memory space) to the type of its result. Steps know nothing of JAX
or MLIR; the transforms that they stand for are defined in `jax/_src/pallas/mosaic_gpu/core.py` and
`jax/_src/state/{types,indexing}.py`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property

Shape = tuple[int, ...]


class ChainError(ValueError):
    """A step that does not fit the type in front of it."""


@dataclass(frozen=True, slots=True)
class RefType:
    """What a ref is at one point of its chain.

    Attributes:
      shape: logical shape, in elements.
      element: MLIR spelling of the element type, such as "i2" or "f16".
      space: "smem", "tmem", "gmem" or "" when unknown.
      bits: width of one element, or 0 when unknown.
    """

    shape: Shape
    element: str = ""
    space: str = ""
    bits: int = 0

    def of_shape(self, shape: Shape) -> RefType:
        """The same in another shape."""
        return RefType(shape, self.element, self.space, self.bits)

    def __str__(self) -> str:
        dims = "x".join(map(str, (*self.shape, self.element or "?")))
        return f"{dims} in {self.space}" if self.space else dims


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A start that is known only at run time.

    Attributes:
      key: tells values apart; two starts with one key have the same value. Never shown.
      name: as it is spelled in notes.
      multiple_of: a divisor that follows from the arithmetic.
      promised: a divisor that the user promised with `pl.multiple_of`; JAX's slicing of TMEM does not look at it.
      seen: at most this, as far as powers of two go, is seen by JAX; 0 when it may see any divisor, None for
        `multiple_of`.
      trusted: the same for a JAX that believes promises; None for both divisors.
    """

    key: Hashable
    name: str = "i"
    multiple_of: int = 1
    promised: int = 1
    seen: int | None = None
    trusted: int | None = None

    def __str__(self) -> str:
        return self.name


Start = int | Dynamic


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a chain."""

    def apply(self, ref: RefType) -> RefType:
        """The type behind this step. Raises ChainError when the step does not fit `ref`."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Slice(Step):
    """`.at[...]`: per dimension a start, a size and a stride; `dropped` dimensions were indexed with an integer.

    An index is a slice of size 1 whose dimension is dropped.
    """

    starts: tuple[Start, ...]
    sizes: Shape
    strides: Shape = ()
    dropped: tuple[int, ...] = ()

    def __post_init__(self):
        if not self.strides:
            object.__setattr__(self, "strides", (1,) * len(self.sizes))
        if not len(self.starts) == len(self.sizes) == len(self.strides):
            raise ChainError("starts, sizes and strides differ in length")

    @property
    def dynamic(self) -> bool:
        """True when a start is known only at run time."""
        return any(not isinstance(start, int) for start in self.starts)

    def apply(self, ref: RefType) -> RefType:
        if len(self.sizes) != len(ref.shape):
            raise ChainError(f"a slice of {len(self.sizes)} dimensions does not fit the shape {ref.shape}")
        for start, size, stride, extent in zip(self.starts, self.sizes, self.strides, ref.shape, strict=True):
            if isinstance(start, int) and (start < 0 or (size and start + (size - 1) * stride >= extent)):
                raise ChainError(f"a slice from {start} of size {size} leaves the extent {extent}")
            if not 0 <= size <= extent:
                raise ChainError(f"a slice of size {size} leaves the extent {extent}")
        return ref.of_shape(tuple(n for d, n in enumerate(self.sizes) if d not in self.dropped))

    def __str__(self) -> str:
        def one(dim: int) -> str:
            start, size, stride = self.starts[dim], self.sizes[dim], self.strides[dim]
            if dim in self.dropped:
                return str(start)
            if isinstance(start, int):
                return f"{start}:{start + (size - 1) * stride + 1}" + (f":{stride}" if stride != 1 else "")
            return f"pl.ds({start}, {size}" + (f", {stride})" if stride != 1 else ")")

        return f".at[{', '.join(map(one, range(len(self.sizes))))}]"


def index(ref: RefType, at: tuple[Start, ...]) -> Slice:
    """The step of `ref.at[i, j]`: the leading dimensions are indexed with `at` and dropped, the rest is taken whole."""
    rest = ref.shape[len(at) :]
    return Slice(starts=(*at, *(0 for _ in rest)), sizes=(*(1 for _ in at), *rest), dropped=tuple(range(len(at))))


@dataclass(frozen=True, slots=True)
class Transpose(Step):
    """`.transpose(permutation)`: dimension d of the result is dimension `permutation[d]` of the source."""

    permutation: tuple[int, ...]

    def apply(self, ref: RefType) -> RefType:
        if sorted(self.permutation) != list(range(len(ref.shape))):
            raise ChainError(f"the permutation {self.permutation} does not fit the shape {ref.shape}")
        return ref.of_shape(tuple(ref.shape[d] for d in self.permutation))

    def __str__(self) -> str:
        return f".transpose({', '.join(map(str, self.permutation))})"


@dataclass(frozen=True, slots=True)
class Reshape(Step):
    """`.reshape(shape)`: row-major order of the elements stays."""

    shape: Shape

    def apply(self, ref: RefType) -> RefType:
        if math.prod(self.shape) != math.prod(ref.shape):
            raise ChainError(f"the shape {ref.shape} cannot be reshaped to {self.shape}")
        return ref.of_shape(self.shape)

    def __str__(self) -> str:
        return f".reshape({', '.join(map(str, self.shape))})"


@dataclass(frozen=True, slots=True)
class Bitcast(Step):
    """`.bitcast(dtype)`: other element type over the same bits; a change of width scales the second-minor dimension."""

    element: str
    bits: int
    shape: Shape

    def apply(self, ref: RefType) -> RefType:
        if ref.bits and math.prod(ref.shape) * ref.bits != math.prod(self.shape) * self.bits:
            raise ChainError(f"{ref} cannot be bitcast to {self.element} of shape {self.shape}")
        return RefType(self.shape, self.element, ref.space, self.bits)

    def __str__(self) -> str:
        return f".bitcast({self.element})"


@dataclass(frozen=True, slots=True)
class Untile(Step):
    """Undoes `TilingTransform(tiling)` of an SMEM allocation: its tiles become the logical shape."""

    tiling: Shape

    def apply(self, ref: RefType) -> RefType:
        n = len(self.tiling)
        if len(ref.shape) < 2 * n or ref.shape[len(ref.shape) - n :] != self.tiling:
            raise ChainError(f"the tiling {self.tiling} does not fit the shape {ref.shape}")
        lead, tiles = ref.shape[: len(ref.shape) - 2 * n], ref.shape[len(ref.shape) - 2 * n : len(ref.shape) - n]
        return ref.of_shape((*lead, *(a * b for a, b in zip(tiles, self.tiling, strict=True))))

    def __str__(self) -> str:
        return f"untile{self.tiling}"


@dataclass(frozen=True, slots=True)
class Unswizzle(Step):
    """The unswizzling of an SMEM ref that was allocated with `SwizzleTransform(swizzle)`; `swizzle` in bytes."""

    swizzle: int

    def apply(self, ref: RefType) -> RefType:
        return ref

    def __str__(self) -> str:
        return f"unswizzle({self.swizzle})"


@dataclass(frozen=True, slots=True)
class ExpandBatch(Step):
    """The leading batch dimensions of a TMEM ref: physical (m, prod(batch) * n) becomes (*batch, m, n)."""

    batch: Shape

    def apply(self, ref: RefType) -> RefType:
        size = math.prod(self.batch)
        if len(ref.shape) != 2 or ref.shape[1] % size:
            raise ChainError(f"the batch {self.batch} does not fit the shape {ref.shape}")
        return ref.of_shape((*self.batch, ref.shape[0], ref.shape[1] // size))

    def __str__(self) -> str:
        return f"batch{self.batch}"


@dataclass(frozen=True, slots=True)
class Remote(Step):
    """A ref of another block or device. `kind` is "peer" (`remote_ref`), "multicast" or "cluster"; the type stays."""

    kind: str
    axes: tuple[str, ...] = ()
    key: Hashable = None

    def apply(self, ref: RefType) -> RefType:
        return ref

    def __str__(self) -> str:
        return f"{self.kind}_ref({', '.join(self.axes)})"


@dataclass(frozen=True, slots=True)
class Alias(Step):
    """One member of a `RefUnion`.

    Attributes:
      shape, element, bits: physical type of the member.
      offset: in bytes for SMEM, in columns for TMEM.
      group: number of the alias group inside the union.
      layout: MLIR text of the member's TMEM layout, or "".
    """

    shape: Shape
    element: str
    bits: int
    offset: int
    group: int = 0
    layout: str = ""

    def apply(self, ref: RefType) -> RefType:
        return RefType(self.shape, self.element, ref.space, self.bits)

    def __str__(self) -> str:
        return f"alias[{self.group}]"


@dataclass(frozen=True, slots=True)
class Cast(Step):
    """A cast that keeps shape and elements: `kind` "layout" (`tmem_layout_cast`), "strides" (`memref.cast`), "space"
    (`memory_space_cast`), "transforms" (`with_transforms`) or "identity"; `to` is the target as text, "" for none."""

    kind: str
    to: str = ""

    def apply(self, ref: RefType) -> RefType:
        return replace(ref, space=self.to) if self.kind == "space" else ref

    def __str__(self) -> str:
        return f"{self.kind} cast({self.to})" if self.to else f"{self.kind} cast"


@dataclass(frozen=True, slots=True)
class Opaque(Step):
    """A step of a kind that nobody here knows. Nothing is folded across it."""

    name: str
    result: RefType

    def apply(self, ref: RefType) -> RefType:
        return self.result

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Chain:
    """A ref and what was done to it.

    Attributes:
      base: type of the allocation as the first step sees it: physical for an SMEM ref with transforms (its untile and
        unswizzle steps lead back to the logical shape), and for a batched TMEM ref.
      steps: in the order of application.
      name: name of the ref where it is known.
    """

    base: RefType
    steps: tuple[Step, ...] = ()
    name: str = ""

    @cached_property
    def types(self) -> tuple[RefType, ...]:
        """The type in front of each step and behind the last. Raises ChainError when a step does not fit."""
        types = [self.base]
        for step in self.steps:
            types.append(step.apply(types[-1]))
        return tuple(types)

    @property
    def result(self) -> RefType:
        """The type behind the last step."""
        return self.types[-1]

    def then(self, *steps: Step) -> Chain:
        """The chain with more steps behind it."""
        return replace(self, steps=(*self.steps, *steps))

    def spell(self, offending: int | None = None) -> str:
        """The chain with the shape behind each step; the step with number `offending` is marked with `>>> <<<`."""
        text = f"{self.name or 'ref'} {self.base.shape}"
        try:
            types = self.types[1:]
        except ChainError:
            types = [None] * len(self.steps)
        for number, (step, ref) in enumerate(zip(self.steps, types, strict=True)):
            shown = f">>> {step} <<<" if number == offending else str(step)
            text += f" -> {shown}" + (f" {ref.shape}" if ref else "")
        return text
