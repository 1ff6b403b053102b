"""A look over a jaxpr that decides whether it is worth importing; about 0.3 microseconds per equation."""

from __future__ import annotations

from typing import Any

# Primitives of Blackwell's tensor core and its memory.
_TENSOR_CORE = frozenset(
    (
        "tcgen05_mma",
        "tcgen05_commit_arrive",
        "async_copy_sparse_metadata_to_tmem",
        "async_copy_scales_to_tmem",
        "async_copy_smem_to_tmem",
    )
)
_NESTED = ("jaxpr", "call_jaxpr", "branches", "jaxprs", "cond_jaxpr", "body_jaxpr")


def worth_importing(jaxpr: Any) -> bool:
    """True when a kernel, or a jaxpr inside of it, uses the tensor core of Blackwell or its memory."""
    jaxprs = [jaxpr]
    while jaxprs:
        current = jaxprs.pop()
        for eqn in getattr(current, "jaxpr", current).eqns:
            name = eqn.primitive.name
            if name in _TENSOR_CORE:
                return True
            params = eqn.params
            for key in _NESTED:
                value = params.get(key)
                if value is None:
                    continue
                if isinstance(value, (tuple, list)):
                    jaxprs += [item for item in value if hasattr(item, "eqns")]
                elif hasattr(value, "eqns"):
                    jaxprs.append(value)
    return False
