"""A look over a jaxpr that decides whether it is worth importing; about 0.3 microseconds per equation."""

from __future__ import annotations

from typing import Any

from mosaic_verify.jax_hook.jaxprs import nested_jaxprs

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


def worth_importing(jaxpr: Any) -> bool:
    """True when a kernel, or a jaxpr inside of it, uses the tensor core of Blackwell or its memory."""
    return any(eqn.primitive.name in _TENSOR_CORE for part in nested_jaxprs(jaxpr) for eqn in part.eqns)
