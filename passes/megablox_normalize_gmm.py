"""The pass `megablox-normalize-gmm`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxlib.mlir import ir

from mosaic_verify.diagnostics.diagnostic import Rewrite
from mosaic_verify.dialects.megablox import GMM, TGMM, GroupedMatmulView, readable
from mosaic_verify.dialects.megablox_rewrite import convert, reshape, set_operand
from mosaic_verify.ir.passes import Pass, Session

# Every value of these types fits int32.
_NARROW = frozenset(sign + width for sign in ("i", "ui", "si") for width in ("8", "16"))


@dataclass(frozen=True)
class MegabloxNormalizeGmm(Pass):
    """Give operands of megablox calls the shapes and types that megablox asks for, where no value changes

    Exact: group_offset (1,) to (), rhs of one group from rank 2 to 3, group_sizes to int32 when their range is known.
    """

    name: ClassVar[str] = "megablox-normalize-gmm"
    level: ClassVar[str] = "megablox"
    ops: ClassVar[tuple[str, ...]] = (GMM, TGMM)

    def run(self, op: ir.Operation, session: Session) -> None:
        for viewed in readable(session.ops(op, self.ops)):
            for code, message in self._normalize(viewed):
                session.engine.rewrote(Rewrite("exact", self.name, message, viewed.locations[""], code))

    def _normalize(self, viewed: GroupedMatmulView):
        facts, call = viewed.facts, viewed.op
        offset, sizes = facts.group_offset, facts.group_sizes
        if offset is not None and offset.shape == (1,):
            set_operand(viewed, "group_offset", reshape(viewed.operands["group_offset"], (), call))
            yield "MV402", "reshaped group_offset from (1,) to ()"
        rhs = facts.rhs
        shape = [size for size in rhs.shape if size is not None]
        if facts.kind == "gmm" and len(shape) == rhs.rank == 2 and facts.num_groups == 1:
            set_operand(viewed, "rhs", reshape(viewed.operands["rhs"], (1, *shape), call))
            yield "MV405", "added the group dimension to rhs"
        if (
            sizes is not None
            and sizes.element != "i32"
            and sizes.element[-1:].isdigit()
            and _fits(sizes.element, facts.sizes)
        ):
            target = ir.IntegerType.get_signless(32)
            set_operand(viewed, "group_sizes", convert(viewed.operands["group_sizes"], target, call))
            yield "MV407", f"converted group_sizes from {sizes.element} to i32"


def _fits(element: str, values: np.ndarray | None) -> bool:
    if element in _NARROW:
        return True
    if values is None or not values.size or element.lstrip("us")[:1] != "i":
        return False
    return int(values.min()) >= -(2**31) and int(values.max()) < 2**31
