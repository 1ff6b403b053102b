"""The pass `block-sparse-refine`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.block_sparse import BACKWARD, FORWARD, AttentionView
from mosaic_verify.dialects.block_sparse_calls import CUSTOM_CALL, collect_calls, pairs
from mosaic_verify.dialects.block_sparse_derive import derive_lists
from mosaic_verify.dialects.block_sparse_emit import StableHloBackend
from mosaic_verify.dialects.block_sparse_rewrite import replace_call, replace_values
from mosaic_verify.dialects.mosaic_gpu_options import architecture
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.block_sparse.facts import BlockSparseAttention
from mosaic_verify.model.block_sparse.numpy_backend import NUMPY
from mosaic_verify.model.block_sparse.refine import REPAIRING, Backend, Draft, Step, refine_shapes
from mosaic_verify.model.block_sparse.refine_call import Refined, in_range, refine_known
from mosaic_verify.rules.finding import Finding


@dataclass(frozen=True)
class BlockSparseRefine(Pass):
    """Bring block lists into the form that the kernel takes

    Exact: splits KV and Q blocks into the kernel's, broadcasts dims of 1, converts to i32, cuts off empty rows, sorts
    lists that come with a write order, adds a missing write order. Repairing: drops repeated entries, moves the block
    with the sequence end to the end of its list. Constant lists are folded; for others, StableHLO ops are emitted.
    Custom calls keep their shapes, which are compiled into them.

    Options:
      exact: no repairing rewrites.
      derive_backward: replace the lists of backward calls by the transpose of their forward call's.
      derive_write_order: compute `dq_write_order` anew where it does not fit the lists, or is missing.
      sort: sort all constant lists.
      tile_m, tile_n, q_stage, kernel: of custom calls that are not annotated.
      arch: such as "sm_100a"; empty when unknown.
    """

    exact: bool = False
    derive_backward: bool = False
    derive_write_order: bool = False
    sort: bool = False
    tile_m: int = 128
    tile_n: int = 128
    q_stage: int = 1
    kernel: str = "ranker"
    arch: str = ""

    name: ClassVar[str] = "block-sparse-refine"
    level: ClassVar[str] = "block_sparse"
    ops: ClassVar[tuple[str, ...]] = (FORWARD, BACKWARD, CUSTOM_CALL)

    def __post_init__(self):
        architecture(self.arch)

    def run(self, op: ir.Operation, session: Session) -> None:
        for viewed in self._calls(op, session):
            if not viewed.carrier:
                self._shapes(viewed, session)
        if self.derive_backward:
            self._derive(op, session)
        for viewed in self._calls(op, session):
            self._values(viewed, session)

    def _calls(self, root: ir.Operation, session: Session) -> list[AttentionView]:
        """Calls that are the same along every chain of function calls that leads to them."""
        session.invalidate()
        calls = [call for call in collect_calls(root, session, self) if not call.weak]
        seen: dict[ir.Operation, list[AttentionView]] = {}
        for call in calls:
            seen.setdefault(call.op, []).append(call)
        return [same[0] for same in seen.values() if all(_same_values(same[0], other) for other in same[1:])]

    def _shapes(self, viewed: AttentionView, session: Session) -> None:
        facts = viewed.facts
        lists: dict[str, tuple] = {}
        backends: dict[str, Backend] = {}
        for pair in facts.lists():
            if None in pair.cnt.shape or None in pair.idx.shape:
                return
            backends[pair.name] = NUMPY if pair.values else StableHloBackend(viewed.op)
            operands = viewed.operands[f"{pair.name}_cnt"], viewed.operands[f"{pair.name}_idx"]
            lists[pair.name] = pair.values or operands
        if not lists or not in_range(viewed.facts):
            return
        draft = Draft(facts, lists, backends)
        other = any(array.element != "i32" for pair in facts.lists() for array in (pair.cnt, pair.idx))
        kept = other and session.engine.ignores("MV513", viewed.locations[""])
        refine_shapes(draft, self.exact or kept)
        if draft.steps:
            arrays = {}
            for name, (cnt, idx) in draft.lists.items():
                arrays |= {f"{name}_cnt": cnt, f"{name}_idx": idx}
            self._report(viewed, draft.steps, session)
            new_size = draft.call.block_size
            replace_call(viewed.op, arrays, new_size if new_size != facts.block_size else None)

    def _values(self, viewed: AttentionView, session: Session) -> None:
        def refine(exact: bool) -> Refined:
            return refine_known(viewed.facts, exact=exact, sort=self.sort, derive=self.derive_write_order)

        result = refine(self.exact)
        if any(self._ignored(step, viewed, session) for step in result.steps):
            result = refine(exact=True)
        if result.steps:
            self._replace(viewed, result.arrays, result.steps, session)

    def _derive(self, root: ir.Operation, session: Session) -> None:
        for candidates, backward in pairs(self._calls(root, session)):
            derived = derive_lists(candidates[0], backward) if len(candidates) == 1 else None
            if derived is None or (self.exact and derived.step.kind == REPAIRING):
                continue
            if not self._ignored(derived.step, backward, session):
                self._replace(backward, derived.arrays, [derived.step], session)

    def _ignored(self, step: Step, viewed: AttentionView, session: Session) -> bool:
        """A repair of what the user ignores."""
        return step.kind == REPAIRING and session.engine.ignores(step.code, viewed.locations[""])

    def _replace(
        self, viewed: AttentionView, arrays: Mapping[str, np.ndarray | ir.Value], steps: list[Step], session: Session
    ) -> None:
        """New list operands. A custom call runs a kernel that was compiled for the operands that it has."""
        constants = {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}
        if viewed.carrier:
            same = len(constants) == len(arrays) and all(
                name in viewed.operands and list(viewed.operands[name].type.shape) == list(array.shape)
                for name, array in constants.items()
            )
            if not same:
                return
        self._report(viewed, steps, session)
        if viewed.carrier:
            replace_values(viewed.op, viewed.operands, constants)
        else:
            replace_call(viewed.op, arrays, None)

    def _report(self, viewed: AttentionView, steps: list[Step], session: Session) -> None:
        here = viewed.locations[""]
        for step in steps:
            if step.kind == REPAIRING:
                finding = Finding(step.code, step.message, severity="warning")
                session.engine.report_finding(finding, viewed.locations, viewed.op.name)
            session.engine.rewrote(Rewrite(step.kind, self.name, step.message, here, step.code))


def _same_values(one: AttentionView, other: AttentionView) -> bool:
    """The lists of two views of one op are the same constants, and so are the facts about it."""
    ours, theirs = one.facts, other.facts
    return _plain(ours) == _plain(theirs) and all(
        _equal(array.values, theirs.arrays[name].values) for name, array in ours.arrays.items()
    )


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _plain(facts: BlockSparseAttention) -> dict[str, object]:
    return {name: value for name, value in vars(facts).items() if name != "arrays"}
