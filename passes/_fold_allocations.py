"""Allocations that are made differently because all of their uses ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import AllocOp, space
from mosaic_verify.dialects.plgpu_layout import read_layout, spell_layout
from mosaic_verify.dialects.plgpu_operands import strides_of
from mosaic_verify.dialects.plgpu_refs import ref_type
from mosaic_verify.dialects.plgpu_uses import Use, reallocate, rebuild, uses_of
from mosaic_verify.model.chain import Chain, Step, Transpose, Unswizzle, Untile, simplify
from mosaic_verify.model.facts import Target
from mosaic_verify.model.jax_versions import since
from mosaic_verify.model.operand_tiles import operand_tile
from mosaic_verify.model.tmem_layout import SPARSE_METADATA

_METADATA = {"metadata", "copy_target"}
_TILES = {"copy_source", "tma"}


def metadata_allocation(alloc: ir.Operation) -> str | None:
    """A TMEM ref that is used as metadata alone is allocated straight and with the sparse layout.

    A ref (columns, 128) whose every use starts with a transpose becomes (128, columns) and loses the transposes.
    Returns what was done, or None.
    """
    view = AllocOp(alloc)
    name = view.ref_name or "ref"
    ref = ref_type(alloc.results[0])
    if space(alloc.results[0]) != "tmem" or "union" in alloc.attributes or ref.bits != 2 or len(ref.shape) != 2:
        return None
    uses = uses_of(alloc.results[0])
    if not uses or not all(use.role in _METADATA and use.movable and _is_metadata(use) for use in uses):
        return None
    straight = not view.batch and all(use.found.chain.steps[:1] == (Transpose((1, 0)),) for use in uses)
    shape = ref.shape[::-1] if straight else ref.shape
    layout = read_layout(view.layout) if view.layout else None
    if not SPARSE_METADATA.divides(shape) or (not straight and layout == SPARSE_METADATA):
        return None
    kind = alloc.results[0].type
    with alloc.context:
        columns = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), SPARSE_METADATA.columns((shape[0], shape[1])))
        new = reallocate(
            alloc,
            _retyped(kind, shape),
            {"layout": ir.StringAttr.get(spell_layout(SPARSE_METADATA)), "columns": columns},
        )
    _move(alloc, new, uses, drop=1 if straight else 0)
    done = [f"allocated as {shape} instead of {ref.shape}, without a transpose at each use"] if straight else []
    if layout != SPARSE_METADATA:
        done.append("given the sparse layout")
    return f"`{name}` is {' and '.join(done)}"


def _is_metadata(use: Use) -> bool:
    return use.role == "metadata" or use.op.name == "plgpu.async_copy_sparse_metadata_to_tmem"


def linear_tiles(alloc: ir.Operation) -> str | None:
    """A metadata tile in SMEM that only TMA and the metadata copy touch loses its tiling and swizzle.

    TMA writes by logical indices whatever the tiles are, and the copy reads plain rows. Returns what was done, or None.
    """
    view = AllocOp(alloc)
    name = view.ref_name or "ref"
    ref = ref_type(alloc.results[0])
    if (
        space(alloc.results[0]) != "smem"
        or "union" in alloc.attributes
        or (view.tiling is None and view.swizzle is None)
    ):
        return None
    uses = uses_of(alloc.results[0])
    copied = any(use.role == "copy_source" and _is_metadata(use) for use in uses)
    if not copied or not all(use.role in _TILES and (use.role == "tma" or _is_metadata(use)) for use in uses):
        return None
    physical = [_physical(use) for use in uses]
    if len({len(steps) for steps in physical}) != 1 or not all(use.movable for use in uses):
        return None
    for step in physical[0]:
        ref = step.apply(ref)
    new = reallocate(alloc, _retyped(alloc.results[0].type, ref.shape), {"tiling": None, "swizzle": None})
    _move(alloc, new, uses, drop=len(physical[0]))
    return f"`{name}` is allocated without tiling and swizzle: metadata tiles are plain rows"


def stacked_tiles(alloc: ir.Operation, target: Target) -> str | None:
    """Metadata tiles (1, T, 128, 64) of which single K tiles are copied are allocated as (T, 1, 128, 64).

    A slice of K tiles is contiguous then in every dimension. TMA, which writes what it wrote before through a transpose
    of dimensions 0 and 1, and the metadata copy must be the only users. Only for Warpgroup semantics of JAX 0.10, which
    cannot infer layouts behind a reshape; elsewhere the chain of the copy is enough. Returns what was done, or None.
    """
    if target.semantics != "warpgroup" or since("layouts-behind-reshape", target.jax):
        return None
    view = AllocOp(alloc)
    name = view.ref_name or "ref"
    ref = ref_type(alloc.results[0])
    if space(alloc.results[0]) != "smem" or "union" in alloc.attributes or view.tiling or view.swizzle:
        return None
    if len(ref.shape) != 4 or ref.shape[0] != 1 or ref.shape[1] == 1:
        return None
    uses = uses_of(alloc.results[0])
    if not all(use.role in _TILES and use.movable and (use.role == "tma" or _is_metadata(use)) for use in uses):
        return None
    shape = (ref.shape[1], 1, *ref.shape[2:])
    base = replace(ref, shape=shape)
    chains = [simplify(Chain(base, (Transpose((1, 0, 2, 3)), *use.found.chain.steps))) for use in uses]
    copied = [(use.found.chain, chain) for use, chain in zip(uses, chains, strict=True) if use.role == "copy_source"]
    if all(is_contiguous(old) for old, _ in copied) or not all(is_contiguous(new) for _, new in copied):
        return None
    new = reallocate(alloc, _retyped(alloc.results[0].type, shape), {})
    for use, chain in zip(uses, chains, strict=True):
        rebuild(use, new.results[0], chain.steps)
    alloc.erase()
    return f"`{name}` is allocated as {shape} instead of {ref.shape}: its K tiles are contiguous"


def is_contiguous(chain: Chain) -> bool:
    """True when the ref behind a chain has the strides of a row-major array, in dimensions of extent 1 too."""
    strides, run = [], 1
    for extent in reversed(chain.result.shape):
        strides.insert(0, run)
        run *= extent
    return strides_of(chain) == tuple(strides)


def _physical(use: Use) -> tuple[Step, ...]:
    steps = use.found.chain.steps
    number = next((n for n, step in enumerate(steps) if not isinstance(step, Unswizzle | Untile)), len(steps))
    return steps[:number]


def with_swizzle(alloc: ir.Operation, swizzle: int) -> ir.Operation:
    """A tiled SMEM ref with another swizzle (bytes) and the tile that belongs to it; its uses follow.

    The caller has checked that every use starts with unswizzle and untile, and that the new tile divides the ref.
    """
    uses = uses_of(alloc.results[0])
    ref = ref_type(alloc.results[0])
    logical = ref
    for step in _physical(uses[0]):
        logical = step.apply(logical)
    tile = operand_tile(swizzle, ref.bits)
    lead, (rows, columns) = logical.shape[:-2], logical.shape[-2:]
    shape = (*lead, rows // tile[0], columns // tile[1], *tile)
    with alloc.context:
        new = reallocate(
            alloc,
            _retyped(alloc.results[0].type, shape),
            {
                "tiling": ir.DenseI64ArrayAttr.get(list(tile)),
                "swizzle": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), swizzle),
            },
        )
    for use in uses:
        rest = use.found.chain.steps[len(_physical(use)) :]
        rebuild(use, new.results[0], (Unswizzle(swizzle), Untile(tile), *rest))
    alloc.erase()
    return new


def _move(alloc: ir.Operation, new: ir.Operation, uses: Sequence[Use], drop: int) -> None:
    for use in uses:
        rebuild(use, new.results[0], use.found.chain.steps[drop:])
    alloc.erase()


def _retyped(kind: ir.MemRefType, shape: tuple[int, ...]) -> ir.MemRefType:
    with ir.Location.unknown(kind.context):
        return ir.MemRefType.get(list(shape), kind.element_type, memory_space=kind.memory_space)
