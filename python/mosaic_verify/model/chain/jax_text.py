"""Transforms as JAX prints them."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_verify.model.chain.steps import Bitcast, ExpandBatch, Reshape, Step, Transpose, Unswizzle, Untile


def jax_text(steps: Sequence[Step]) -> str:
    """A list of steps as JAX prints it in its messages."""
    return f"[{', '.join(map(jax_repr, steps))}]"


def jax_repr(step: Step) -> str:
    """One step as JAX prints it."""
    match step:
        case Transpose(permutation):
            return f"TransposeTransform(permutation={permutation})"
        case Reshape(shape):
            return f"ReshapeTransform(shape={shape})"
        case Untile(tiling):
            return f"UntilingTransform(tiling={tiling})"
        case Unswizzle(swizzle):
            return f"UnswizzleRef(swizzle={swizzle})"
        case ExpandBatch(batch):
            return f"ExpandLeadingBatchDimensionsTransform(batch_shape={batch})"
        case Bitcast(element):
            return f"BitcastTransform(dtype={element})"
    return str(step)
