"""From a StableHLO value backwards through ops that only move elements, as a graph of plain nodes.

Private functions are entered through their calls and left through their callers, loops only where a value is invariant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_values import (
    defining_op,
    enclosing_function,
    integers,
    is_invariant,
    is_splat,
    owner_of,
    scalar_constant,
    static_type,
    terminator,
)
from mosaic_verify.model.metadata_format_graph import Node

CallPath = tuple[ir.Operation, ...]  # call ops from the innermost function outwards

_MAX_CALL_PATHS = 64
_MAX_DEPTH = 200  # a chain of layout ops has a handful of steps; what lies farther counts as opaque

# They hand their operand on, or say where it lives.
_PASS_THROUGH_CALLS = frozenset(("Sharding", "annotate_device_placement", "mosaic_verify.identity"))
_PASS_THROUGH = frozenset(("sdy.sharding_constraint", "sdy.reshard", "mhlo.copy"))
_ELEMENTWISE = (
    *("stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.remainder"),
    *("stablehlo.and", "stablehlo.or", "stablehlo.xor"),
    *("stablehlo.shift_left", "stablehlo.shift_right_arithmetic", "stablehlo.shift_right_logical"),
    *("stablehlo.clamp", "stablehlo.maximum", "stablehlo.minimum"),
)


class Provenance:
    """Graphs of the values below one top-level op; a value is looked at once.

    Args:
      root: the module, in which called functions are found.
      calls: gives all `func.call` ops below it, when they are first needed.
    """

    def __init__(self, root: ir.Operation, calls: Callable[[], list[ir.Operation]]):
        self._root = root
        self._calls = calls
        self._callers: dict[str, list[ir.Operation]] | None = None
        self._nodes: dict[tuple[ir.Value, CallPath], Node] = {}
        self._depth = 0

    def call_paths(self, op: ir.Operation) -> list[CallPath]:
        """Every chain of calls that leads to `op`, innermost call first; one empty chain for an op of `main`.

        More than 64 chains count as none known: the arguments of the function are then roots.
        """
        paths = list(islice(self._paths(enclosing_function(op), ()), _MAX_CALL_PATHS + 1))
        return paths if 0 < len(paths) <= _MAX_CALL_PATHS else [()]

    def node(self, value: ir.Value, path: CallPath = ()) -> Node:
        """The graph behind `value`, seen along one chain of calls."""
        key = (value, path)
        found = self._nodes.get(key)
        if found is None:
            self._depth += 1
            try:
                found = self._nodes[key] = self._make(value, path)
            finally:
                self._depth -= 1
        return found

    def _paths(self, function: ir.Operation | None, seen: CallPath) -> Iterator[CallPath]:
        callers = [] if function is None or len(seen) > 16 else self._callers_of(function)
        if not callers:
            yield ()
        for call in callers:
            if call not in seen:
                for outer in self._paths(enclosing_function(call), (*seen, call)):
                    yield (call, *outer)

    def _callers_of(self, function: ir.Operation) -> list[ir.Operation]:
        if self._callers is None:
            self._callers = {}
            for call in self._calls():
                self._callers.setdefault(ir.FlatSymbolRefAttr(call.attributes["callee"]).value, []).append(call)
        if function.name != "func.func":
            return []
        return self._callers.get(ir.StringAttr(function.attributes["sym_name"]).value, [])

    def _make(self, value: ir.Value, path: CallPath) -> Node:
        kind = static_type(value)
        if kind is None:
            ranked = isinstance(value.type, ir.RankedTensorType)
            return Node("root", (), element=str(value.type.element_type) if ranked else "", origin=value)
        shape, element = tuple(kind.shape), str(kind.element_type)
        if self._depth > _MAX_DEPTH:
            return Node("root", shape, element=element, origin=value)
        if isinstance(value, ir.BlockArgument):
            outside = self._outside(value, path)
            return Node("root", shape, element=element, origin=value) if outside is None else self.node(*outside)
        op = defining_op(value)
        assert op is not None
        same = self._same(op, ir.OpResult(value).result_number, path)
        if same is not None:
            return self.node(*same)
        maker = _MAKERS.get(op.name)
        made = None if maker is None else maker(self, op, path, shape, element)
        if made is not None:
            return made
        return Node("root", shape, element=element, origin=value, opaque=op.name.startswith("mhlo."))

    def _outside(self, argument: ir.BlockArgument, path: CallPath) -> tuple[ir.Value, CallPath] | None:
        """What a block argument is, seen from outside: a call's operand, or the initial value of a loop invariant."""
        owner, number = owner_of(argument), argument.arg_number
        if owner.name == "func.func":
            return (path[0].operands[number], path[1:]) if path else None
        if owner.name == "stablehlo.while" and is_invariant(owner, number):
            return owner.operands[number], path
        return None

    def _same(self, op: ir.Operation, number: int, path: CallPath) -> tuple[ir.Value, CallPath] | None:
        """The value that result `number` of `op` is a copy of."""
        if op.name == "stablehlo.optimization_barrier":
            return op.operands[number], path
        if op.name == "stablehlo.while" and is_invariant(op, number):
            return op.operands[number], path
        if op.name == "stablehlo.custom_call":
            target = ir.StringAttr(op.attributes["call_target_name"]).value
            known = target in _PASS_THROUGH_CALLS and len(op.operands) == 1
            return (op.operands[0], path) if known and op.operands[0].type == op.results[number].type else None
        if op.name in _PASS_THROUGH and len(op.operands) == 1:
            return op.operands[0], path
        if op.name == "func.call":
            callee = self._function_named(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
            if callee is not None and op not in path:
                return terminator(callee.regions[0].blocks[0]).operands[number], (op, *path)
        return None

    def _function_named(self, name: str) -> ir.Operation | None:
        for block in self._root.regions[0].blocks:
            for child in block.operations:
                op = child.operation
                if op.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == name:
                    return op if len(op.regions[0].blocks) == 1 else None
        return None

    # One maker per op: the node, or None where the op is not of the simple form.

    def _reshape(self, op, path, shape, element):
        return Node("reshape", shape, (self.node(op.operands[0], path),), element=element, origin=op)

    def _convert(self, op, path, shape, element):
        inner = self.node(op.operands[0], path)
        if inner.shape != shape:  # a bitcast that splits or joins elements
            return None
        return Node("convert", shape, (inner,), element=element, origin=op)

    def _transpose(self, op, path, shape, element):
        permutation = integers(op, "permutation")
        axes = tuple((i, 0, 1) for i in permutation)
        moves = permutation != tuple(range(len(shape)))
        inner = self.node(op.operands[0], path)
        return Node("strided", shape, (inner,), axes=axes, element=element, origin=op, moves=moves)

    def _slice(self, op, path, shape, element):
        axes = tuple(
            (i, start, step)
            for i, (start, step) in enumerate(zip(integers(op, "start_indices"), integers(op, "strides"), strict=True))
        )
        return Node("strided", shape, (self.node(op.operands[0], path),), axes=axes, element=element, origin=op)

    def _dynamic_slice(self, op, path, shape, element):
        inner = self.node(op.operands[0], path)
        axes, kind = [], "strided"
        for i, (value, size, whole) in enumerate(zip(list(op.operands)[1:], shape, inner.shape, strict=True)):
            start = 0 if size == whole else scalar_constant(value)
            if start is None and (i or size != 1 or len(shape) < 4):
                return None
            if start is None:
                start, kind = 0, "selected"  # one of a stack, as in a scan over layers
            axes.append((i, min(max(start, 0), whole - size), 1))  # StableHLO clamps
        return Node(kind, shape, (inner,), axes=tuple(axes), element=element, origin=op)

    def _reverse(self, op, path, shape, element):
        reversed_dims = integers(op, "dimensions")
        axes = tuple((i, n - 1, -1) if i in reversed_dims else (i, 0, 1) for i, n in enumerate(shape))
        return Node("strided", shape, (self.node(op.operands[0], path),), axes=axes, element=element, origin=op)

    def _broadcast(self, op, path, shape, element):
        inner = self.node(op.operands[0], path)
        axes: list[tuple[int | None, int, int]] = [(None, 0, 1)] * len(shape)
        for i, dim in enumerate(integers(op, "broadcast_dimensions")):
            axes[dim] = (i, 0, 1) if inner.shape[i] == shape[dim] else (None, 0, 1)
        return Node("strided", shape, (inner,), axes=tuple(axes), element=element, origin=op)

    def _concatenate(self, op, path, shape, element):
        inputs = tuple(self.node(value, path) for value in op.operands)
        axis = ir.IntegerAttr(op.attributes["dimension"]).value
        return Node("concatenate", shape, inputs, axis=axis, element=element, origin=op)

    def _pad(self, op, path, shape, element):
        inner, fill = self.node(op.operands[0], path), self.node(op.operands[1], path)
        low, interior = integers(op, "edge_padding_low"), integers(op, "interior_padding")
        return Node("pad", shape, (inner,), low=low, interior=interior, fill=fill, element=element, origin=op)

    def _elementwise(self, op, path, shape, element):
        """An op that combines one array with splats: it changes values, and moves nothing."""
        arrays = [value for value in op.operands if not is_splat(value)]
        if len(arrays) != 1:
            return None
        inner = self.node(arrays[0], path)
        return Node("elementwise", shape, (inner,), element=element, origin=op) if inner.shape == shape else None


_MAKERS = {
    "stablehlo.reshape": Provenance._reshape,
    "stablehlo.convert": Provenance._convert,
    "stablehlo.bitcast_convert": Provenance._convert,
    "stablehlo.transpose": Provenance._transpose,
    "stablehlo.slice": Provenance._slice,
    "stablehlo.dynamic_slice": Provenance._dynamic_slice,
    "stablehlo.reverse": Provenance._reverse,
    "stablehlo.broadcast_in_dim": Provenance._broadcast,
    "stablehlo.concatenate": Provenance._concatenate,
    "stablehlo.pad": Provenance._pad,
    **dict.fromkeys(_ELEMENTWISE, Provenance._elementwise),
}
