"""Values of dense integer attributes as numpy arrays, also of element types that the bindings cannot read."""

from __future__ import annotations

import io
import re
from math import prod

import numpy as np
from jaxlib.mlir import ir

_NATIVE = (8, 16, 32, 64)
_HEX_BLOB = re.compile(r'"0x([0-9A-Fa-f]*)"')


def integer_values(attribute: ir.Attribute) -> np.ndarray | None:
    """The integers of a dense attribute in its static shape, read-only; None for other attributes and element types.

    Natively sized integers come without a copy. Narrower ones (`i2`, `ui2`, `i4`, ...) come as one unsigned byte per
    element, at the price of one serialisation of the attribute. Splats are broadcast and take no memory.
    """
    shaped = _shaped(attribute)
    if shaped is None:
        return None
    shape, element = tuple(shaped.shape), shaped.element_type
    dtype = integer_dtype(element)
    if dtype is None or not isinstance(element, ir.IntegerType):
        return None
    if not isinstance(attribute, ir.DenseElementsAttr):
        return _from_resource(attribute, shape, element.width, dtype) if _is_resource(attribute) else None
    dense = attribute
    if dense.is_splat:
        value = _splat(dense, element)
        return np.broadcast_to(np.array(value & (1 << element.width) - 1).astype(dtype), shape)
    if element.width in (1, *_NATIVE):
        return np.asarray(ir.DenseIntElementsAttr(attribute)).reshape(shape)
    size = prod(shape)
    blob = _storage(dense, size)
    return None if blob is None else blob.reshape(shape)


def integer_dtype(element: ir.Type) -> np.dtype | None:
    """The numpy dtype that holds an integer type: bool, native ones as they are, narrower ones as unsigned bytes."""
    if not isinstance(element, ir.IntegerType):
        return None
    width = element.width
    if width == 1:
        return np.dtype(bool)
    if width in _NATIVE:
        return np.dtype(f"{'u' if element.is_unsigned else ''}int{width}")
    return np.dtype(np.uint8) if width < 8 else None


def dense_integers(values: np.ndarray, kind: ir.RankedTensorType) -> ir.Attribute:
    """A dense attribute of the integer type `kind` from an array of `integer_dtype(kind.element_type)`."""
    return ir.DenseElementsAttr.get(np.ascontiguousarray(values), type=kind)


def _shaped(attribute: ir.Attribute) -> ir.ShapedType | None:
    try:
        shaped = ir.ShapedType(attribute.type)
    except (AttributeError, TypeError, ValueError):
        return None
    return shaped if shaped.has_static_shape else None


def _is_resource(attribute: ir.Attribute) -> bool:
    """The bindings hand a resource out as a plain `Attribute`."""
    try:
        ir.DenseResourceElementsAttr(attribute)
    except ValueError:
        return False
    return True


def _splat(dense: ir.DenseElementsAttr, element: ir.IntegerType) -> int:
    value = dense.get_splat_value()
    if isinstance(value, ir.BoolAttr):
        return int(value.value)
    return int(ir.IntegerAttr(value).value)


def _storage(attribute: ir.DenseElementsAttr, size: int) -> np.ndarray | None:
    """The bytes behind a dense attribute that is no splat, `size` of them: found in its bytecode, and proved equal."""
    module = ir.Module.create(ir.Location.unknown(attribute.context))
    module.operation.attributes["values.of"] = attribute
    sink = io.BytesIO()
    module.operation.write_bytecode(sink)
    data, prefix = sink.getvalue(), _prefix_varint(size)
    at = data.find(prefix)
    while 0 <= at <= len(data) - len(prefix) - size:
        blob = np.frombuffer(data, np.uint8, size, at + len(prefix))
        with attribute.context:
            try:
                found = ir.DenseElementsAttr.get(blob, type=attribute.type)
            except ValueError:  # a lookalike of the length, in front of bytes that are no such values
                found = None
        if found == attribute:  # attributes are uniqued
            return blob
        at = data.find(prefix, at + 1)
    return None


def _prefix_varint(value: int) -> bytes:
    """MLIR bytecode's variable-length integer (`EncodingEmitter::emitVarInt`)."""
    size = max(1, -(-value.bit_length() // 7))
    return ((value << size) | (1 << (size - 1))).to_bytes(size, "little")


def _from_resource(attribute: ir.Attribute, shape: tuple[int, ...], width: int, dtype: np.dtype) -> np.ndarray | None:
    """The bindings cannot read a resource back; its text form can: four bytes of alignment, then the data."""
    module = ir.Module.create(ir.Location.unknown(attribute.context))
    module.operation.attributes["values.of"] = attribute
    blobs = _HEX_BLOB.findall(str(module))
    if len(blobs) != 1:
        return None
    data = bytes.fromhex(blobs[0])[4:]
    if width == 1 or len(data) != prod(shape) * dtype.itemsize:
        return None
    return np.frombuffer(data, dtype).reshape(shape)
