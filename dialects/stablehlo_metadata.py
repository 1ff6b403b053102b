"""View of a kernel's metadata operands: their layout, seen from the values that they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location
from mosaic_verify.dialects.stablehlo_constants import constant_behind
from mosaic_verify.dialects.stablehlo_kernel import KernelFacts, MetadataArgument
from mosaic_verify.dialects.stablehlo_provenance import CallPath, Provenance
from mosaic_verify.dialects.stablehlo_values import defining_op, owner_of
from mosaic_verify.ir.locations import op_location, to_location
from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.metadata_format import TILE_COLUMNS, TILE_ROWS, logical_position
from mosaic_verify.model.metadata_format_classify import Laid, classify, is_tile_shape
from mosaic_verify.model.metadata_format_facts import ConstantPairs, MetadataOperand, Region
from mosaic_verify.model.metadata_format_graph import Node, ancestors
from mosaic_verify.model.metadata_format_pairs import find_out_of_range, find_pair_faults
from mosaic_verify.model.metadata_format_strides import strided_map
from mosaic_verify.model.sparsity import METADATA_TILE


@dataclass(frozen=True)
class ViewedOperand:
    """Facts about one metadata operand of a call along one chain of calls, and what it is made of."""

    facts: MetadataOperand
    call: ir.Operation
    value: ir.Value
    node: Node

    @cached_property
    def locations(self) -> dict[str, Location]:
        """Where the places of its facts are."""
        here, steps = op_location(self.call), ancestors(self.node)
        root = next(each for each in steps if each.kind == "root")
        return {"": here, "layout": _layout_location(steps, here), "source": _location(root, here)}


def metadata_operands(call: ir.Operation, kernel: KernelFacts, provenance: Provenance) -> Iterator[ViewedOperand]:
    """The operands that the kernel of `call` uses as metadata, once for each value that may lie behind them."""
    if not kernel.kinds:
        return
    for path in provenance.call_paths(call):
        for argument in kernel.metadata:
            if argument.index < len(call.operands):
                value = call.operands[argument.index]
                for node in _parts(provenance.node(value, path)):
                    yield _view(call, kernel, argument, value, node, provenance, path)


def _parts(node: Node) -> list[Node]:
    """Arrays of tiles that were put together along leading dimensions, one by one."""
    whole = node
    while whole.kind == "reshape" and whole.shape[-2:] == METADATA_TILE == whole.inputs[0].shape[-2:]:
        (whole,) = whole.inputs
    if whole.kind != "concatenate" or whole.shape[-2:] != METADATA_TILE or whole.axis >= len(whole.shape) - 2:
        return [node]
    parts = [part for child in whole.inputs for part in _parts(child)]
    return [node] if any(laid.formats for laid in classify(node)) else parts


def _view(
    call: ir.Operation,
    kernel: KernelFacts,
    argument: MetadataArgument,
    value: ir.Value,
    node: Node,
    provenance: Provenance,
    path: CallPath,
) -> ViewedOperand:
    unknown = ""
    if kernel.rewrites_metadata:
        unknown = "the kernel itself moves 2-bit values through registers"
    elif not argument.tiled:
        unknown = "the kernel does not read it as tiles of 128 x 64 entries"
    laid = tuple(classify(node)) if not unknown else ()
    steps = ancestors(node)
    roots = [value for value in steps if value.kind == "root"]
    region = a_region = None
    bits = kernel.bits_of(argument.index)
    if bits is not None:
        region, a_region = _regions(call, node, argument, laid, bits, provenance, path)
    facts = MetadataOperand(
        index=argument.index,
        shape=node.shape,
        element=node.element,
        bits=bits,
        kinds=kernel.kinds_of(argument.index),
        unknown=unknown,
        laid=laid,
        source=" and ".join(dict.fromkeys(map(describe, roots))) if len(roots) <= 3 else f"{len(roots)} values",
        source_is_tiles=all(is_tile_shape(root.shape) for root in roots),
        transposed=any(step.moves for step in steps),
        constant=_constant(node, roots, laid, bits),
        region=region,
        a_region=a_region,
    )
    return ViewedOperand(facts, call, value, node)


def describe(root: Node) -> str:
    """A root in words: "argument `pairs`", "a constant", "the result of stablehlo.dot_general"."""
    value = root.origin
    if isinstance(value, ir.BlockArgument):
        name = _argument_name(value)
        owner = owner_of(value)
        if owner.name == "func.func":
            return f"argument `{name}`" if name else f"argument {value.arg_number}"
        if owner.name == "stablehlo.while":
            return "a value that changes from iteration to iteration of a stablehlo.while"
        return f"an argument of the region of a {owner.name}"
    if is_constant(root):
        return "a constant"
    op = defining_op(value)
    return "a value" if op is None else f"the result of {op.name}"


def is_constant(root: Node) -> bool:
    """True for a root that is a `stablehlo.constant`."""
    op = defining_op(root.origin) if isinstance(root.origin, ir.Value) else None
    return op is not None and op.name == "stablehlo.constant"


def _argument_name(value: ir.BlockArgument) -> str:
    location = getattr(value, "location", None)
    return "" if location is None else to_location(location).name


def _location(node: Node, otherwise: Location) -> Location:
    value = node.origin
    if isinstance(value, ir.BlockArgument):
        found = to_location(value.location)
    else:
        op = defining_op(value) if isinstance(value, ir.Value) else value
        found = op_location(op) if isinstance(op, ir.Operation) else UNKNOWN
    return found if found.file is not None else otherwise


def _layout_location(behind: list[Node], call: Location) -> Location:
    """The last transposition, or the last op that lays out; the call itself when there is none."""
    steps = [step for step in behind if step.kind != "root"]
    step = next((step for step in steps if step.moves), steps[0] if steps else None)
    return call if step is None else _location(step, call)


def _constant(node: Node, roots: list[Node], laid: tuple[Laid, ...], bits: int | None) -> ConstantPairs | None:
    if not roots or not all(map(is_constant, roots)):
        return None
    if any(step.kind in ("elementwise", "pad") for step in ancestors(node)):
        # Computed, as packed positions are, or rows that may be cut off again, here or behind the kernel.
        return None
    root = roots[0]
    whole = next((part for part in laid if part.formats and part.source.size == root.size == node.size), None)
    if len(roots) == 1 and whole is not None and _is_reshape(whole.source, root):
        return _logical_values(node, root, whole.entries)
    return _tile_values(node, roots, bits)


def _is_reshape(value: Node, root: Node) -> bool:
    found = strided_map(value, root)
    return found is not None and not found.offset and found.flat == ((root.size, 1),)


def _logical_values(node: Node, root: Node, entries: int) -> ConstantPairs | None:
    """Values of a constant that is logical metadata as a whole: they are checked where they are."""
    values = constant_behind(root).values
    if values is None:
        return None
    outside = _out_of_range(node, root)
    faults = find_pair_faults(values) if outside is None else None
    positions = () if faults is None else tuple(divmod(pair, entries // 2) for pair, _, _ in faults.first)
    return ConstantPairs(faults, positions, True, outside) if faults or outside else None


def _tile_values(node: Node, roots: list[Node], bits: int | None) -> ConstantPairs | None:
    """Values of tiles, evaluated."""
    if not node.size or node.size % 2:
        return None
    outside = next(filter(None, (_out_of_range(node, root) for root in roots)), None)
    if outside is not None:
        return ConstantPairs(out_of_range=outside)
    values = constant_behind(node).values
    faults = None if values is None else find_pair_faults(values)
    if faults is None:
        return None
    grid = node.shape if len(node.shape) == 4 and node.shape[2:] == METADATA_TILE else None
    if grid is not None and bits is not None:
        tiles = [_unravel(2 * pair, grid) for pair, _, _ in faults.first]
        return ConstantPairs(faults, tuple(logical_position((t[0], t[1], t[2], t[3]), bits) for t in tiles), True)
    return ConstantPairs(faults, tuple(_unravel(2 * pair, node.shape) for pair, _, _ in faults.first))


def _unravel(index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    digits = []
    for size in reversed(shape):
        index, digit = divmod(index, size)
        digits.append(digit)
    return tuple(reversed(digits))


def _out_of_range(node: Node, root: Node) -> tuple[int, int] | None:
    """(row-major index, value) of the first value of a wider constant that does not fit into two bits.

    None where `node`, which is made of the constant, holds no such value: slices leave it out.
    """
    if bit_width(root.element) == 2:
        return None
    values = constant_behind(root).values
    index = None if values is None else find_out_of_range(values)
    if values is None or index is None:
        return None
    kept = constant_behind(_before_narrowing(node)).values
    if kept is not None and find_out_of_range(kept) is None:
        return None
    return index, int(values.reshape(-1)[index])


def _before_narrowing(node: Node) -> Node:
    """The same layout of the values as they were before a conversion to two bits cut them off."""
    if node.kind == "convert" and bit_width(node.element) == 2:
        return _before_narrowing(node.inputs[0])
    return replace(node, inputs=tuple(map(_before_narrowing, node.inputs))) if node.inputs else node


def _regions(
    call: ir.Operation,
    node: Node,
    argument: MetadataArgument,
    laid: tuple[Laid, ...],
    bits: int,
    provenance: Provenance,
    path: CallPath,
) -> tuple[Region | None, Region | None]:
    """Which parts of their sources the metadata and A are; A is the one operand of the right shape and width."""
    found = next((part for part in laid if part.logical and part.formats and part.in_order), None)
    if any(step.kind in ("selected", "pad") for step in ancestors(node)):
        return None, None
    if node.size != prod(argument.shape):  # one of several parts
        return None, None
    if found is None or found.start is None or len(argument.shape) != 4 or len(found.source.shape) not in (2, 3):
        return None, None
    rows, entries = argument.shape[0] * TILE_ROWS, argument.shape[1] * TILE_COLUMNS
    top, left = divmod(found.start, found.entries)
    region = Region((top, top + rows), (2 * left, 2 * (left + entries)))
    candidates = []
    for index, value in enumerate(call.operands):
        kind = value.type
        if index == argument.index or not isinstance(kind, ir.RankedTensorType) or kind.rank != 2:
            continue
        if bit_width(str(kind.element_type)) == bits and tuple(kind.shape) == (rows, entries):
            candidates.append(provenance.node(value, path))
    if len(candidates) != 1:
        return None, None
    return region, _rectangle(candidates[0], (found.source.size // found.entries, found.entries))


def _rectangle(node: Node, size: tuple[int, int]) -> Region | None:
    """Which rows and columns of a matrix of `size` a value is; None when it is not cut out of such a one."""
    root = node
    while root.kind in ("strided", "reshape", "convert") and root.shape != size:
        (root,) = root.inputs
    found = strided_map(node, root) if root.shape == size else None
    if found is None or found.dims != (((node.shape[0], size[1]),), ((node.shape[1], 1),)):
        return None
    top, left = divmod(found.offset, size[1])
    return Region((top, top + node.shape[0]), (2 * left, 2 * (left + node.shape[1])))
