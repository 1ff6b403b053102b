"""Checks of a kernel's memory and of its collective ops: MV601 to MV606."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mosaic_verify.model.facts import Allocation, Kernel
from mosaic_verify.model.jax_versions import since
from mosaic_verify.model.tmem_layout import TMEM_COLUMNS, align_columns, allocated_columns
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check


def _tmem(kernel: Kernel) -> list[Allocation]:
    return [allocation for allocation in kernel.allocations if allocation.space == "tmem"]


def columns_used(kernel: Kernel) -> int | None:
    """Columns that a kernel asks for, before rounding up; None when a ref's columns are unknown."""
    if kernel.tmem_columns is not None:
        return kernel.tmem_columns
    refs = _tmem(kernel)
    if not refs or any(ref.columns is None for ref in refs):
        return None
    if all(ref.column is not None for ref in refs):
        return max((ref.column or 0) + align_columns(ref.columns or 0) for ref in refs)
    return sum(align_columns(ref.columns or 0) for ref in refs)


def _describe(ref: Allocation) -> str:
    """Name, shape and size of a ref."""
    shape = "x".join(map(str, (*(ref.shape or ()), ref.element or "?")))
    name = f"`{ref.name}`, " if ref.name else ""
    if ref.space == "smem":
        return f"{name}{shape}, takes {ref.bytes} bytes"
    return f"{name}{shape}, takes {ref.columns} columns" + (
        f" from column {ref.column}" if ref.column is not None else ""
    )


@check(Kernel, "MV601")
def tensor_memory(kernel: Kernel) -> Iterable[Finding]:
    """All refs together fit into 512 columns."""
    used = columns_used(kernel)
    if used is None or used <= TMEM_COLUMNS:
        return
    rounded = allocated_columns(used)
    if len(kernel.tmem_collective) > 1:
        message = f"Total TMEM allocation exceeds memory limit. Requested {used} columns which exceeds limit of 512."
    else:
        message = f"After rounding up, got {rounded} columns, exceeding the limit of {TMEM_COLUMNS}"
    notes = [FindingNote("", f"the refs of this kernel need {used} of {TMEM_COLUMNS} columns")]
    notes += [FindingNote(f"allocations[{ref.index}]", _describe(ref)) for ref in _tmem(kernel) if ref.columns]
    yield Finding(
        "MV601",
        message,
        "tmem",
        tuple(notes),
        (
            "split N, so that the accumulator takes fewer columns at a time",
            "or put refs that are never alive together into one plgpu.RefUnion",
        ),
    )


@check(Kernel, "MV602")
def one_kind_of_allocation(kernel: Kernel) -> Iterable[Finding]:
    """TMEM is allocated for one CTA or for a pair."""
    refs = [ref for ref in _tmem(kernel) if ref.collective is not None]
    kinds = {ref.collective for ref in refs} | set(kernel.tmem_collective)
    if len(kinds) < 2:
        return
    collective = [ref for ref in refs if ref.collective]
    single = [ref for ref in refs if not ref.collective]
    notes = [
        FindingNote(f"allocations[{ref.index}]", f"{f'`{ref.name}` ' if ref.name else 'this ref '}is {what}")
        for kind, what in ((collective, "collective"), (single, "not collective"))
        for ref in kind
    ]
    yield Finding(
        "MV602",
        "Can't mix collective and non-collective TMEM allocations within the same kernel.",
        f"allocations[{single[0].index}]" if single else "tmem",
        tuple(notes),
        ("set collective=True on every TMEM ref of a kernel that uses collective MMAs",),
    )


@check(Kernel, "MV603")
def shared_memory(kernel: Kernel) -> Iterable[Finding]:
    """All SMEM refs and barriers fit into what a block gets."""
    if kernel.smem_bytes is None or kernel.smem_limit is None or kernel.smem_bytes <= kernel.smem_limit:
        return
    refs = [ref for ref in kernel.allocations if ref.space == "smem" and ref.bytes]
    notes = [
        FindingNote(f"allocations[{ref.index}]", _describe(ref))
        for ref in sorted(refs, key=lambda ref: -(ref.bytes or 0))
    ]
    yield Finding(
        "MV603",
        "Mosaic GPU kernel exceeds available shared memory: "
        f"smem_bytes={kernel.smem_bytes} > max_smem_bytes={kernel.smem_limit}",
        "smem",
        tuple(notes),
        ("use fewer pipeline stages or smaller tiles",),
    )


