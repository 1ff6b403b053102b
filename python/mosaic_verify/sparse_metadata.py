"""Sparse metadata in Python, for the common case that it is made once, outside of jit. Needs numpy, not JAX.

Logical metadata of a 2:4 sparse A (M, K) is `meta` (M, K / 4, 2) of uint2: the positions, ascending and inside their
group of four, of the two elements that are kept. For 4-bit operands a pair describes a group of eight, whose
neighbours are kept or dropped together: (M, K / 8, 2). A kernel reads it as tiles of 128 x 64 entries, in an order
that depends on the width of the operands; an array in the wrong one has the same shape and dtype, and JAX accepts it.

Arrays may be numpy or JAX arrays; results are numpy arrays. A dtype may be a name ("float8_e4m3fn"), a numpy dtype or
a JAX scalar type.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location, Report
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.jax_hook.suppression import make_suppression
from mosaic_verify.model.elements import bit_width, from_jax
from mosaic_verify.model.metadata_format import (
    convert_tiles,
    format_tiles,
    logical_position,
    unformat_tiles,
)
from mosaic_verify.model.metadata_format_compress import compress_rows
from mosaic_verify.model.metadata_format_facts import ConstantPairs, MetadataArray
from mosaic_verify.model.metadata_format_pairs import find_out_of_range, find_pair_faults
from mosaic_verify.model.sparsity import METADATA_TILE
from mosaic_verify.rules import metadata_format_array, metadata_format_values
from mosaic_verify.rules.registry import run_checks

__all__ = ["compress", "convert", "format", "unformat", "verify"]

_CHECKS = (metadata_format_array, metadata_format_values)  # importing them registers the checks


def verify(array: Any, *, operand_dtype: Any, m: int, k: int, formatted: bool = True) -> Report:
    """Checks metadata for an A of logical size (m, k) whose elements are of `operand_dtype`.

    Args:
      array: tiles (m / 128, k / 128, 128, 64), or with `formatted=False` pairs (m, k / 4, 2). For 4-bit operands K
        counts
        half: (m / 128, k / 256, 128, 64) and (m, k / 8, 2).
      formatted: whether `array` was laid out already.

    Returns:
      A report: MV301 (dtype), MV302 (rank), MV303 (trailing dimensions), MV304 (operand dtype), MV307 (pairs that are
      equal or descend, by row and group), MV309 (sizes), MV312 (values outside of 0..3). Tiles do not show which
      width they were laid out for: where a pair is reported, its row assumes the right one.
    """
    values = np.asarray(array)
    name, bits = _operand(operand_dtype)
    group = 8 if bits == 4 else 4
    engine = Engine(make_suppression(()))
    facts = MetadataArray(values.shape, values.dtype.name, name, bits, m, k, formatted, group, None)
    findings = run_checks(facts)
    constant = _constant(values, bits, formatted) if {f.code for f in findings} <= {"MV301"} else None
    if constant is not None:
        with_values = MetadataArray(values.shape, values.dtype.name, name, bits, m, k, formatted, group, constant)
        findings = run_checks(with_values)
    location = _caller()
    for finding in findings:
        engine.report_finding(finding, {"": location})
    return engine.report


def format(meta: Any, operand_dtype: Any) -> np.ndarray:
    """Lays pairs (M, K / 4, 2) out for operands of `operand_dtype`: tiles (M / 128, K / 128, 128, 64) of the same
    dtype.

    The same permutation as `plgpu.format_tcgen05_sparse_metadata`, and for 4-bit operands the one of 8-bit operands.

    Raises:
      ValueError: the shape is another, or M or K is no multiple of 128 (K: of 256 for 4-bit operands).
      NotImplementedError: no sparse MMA takes the operand dtype.
    """
    values = np.asarray(meta)
    name, bits = _operand(operand_dtype)
    _refuse(MetadataArray(values.shape, "uint2", name, _format_bits(name, bits), formatted=False))
    return format_tiles(values, _format_bits(name, bits))


def unformat(tiles: Any, operand_dtype: Any) -> np.ndarray:
    """The inverse of `format`: pairs (M, K / 4, 2) from tiles (M / 128, K / 128, 128, 64). Raises as `format` does."""
    values = np.asarray(tiles)
    name, bits = _operand(operand_dtype)
    _refuse(MetadataArray(values.shape, "uint2", name, _format_bits(name, bits)))
    return unformat_tiles(values, _format_bits(name, bits))


def convert(tiles: Any, from_dtype: Any, to_dtype: Any) -> np.ndarray:
    """Tiles that were laid out for operands of `from_dtype`, laid out for `to_dtype`. Raises as `format` does."""
    values = np.asarray(tiles)
    widths = []
    for dtype in (from_dtype, to_dtype):
        name, bits = _operand(dtype)
        widths.append(_format_bits(name, bits))
        _refuse(MetadataArray(values.shape, "uint2", name, widths[-1]))
    return convert_tiles(values, *widths)


def compress(a: Any) -> tuple[np.ndarray, np.ndarray]:
    """Splits a 2:4 sparse A (M, K) into what an MMA takes: the kept elements (M, K / 2), and pairs (M, K / 4, 2) of
    uint2.

    Where fewer than two elements of a group are non-zero, zeros at the lowest free positions fill up. A 4-bit A must
    be 4:8 sparse in whole neighbours: pairs (M, K / 8, 2).

    Raises:
      ValueError: A is not two-dimensional, not a multiple of whole groups, or a group has more than two non-zero
      positions.
    """
    import ml_dtypes

    values = np.asarray(a)
    _, bits = _operand(values.dtype)
    kept, meta = compress_rows(values, elements_per_index=2 if bits == 4 else 1)
    return kept, meta.astype(ml_dtypes.uint2)


def _operand(dtype: Any) -> tuple[str, int | None]:
    """Name and width in bits of an operand dtype."""
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    return name, bit_width(from_jax(name))


def _format_bits(name: str, bits: int | None) -> int:
    """The width whose format applies. Raises NotImplementedError."""
    if bits not in (4, 8, 16):
        raise NotImplementedError(f"Sparse metadata format not implemented for operand_dtype={name} [MV304]")
    return 8 if bits == 4 else bits


def _refuse(facts: MetadataArray) -> None:
    for finding in run_checks(facts):
        raise ValueError(f"{finding.message} [{finding.code}]")


def _constant(values: np.ndarray, bits: int | None, formatted: bool) -> ConstantPairs | None:
    index = find_out_of_range(values)
    if index is not None:
        return ConstantPairs(out_of_range=(index, int(values.reshape(-1)[index])))
    faults = find_pair_faults(values) if values.size else None
    if faults is None or bits is None:
        return None
    positions = []
    for pair, _, _ in faults.first:
        if formatted:
            mt, kt, row, column = (int(i) for i in np.unravel_index(2 * pair, (*values.shape[:2], *METADATA_TILE)))
            positions.append(logical_position((mt, kt, row, column), bits))
        else:
            positions.append(divmod(pair, values.shape[1]))
    return ConstantPairs(faults, tuple(positions), True)


def _caller() -> Location:
    """The first line outside of this package that led here."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "mosaic_verify":
        frame = frame.f_back
    return UNKNOWN if frame is None else Location(frame.f_code.co_filename, frame.f_lineno, 1)
