"""Makes types, attributes, constants, locations and ops of the plgpu dialect, each as cheaply as it can be made."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax._src import source_info_util
from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import DYNAMIC
from mosaic_verify.jax_hook.importer.pallas import AbstractRef
from mosaic_verify.model.elements import from_jax

_PLANS = 10_000  # beyond that, what was remembered is dropped: a process that lowers for ever must not grow for ever
_PLAIN_NUMBERS = (int, float, bool)
_FRAMES = 10  # callers shown per location, as many as `ir.locations` keeps


class _Known:
    """Types and attributes that were made in a context; a program has few different ones."""

    def __init__(self, context: ir.Context):
        self.context = context
        self.unknown = ir.Location.unknown(context)
        self.i64 = ir.IntegerType.get_signless(64, context)
        self.none = ir.NoneType.get(context)
        self.elements: dict[Any, ir.Type | None] = {}
        self.strings: dict[str, ir.StringAttr] = {}
        self.memrefs: dict[tuple[Any, ...], ir.Type] = {}
        self.avals: dict[tuple[Any, ...], ir.Type] = {}
        self.sources: dict[str, ir.Location] = {}
        self.plans: dict[Any, Any] = {}


_local = threading.local()


def _known_in(context: ir.Context) -> _Known:
    """What this thread has made in `context`; the last context is remembered."""
    known = getattr(_local, "known", None)
    if known is None or known.context is not context or len(known.plans) > _PLANS or len(known.strings) > _PLANS:
        known = _local.known = _Known(context)
    return known


class Emitter:
    """Builds IR in one context.

    Args:
      context: must allow unregistered dialects.
    """

    def __init__(self, context: ir.Context):
        self.context = context
        known = _known_in(context)
        self.unknown = known.unknown
        self.i64 = known.i64
        self.none = known.none
        self._elements = known.elements
        self._strings = known.strings
        self._memrefs = known.memrefs
        self._avals = known.avals
        self.plans = known.plans  # of `transforms`: ops of a chain by (tree of transforms, type of the ref)
        self.sources = known.sources  # of `allocations`: locations of functions
        self._types: dict[int, tuple[Any, ir.Type]] = {}
        self._constants: dict[tuple[Any, ...], ir.Value] = {}
        self._constant_ops: list[ir.Operation] = []
        self._locations = _location_cache(context)

    def op(
        self,
        name: str,
        results: Sequence[ir.Type],
        operands: Sequence[ir.Value],
        attributes: Mapping[str, ir.Attribute] | None,
        loc: ir.Location,
        ip: ir.InsertionPoint,
        regions: int = 0,
    ) -> ir.Operation:
        """One op `plgpu.NAME`."""
        return ir.Operation.create(f"plgpu.{name}", results, operands, attributes, None, regions, loc, ip)  # type: ignore[arg-type]

    # Attributes

    def string(self, text: str) -> ir.StringAttr:
        """A string attribute."""
        found = self._strings.get(text)
        if found is None:
            found = self._strings[text] = ir.StringAttr.get(text, self.context)
        return found

    def integer(self, number: int) -> ir.IntegerAttr:
        """An i64 attribute."""
        return ir.IntegerAttr.get(self.i64, number)

    def boolean(self, value: bool) -> ir.BoolAttr:
        """A bool attribute."""
        return ir.BoolAttr.get(value, self.context)

    def integers(self, numbers: Sequence[int]) -> ir.DenseI64ArrayAttr:
        """An `array<i64>` attribute."""
        return ir.DenseI64ArrayAttr.get(list(numbers), self.context)

    def names(self, names: Sequence[Any]) -> ir.ArrayAttr:
        """An array of strings; a tuple among the names becomes an array of its own."""
        return ir.ArrayAttr.get(
            [self.names(name) if isinstance(name, tuple) else self.string(str(name)) for name in names], self.context
        )

    def plain(self, value: Any) -> ir.Attribute | None:
        """A parameter of an equation as an attribute; None when there is nothing to say or no way to say it."""
        if value is None or value is False:
            return None
        if value is True:
            return self.boolean(True)
        if isinstance(value, int):
            return self.integer(value)
        if isinstance(value, (tuple, list)):
            return self.names(value) if value else None
        return self.string(str(value))

    # Types

    def element(self, dtype: Any) -> ir.Type | None:
        """The element type of a dtype, None where MLIR has none. Barriers are i64, semaphores i32."""
        found = self._elements.get(dtype)
        if found is None and dtype not in self._elements:
            found = self._elements[dtype] = self._make_element(dtype)
        return found

    def _make_element(self, dtype: Any) -> ir.Type | None:
        if hasattr(dtype, "num_arrivals"):
            return self.i64
        name = str(getattr(dtype, "name", dtype))
        if not isinstance(dtype, np.dtype) and "sem" in name:
            return ir.IntegerType.get_signless(32, self.context)
        if name.startswith("uint"):
            return ir.IntegerType.get_unsigned(int(name[4:]), self.context)
        complex_of = {"complex64": "complex<f32>", "complex128": "complex<f64>"}
        try:
            return ir.Type.parse(complex_of.get(name) or from_jax(name), self.context)
        except Exception:  # a dtype that MLIR cannot spell, such as a PRNG key
            return None

    def type_of(self, aval: Any) -> ir.Type:
        """The type of an abstract value: memref for refs, tensor or scalar for arrays, `none` for the rest."""
        found = self._types.get(id(aval))
        if found is None:
            found = self._types[id(aval)] = (aval, self._make_type(aval))  # `aval` is held, so its id stays its own
        return found[1]

    def _make_type(self, aval: Any) -> ir.Type:
        is_ref = isinstance(aval, AbstractRef)
        inner = aval.inner_aval if is_ref else aval
        shape, dtype = getattr(inner, "shape", None), getattr(inner, "dtype", None)
        if shape is None or dtype is None:
            return self.none
        try:
            key = (shape, dtype, aval.memory_space if is_ref else False)
            found = self._avals.get(key)
        except TypeError:  # a shape or dtype that has no hash
            return self.none
        if found is None:
            found = self._avals[key] = self._make_shaped(aval, shape, self.element(dtype), is_ref)
        return found

    def _make_shaped(self, aval: Any, shape: Sequence[Any], element: ir.Type | None, is_ref: bool) -> ir.Type:
        if element is None or not all(isinstance(size, int) for size in shape):
            return self.none
        if is_ref:
            return self.memref(shape, element, space_of(aval))
        return ir.RankedTensorType.get(shape, element, loc=self.unknown) if shape else element

    def memref(self, shape: Sequence[int], element: ir.Type, space: str) -> ir.Type:
        """The type of a ref."""
        key = (*shape, element, space)
        found = self._memrefs.get(key)
        if found is None:
            found = ir.MemRefType.get(shape, element, memory_space=self.string(space), loc=self.unknown)
            self._memrefs[key] = found
        return found

    # Values

    def constant(self, value: Any, aval: Any) -> ir.Value:
        """A literal: one op per kernel for equal ones, placed at the start of the function by `finish`."""
        key = None
        if not getattr(aval, "shape", ()) and value is not None:
            if type(value) not in _PLAIN_NUMBERS and hasattr(value, "item"):
                value = value.item()
            key = (aval.dtype, type(value), value or str(value))  # 0.0 and -0.0 are equal, and two literals
            found = self._constants.get(key)
            if found is not None:
                return found
        kind = self.type_of(aval)
        attributes = {}
        number = self._number(value, kind)
        if number is not None:
            attributes["value"] = number
        op = ir.Operation.create("plgpu.constant", [kind], [], attributes, loc=self.unknown)
        self._constant_ops.append(op)
        if key is not None:
            self._constants[key] = op.results[0]
        return op.results[0]

    def _number(self, value: Any, kind: ir.Type) -> ir.Attribute | None:
        try:
            if isinstance(kind, ir.IntegerType):
                return self.boolean(bool(value)) if kind.width == 1 else ir.IntegerAttr.get(kind, int(value))
            return ir.FloatAttr.get(kind, float(value), self.unknown)
        except Exception:  # arrays, and element types without a literal form: the constant has no value then
            return None

    def finish(self, block: ir.Block) -> None:
        """Puts the constants at the start of the kernel."""
        ip = ir.InsertionPoint.at_block_begin(block)
        for op in self._constant_ops:
            ip.insert(op)

    # Locations

    def location(self, traceback: Any) -> ir.Location:
        """User frames of a traceback, innermost first, with JAX's columns; unknown without any."""
        if traceback is None:
            return self.unknown
        return self._locations(traceback)


