"""Values of the lists: nobody else looks at them, and the kernels read whatever they say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_verify.model.block_sparse.dense import overlaps
from mosaic_verify.model.block_sparse.diagonal import meets_diagonal
from mosaic_verify.model.block_sparse.facts import BlockSparseAttention
from mosaic_verify.model.block_sparse.lists import keep
from mosaic_verify.model.block_sparse.rows import Hits
from mosaic_verify.model.block_sparse.scan import ListScan, scan_lists
from mosaic_verify.model.block_sparse.values import KnownLists, known_lists, tail_block
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check

ENTRY = "(batch, head, row, position)"
ROW = "(batch, head, row)"


def where(hits: Hits, what: str, coordinates: str, batch: int = 0) -> str:
    """`17 entries, at (batch, head, row, position) (0, 1, 3, 2), (0, 1, 4, 0), (0, 1, 5, 1), ...`."""
    shown = ", ".join(f"({', '.join(map(str, (at[0] + batch, *at[1:])))})" for at, _ in hits.first)
    more = ", ..." if hits.total > len(hits.first) else ""
    plural = what if hits.total == 1 else {"entry": "entries"}.get(what, f"{what}s")
    return f"{hits.total} {plural}, at {coordinates} {shown}{more}"


@check(BlockSparseAttention, "MV520", "MV521", "MV522", "MV523", "MV524", "MV527", "MV528", "MV529")
def list_values(call: BlockSparseAttention) -> Iterator[Finding]:
    """Counts, indices, duplicates, the sequence end, overlaps, order, diagonal and empty rows."""
    for known in known_lists(call):
        yield from _lists_of(call, known)


def _lists_of(call: BlockSparseAttention, known: KnownLists) -> Iterator[Finding]:
    ordered = not call.forward and (call.deterministic or "dq_write_order" in call.arrays)
    scans: dict[str, ListScan] = {}
    for name, (cnt, idx) in known.lists.items():
        tail = tail_block(call, known) if name != "diag" else None
        scan = scans[name] = scan_lists(cnt, idx, known.shape.columns, tail, ordered=ordered)
        yield from _findings(call, known, name, scan, idx.shape[-1])
    if len({scan.faulty.size for scan in scans.values()}) == 1:
        shape = next(iter(known.lists.values()))[0].shape
        faulty = np.logical_or.reduce([scan.faulty for scan in scans.values()])
        yield from _overlap_findings(known, faulty.reshape(shape))
        if known.complete:
            yield from _empty_rows(known, np.logical_and.reduce([scan.empty for scan in scans.values()]).reshape(shape))
    if "diag" in known.lists and not scans["diag"].faulty.any():
        yield from _diagonal(known)


def _findings(
    call: BlockSparseAttention, known: KnownLists, name: str, scan: ListScan, entries: int
) -> Iterator[Finding]:
    batch, shape, idx = known.batch, known.shape, f"{name}_idx"
    if scan.counts:
        _, count = scan.counts.first[0]
        yield Finding(
            "MV521",
            f"{name}_cnt says {count}, but a row of {idx} has 0 to {entries} entries: "
            f"{where(scan.counts, 'row', ROW, batch)}",
            f"{name}_cnt",
        )
    if scan.indices:
        _, index = scan.indices.first[0]
        kind, length = ("KV", call.seq_len_k) if call.forward else ("Q", call.seq_len_q)
        limit = "" if shape.columns is None else f", but there are {shape.columns} {kind} blocks"
        size = "" if length is None or call.varlen else f" ({length} tokens in blocks of {shape.column_block})"
        yield Finding(
            "MV520", f"{idx} names block {index}{limit}{size}: {where(scan.indices, 'entry', ENTRY, batch)}", idx
        )
    if scan.duplicates:
        _, index = scan.duplicates.first[0]
        message = f"{idx} names block {index} twice in one row: {where(scan.duplicates, 'entry', ENTRY, batch)}"
        yield Finding("MV522", message, idx)
    if scan.tails:
        _, index = scan.tails.first[0]
        yield Finding(
            "MV523",
            f"block {index} of {idx} holds the sequence end (seq_len_k={call.seq_len_k}) but is not the last of its "
            f"row, so the padding behind the end is attended to: {where(scan.tails, 'entry', ENTRY, batch)}",
            idx,
        )
    if scan.disorder:
        message = (
            f"{idx} is not ascending, but dq_write_order is: {where(scan.disorder, 'entry', ENTRY, batch)} below the "
            "one before"
        )
        yield Finding("MV527", message, idx)


def _overlap_findings(known: KnownLists, faulty: np.ndarray) -> Iterator[Finding]:
    for (earlier, later), hits in overlaps(known.lists, known.shape.columns, faulty).items():
        _, index = hits.first[0]
        message = (
            f"{later}_idx names block {index}, which {earlier}_idx names in the same row: "
            f"{where(hits, 'entry', ENTRY, known.batch)}"
        )
        yield Finding("MV524", message, f"{later}_idx")


def _empty_rows(known: KnownLists, empty: np.ndarray) -> Iterator[Finding]:
    rows = known.shape.rows
    empty = empty if rows is None else empty[..., :rows]
    if empty.any():
        hits = Hits()
        hits.add(int(np.count_nonzero(empty)), ((tuple(map(int, at)), 0) for at in np.argwhere(empty)))
        yield Finding("MV529", f"no list has a block for {where(hits, 'row', ROW, known.batch)}")


def _diagonal(known: KnownLists) -> Iterator[Finding]:
    """Entries of the diag lists whose block does not meet the diagonal: the kernel masks all of it."""
    row_block, column_block = known.shape.row_block, known.shape.column_block
    if not row_block or not column_block:
        return
    cnt, idx = known.lists["diag"]

    def off_diagonal(rows: np.ndarray, entries: np.ndarray) -> np.ndarray:
        return ~meets_diagonal(rows, entries, row_block, column_block)

    counts, wrong = keep(cnt, idx, off_diagonal)
    if counts.any():
        hits = Hits()
        rows = np.argwhere(counts)
        hits.add(int(counts.sum()), _diagonal_places(rows, counts, wrong, cnt, idx))
        at, index = hits.first[0]
        message = (
            f"diag_idx names block {index} in row {at[2]}, where no key has the position of a query: "
            f"{where(hits, 'entry', ENTRY, known.batch)}"
        )
        yield Finding("MV528", message, "diag_idx")


def _diagonal_places(rows, counts, wrong, cnt, idx):
    for b, h, row in rows:
        for index in wrong[b, h, row, : counts[b, h, row]]:
            position = int(np.flatnonzero(idx[b, h, row, : cnt[b, h, row]] == index)[0])
            yield (int(b), int(h), int(row), position), int(index)


@check(BlockSparseAttention, "MV521")
def lone_counts(call: BlockSparseAttention) -> Iterator[Finding]:
    """Counts whose indices are not known."""
    for pair in call.lists():
        cnt, entries = pair.cnt.values, pair.idx.shape[-1]
        if cnt is None or pair.idx.values is not None or call.varlen or entries is None:
            continue
        wrong = (cnt < 0) | (cnt > entries)
        if wrong.any():
            hits = Hits()
            hits.add(int(wrong.sum()), ((tuple(map(int, at)), int(cnt[tuple(at)])) for at in np.argwhere(wrong)))
            message = (
                f"{pair.name}_cnt says {hits.first[0][1]}, but a row of {pair.name}_idx has 0 to {entries} entries: "
                f"{where(hits, 'row', ROW)}"
            )
            yield Finding("MV521", message, f"{pair.name}_cnt")


@check(BlockSparseAttention, "MV542")
def valid_ranges(call: BlockSparseAttention) -> Iterator[Finding]:
    """Positions [0, upper) and [lower, tile) of a tile."""
    for name in ("valid_upper", "valid_lower"):
        array = call.arrays.get(name)
        if array is None or array.values is None:
            continue
        wrong = (array.values < 0) | (array.values > call.tile_n)
        if wrong.any():
            hits = Hits()
            hits.add(
                int(wrong.sum()), ((tuple(map(int, at)), int(array.values[tuple(at)])) for at in np.argwhere(wrong))
            )
            message = (
                f"{name} says {hits.first[0][1]}, but a tile has positions 0 to {call.tile_n}: "
                f"{where(hits, 'entry', 'index')}"
            )
            yield Finding("MV542", message, name)
