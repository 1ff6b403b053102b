"""Block lists of block-sparse attention as plain arrays: `verify` and `refine`. Needs neither JAX nor jaxlib.

A layout maps names to arrays (NumPy, JAX, or anything that `numpy.asarray` takes): `mask_cnt`, `mask_idx`, `full_cnt`,
`full_idx`, `diag_cnt`, `diag_idx`, `valid_upper`, `valid_lower`, `cu_total_m_blocks`, `cu_block_idx_offsets`,
`dq_write_order`, `dq_write_order_full`, `dq_write_order_diag`. FlashAttention-4's names (`mask_block_cnt`, ...) and its
named tuples are taken as well; entries that are None count as absent.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import mosaic_verify.rules.block_sparse_blocks
import mosaic_verify.rules.block_sparse_kernel
import mosaic_verify.rules.block_sparse_operands
import mosaic_verify.rules.block_sparse_pairs
import mosaic_verify.rules.block_sparse_shapes
import mosaic_verify.rules.block_sparse_values
import mosaic_verify.rules.block_sparse_varlen  # noqa: F401  (registers its checks)
from mosaic_verify.diagnostics.diagnostic import Location, Report, Rewrite
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.jax_hook.suppression import check_codes, make_suppression
from mosaic_verify.model.block_sparse.facts import ARRAYS, WRITE_ORDERS, AttentionPair, BlockSparseAttention, HostArray
from mosaic_verify.model.block_sparse.geometry import blocks
from mosaic_verify.model.block_sparse.lists import transpose
from mosaic_verify.model.block_sparse.refine import REPAIRING, Step
from mosaic_verify.model.block_sparse.refine_call import in_range, refine_known, refine_known_shapes
from mosaic_verify.model.block_sparse.values import broadcast
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import run_checks

__all__ = ["RefinedLayout", "refine", "verify"]

_NAMES = frozenset((*ARRAYS, *WRITE_ORDERS.values()))
_SETTINGS = ("block_size", "spt")  # fields of FlashAttention-4's BlockSparseTensorsTorch that are no arrays


class RefinedLayout(dict[str, np.ndarray]):
    """A layout in the form that the kernel takes.

    Attributes:
      block_size: (Q block, KV block) in tokens of the lists, or None when nobody said.
      report: what was done (`report.rewrites`), with a warning for each repairing rewrite.
      backward: the transposed lists, when they were asked for.
    """

    block_size: tuple[int, int] | None = None
    report: Report
    backward: RefinedLayout | None = None


def verify(
    layout: Mapping[str, Any] | Any,
    *,
    seq_len: int,
    seq_len_k: int | None = None,
    num_heads: int | None = None,
    batch: int | None = None,
    tile_m: int = 128,
    tile_n: int = 128,
    q_stage: int = 1,
    block_size: tuple[int, int] | None = None,
    direction: str = "fwd",
    kernel: str = "ranker",
    forward: Mapping[str, Any] | Any = None,
    ignore: Iterable[str] = (),
    **more: Any,
) -> Report:
    """Checks a layout with the rules of `block-sparse-verify`.

    Args:
      layout: arrays by name; counts (B, H, rows), indices (B, H, rows, N), int32. With `kernel="ranker"`, 64-bit
        integers whose values fit count as int32, which is what JAX makes of them; with "fa4", whose arrays come from
        PyTorch, they are a wrong dtype (MV513), and so are floats and other widths with either.
      seq_len, seq_len_k: tokens of q and k (the same unless given); of packed sequences all, or those of the longest.
      num_heads, batch: of q; None skips the rules that need them. `batch=1` says of packed sequences that they share
        one row of `seq_len` tokens.
      tile_m, tile_n, q_stage: of the kernel.
      block_size: tokens of a (Q block, KV block) of the lists.
      direction: "fwd" (rows are Q blocks) or "bwd" (rows are KV blocks).
      kernel: "ranker" or "fa4": whose contract holds.
      forward: the forward layout of the same attention, for a backward one to be compared with; same block sizes.
      ignore: codes, or prefixes of codes, that are not reported.
      more: `num_kv_heads`, `head_dim`, `subtile_factor`, `kv_subtile_factor`, `pack_gqa`, `spt`, `deterministic`,
        `packed_seq_len`, `arch`.

    Raises:
      ValueError: an unknown name in `layout`, an unknown direction, kernel or code.
      TypeError: an unknown argument, or a layout that is no mapping.
    """
    location = _caller()
    sizes = _sizes(seq_len, seq_len_k, num_heads, batch, tile_m, tile_n, q_stage, block_size, kernel, more)
    call = _call(layout, direction, sizes)
    engine = Engine(make_suppression(check_codes((ignore,) if isinstance(ignore, str) else tuple(ignore))))
    for finding in run_checks(call):
        engine.report_finding(finding, {"": location})
    if forward is not None:
        for finding in run_checks(AttentionPair(_call(forward, "fwd", sizes), call)):
            engine.report_finding(replace(finding, notes=()), {"": location})
    if ignore:
        engine.report.diagnostics.extend(engine.suppression.unused())
    return engine.report


def refine(
    layout: Mapping[str, Any] | Any,
    *,
    seq_len: int,
    seq_len_k: int | None = None,
    num_heads: int | None = None,
    batch: int | None = None,
    tile_m: int = 128,
    tile_n: int = 128,
    q_stage: int = 1,
    block_size: tuple[int, int] | None = None,
    direction: str = "fwd",
    kernel: str = "ranker",
    exact: bool = False,
    sort: bool = False,
    derive_backward: bool = False,
    derive_write_order: bool = False,
    **more: Any,
) -> RefinedLayout:
    """Brings a layout into the form that the kernel takes, as `block-sparse-refine` does. Arguments as of `verify`.

    Args:
      exact: only rewrites that keep the meaning of every list; else duplicates are dropped, too, and the block with the
        sequence end is moved to the end of its list.
      sort: sort all lists.
      derive_backward: the transposed lists are `result.backward`.
      derive_write_order: compute `dq_write_order` of a backward layout.

    Returns:
      The whole layout, with new int32 arrays where something was done. Lists with wrong counts or indices stay as they
      are.
    """
    location = _caller()
    sizes = _sizes(seq_len, seq_len_k, num_heads, batch, tile_m, tile_n, q_stage, block_size, kernel, more)
    call = _call(layout, direction, sizes)
    shapes = refine_known_shapes(call, exact=exact)
    call = _with(call, shapes.arrays, shapes.block_size)
    values = refine_known(call, exact=exact, sort=sort, derive=derive_write_order)
    call = _with(call, values.arrays, None)
    result = _layout(call, [*shapes.steps, *values.steps], location)
    if derive_backward and call.forward:
        result.backward = _transposed(call, location)
    return result


def _transposed(call: BlockSparseAttention, location: Location) -> RefinedLayout | None:
    """None where the lists do not tell their transpose."""
    size = blocks(call)
    pairs = list(call.lists())
    if call.varlen or not pairs or size is None or not in_range(call):
        return None
    arrays: dict[str, HostArray] = {}
    for pair in pairs:
        known = broadcast(pair)
        if known is None or pair.cnt.shape[2] != size.q_blocks:
            return None
        cnt, idx = transpose(*known, size.kv_blocks)
        arrays |= {f"{pair.name}_cnt": HostArray.of(cnt), f"{pair.name}_idx": HostArray.of(idx)}
    step = Step("exact", "MV525", "transposed the forward lists")
    block_size = size.q_block, size.kv_block
    return _layout(replace(call, direction="bwd", arrays=arrays, block_size=block_size), [step], location)


def _layout(call: BlockSparseAttention, steps: list[Step], location: Location) -> RefinedLayout:
    engine = Engine()
    for step in steps:
        if step.kind == REPAIRING:
            engine.report_finding(Finding(step.code, step.message, severity="warning"), {"": location})
        engine.rewrote(Rewrite(step.kind, "block-sparse-refine", step.message, location, step.code))
    result = RefinedLayout({name: array.values for name, array in call.arrays.items() if array.values is not None})
    result.block_size, result.report = call.block_size, engine.report
    return result


def _with(
    call: BlockSparseAttention, arrays: Mapping[str, np.ndarray], block_size: tuple[int, int] | None
) -> BlockSparseAttention:
    merged = {**call.arrays, **{name: HostArray.of(array) for name, array in arrays.items()}}
    return replace(call, arrays=merged, block_size=block_size or call.block_size)


def _sizes(
    seq_len: int,
    seq_len_k: int | None,
    num_heads: int | None,
    batch: int | None,
    tile_m: int,
    tile_n: int,
    q_stage: int,
    block_size: tuple[int, int] | None,
    kernel: str,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """The arguments that `verify` and `refine` share, by their names in the fact."""
    return {
        "seq_len_q": seq_len,
        "seq_len_k": seq_len if seq_len_k is None else seq_len_k,
        "num_heads": num_heads,
        "batch": batch,
        "tile_m": tile_m,
        "tile_n": tile_n,
        "q_stage": q_stage,
        "block_size": block_size,
        "kernel": kernel,
        **more,
    }


def _call(layout: Mapping[str, Any] | Any, direction: str, sizes: Mapping[str, Any]) -> BlockSparseAttention:
    if direction not in ("fwd", "bwd"):
        raise ValueError(f'direction must be "fwd" or "bwd", got {direction!r}')
    if sizes["kernel"] not in ("ranker", "fa4"):
        raise ValueError(f'kernel must be "ranker" or "fa4", got {sizes["kernel"]!r}')
    for name in ("tile_m", "tile_n", "q_stage"):
        if sizes[name] <= 0:
            raise ValueError(f"{name} must be positive, got {sizes[name]}")
    size = sizes["block_size"]
    if size is not None and (len(size) != 2 or min(size) <= 0):
        raise ValueError(f"block_size must be two positive numbers, got {size!r}")
    as_mapping = getattr(layout, "_asdict", None)
    layout = layout if as_mapping is None else as_mapping()
    if not isinstance(layout, Mapping):
        raise TypeError(f"a layout maps names to arrays, got {type(layout).__name__}")
    settings: dict[str, Any] = dict(sizes)
    arrays: dict[str, HostArray] = {}
    for name, value in layout.items():
        if value is None:
            continue
        plain = str(name).replace("_block_", "_") if name not in _NAMES else name
        if name in _SETTINGS:
            settings[name] = value if settings.get(name) is None else settings[name]
        elif plain not in _NAMES:
            raise ValueError(f"unknown array {name!r} in the layout; known: {', '.join(sorted(_NAMES))}")
        else:
            arrays[plain] = _host_array(value, sizes["kernel"])
    if settings["block_size"] is not None:
        settings["block_size"] = tuple(map(int, settings["block_size"]))
    total = arrays.get("cu_total_m_blocks")
    if settings["batch"] is None and total is not None and total.values is not None and total.values.ndim == 1:
        # `seq_len` may be all tokens or those of the longest sequence: nobody said that it is one packed row.
        settings["batch"] = max(total.values.size - 1, 1)
    # A ranker layout is often built, and checked, one class at a time; FA4 itself insists on the mask lists.
    partial = sizes["kernel"] == "ranker"
    return BlockSparseAttention(direction=direction, arrays=arrays, partial=partial, **settings)


def _host_array(value: Any, kernel: str) -> HostArray:
    array = np.asarray(value)
    fact = HostArray.of(array)
    # JAX makes int32 of 64-bit integers (unless told otherwise); PyTorch, for FA4, does not.
    if kernel == "ranker" and fact.element in ("i64", "ui64") and _fits(array):
        return replace(fact, element="i32")
    return fact


def _fits(array: np.ndarray) -> bool:
    return not array.size or (int(array.min()) >= -(1 << 31) and int(array.max()) < 1 << 31)


def _caller() -> Location:
    """Where `verify` or `refine` was called."""
    frame = sys._getframe(2)
    return Location(frame.f_code.co_filename, frame.f_lineno)