def space_of(aval: Any) -> str:
    """Memory space of a ref: "gmem", "smem", "tmem", "regs", "barrier", "semaphore", or what JAX calls it."""
    dtype = getattr(aval.inner_aval, "dtype", None)
    if hasattr(dtype, "num_arrivals"):
        return "barrier"
    if dtype is not None and not isinstance(dtype, np.dtype) and "sem" in str(getattr(dtype, "name", "")):
        return "semaphore"
    space = getattr(aval, "memory_space", None)
    name = str(getattr(space, "value", space)).lower()
    return "gmem" if name in ("none", "any", "default") else name


def _location_cache(context: ir.Context) -> Callable[[Any], ir.Location]:
    """A function from tracebacks to locations; JAX's own C++ cache where this JAX has it."""
    make = _jax_cache()
    return functools.partial(_user_frame, context) if make is None else make().get


@functools.cache
def _jax_cache() -> Callable[[], Any] | None:
    """Makes caches of locations in the current context; None where this JAX has none."""
    try:
        from jax._src.interpreters import mlir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext as jax_mlir_ext

        make = functools.partial(
            jax_mlir_ext.TracebackToLocationCache, code_to_filename=mlir._code_to_filename, frame_limit=_FRAMES
        )
        make()
        return make
    except (ImportError, AttributeError, TypeError):
        return None


def _user_frame(context: ir.Context, traceback: Any) -> ir.Location:
    frame = source_info_util.user_frame(traceback)
    if frame is None:
        return ir.Location.unknown(context)
    return ir.Location.file(frame.file_name, frame.start_line, frame.start_column, context)


__all__ = ["DYNAMIC", "Emitter", "space_of"]