def _collective_ops(kernel: Kernel) -> Iterator[tuple[str, str, bool]]:
    """(place, what it is, collective) of every op that has the flag, MMAs first: they are what the kernel is about."""
    for number, mma in enumerate(kernel.mmas):
        yield f"mmas[{number}]", "the MMA", mma.collective
    for number, copy in enumerate(kernel.copies):
        yield f"copies[{number}]", "the metadata copy", copy.collective
    for number, copy in enumerate(kernel.other_copies):
        yield f"other_copies[{number}]", f"the copy of {'scales' if copy.kind == 'scales' else 'A'}", copy.collective
    for number, commit in enumerate(kernel.commits):
        yield f"commits[{number}]", "the commit", commit.collective


@check(Kernel, "MV604")
def one_kind_of_op(kernel: Kernel) -> Iterable[Finding]:
    """All tcgen05 ops and TMEM allocations of a kernel agree; Lane semantics does not look, the hardware does."""
    ops = list(_collective_ops(kernel))
    allocated = set(kernel.tmem_collective) or {ref.collective for ref in _tmem(kernel) if ref.collective is not None}
    if not ops:
        return
    first_place, first_what, first = ops[0]
    text = {True: "is collective", False: "is not collective"}
    others = [(place, what, flag) for place, what, flag in ops[1:] if flag != first]
    if others:
        place, _, _ = others[0]
        notes = [FindingNote(first_place, f"{first_what} {text[first]}")]
        notes += [FindingNote(where, f"{what} {text[flag]}") for where, what, flag in others]
    elif len(allocated) == 1 and first not in allocated:
        place = first_place
        notes = [FindingNote(first_place, f"{first_what} {text[first]}")]
        notes += [
            FindingNote(f"allocations[{ref.index}]", f"`{ref.name}` {text[not first]}" if ref.name else text[not first])
            for ref in _tmem(kernel)
            if ref.name and ref.collective is (not first)
        ] or [FindingNote("tmem", f"the TMEM of the kernel {text[not first]}")]
    else:
        return
    yield Finding(
        "MV604",
        "Collective attributes are inconsistent across operations in the kernel.",
        place,
        tuple(notes),
        ("pass the same collective_axis to every tcgen05 op and set collective=True on every TMEM ref",),
    )


@check(Kernel, "MV605")
def pairs_of_blocks(kernel: Kernel) -> Iterable[Finding]:
    """Collective TMEM needs clusters that fall into pairs."""
    collective = True in kernel.tmem_collective or any(ref.collective for ref in _tmem(kernel))
    if kernel.cluster is None or not collective:
        return
    x, y, z = kernel.cluster
    if (x * y * z) % 2:
        yield Finding(
            "MV605",
            "Collective TMEM allocations are only supported for clusters with an even number of blocks in them. "
            f"Got cluster: {kernel.cluster}",
            "tmem",
            (),
            ("launch the kernel with cluster=(2,)",),
        )


@check(Kernel, "MV606")
def commits_reach_a_pair(kernel: Kernel) -> Iterable[Finding]:
    """A collective commit arrives at the barriers of both CTAs of a pair along the minormost cluster dimension."""
    if kernel.cluster is None:
        return
    old = not since("commit-cluster", kernel.target.jax)
    if kernel.cluster == (2, 1, 1) if old else kernel.cluster[0] == 2:
        return
    number = next((number for number, commit in enumerate(kernel.commits) if commit.collective), None)
    if number is None:
        return
    if old:
        message = f"Collective arrivals only support (2, 1, 1)-shaped clusters, but got {kernel.cluster}"
    else:
        message = f"Collective arrivals require the minormost cluster dimension to have size 2, got: {kernel.cluster}"
    yield Finding("MV606", message, f"commits[{number}]", (), ("launch the kernel with cluster=(2,)",))
