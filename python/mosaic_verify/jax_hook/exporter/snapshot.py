"""What the ops of a module look like, so that it can be told which of them a rewrite has changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import TRANSFORMS, integer
from mosaic_verify.dialects.plgpu_values import owner

Signature = tuple[Any, ...]


@dataclass(slots=True)
class Snapshot:
    """The ops that came from equations, by number of the equation.

    Attributes:
      uses: the op, and for each operand the signatures of its chain, outermost (nearest to the op) first.
      allocations: signatures of the scratch refs of a `run_scoped`, in order.
      ops, alloc_ops: the ops themselves.
    """

    uses: dict[int, list[list[Signature]]] = field(default_factory=dict)
    allocations: dict[int, list[Signature]] = field(default_factory=dict)
    ops: dict[int, ir.Operation] = field(default_factory=dict)
    alloc_ops: dict[int, list[ir.Operation]] = field(default_factory=dict)


def take_snapshot(module: ir.Operation) -> Snapshot:
    """The state of a module's numbered ops."""
    snapshot = Snapshot()
    _walk(module, snapshot)
    return snapshot


def _walk(op: ir.Operation, snapshot: Snapshot) -> None:
    for region in op.regions:
        for block in region.blocks:
            for view in block.operations:
                inner = view.operation
                number = integer(inner, "eqn")
                if number is not None:
                    _note(inner, number, snapshot)
                if len(inner.regions):
                    _walk(inner, snapshot)


def _note(op: ir.Operation, number: int, snapshot: Snapshot) -> None:
    if op.name == "plgpu.alloc":
        snapshot.allocations.setdefault(number, []).append((op.results[0].type, attributes_of(op)))
        snapshot.alloc_ops.setdefault(number, []).append(op)
        return
    snapshot.ops[number] = op
    snapshot.uses[number] = [[signature(step) for step in chain_ops(operand)] for operand in op.operands]


def chain_ops(value: ir.Value) -> list[ir.Operation]:
    """The transform ops behind a value, nearest first."""
    found = []
    while (op := owner(value)) is not None and op.name in TRANSFORMS:
        found.append(op)
        value = op.operands[0]
    return found


def signature(op: ir.Operation) -> Signature:
    """What makes a transform op: its name, attributes, operands behind the ref, and type."""
    return (op.name, attributes_of(op), tuple(op.operands)[1:], op.results[0].type)


def attributes_of(op: ir.Operation) -> tuple[tuple[str, ir.Attribute], ...]:
    """Attributes in a form that can be compared."""
    attributes = op.attributes
    return tuple((name, attributes[name]) for name in attributes)
