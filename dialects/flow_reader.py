"""Writes a kernel down as a program of the event model: what is the same in every dialect."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from jaxlib.mlir import ir

from mosaic_verify.dialects.flow_numbers import WARP, ScalarReader
from mosaic_verify.ir.locations import OpLocations
from mosaic_verify.model.flow import ANY, Block, Branch, Event, Expr, Fork, Loop, Program, Region, Var
from mosaic_verify.model.flow.program import Kind

_WARPS = 4  # of a warpgroup


class Located(Protocol):
    """The view of a kernel."""

    @property
    def locations(self) -> OpLocations: ...

    @property
    def op_names(self) -> Mapping[str, str]: ...


def locate_events(view: Located, program: Program) -> None:
    """Adds the places of a program's events to the locations of a kernel."""
    names = view.op_names
    assert isinstance(names, dict)
    for place, op in program.places.items():
        view.locations.ops[place] = op
        names[place] = op.name


class FlowReader:
    """Appends statements to the blocks of a program.

    Attributes:
      numbers: reads scalars.
      places: of ops that facts speak about; others get a place when they become an event ("events[0]").
    """

    def __init__(self, numbers: ScalarReader, program: Program, places: dict[ir.Operation, str]):
        self._scalars = numbers
        self._program = program
        self._places = places

    @abstractmethod
    def _block(self, block: ir.Block, into: Block) -> list[ir.Value]:
        """Translates a block; gives the operands of its terminator."""

    @abstractmethod
    def _region(self, value: ir.Value) -> Region | None:
        """The memory behind a ref; None where it is not known which memory that is."""

    @abstractmethod
    def _unknown(self, op: ir.Operation, into: Block, reason: str) -> None:
        """Something happens to the refs of an op."""

    def _add(self, into: Block, event: Event) -> None:
        into.statements.append(event)

    def _place(self, op: ir.Operation) -> str:
        place = self._places.get(op)
        if place is None:
            place = self._places[op] = f"events[{len(self._program.places)}]"
            self._program.places[place] = op
        return place

    def _lost(self, into: Block, reason: str) -> None:
        """Nothing is known about any memory, nor about the order of threads."""
        into.statements += [Event("unknown", "", regions=(ANY,), reason=reason), Event("sync", "", reason=reason)]

    def _sync(self, op: ir.Operation, into: Block, reason: str) -> None:
        self._add(into, Event("sync", self._place(op), reason=reason))

    def _fence(self, op: ir.Operation, into: Block) -> None:
        self._add(into, Event("fence", self._place(op)))

    def _write(self, kind: Kind, op: ir.Operation, target: ir.Value, into: Block) -> None:
        """A write to memory in order of the thread."""
        region = self._region(target)
        if region is None:
            self._unknown(op, into, "a write to a ref whose memory is not known")
        else:
            self._add(into, Event(kind, self._place(op), writes=region))

    def _loop(self, arguments: Sequence[ir.Value], initial: Sequence[ir.Value], results: Sequence[ir.Value]) -> Loop:
        """A loop without its body. Counters in front of the carried values have no result."""
        numbers = self._scalars
        keys = tuple([numbers.fresh() for _ in arguments])
        behind = tuple([numbers.fresh() for _ in arguments])
        first = len(arguments) - len(results)
        for value, key in zip((*arguments, *results), (*keys, *behind[first:]), strict=True):
            numbers.define(value, Var(key))
        return Loop(keys, numbers.all(initial), (), behind, Block())

    def _branch(self, op: ir.Operation, into: Block, selector: Expr, regions: Sequence[ir.Region | None]) -> None:
        """`regions[selector]`; None is an empty one."""
        results = list(op.results)
        keys = tuple([self._scalars.fresh() for _ in results])
        bodies, yields = [], []
        for region in regions:
            body = Block()
            values = [] if region is None else self._block(region.blocks[0], body)
            yields.append(self._scalars.all(values) if len(values) == len(keys) else ())
            bodies.append(body)
        for value, key in zip(results, keys, strict=True):
            self._scalars.define(value, Var(key))
        into.statements.append(Branch(selector, bodies, yields, keys))

    def _fork(self, into: Block, block: ir.Block) -> None:
        """What each warp of the warpgroup does."""
        body = Block()
        self._block(block, body)
        into.statements.append(Fork(WARP, _WARPS, body))
