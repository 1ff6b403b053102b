"""Rules about an array of sparse metadata in Python, before it reaches a kernel. Texts that JAX documents are JAX's."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.metadata_format_facts import MetadataArray
from mosaic_verify.model.sparsity import METADATA_TILE
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check


@check(MetadataArray, "MV301", "MV302", "MV303", "MV304", "MV309")
def array_form(array: MetadataArray) -> Iterator[Finding]:
    """Dtype and operand width, and of the shape the first thing that is wrong."""
    if array.dtype != "uint2":
        text = f"Expected metadata dtype to be uint2, got: {array.dtype}"
        yield Finding("MV301", text, fixes=("meta.astype(jnp.uint2), with positions 0..3 as values",))
    if array.bits not in (8, 16) and not (array.formatted and array.bits == 4):
        fix = ()
        if array.bits == 4:
            fix = ("mosaic_verify.sparse_metadata.format(meta, operand_dtype) lays metadata of 4-bit operands out",)
        text = f"Sparse metadata format not implemented for operand_dtype={array.operand_dtype}"
        yield Finding("MV304", text, fixes=fix)
    elif array.formatted:
        yield from _tiles(array)
    else:
        yield from _pairs(array)


def _pairs(array: MetadataArray) -> Iterator[Finding]:
    rank = len(array.shape)
    if rank != 3:
        fix = ("meta.reshape(m, k // 4, 2)",) if rank == 2 else ()
        text = f"Expected metadata to be 3-dimensional (M, K // 4, 2), but it is {rank}D"
        yield Finding("MV302", text, fixes=fix)
        return
    m, groups, pair = array.shape
    if pair != 2:
        yield Finding("MV303", f"Expected the trailing dimension of the metadata to be 2, got: {pair}")
        return
    wanted = None if array.m is None or array.k is None else (array.m, array.k // array.group, 2)
    if wanted is not None and array.shape != wanted:
        yield _size(array, wanted)
        return
    yield from _multiples(array, m, groups * array.group)


def _tiles(array: MetadataArray) -> Iterator[Finding]:
    rank = len(array.shape)
    if rank != 4:
        wanted = f"(M // 128, K // {32 * array.group}, 128, 64)"
        text = f"expected tiles of metadata to be 4-dimensional {wanted}, but it is "
        fix = ()
        if rank == 3 and array.shape[2] == 2:
            fix = ("plgpu.format_tcgen05_sparse_metadata(meta, operand_dtype)",)
        yield Finding("MV302", f"{text}{rank}D", fixes=fix)
        return
    if array.shape[2:] != METADATA_TILE:
        yield Finding("MV303", f"expected the trailing dimensions of the tiles to be (128, 64), got: {array.shape[2:]}")
        return
    if array.m is None or array.k is None:
        return
    unfit = list(_multiples(array, array.m, array.k))
    yield from unfit
    wanted = (array.m // 128, array.k // (32 * array.group), *METADATA_TILE)
    if not unfit and array.shape != wanted:
        yield _size(array, wanted)


def _multiples(array: MetadataArray, m: int, k: int) -> Iterator[Finding]:
    """What JAX shows as `cannot reshape array of shape ...`."""
    for name, size, multiple, advice in (
        ("M", m, 128, "rows of zeros in A and pairs (0, 1) in the metadata"),
        ("K", k, 32 * array.group, "zeros in A and B and pairs (0, 1) in the metadata"),
    ):
        if size % multiple or (name == "M" and not size):
            more = -(-max(size, 1) // multiple) * multiple - size
            text = f"{name} must be a multiple of {multiple} to lay metadata out in tiles, but got {name}={size}"
            yield Finding("MV309", text, fixes=(f"pad {name} by {more}: {advice}",))


def _size(array: MetadataArray, wanted: tuple[int, ...]) -> Finding:
    text = f"metadata for M={array.m} and K={array.k} has shape {wanted}, but got {array.shape}"
    return Finding("MV309", text)
