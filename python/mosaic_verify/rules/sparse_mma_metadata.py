"""Checks of the metadata operand of a sparse MMA: MV101 to MV104, MV106 and MV141."""

from __future__ import annotations

from collections.abc import Iterable

from mosaic_verify.model.elements import bit_width
from mosaic_verify.model.facts import Operand, SparseMma, Target
from mosaic_verify.model.sparsity import arch_known_to_fp4, fp4_depends_on_arch, metadata_columns, sparse_group
from mosaic_verify.model.tmem_layout import SPARSE_METADATA
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check

ALLOCATE = "plgpu.TMEM({shape}, jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT)"


def allocated_note(operand: Operand, place: str) -> tuple[FindingNote, ...]:
    """Where the ref comes from, when the level knows its name."""
    allocation = operand.allocation
    if allocation is None or not allocation.name or allocation.shape is None:
        return ()
    shape = "x".join(map(str, (*allocation.shape, allocation.element)))
    return (FindingNote(f"{place}.allocation", f"`{allocation.name}` is allocated as {shape}"),)


@check(SparseMma, "MV101")
def metadata_shape(mma: SparseMma) -> Iterable[Finding]:
    """`mma` of JAX wants (M, 2 K / g); the dialect's verifier wants the shape of A, which is the same for g = 4."""
    metadata, m, k = mma.metadata, mma.m, mma.k
    bits = bit_width(mma.a.element) if mma.a.element else None
    if metadata is None or metadata.rank != 2 or m is None or k is None or bits is None:
        return
    group = sparse_group(bits, mma.target)
    if group is None or (group != 4 and mma.target.semantics == "warpgroup"):
        return  # unknown architecture (MV141), or no shape is right (MV106)
    expected = (m, metadata_columns(k, group))
    if metadata.shape == expected:
        return
    rule = f"({m}, 2 * {k} / {group})" if group != 4 else f"({m}, {k} / 2), as A"
    notes = (FindingNote("a", f"A is {mma.a.shape} of {mma.a.element}: its metadata has shape {rule}"),)
    yield Finding(
        "MV101",
        f"A sparse metadata shape mismatch: expected {expected}, got {metadata.shape}",
        "metadata",
        notes + allocated_note(metadata, "metadata"),
        (f"allocate the metadata as {ALLOCATE.format(shape=expected)}",),
    )


@check(SparseMma, "MV102")
def metadata_element(mma: SparseMma) -> Iterable[Finding]:
    """Metadata is signless i2 (`jnp.uint2` or `jnp.int2` in Pallas)."""
    metadata = mma.metadata
    if metadata is None or metadata.element in (None, "i2"):
        return
    yield Finding(
        "MV102",
        f"A sparse metadata dtype mismatch: expected i2, got {metadata.element}",
        "metadata",
        allocated_note(metadata, "metadata"),
        ("store the metadata as jnp.uint2: `metadata.astype(jnp.uint2)` on the host when all values are 0 to 3",),
    )


@check(SparseMma, "MV103")
def metadata_layout(mma: SparseMma) -> Iterable[Finding]:
    """The metadata lies in the sparse layout; in Lane semantics the MMA itself does not look."""
    metadata = mma.metadata
    if metadata is None or metadata.space != "tmem" or metadata.rank != 2:
        return
    yield from layout_findings(metadata, "metadata", mma.target)


def layout_findings(metadata: Operand, place: str, target: Target, *, copy: bool = False) -> Iterable[Finding]:
    """MV103 for a metadata ref at an MMA or at a metadata copy."""
    if metadata.layout is None:
        if not copy and metadata.shape is not None and not SPARSE_METADATA.divides(metadata.shape):
            yield Finding(
                "MV103",
                f"Cannot assign TMEM layout {SPARSE_METADATA.attribute} to the 'a_sparse_metadata' operand of a "
                f"tcgen05 MMA op: the layout is not compatible with the operand shape {metadata.shape}.",
                place,
                (FindingNote(place, "the sparse layout consists of tiles of (128, 16) entries"),),
            )
        return
    if metadata.layout == SPARSE_METADATA:
        return
    silent = target.semantics == "lane" and not copy
    yield Finding(
        "MV103",
        f"TMEM layout {metadata.layout.name} is not supported for sparse metadata, expected the sparse metadata layout",
        place,
        allocated_note(metadata, place)
        + ((FindingNote(place, "JAX accepts it and the MMA reads other columns than were written"),) if silent else ()),
        (f"allocate the metadata as {ALLOCATE.format(shape=metadata.shape)}",),
        "warning" if silent else None,
    )


@check(SparseMma, "MV104")
def metadata_space(mma: SparseMma) -> Iterable[Finding]:
    """The MMA reads metadata from TMEM only."""
    metadata = mma.metadata
    if metadata is None or metadata.space in (None, "tmem"):
        return
    yield Finding(
        "MV104",
        f"The `a_sparse_metadata` input must be in TMEM, but got {metadata.space.upper()}.",
        "metadata",
        allocated_note(metadata, "metadata"),
        (
            f"allocate {ALLOCATE.format(shape=mma.a.shape)} and fill it with "
            "`plgpu.async_copy_sparse_metadata_to_tmem` before the MMA",
        ),
    )


@check(SparseMma, "MV106", "MV141")
def metadata_of_fp4(mma: SparseMma) -> Iterable[Finding]:
    """4-bit operands: where JAX's own checks contradict one another, or depend on the architecture."""
    if mma.metadata is None or mma.a.element is None or bit_width(mma.a.element) != 4:
        return
    target = mma.target
    if fp4_depends_on_arch(target):
        if target.arch is None:
            return
        if not arch_known_to_fp4(target.arch):
            major, minor = target.arch
            assumed = "; without a GPU JAX assumes it" if target.arch_assumed else ""
            yield Finding(
                "MV141",
                "4-bit sparse MMA needs compute capability 10.x or 11.x, but the kernel is lowered for "
                f"{major}.{minor}{assumed}",
                "a",
                (FindingNote("", f"JAX stops here with a bare `AssertionError: Arch(major={major}, minor={minor})`"),),
                ("lower for a Blackwell device, or check with --arch sm_100a",),
            )
            return
    group = sparse_group(4, target)
    if target.semantics != "warpgroup" or group != 8:
        return
    m, k = mma.m, mma.k
    wanted = ("(M, K / 2)", "(M, K / 4)") if m is None or k is None else (f"({m}, {k // 2})", f"({m}, {k // 4})")
    yield Finding(
        "MV106",
        "sparse 4-bit MMA cannot be lowered with Warpgroup semantics: the verifier of the dialect asks for metadata of "
        f"shape {wanted[0]}, the lowering for {wanted[1]}",
        "metadata",
        (FindingNote("a", "one metadata pair describes 8 elements of a 4-bit type here, the verifier counts with 4"),),
        (
            "compile the kernel with plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane) and "
            f"metadata of shape {wanted[1]}",
            "or target compute capability 10.7 with JAX 0.12, where one pair describes 4 elements",
        ),
    )
