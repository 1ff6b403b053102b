"""Who uses a ref of the `plgpu` dialect, through which chain, and how chains and allocations are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import TRANSFORMS
from mosaic_verify.dialects.plgpu_chain import OpChain, build_step, chain_of
from mosaic_verify.model.chain import Alias, Cast, ChainError, Opaque, Remote, Role, Step, Transpose

MMA = "plgpu.tcgen05_mma"
METADATA_COPY = "plgpu.async_copy_sparse_metadata_to_tmem"
SCALES_COPY = "plgpu.async_copy_scales_to_tmem"
LOAD = "plgpu.copy_gmem_to_smem"
STORE = "plgpu.copy_smem_to_gmem"

_MMA_ROLES: tuple[Role | None, ...] = ("accumulator", "a", "b", None, None, "a_scale", "b_scale", "metadata")
_COPY_ROLES: tuple[Role | None, ...] = ("copy_source", "copy_target")


@dataclass(frozen=True)
class Use:
    """One operand of an op that is no transform.

    Attributes:
      op, number: the op, and which of its operands.
      role: what the operand is to an MMA or a copy into TMEM; "tma" for the SMEM side of a TMA copy; None for all else.
      found: the chain from the allocation (or argument) to the operand.
    """

    op: ir.Operation
    number: int
    role: Role | str | None
    found: OpChain

    @property
    def movable(self) -> bool:
        """True when every step of the chain fits, and can be built anew, on another ref."""
        try:
            return len(self.found.chain.types) > len(self.found.ops) and all(map(buildable, self.found.chain.steps))
        except ChainError:
            return False

    def kept(self, steps: Sequence[Step]) -> int:
        """How many steps at its start the chain has in common with `steps`."""
        pairs = zip(steps, self.found.chain.steps, strict=False)
        return next((n for n, (step, old) in enumerate(pairs) if step != old), min(len(steps), len(self.found.ops)))


def buildable(step: Step) -> bool:
    """True for a step whose op can be built from the step alone."""
    return not isinstance(step, Alias | Opaque | Remote | Cast)


def role_of(op: ir.Operation, number: int) -> Role | str | None:
    """What operand `number` is to `op`."""
    if op.name in (METADATA_COPY, SCALES_COPY):
        return _COPY_ROLES[number] if number < 2 else None
    if op.name in (LOAD, STORE):
        return "tma" if number == (1 if op.name == LOAD else 0) else None
    if op.name != MMA:
        return None
    if "operandSegmentSizes" not in op.attributes:
        return _MMA_ROLES[number]
    for role, size in zip(_MMA_ROLES, ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]), strict=False):
        if number < size:
            return role
        number -= size
    return None


def operands_of(op: ir.Operation) -> Iterator[Use]:
    """The operands of an MMA or of a copy that have a role."""
    for number, value in enumerate(op.operands):
        role = role_of(op, number)
        if role is not None:
            yield Use(op, number, role, chain_of(value))


def uses_of(value: ir.Value) -> list[Use]:
    """All uses of a ref, through transforms."""
    found = []
    for use in value.uses:
        op, number = use.owner.operation, use.operand_number
        if op.name in TRANSFORMS and number == 0:
            found += uses_of(op.results[0])
        else:
            found.append(Use(op, number, role_of(op, number), chain_of(op.operands[number])))
    return found


def only_copied(value: ir.Value) -> bool:
    """True for a ref in SMEM that meets nothing but whole copies and MMAs, transposed or not.

    Layout inference then takes the first tile that fits the MMA.
    """
    for use in uses_of(value):
        whole = all(isinstance(step, Transpose) for step in use.found.chain.steps)
        if not whole or use.role not in ("a", "b", "tma"):
            return False
    return True


def rebuild(use: Use, base: ir.Value, steps: Sequence[Step]) -> None:
    """Makes the operand of a use `steps` behind `base`, and erases what nothing else uses of the old chain.

    Ops of the old chain are kept where it starts alike on the same base.
    """
    kept = use.kept(steps) if base == use.found.base else 0
    value = use.found.ops[kept - 1].results[0] if kept else base
    loc = use.found.ops[0].location if use.found.ops else use.op.location
    point = ir.InsertionPoint(use.op)
    for step in steps[kept:]:
        value = build_step(value, step, loc, point)
    use.op.operands[use.number] = value
    for op in reversed(use.found.ops):
        if next(iter(op.results[0].uses), None) is not None:
            break
        op.erase()


def reallocate(alloc: ir.Operation, kind: ir.MemRefType, attributes: dict[str, ir.Attribute | None]) -> ir.Operation:
    """A new `plgpu.alloc` of type `kind` in front of `alloc`, with some attributes replaced or, for None, removed.

    The caller moves the uses and erases `alloc`.
    """
    merged = {name: alloc.attributes[name] for name in alloc.attributes}
    merged.update({name: value for name, value in attributes.items() if value is not None})
    for name, value in attributes.items():
        if value is None:
            merged.pop(name, None)
    return ir.Operation.create(
        alloc.name, results=[kind], attributes=merged, loc=alloc.location, ip=ir.InsertionPoint(alloc)
    )
