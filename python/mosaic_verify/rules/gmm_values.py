"""What megablox accepts without a word although the result is wrong (shown with interpret mode in the tests)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_verify.model.gmm import (
    AliasedCall,
    GroupedMatmul,
    ignored_gradient_rows,
    misplaced_tiles,
    overwrites_all_rows,
    starts_inside_tiles,
)
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check


@check(GroupedMatmul, "MV410", "MV420")
def contraction(call: GroupedMatmul) -> Iterator[Finding]:
    """`gmm` takes k from lhs and `tgmm` takes m from lhs; the other operand's size is never compared."""
    if call.kind == "gmm" and call.lhs.rank == 2 and call.rhs.rank == 3 and call.transpose_rhs is not None:
        dim = 2 if call.transpose_rhs else 1
        wanted, found = call.k, call.rhs.shape[dim]
        if wanted is None or found is None or wanted == found:
            return
        if found < wanted:
            effect = "blocks of rhs are read out of bounds"
        else:
            effect = f"the last {found - wanted} of them are ignored"
        yield Finding(
            "MV410",
            f"lhs and rhs contract over different sizes: lhs has k={wanted}, rhs has {found} (dimension {dim})",
            "rhs",
            notes=(FindingNote("rhs", f"gmm takes k from lhs: {effect}"),),
            fixes=("transpose_rhs=" + str(not call.transpose_rhs),) if call.rhs.shape[3 - dim] == wanted else (),
        )
    elif call.kind == "tgmm" and call.lhs.rank == 2 and call.rhs.rank == 2:
        wanted, found = call.m, call.rhs.shape[0]
        if wanted is not None and found is not None and wanted != found:
            yield Finding(
                "MV420",
                f"lhs and rhs have different numbers of rows to group: lhs has m={wanted}, rhs has {found}",
                "rhs",
                notes=(FindingNote("lhs", "lhs of tgmm is (k, m) and rhs is (m, n); m is taken from lhs"),),
            )


@check(GroupedMatmul, "MV411", "MV418")
def group_sizes_values(call: GroupedMatmul) -> Iterator[Finding]:
    """Constant group sizes: none negative, and together as many rows as lhs has."""
    if call.sizes is None or call.sizes.ndim != 1 or not call.sizes.size:
        return
    sizes = call.sizes.astype(np.int64)
    negative = np.flatnonzero(sizes < 0)
    if negative.size:
        first = ", ".join(f"group_sizes[{index}]={sizes[index]}" for index in negative[:3])
        more = f" and {negative.size - 3} more" if negative.size > 3 else ""
        yield Finding("MV418", f"group sizes must not be negative: {first}{more}", "group_sizes")
        return
    if call.m is None:
        return
    total, rows = int(sizes.sum()), call.m - call.padded_rows
    if total == rows:
        return
    first, local = call.first_group, call.local_groups
    if total > rows:
        if first is None and local is not None and local < sizes.size:
            severity = "warning"  # the groups that are computed may end before
        elif first is not None and local is not None and int(sizes[: max(first, 0) + local].sum()) <= rows:
            return
        else:
            severity = None
        yield Finding(
            "MV411",
            f"group_sizes add up to {total} rows, but lhs has {rows}",
            "group_sizes",
            notes=(FindingNote("group_sizes", "the grid runs past the end of the tables of group and tile ids"),),
            severity=severity,
        )
    elif call.kind == "gmm" and call.existing_out is None and local is not None and local >= sizes.size:
        # With fewer local groups megablox zeroes what no group owns; with existing_out those rows keep its values;
        # tgmm only sums over rows that a group owns; a program that pads its rows slices them off again.
        unread = _unread(call.read_rows, range(total, rows))
        if unread and _unread(call.possible_rows, range(total, rows)):
            return
        yield Finding(
            "MV411",
            f"group_sizes add up to {total} rows, but lhs has {rows}",
            "group_sizes",
            notes=(FindingNote("group_sizes", f"rows {total} to {rows - 1} of the result are left uninitialised"),),
            fixes=(f"add a group of {rows - total} rows, or slice lhs to {total} rows",),
            severity="remark" if unread else None,  # a mask or a gather may leave them out
        )


def _unread(read: range | None, rows: range) -> bool:
    """True when none of `rows` lies inside of what is read."""
    return read is not None and (not read or read.stop <= rows.start or rows.stop <= read.start)


@check(GroupedMatmul, "MV419")
def group_offset_value(call: GroupedMatmul) -> Iterator[Finding]:
    """A constant offset that selects no group."""
    offset, groups = call.offset, call.num_groups
    if offset is None or groups is None or call.group_offset is None or 0 <= offset < groups:
        return
    yield Finding("MV419", f"group_offset={offset} selects no group: group_sizes has {groups} entries", "group_offset")


