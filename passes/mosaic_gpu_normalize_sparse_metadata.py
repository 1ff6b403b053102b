"""The pass `mosaic-gpu-normalize-sparse-metadata`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects import memref_chain
from mosaic_verify.dialects.memref_chain import MemrefChain
from mosaic_verify.dialects.mosaic_gpu import METADATA_COPY, MMA, OPS, installed_jax, kernel_views
from mosaic_verify.dialects.mosaic_gpu_layout import correct_layouts
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.model.chain import Chain, ChainError, Role, Step, accepts, contiguous_form, simplify
from mosaic_verify.passes._mosaic_gpu import report
from mosaic_verify.rules.sparse_mma import check_kernel


@dataclass(frozen=True)
class MosaicGpuNormalizeSparseMetadata(Pass):
    """Fold what cancels out between sparse metadata, A or B and the ops that read them

    On the way of the metadata to its copy and to the MMA, and on the ways of A and B of a sparse MMA: transposes that
    cancel (pairs, longer cycles, a single identity), reshapes and casts that lead back, slices of everything. Strides
    of dimensions of extent 1 become those of a contiguous ref, which JAX asks of a metadata copy. TMEM refs that are
    used as metadata alone get the sparse layout. Transposes and reshapes of metadata that move elements are reported.

    ```mlir
    %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : ...
    %1 = memref.transpose %0 (d0, d1) -> (d1, d0) : ...
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %accumulate, %1) ...
    ```
    becomes
    ```mlir
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %accumulate, %meta) ...
    ```

    Attributes:
      refused_only: leave alone what JAX lowers as it stands.
    """

    name: ClassVar[str] = "mosaic-gpu-normalize-sparse-metadata"
    level: ClassVar[str] = "mosaic_gpu"
    ops: ClassVar[tuple[str, ...]] = OPS
    kind: ClassVar[str] = "exact"

    refused_only: bool = False

    def run(self, op: ir.Operation, session: Session) -> None:
        users = [user for user in session.ops(op, (MMA, METADATA_COPY)) if user.name != MMA or _sparse(user)]
        before = len(session.engine.report.rewrites)
        for user in users:
            for number, role in _roles(user):
                message = _normalize(user, number, role, self.refused_only)
                if message is not None:
                    session.engine.rewrote(Rewrite("exact", self.name, message, op_location(user)))
        for location, message in correct_layouts(users):
            session.engine.rewrote(Rewrite("exact", self.name, message, location))
        if len(session.engine.report.rewrites) != before:
            session.invalidate()
        for view in kernel_views(session.ops(op, OPS)):
            found = [finding for finding in check_kernel(view.facts) if finding.code in ("MV202", "MV203")]
            report(view, found, session.engine)


def _sparse(mma: ir.Operation) -> bool:
    return bool(ir.DenseI32ArrayAttr(mma.attributes["operandSegmentSizes"])[6])


def _roles(user: ir.Operation) -> Iterator[tuple[int, Role]]:
    """Numbers of the operands that are normalized, with their roles; the metadata of an MMA is its last operand."""
    if user.name == METADATA_COPY:
        yield 0, "copy_source"
        yield 1, "copy_target"
    else:
        yield 1, "a"
        yield 2, "b"
        yield len(user.operands) - 1, "metadata"


def _normalize(user: ir.Operation, number: int, role: Role, refused_only: bool) -> str | None:
    """Shortens the chain of one operand. Returns what was done, or None."""
    old = user.operands[number]
    found = memref_chain.read(old)
    if found is None or not found.ops:
        return None
    steps = _shorter(found, old, role, refused_only)
    if steps is None:
        return None
    new = _rebuild(found, steps, user)
    if new is None:
        return None
    user.operands[number] = new
    for op in reversed(found.ops):
        if all(next(iter(result.uses), None) is None for result in op.results):
            op.erase()
    became = "".join(map(str, steps))
    what = "".join(map(str, found.chain.steps)) or "memref.cast"
    return f"`{role}`: {what} " + (f"became {became}" if became else "was removed, it changes nothing")


def _shorter(found: MemrefChain, value: ir.Value, role: Role, refused_only: bool) -> tuple[Step, ...] | None:
    """The steps that replace a chain, None when there is nothing to gain."""
    try:
        steps = simplify(found.chain).steps
    except ChainError:
        return None
    gained = len(steps) < len(found.chain.steps)
    if role == "copy_source" and not memref_chain.contiguous(value) and memref_chain.contiguous(found.base):
        return contiguous_form(Chain(found.chain.base, steps)) or (steps if gained else None)
    if refused_only and accepts(found.chain, role, "warpgroup", installed_jax(), lowered=True) is None:
        return None
    casts_lead_back = len(found.ops) > len(found.chain.steps) and not steps and found.base.type == value.type
    return steps if gained or casts_lead_back else None


def _rebuild(found: MemrefChain, steps: tuple[Step, ...], user: ir.Operation) -> ir.Value | None:
    """The ref behind `steps`: values of the old chain where it starts alike, then new ops in front of `user`."""
    value, kept = found.base, 0
    if len(found.ops) == len(found.chain.steps):  # with casts in between, what follows has other types
        for step, old in zip(found.chain.steps, steps, strict=False):
            if step != old:
                break
            value, kept = found.values[kept], kept + 1
    point = ir.InsertionPoint(user)
    made: list[ir.Operation] = []
    for step in steps[kept:]:
        built = memref_chain.build(value, step, user.location, point)
        if built is None:
            for op in reversed(made):
                op.erase()
            return None
        if not isinstance(built.owner, ir.Block):
            made.append(built.owner.operation)
        value = built
    return value
