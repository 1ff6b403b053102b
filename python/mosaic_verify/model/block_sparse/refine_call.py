"""Rewrites of a call whose lists are known, as new arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS, BlockSparseAttention
from mosaic_verify.model.block_sparse.numpy_backend import NUMPY
from mosaic_verify.model.block_sparse.refine import Draft, Step, refine_shapes
from mosaic_verify.model.block_sparse.refine_values import Values, refine_values, refine_write_order
from mosaic_verify.model.block_sparse.scan import scan_lists
from mosaic_verify.model.block_sparse.values import known_lists


@dataclass
class Refined:
    """New arrays by operand name (only those that changed), the new block size if it changed, and what was done."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    block_size: tuple[int, int] | None = None
    steps: list[Step] = field(default_factory=list)


def in_range(call: BlockSparseAttention) -> bool:
    """Known counts and indices are in range. What a wrong one means nobody knows, so nothing is made of it."""
    for known in known_lists(call):
        for cnt, idx in known.lists.values():
            scan = scan_lists(cnt, idx, known.shape.columns)
            if scan.counts or scan.indices:
                return False
    return True


def refine_known_shapes(call: BlockSparseAttention, *, exact: bool) -> Refined:
    """Shape rewrites of a call all of whose lists are known."""
    lists = {pair.name: pair.values for pair in call.lists()}
    if not lists or None in lists.values() or not in_range(call):
        return Refined()
    draft = Draft(call, {name: pair for name, pair in lists.items() if pair}, dict.fromkeys(lists, NUMPY))
    refine_shapes(draft, exact)
    if not draft.steps:
        return Refined()
    arrays = {}
    for name, (cnt, idx) in draft.lists.items():
        arrays |= {f"{name}_cnt": cnt, f"{name}_idx": idx}
    size = draft.call.block_size
    return Refined(arrays, size if size != call.block_size else None, draft.steps)


def refine_known(call: BlockSparseAttention, *, exact: bool, sort: bool, derive: bool) -> Refined:
    """Value rewrites of the classes whose lists are known; write orders only when all of them are."""
    known = None if call.varlen else next(known_lists(call), None)
    if known is None:
        return Refined()
    orders = {}
    for name, order in WRITE_ORDERS.items():
        array = call.arrays.get(order)
        if array is not None and name in known.lists:
            if array.values is None or array.values.shape != known.lists[name][1].shape:
                return Refined()  # lists and their order must change together
            orders[name] = array.values
    values = Values(call, known.shape, dict(known.lists), dict(orders))
    refine_values(values, exact, sort)
    if known.complete:
        values.orders |= refine_write_order(values, exact, derive)
    arrays: dict[str, np.ndarray] = {}
    for name in sorted(values.changed):
        arrays[f"{name}_cnt"], arrays[f"{name}_idx"] = values.lists[name]
    for name, order in values.orders.items():
        if order is not orders.get(name):
            arrays[WRITE_ORDERS[name]] = order
    return Refined(arrays, None, values.steps)
