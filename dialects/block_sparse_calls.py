"""All block-sparse calls of a module, and which of them belong together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jaxlib.mlir import ir

from mosaic_verify.dialects.block_sparse import BACKWARD, FORWARD, AttentionView, views
from mosaic_verify.dialects.block_sparse_carrier import CUSTOM_CALL, carrier_views, is_carrier
from mosaic_verify.dialects.block_sparse_facts import MalformedCall
from mosaic_verify.dialects.stablehlo_provenance import Provenance
from mosaic_verify.ir.passes import Session

__all__ = ["CUSTOM_CALL", "Tiles", "collect_calls", "pairs"]


class Tiles(Protocol):
    """Options of a pass that stand for what a custom call does not say."""

    @property
    def tile_m(self) -> int: ...
    @property
    def tile_n(self) -> int: ...
    @property
    def q_stage(self) -> int: ...
    @property
    def kernel(self) -> str: ...
    @property
    def arch(self) -> str: ...


def collect_calls(
    root: ir.Operation,
    session: Session,
    tiles: Tiles,
    malformed: Callable[[ir.Operation, MalformedCall], None] | None = None,
) -> list[AttentionView]:
    """Every block-sparse call below `root`; `malformed` takes ops of another form than the dialect's."""
    ops = session.ops(root, (FORWARD, BACKWARD, CUSTOM_CALL))
    ops = [op for op in ops if op.name != CUSTOM_CALL or is_carrier(op)]
    if not ops:
        return []
    provenance = Provenance(root, lambda: session.ops(root, ("func.call",)))
    arch = tiles.arch or None
    found: list[AttentionView] = []
    for op in ops:

        def report(error: MalformedCall, op: ir.Operation = op) -> None:
            if malformed is not None:
                malformed(op, error)

        if op.name == CUSTOM_CALL:
            defaults = {
                "tile_m": tiles.tile_m,
                "tile_n": tiles.tile_n,
                "q_stage": tiles.q_stage,
                "kernel": tiles.kernel,
                "arch": arch,
            }
            found += carrier_views(op, provenance, defaults, report)
            continue
        found += views(op, provenance, {"kernel": "ranker", "arch": arch}, report)
    return found


def pairs(calls: list[AttentionView]) -> list[tuple[list[AttentionView], AttentionView]]:
    """Each backward call with the forward calls that share its q, k and v; several where a module has more of them."""
    forward: dict[tuple[int, ...], list[AttentionView]] = {}
    for call in calls:
        if call.facts.forward:
            forward.setdefault(_key(call), []).append(call)
    return [(forward[_key(call)], call) for call in calls if not call.facts.forward and _key(call) in forward]


def _key(call: AttentionView) -> tuple[int, ...]:
    """Nodes of one `Provenance` are one per value, and compared by identity."""
    return tuple(map(id, call.qkv))