@check(GroupedMatmul, "MV424")
def num_actual_groups(call: GroupedMatmul) -> Iterator[Finding]:
    """Results of groups that `group_sizes` does not have are never written; with existing_out they keep its values."""
    local, groups = call.local_groups, call.num_groups
    if call.kind != "tgmm" or local is None or groups is None:
        return
    if local < 0:
        yield Finding(
            "MV424",
            f"num_actual_groups must not be negative, but is {local}",
            "num_actual_groups",
            severity="error",
        )
        return
    first = call.first_group or 0
    missing = local + first - groups
    if call.existing_out is not None or not 0 <= first < max(groups, 1) or missing <= 0:
        return
    behind = f" from group_offset={first} on" if first else ""
    yield Finding(
        "MV424",
        f"num_actual_groups={local}{behind}, but group_sizes has {groups} entries",
        "num_actual_groups",
        notes=(FindingNote("num_actual_groups", f"the last {missing} results are left uninitialised"),),
        fixes=(f"num_actual_groups={groups - first}",),
    )


@check(GroupedMatmul, "MV432")
def groups_before_offset(call: GroupedMatmul) -> Iterator[Finding]:
    """Rows of the groups before group_offset: zero where rhs holds fewer groups than group_sizes, else unwritten."""
    first, local, groups = call.first_group, call.local_groups, call.num_groups
    if call.kind != "gmm" or call.existing_out is not None or first is None or local is None or groups is None:
        return
    if not 0 < first < groups or local < groups or call.sizes is None or call.sizes.ndim != 1:
        return  # groups before the offset may be empty
    rows = int(call.sizes[:first].astype(np.int64).sum())
    unread = _unread(call.read_rows, range(rows))
    if rows <= 0 or (unread and _unread(call.possible_rows, range(rows))):
        return
    yield Finding(
        "MV432",
        f"group_offset={first} leaves the first {rows} rows of the result uninitialised",
        "group_offset",
        notes=(
            FindingNote("rhs", f"rhs has {local} groups, group_sizes {groups}: only with fewer are other rows zeroed"),
        ),
        fixes=(f"rhs=rhs[:{groups - first}]",),
        severity="remark" if unread else None,  # a mask or a gather may leave them out
    )


@check(GroupedMatmul, "MV421")
def tile_histogram(call: GroupedMatmul) -> Iterator[Finding]:
    """More than 4096 row tiles: the float32 histogram of tile visits misses some of the last tiles."""
    tiles, m = call.tiles_m, call.m
    if tiles is None or m is None or call.tiling is None:
        return
    possible, sure = misplaced_tiles(tiles)
    if not possible.size:
        return
    smaller = next((tm for tm in range(call.tiling[0] * 2, call.tiling[0] * 64, call.tiling[0]) if m % tm == 0), None)
    note = FindingNote(
        "tiling",
        f"m={call.m} and tm={call.tiling[0]} give {tiles} row tiles; up to 4096 the float32 histogram is exact",
    )
    fixes = (f"tm={smaller}",) if smaller else ()
    if call.sizes is None:
        span = f"tile {possible[0]}" if possible.size == 1 else f"one of {possible.size} tiles from {possible[0]} on"
        yield Finding(
            "MV421",
            f"a group that starts inside {span} is counted for another tile",
            "tiling",
            notes=(note,),
            fixes=fixes,
            severity="warning",
        )
        return
    inside = starts_inside_tiles(call.sizes, call.tiling[0], visit_empty=call.kind == "tgmm")
    hit = np.intersect1d(inside, possible)
    if hit.size:
        proved = np.intersect1d(hit, sure).size > 0
        yield Finding(
            "MV421",
            f"the group that starts inside tile {hit[0]} is counted for another tile",
            "tiling",
            notes=(note,),
            fixes=fixes,
            severity="error" if proved else "warning",
        )


@check(GroupedMatmul, "MV422")
def existing_out_gradient(call: GroupedMatmul) -> Iterator[Finding]:
    """`ops.gmm` hands the whole cotangent to `existing_out`, also for rows that were overwritten."""
    if not ignored_gradient_rows(call):
        return
    alone = overwrites_all_rows(call)
    others = FindingNote(
        "existing_out", "right where it comes from gmm calls of the other groups: their gradients leave these rows out"
    )
    yield Finding(
        "MV422",
        "the gradient of existing_out is the whole cotangent, although rows of local groups are overwritten",
        "existing_out",
        notes=(
            FindingNote("existing_out", "the true gradient of an overwritten row is 0"),
            *(() if alone else (others,)),
        ),
        fixes=("existing_out=jax.lax.stop_gradient(existing_out)",) if alone else (),
        severity=None if alone else "remark",
    )


@check(AliasedCall, "MV423")
def aliased_types(call: AliasedCall) -> Iterator[Finding]:
    """An output that is written into an operand must have that operand's type."""
    for operand, found, wanted in call.pairs:
        if found != wanted:
            yield Finding(
                "MV423",
                f"@{call.target} writes a result of type {wanted} into operand {operand} of type {found}",
                f"operands[{operand}]",
            )
