"""Small questions about StableHLO values."""

from __future__ import annotations

from jaxlib.mlir import ir


def static_type(value: ir.Value) -> ir.RankedTensorType | None:
    """The type of a tensor with a static shape; None for any other value."""
    kind = value.type
    return kind if isinstance(kind, ir.RankedTensorType) and kind.has_static_shape else None


def integers(op: ir.Operation, name: str) -> tuple[int, ...]:
    """The attribute `name`, an array of 64-bit integers."""
    return tuple(ir.DenseI64ArrayAttr(op.attributes[name]))


def terminator(block: ir.Block) -> ir.Operation:
    """The last op of a block."""
    return list(block.operations)[-1].operation


def enclosing_function(op: ir.Operation) -> ir.Operation | None:
    """The `func.func` around `op`."""
    parent = op.parent
    while parent is not None and parent.name != "func.func":
        parent = parent.parent
    return None if parent is None else parent.operation


def is_invariant(loop: ir.Operation, number: int) -> bool:
    """The body of a `stablehlo.while` hands its argument `number` on unchanged."""
    body = loop.regions[1].blocks[0]
    return terminator(body).operands[number] == body.arguments[number]


def defining_op(value: ir.Value) -> ir.Operation | None:
    """The op whose result `value` is; None for an argument of a block."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def owner_of(argument: ir.BlockArgument) -> ir.Operation:
    """The op in whose region the block with `argument` lies."""
    return argument.owner.owner.operation


def constant_value(op: ir.Operation) -> ir.Attribute | None:
    """The attribute `value` of a constant; None for what the bindings cannot hand out (complex numbers)."""
    try:
        return op.attributes["value"]
    except (KeyError, TypeError):
        return None


def scalar_constant(value: ir.Value) -> int | None:
    """The integer of a constant that is a scalar, or all of whose elements are alike."""
    op = defining_op(value)
    if op is None or op.name != "stablehlo.constant":
        return None
    dense = constant_value(op)
    if not isinstance(dense, ir.DenseIntElementsAttr) or not dense.is_splat:
        return None
    return ir.IntegerAttr(dense.get_splat_value()).value


def is_splat(value: ir.Value) -> bool:
    """True where all elements are alike whatever the program computes: a scalar, a splat, a broadcast scalar."""
    kind = static_type(value)
    if kind is not None and not kind.rank:
        return True
    op = defining_op(value)
    if op is None:
        return False
    if op.name == "stablehlo.constant":
        dense = constant_value(op)
        return isinstance(dense, ir.DenseElementsAttr) and dense.is_splat
    return op.name == "stablehlo.broadcast_in_dim" and is_splat(op.operands[0])
