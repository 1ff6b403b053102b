"""Scalars of a kernel as expressions of the event model, whatever the dialect."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from jaxlib.mlir import ir

from mosaic_verify.model.flow import Expr, Opaque

WARP = "warp of the warpgroup"  # the axis of what the warps of a warpgroup do, whatever its name in the kernel
LOOPS = frozenset(("plgpu.scan", "plgpu.while", "scf.for", "scf.while"))


class ScalarReader:
    """SSA values as expressions, each value once.

    Attributes:
      aliases: what block arguments stand for.
    """

    def __init__(self) -> None:
        self.aliases: dict[ir.Value, ir.Value] = {}
        self._known: dict[ir.Value, Expr] = {}
        self._count = 0

    def fresh(self) -> int:
        """A key that nothing else has."""
        self._count += 1
        return self._count

    def define(self, value: ir.Value, expr: Expr) -> None:
        """Says what a block argument or the result of an op with regions is."""
        self._known[value] = expr

    def resolve(self, value: ir.Value) -> ir.Value:
        """The value that a block argument stands for."""
        while value in self.aliases:
            value = self.aliases[value]
        return value

    def of(self, value: ir.Value) -> Expr:
        """The expression of an integer."""
        if self.aliases:
            value = self.resolve(value)
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._make(value)
        return found

    def all(self, values: Sequence[ir.Value]) -> tuple[Expr, ...]:
        """The expressions of several."""
        return tuple([self.of(value) for value in values])

    def opaque(self, op: ir.Operation | None = None) -> Opaque:
        """A number that is known only at run time; without an op, another one at each place that uses it."""
        if op is None:
            return Opaque(self.fresh())
        depth, parent = 0, op.parent
        while parent is not None and (name := parent.operation.name) != "func.func":
            if name in LOOPS and not _runs_once(parent.operation):
                depth += 1
            parent = parent.operation.parent
        return Opaque(self.fresh(), depth)

    @abstractmethod
    def _make(self, value: ir.Value) -> Expr: ...


def _runs_once(op: ir.Operation) -> bool:
    """Such a loop has no iterations to tell apart. JAX 0.10 has the whole kernel in one."""
    length = op.attributes.get("length")
    return isinstance(length, ir.IntegerAttr) and length.value == 1
