"""The pass `block-sparse-verify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from jaxlib.mlir import ir

import mosaic_verify.rules.block_sparse_blocks
import mosaic_verify.rules.block_sparse_kernel
import mosaic_verify.rules.block_sparse_operands
import mosaic_verify.rules.block_sparse_pairs
import mosaic_verify.rules.block_sparse_shapes
import mosaic_verify.rules.block_sparse_values
import mosaic_verify.rules.block_sparse_varlen  # noqa: F401  (registers its checks)
from mosaic_verify.diagnostics.diagnostic import Location
from mosaic_verify.dialects.block_sparse import BACKWARD, FORWARD, AttentionView
from mosaic_verify.dialects.block_sparse_calls import CUSTOM_CALL, collect_calls, pairs
from mosaic_verify.dialects.block_sparse_facts import MalformedCall
from mosaic_verify.dialects.mosaic_gpu_options import architecture
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.block_sparse.facts import AttentionPair
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.page import load_rule
from mosaic_verify.rules.registry import run_checks


@dataclass(frozen=True)
class BlockSparseVerify(Pass):
    """Verify the block lists of block-sparse attention

    Reads `block_sparse.attention_fwd`, `block_sparse.attention_bwd` and what `cutlass.jax.cutlass_call` makes of them,
    `stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall*`. Values of lists are checked where they are constant.

    Options:
      tile_m, tile_n, q_stage, kernel: of custom calls that are not annotated.
      arch: such as "sm_100a"; empty when unknown.
    """

    tile_m: int = 128
    tile_n: int = 128
    q_stage: int = 1
    kernel: str = "ranker"
    arch: str = ""

    name: ClassVar[str] = "block-sparse-verify"
    level: ClassVar[str] = "block_sparse"
    ops: ClassVar[tuple[str, ...]] = (FORWARD, BACKWARD, CUSTOM_CALL)
    read_only: ClassVar[bool] = True

    def __post_init__(self):
        architecture(self.arch)

    def run(self, op: ir.Operation, session: Session) -> None:
        reported: set[tuple[ir.Operation, Finding, Location]] = set()

        def report(viewed: AttentionView, finding: Finding, locations: Mapping[str, Location]) -> None:
            # A call seen along several chains of function calls is wrong once for each line of the user's.
            if viewed.weak:
                finding = _guess(finding)
            key = viewed.op, finding, locations[""]
            if key not in reported:
                reported.add(key)
                session.engine.report_finding(finding, locations, viewed.op.name)

        def malformed(call: ir.Operation, error: MalformedCall) -> None:
            session.engine.report_finding(Finding(error.code, str(error)), {"": op_location(call)}, call.name)

        calls = collect_calls(op, session, self, malformed)
        for viewed in calls:
            for finding in run_checks(viewed.facts):
                report(viewed, finding, viewed.locations)
        for candidates, backward in pairs(calls):
            found = [(each, run_checks(AttentionPair(each.facts, backward.facts))) for each in candidates]
            if all(findings for _, findings in found):
                forward, findings = found[-1]
                for finding in findings:
                    report(backward, finding, {**backward.locations, "forward": forward.locations[""]})


def _guess(finding: Finding) -> Finding:
    """The same as a warning, with how to say what the call is."""
    note = FindingNote(
        "", 'taken for block-sparse attention by its operands alone; mv.annotate("block_sparse.attention_fwd") says so'
    )
    if load_rule(finding.code).severity != "error" or finding.severity is not None:
        return finding
    return replace(finding, notes=(*finding.notes, note), severity="warning")
