"""Rewrites of lists whose values are known: duplicates, the sequence end, order, and the write order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mosaic_verify.model.block_sparse.dense import Lists
from mosaic_verify.model.block_sparse.facts import WRITE_ORDERS, BlockSparseAttention
from mosaic_verify.model.block_sparse.geometry import Geometry, ceil_div
from mosaic_verify.model.block_sparse.lists import Pair, drop_duplicates, reorder, resize, tail_last, take
from mosaic_verify.model.block_sparse.order import derive_write_order, write_order_mismatches
from mosaic_verify.model.block_sparse.refine import EXACT, REPAIRING, Step
from mosaic_verify.model.block_sparse.scan import scan_lists


@dataclass
class Values:
    """Lists of one call while their values are rewritten.

    Attributes:
      lists: class name -> pair; shapes do not change.
      orders: class name -> write order, where the call has one and its values are known.
    """

    call: BlockSparseAttention
    shape: Geometry
    lists: Lists
    orders: dict[str, np.ndarray]
    steps: list[Step] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)


def refine_values(values: Values, exact: bool, sort: bool) -> None:
    """Mends what can be mended in lists whose counts and indices are in range; leaves the others alone."""
    call = values.call
    ordered = not call.forward and (call.deterministic or "dq_write_order" in call.arrays)
    has_orders = any(name in call.arrays for name in WRITE_ORDERS.values())
    for name, (cnt, idx) in list(values.lists.items()):
        tail = _tail(values) if name != "diag" else None
        scan = scan_lists(cnt, idx, values.shape.columns, tail, ordered=True)
        if scan.counts or scan.indices:
            continue
        if scan.duplicates and not exact and not has_orders:
            counts, indices = drop_duplicates(cnt, idx)
            cnt, idx = _set(values, name, (counts, resize(indices, idx.shape[-1])))
            total = scan.duplicates.total
            values.steps.append(Step(REPAIRING, "MV522", f"dropped {total} repeated entries of the {name} lists"))
            scan = scan_lists(cnt, idx, values.shape.columns, tail, ordered=True)
        if scan.duplicates:
            continue
        if scan.tails and tail is not None and not exact:
            _permute(values, name, tail_last(cnt, idx, tail))
            message = f"moved block {tail}, which holds the sequence end, to the end of {scan.tails.total} {name} lists"
            values.steps.append(Step(REPAIRING, "MV523", message))
            cnt, idx = values.lists[name]
            scan = scan_lists(cnt, idx, values.shape.columns, tail, ordered=True)
        if scan.disorder and (ordered or sort) and not (scan.tails and exact):
            _permute(values, name, reorder(cnt, idx))
            values.steps.append(Step(EXACT, "MV527", f"sorted the {name} lists"))


def refine_write_order(values: Values, exact: bool, derive: bool) -> dict[str, np.ndarray]:
    """Write orders to add or to replace, by class; nothing where they are right or cannot be known."""
    call, columns = values.call, values.shape.columns
    missing = "dq_write_order" not in call.arrays
    if call.forward or columns is None or not (derive or (missing and call.deterministic)):
        return {}
    if any(scan_lists(cnt, idx, columns).faulty.any() for cnt, idx in values.lists.values()):
        return {}
    spt = bool(call.spt)
    classes = {name: pair for name, pair in values.lists.items() if name != "diag" or call.kernel == "ranker"}
    if not missing:
        if exact or len(values.orders) != sum(name in call.arrays for name in WRITE_ORDERS.values()):
            return {}
        classes = {name: pair for name, pair in classes.items() if name in values.orders or name != "diag"}
        wrong = write_order_mismatches(classes, values.orders, columns, spt)
        if not any(hits.total for hits in wrong.values()):
            return {}
    kind, code = (EXACT, "MV532") if missing else (REPAIRING, "MV526")
    values.steps.append(Step(kind, code, f"computed dq_write_order from the lists ({'spt' if spt else 'ascending'})"))
    return derive_write_order(classes, columns, spt)


def _tail(values: Values) -> int | None:
    call, block = values.call, values.shape.kv_block
    if not call.forward or not block or not call.seq_len_k or call.seq_len_k % block == 0:
        return None
    return ceil_div(call.seq_len_k, block) - 1


def _set(values: Values, name: str, pair: Pair) -> Pair:
    values.lists[name] = pair
    values.changed.add(name)
    return pair


def _permute(values: Values, name: str, positions: np.ndarray) -> None:
    cnt, idx = values.lists[name]
    _set(values, name, (cnt, np.ascontiguousarray(take(idx, positions)).astype(np.int32, copy=False)))
    if name in values.orders:
        values.orders[name] = take(values.orders[name], positions)
