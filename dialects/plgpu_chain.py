"""Chains of ref transforms: SSA ops to the steps of `model.chain`, and steps back to ops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import DYNAMIC, SliceOp, integer, integers, names, space, string
from mosaic_verify.dialects.plgpu_divisors import divisors
from mosaic_verify.dialects.plgpu_refs import RefReader, ref_type
from mosaic_verify.dialects.plgpu_values import constant, owner, spell
from mosaic_verify.model.chain import (
    Alias,
    Bitcast,
    Cast,
    Chain,
    Dynamic,
    ExpandBatch,
    Opaque,
    Remote,
    Reshape,
    Slice,
    Start,
    Step,
    Transpose,
    Unswizzle,
    Untile,
)


@dataclass(frozen=True)
class OpChain:
    """A chain with the IR that it was read from.

    Attributes:
      base: the ref that the chain starts at: result of a `plgpu.alloc`, kernel argument, or what else defines it.
      ops: one op per step of `chain`, in order.
      chain: the steps; `Dynamic.key` of a run-time start is its SSA value.
    """

    base: ir.Value
    ops: tuple[ir.Operation, ...]
    chain: Chain


def chain_of(value: ir.Value, refs: RefReader | None = None) -> OpChain:
    """The chain that ends in `value`, from the nearest value that no transform defines.

    Args:
      refs: what was read of the same kernel before.
    """
    refs = refs or RefReader()
    behind = refs.behind(value)
    base = owner(behind.base)
    name = string(base, "name") if base is not None and base.name == "plgpu.alloc" else argument_name(behind.base)
    chain = Chain(refs.type_of(behind.base), tuple(map(step_of, behind.ops)), name or "")
    return OpChain(behind.base, tuple(behind.ops), chain)


def argument_name(value: ir.Value) -> str:
    """`plgpu.name` of a kernel argument, else ""."""
    if not isinstance(value.owner, ir.Block):
        return ""
    function = value.owner.owner
    argument = ir.BlockArgument(value)
    if function.operation.name != "func.func" or "arg_attrs" not in function.operation.attributes:
        return ""
    attributes = ir.DictAttr(ir.ArrayAttr(function.operation.attributes["arg_attrs"])[argument.arg_number])
    return ir.StringAttr(attributes["plgpu.name"]).value if "plgpu.name" in attributes else ""


def start_of(value: int | ir.Value) -> Start:
    """A start of a slice; a `plgpu.constant` counts as the number that it is."""
    if isinstance(value, int):
        return value
    number = constant(value)
    if isinstance(number, int):
        return number
    found = divisors(value)
    return Dynamic(value, spell(value), found.known, found.promised, found.seen, found.trusted)


def step_of(op: ir.Operation) -> Step:
    """The step that a transform op stands for."""
    match op.name.removeprefix("plgpu."):
        case "slice":
            return _slice_step(op)
        case "transpose":
            return Transpose(integers(op, "permutation") or ())
        case "reshape":
            return Reshape(tuple(op.results[0].type.shape))
        case "bitcast":
            result = ref_type(op.results[0])
            return Bitcast(result.element, result.bits, result.shape)
        case "untile":
            return Untile(integers(op, "tiling") or ())
        case "unswizzle":
            return Unswizzle(integer(op, "swizzle") or 16)
        case "expand_batch":
            return ExpandBatch(integers(op, "batch") or ())
        case "alias":
            result = ref_type(op.results[0])
            offset, group = integer(op, "offset") or 0, integer(op, "group") or 0
            return Alias(result.shape, result.element, result.bits, offset, group, string(op, "layout") or "")
        case "peer" | "multicast" | "cluster_ref" as kind:
            return Remote(kind.removesuffix("_ref"), names(op, "axes") or (), tuple(op.operands)[1:])
        case "memory_space_cast":
            return Cast("space", space(op.results[0]))
        case "identity":
            return Cast("identity")
        case other:
            return Opaque(string(op, "class") or other, ref_type(op.results[0]))


def _slice_step(op: ir.Operation) -> Step:
    view = SliceOp(op)
    offsets, extents = view.mixed()
    sizes = tuple(size for size in extents if isinstance(size, int))
    if len(sizes) != len(extents) or "offsets" not in op.attributes:
        return Opaque("slice with arrays or of a run-time size", ref_type(op.results[0]))
    return Slice(tuple(map(start_of, offsets)), sizes, integers(op, "strides") or (), view.dropped)


def build_step(
    source: ir.Value,
    step: Step,
    loc: ir.Location,
    ip: ir.InsertionPoint,
    starts: Mapping[object, ir.Value] | None = None,
) -> ir.Value:
    """Builds the op of a step on `source`.

    `starts` maps `Dynamic.key` to an SSA value; a key that is an SSA value itself needs no entry. Raises ValueError for
    steps that only an importer can build (`Remote`, `Opaque`, casts), ChainError when the step does not fit.
    """
    result = step.apply(ref_type(source))
    context = source.context
    operands: list[ir.Value] = [source]
    attributes: dict[str, ir.Attribute] = {}
    match step:
        case Slice():
            for start in step.starts:
                if isinstance(start, Dynamic):
                    value = (starts or {}).get(start.key, start.key)
                    if not isinstance(value, ir.Value):
                        raise ValueError(f"no value is given for the start {start}")
                    operands.append(value)
            offsets = [DYNAMIC if isinstance(start, Dynamic) else start for start in step.starts]
            attributes["offsets"] = ir.DenseI64ArrayAttr.get(offsets, context=context)
            attributes["sizes"] = ir.DenseI64ArrayAttr.get(list(step.sizes), context=context)
            if any(stride != 1 for stride in step.strides):
                attributes["strides"] = ir.DenseI64ArrayAttr.get(list(step.strides), context=context)
            if step.dropped:
                attributes["dropped"] = ir.DenseI64ArrayAttr.get(list(step.dropped), context=context)
            name = "slice"
        case Transpose():
            attributes["permutation"] = ir.DenseI64ArrayAttr.get(list(step.permutation), context=context)
            name = "transpose"
        case Reshape():
            name = "reshape"
        case Bitcast():
            name = "bitcast"
        case Untile():
            attributes["tiling"] = ir.DenseI64ArrayAttr.get(list(step.tiling), context=context)
            name = "untile"
        case Unswizzle():
            attributes["swizzle"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), step.swizzle)
            name = "unswizzle"
        case ExpandBatch():
            attributes["batch"] = ir.DenseI64ArrayAttr.get(list(step.batch), context=context)
            name = "expand_batch"
        case _:
            raise ValueError(f"no op can be built for {step}")
    kind = source.type
    element = kind.element_type if result.element == str(kind.element_type) else ir.Type.parse(result.element, context)
    with loc:
        shaped = ir.MemRefType.get(result.shape, element, memory_space=kind.memory_space)
        op = ir.Operation.create(
            f"plgpu.{name}", results=[shaped], operands=operands, attributes=attributes, loc=loc, ip=ip
        )
    return op.results[0]
