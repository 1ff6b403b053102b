"""A block-sparse attention with gradient through `cutlass.jax.cutlass_call`, with kernels that do nothing.

Needs `nvidia-cutlass-dsl`, but no GPU. `python test/kernels/block_sparse_cutlass.py` prints its StableHLO, without the
compiled kernels, as it is stored in `test/passes/block-sparse-verify/cutlass.mlir`.
"""

import os
import re

os.environ.setdefault("CUTE_DSL_ARCH", "sm_100a")

import numpy as np

BATCH, SEQ, HEADS, KV_HEADS, DIM, TILE = 1, 512, 2, 1, 64, 128


def ranker_lists(history, seq_len=SEQ, batch=BATCH, heads=HEADS):
    """Forward and backward lists of `history` tokens that all attend to, and candidates that attend to themselves.

    Each is (mask_cnt, mask_idx, full_cnt, full_idx, diag_cnt, diag_idx) of int32.
    """
    blocks, past = seq_len // TILE, history // TILE
    row = np.arange(blocks, dtype=np.int32)
    candidate = row >= past
    none = np.zeros(blocks, np.int32), np.zeros((blocks, 1), np.int32)
    diag = candidate.astype(np.int32), np.where(candidate, row, 0).astype(np.int32)[:, None]
    forward = (
        *none,
        np.full(blocks, past, np.int32),
        np.broadcast_to(row[:past], (blocks, past)),
        *diag,
    )
    backward = (
        *none,
        np.where(candidate, 0, blocks).astype(np.int32),
        np.where(candidate[:, None], 0, row).astype(np.int32),
        *diag,
    )
    return tuple(
        tuple(np.broadcast_to(each, (batch, heads, *each.shape)).copy() for each in lists)
        for lists in (forward, backward)
    )


def attention(forward_lists, backward_lists):
    """A differentiable function of q, k, v, and their shapes."""
    import cuda.bindings.driver as cuda_driver
    import cutlass.cute as cute
    import jax
    import jax.numpy as jnp
    from cutlass.jax import cutlass_call

    @cute.kernel
    def nothing(q: cute.Tensor):
        cute.arch.thread_idx()

    @cute.jit
    def launch_forward(
        stream: cuda_driver.CUstream,
        q: cute.Tensor,
        k: cute.Tensor,
        v: cute.Tensor,
        mask_cnt: cute.Tensor,
        mask_idx: cute.Tensor,
        full_cnt: cute.Tensor,
        full_idx: cute.Tensor,
        diag_cnt: cute.Tensor,
        diag_idx: cute.Tensor,
        out: cute.Tensor,
        lse: cute.Tensor,
    ):
        nothing(q).launch(grid=[1, 1, 1], block=[128, 1, 1], stream=stream)

    @cute.jit
    def launch_backward(
        stream: cuda_driver.CUstream,
        q: cute.Tensor,
        k: cute.Tensor,
        v: cute.Tensor,
        dout: cute.Tensor,
        lse: cute.Tensor,
        dpsum: cute.Tensor,
        mask_cnt: cute.Tensor,
        mask_idx: cute.Tensor,
        full_cnt: cute.Tensor,
        full_idx: cute.Tensor,
        diag_cnt: cute.Tensor,
        diag_idx: cute.Tensor,
        dq: cute.Tensor,
        dk: cute.Tensor,
        dv: cute.Tensor,
    ):
        nothing(q).launch(grid=[1, 1, 1], block=[128, 1, 1], stream=stream)

    q_like = jax.ShapeDtypeStruct((BATCH, SEQ, HEADS, DIM), jnp.bfloat16)
    k_like = jax.ShapeDtypeStruct((BATCH, SEQ, KV_HEADS, DIM), jnp.bfloat16)
    lse_like = jax.ShapeDtypeStruct((BATCH, HEADS, SEQ), jnp.float32)
    forward_call = cutlass_call(launch_forward, output_shape_dtype=[q_like, lse_like])
    backward_call = cutlass_call(launch_backward, output_shape_dtype=[q_like, k_like, k_like])

    @jax.custom_vjp
    def attend(q, k, v):
        return forward_call(q, k, v, *forward_lists)[0]

    def attend_forward(q, k, v):
        out, lse = forward_call(q, k, v, *forward_lists)
        return out, (q, k, v, out, lse)

    def attend_backward(residuals, dout):
        q, k, v, out, lse = residuals
        dpsum = jnp.sum(out.astype(jnp.float32) * dout.astype(jnp.float32), axis=-1).transpose(0, 2, 1)
        return tuple(backward_call(q, k, v, dout, lse, dpsum, *backward_lists))

    attend.defvjp(attend_forward, attend_backward)

    def loss(q, k, v):
        return jnp.sum(attend(q, k, v).astype(jnp.float32))

    return jax.grad(loss, argnums=(0, 1, 2)), (q_like, k_like, k_like)


def without_kernels(text):
    """The StableHLO without the compiled kernels, which are megabytes of escaped bytes, and their hashes."""
    return re.sub(r'(module|key) = "[^"]*"', r'\1 = ""', text)


if __name__ == "__main__":
    import jax

    function, shapes = attention(*ranker_lists(history=256))
    print(without_kernels(jax.jit(function).trace(*shapes).lower(lowering_platforms=("cuda",)).as_text()))
