"""Checks of the metadata copy from SMEM to TMEM: MV130 to MV133, MV103 of its destination."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.facts import MetadataCopy
from mosaic_verify.model.sparsity import metadata_tiles
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check
from mosaic_verify.rules.sparse_mma_metadata import allocated_note, layout_findings

_TILES = "metadata lies in SMEM as tiles (M / 128, columns / 64, 128, 64), one 64-entry row per row of A"


@check(MetadataCopy, "MV130")
def copy_shape(copy: MetadataCopy) -> Iterable[Finding]:
    """The destination consists of whole tiles of 128 rows and 64 entries, of which the source holds each one."""
    source, destination = copy.source, copy.destination
    if destination.rank is None or source.rank is None or destination.shape is None or source.shape is None:
        return
    place, notes, fixes = "", (), ()
    if destination.rank != 2:
        place, message = "destination", f"the TMEM reference must be 2D, but got shape {destination.shape}"
        fixes = ("index the leading dimensions: `ref.at[i]`",)
    elif destination.shape[0] % 128:
        message = f"TMEM reference must have a multiple of 128 rows, but got {destination.shape[0]}"
        place = "destination"
    elif destination.shape[1] % 64:
        message = f"TMEM reference must have a multiple of 64 colums, but got {destination.shape[1]}"
        place = "destination"
        columns = -(-destination.shape[1] // 64) * 64
        notes = (FindingNote("destination", "64 entries are K=128 (K=256 where one pair describes 8 elements)"),)
        fixes = (
            f"pad K so that the metadata has {columns} columns",
            f"or allocate ({destination.shape[0]}, {columns}) and pass `.at[:, 0:{destination.shape[1]}]` to the MMA",
        )
    elif source.shape != (expected := metadata_tiles((destination.shape[0], destination.shape[1]))):
        message = f"SMEM has {source.shape}, but expected {expected} for TMEM ref shape {destination.shape}"
        place = "source"
        notes = (FindingNote("source", _TILES),)
        fixes = (f"allocate the source as plgpu.SMEM({expected}, jnp.uint2)",)
    elif destination.shape[0] != 128:
        message = "Only M=128 supported"
        place = "destination"
        fixes = ("copy each 128 rows into a TMEM ref of its own",)
    else:
        return
    yield Finding("MV130", message, place, notes + allocated_note(destination, "destination"), fixes)


@check(MetadataCopy, "MV131")
def copy_element(copy: MetadataCopy) -> Iterable[Finding]:
    """Both sides are i2."""
    source, destination = copy.source.element, copy.destination.element
    if source is not None and destination is not None and source != destination:
        yield Finding("MV131", f"Incompatible dtypes: SMEM has {source}, TMEM has {destination}", "source")
    elif (element := destination or source) not in (None, "i2"):
        yield Finding("MV131", f"Unsupported dtype: {element}, only i2 supported", "source")


@check(MetadataCopy, "MV132")
def copy_contiguous(copy: MetadataCopy) -> Iterable[Finding]:
    """The strides are those of a row-major array; JAX also compares the strides of dimensions of extent 1."""
    source = copy.source
    if source.rank != 4 or source.strides is None or source.shape is None:
        return
    row_major = [1]
    for size in reversed(source.shape[1:]):
        row_major.insert(0, row_major[0] * size)
    if source.strides == tuple(row_major):
        return
    harmless = all(
        size == 1 or have == want for size, have, want in zip(source.shape, source.strides, row_major, strict=True)
    )
    notes = [FindingNote("source", f"strides are {source.strides}, contiguous ones are {tuple(row_major)}")]
    if harmless:
        notes.append(
            FindingNote("source", "the strides differ in dimensions of extent 1 only: nothing is wrong with them")
        )
    tiles = source.shape[1]
    yield Finding(
        "MV132",
        "Only copies from contiguous SMEM references are supported",
        "source",
        tuple(notes),
        (f"allocate the tiles as (stages, 1, {tiles}, 128, 64) and index the stage: `ref.at[i]`",),
    )


@check(MetadataCopy, "MV103")
def copy_layout(copy: MetadataCopy) -> Iterable[Finding]:
    """The destination has the sparse layout."""
    if copy.destination.rank == 2 and copy.destination.space == "tmem":
        yield from layout_findings(copy.destination, "destination", copy.target, copy=True)


@check(MetadataCopy, "MV133")
def copy_spaces(copy: MetadataCopy) -> Iterable[Finding]:
    """From SMEM to TMEM."""
    if copy.source.space not in (None, "smem"):
        yield Finding("MV133", "async_copy_sparse_metadata_to_tmem source must be an SMEM ref", "source")
    if copy.destination.space not in (None, "tmem"):
        yield Finding("MV133", "async_copy_sparse_metadata_to_tmem target must be a TMEM ref", "destination")


@check(MetadataCopy, "MV201")
def copy_source_is_linear(copy: MetadataCopy) -> Iterable[Finding]:
    """In Warpgroup semantics a tiling or swizzle on the tiles makes layout inference fail."""
    source = copy.source
    if copy.target.semantics != "warpgroup" or source.space != "smem" or not source.smem_known:
        return
    if source.tiling is None and source.swizzle is None:
        return
    yield Finding(
        "MV201",
        f"Unimplemented transforms for SMEM refs: tiling {source.tiling}, swizzle {source.swizzle}",
        "source",
        (FindingNote("source", _TILES),),
        ("allocate the SMEM ref of the metadata without transforms",),
    )
