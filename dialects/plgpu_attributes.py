"""Constants of the `plgpu` dialect, and readers of its attributes, refs and operand segments."""

from __future__ import annotations

from jaxlib.mlir import ir

DYNAMIC = -(1 << 63)  # a dynamic offset or size in an `array<i64>`, as in memref.subview
SPACES = ("gmem", "smem", "tmem", "regs", "barrier", "semaphore")
TRANSFORMS = frozenset(
    f"plgpu.{name}"
    for name in (
        "alias",
        "bitcast",
        "cluster_ref",
        "collapse_batch",
        "expand_batch",
        "identity",
        "im2col",
        "memory_space_cast",
        "multicast",
        "peer",
        "reshape",
        "slice",
        "swizzle",
        "tile",
        "transpose",
        "unknown_transform",
        "unswizzle",
        "untile",
    )
)


def integers(op: ir.Operation | ir.OpView, name: str) -> tuple[int, ...] | None:
    """An `array<i64>` attribute as a tuple, or None when it is absent."""
    attribute = op.attributes.get(name)
    return None if attribute is None else tuple(ir.DenseI64ArrayAttr(attribute))


def integer(op: ir.Operation | ir.OpView, name: str) -> int | None:
    """An integer attribute, or None when it is absent."""
    attribute = op.attributes.get(name)
    return None if attribute is None else ir.IntegerAttr(attribute).value


def string(op: ir.Operation | ir.OpView, name: str) -> str | None:
    """A string attribute, or None when it is absent."""
    attribute = op.attributes.get(name)
    return None if attribute is None else ir.StringAttr(attribute).value


def boolean(op: ir.Operation | ir.OpView, name: str) -> bool | None:
    """A bool attribute, or None when it is absent."""
    attribute = op.attributes.get(name)
    return None if attribute is None else ir.BoolAttr(attribute).value


def number_of(op: ir.Operation | ir.OpView) -> int | float | bool | None:
    """The `value` of a constant: a number, or None when it has none."""
    attribute = op.attributes.get("value")
    return attribute.value if isinstance(attribute, ir.IntegerAttr | ir.BoolAttr | ir.FloatAttr) else None


def names(op: ir.Operation | ir.OpView, name: str) -> tuple[str, ...] | None:
    """An array of strings, or None when it is absent; what is no string is given as its text."""
    attribute = op.attributes.get(name)
    if attribute is None:
        return None
    return tuple(item.value if isinstance(item, ir.StringAttr) else str(item) for item in ir.ArrayAttr(attribute))


def is_ref(value: ir.Value) -> bool:
    """True for a memref."""
    return isinstance(value.type, ir.MemRefType)


def space(value: ir.Value) -> str:
    """Memory space of a ref ("smem", "barrier", ...), "" when it has none or `value` is no ref."""
    kind = value.type
    if not isinstance(kind, ir.MemRefType):
        return ""
    attribute = kind.memory_space
    return attribute.value if isinstance(attribute, ir.StringAttr) else ""


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """Shape of a ref. Raises ValueError where it is not static: such an op is malformed."""
    kind = value.type
    if not kind.has_static_shape:
        raise ValueError(f"a ref must have a static shape, but is {kind}")
    return tuple(kind.shape)


def segments(op: ir.Operation | ir.OpView, count: int) -> list[list[ir.Value]]:
    """Operands by segment. Without `operandSegmentSizes` the leading segments have one operand each, the rest none."""
    operands = list(op.operands)
    sizes = op.attributes.get("operandSegmentSizes")
    if sizes is None:
        return [operands[i : i + 1] for i in range(count)]
    found, start = [], 0
    for size in ir.DenseI32ArrayAttr(sizes):
        found.append(operands[start : start + size])
        start += size
    return found + [[]] * (count - len(found))
