"""A call of `gmm` or `tgmm` as a module with one `megablox` op, from its abstract values."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.ir.context import thread_context
from mosaic_verify.model.elements import from_jax

OPERANDS = ("lhs", "rhs", "group_sizes", "group_offset", "existing_out")
FUNCTION = "call"


class NotRepresentable(Exception):
    """The call cannot be written as an op; it is left alone."""


def call_module(
    kind: str, arguments: Mapping[str, Any], location: Location, *, differentiated: bool = False
) -> ir.Module:
    """The module of one call.

    Args:
      kind: "gmm" or "tgmm".
      arguments: all parameters of the function by name; arrays may be tracers.
      location: the user's frame, or an unknown one.

    Raises:
      NotRepresentable: for arguments that are no arrays, symbolic sizes, or a tiling function that raises.
    """
    present = [name for name in OPERANDS if arguments.get(name) is not None]
    if arguments["preferred_element_type"] is None:  # numpy would make float64 of it
        raise NotRepresentable
    types = {name: _tensor(arguments[name]) for name in present}
    result = _result(kind, arguments, types)
    attributes = [f"preferred_element_type = {_element(arguments['preferred_element_type'])}"]
    tiling = _tiling(kind, arguments)
    if tiling is not None:
        attributes.append(f"tiling = array<i64: {', '.join(map(str, tiling))}>" if tiling else "tiling = array<i64>")
    if kind == "gmm":
        attributes.append(f"transpose_rhs = {'true' if arguments['transpose_rhs'] else 'false'}")
    elif arguments.get("num_actual_groups") is not None:
        attributes.append(f"num_actual_groups = {int(arguments['num_actual_groups'])} : i64")
    attributes.append(f'platform = "{"" if arguments.get("interpret") else "tpu"}"')
    if differentiated:
        attributes.append("differentiated")
    attributes.append(f"operandSegmentSizes = array<i32: {', '.join(str(int(name in present)) for name in OPERANDS)}>")
    signature = ", ".join(f"%{name}: {types[name]}" for name in present)
    text = (
        f"func.func @{FUNCTION}({signature}) -> {result} {{\n"
        f'  %out = "megablox.{kind}"({", ".join("%" + name for name in present)}) {{{", ".join(attributes)}}}'
        f" : ({', '.join(types.values())}) -> {result} loc({_location(location)})\n"
        f"  return %out : {result}\n}}"
    )
    with thread_context():
        return ir.Module.parse(text)


def _tensor(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None or not all(isinstance(size, int) for size in shape):
        raise NotRepresentable
    return "tensor<" + "".join(f"{size}x" for size in shape) + _element(dtype) + ">"


def _element(dtype: Any) -> str:
    name = np.dtype(dtype).name
    return name.replace("uint", "ui") if name.startswith("uint") else from_jax(name)


def _tiling(kind: str, arguments: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The tile sizes that the call will use; None where it has none."""
    tiling: Any = arguments["tiling"]
    if callable(tiling):
        lhs, rhs = arguments["lhs"], arguments["rhs"]
        # The group dimension of rhs may be missing: a rewrite adds it before megablox asks.
        if len(lhs.shape) != 2 or len(rhs.shape) not in ((2, 3) if kind == "gmm" else (2,)):
            raise NotRepresentable
        if kind == "gmm":
            m, k = lhs.shape
            n = rhs.shape[-2 if arguments["transpose_rhs"] else -1]
        else:
            (k, m), n = lhs.shape, rhs.shape[1]
        try:
            tiling = tiling(m, k, n)
        except Exception:  # the user's own, which megablox will meet as well
            raise NotRepresentable from None
    try:
        return None if tiling is None else tuple(map(operator.index, tiling))
    except (TypeError, ValueError):  # JAX has its own words for what is no tuple of integers
        raise NotRepresentable from None


def _result(kind: str, arguments: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """The result's type; a call whose ranks are wrong gets one of its operands' types, which nobody reads."""
    lhs, rhs, sizes = (arguments[name] for name in ("lhs", "rhs", "group_sizes"))
    element = _element(arguments["preferred_element_type"])
    if kind == "gmm" and (len(lhs.shape), len(rhs.shape)) in ((2, 3), (2, 2)):
        shape = (lhs.shape[0], rhs.shape[-2 if arguments["transpose_rhs"] else -1])
    elif kind == "tgmm" and (len(lhs.shape), len(rhs.shape), len(sizes.shape)) == (2, 2, 1):
        groups = arguments.get("num_actual_groups")
        shape = (sizes.shape[0] if groups is None else max(int(groups), 0), lhs.shape[0], rhs.shape[1])
    else:
        return types["lhs"]
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def _location(location: Location) -> str:
    if location.file is None:
        return "unknown"
    # Columns of Python files count from 0 in IR, as JAX writes them.
    return f"{json.dumps(location.file)}:{location.line}:{max(location.column - 1, 0)}"
