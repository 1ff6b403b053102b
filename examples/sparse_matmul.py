"""A sparse matrix product on Blackwell tensor cores, written in Pallas, and how to verify it on a laptop.

    mosaic-verify check examples/sparse_matmul.py::kernels

`A` is 2:4 sparse: of every four neighbouring elements of a row at most two are kept. It is stored as two arrays: the
kept elements `a` of shape (M, K/2), and `pairs` of shape (M, K/4, 2), which says for each group of four where the two
kept elements stood (2-bit numbers, ascending). The tensor core reads both, skips the zeros, and takes half the time.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

BLOCK_M = 128  # a sparse MMA always has 128 rows per CTA
BLOCK_K = 128  # one metadata copy brings the positions for 128 columns of the uncompressed A


def sparse_matmul(a, b, pairs):
    """(M, K/2) kept elements, (N, K) of B transposed, (M, K/4, 2) positions -> (M, N) float32; a CTA per 128 rows."""
    m, half_k = a.shape
    n, k = b.shape
    assert k == 2 * half_k and m % BLOCK_M == 0 and k % BLOCK_K == 0, "pad A with zeros first"

    # The tensor core wants the positions in an order of its own, and the order depends on the operands' width. Laid
    # out for another dtype, or just reshaped, the array has the same shape and the result is wrong without a word:
    # MV305 and MV306.
    metadata = plgpu.format_tcgen05_sparse_metadata(pairs, a.dtype)  # (M/128, K/128, 128, 64)

    def body(a_gmem, b_gmem, metadata_gmem, out_gmem, a_smem, b_smem, metadata_smem, acc, metadata_tmem, loaded, done):
        block = lax.axis_index("block")
        rows = pl.ds(block * BLOCK_M, BLOCK_M)

        # 1. TMA brings this block's operands into shared memory.
        plgpu.copy_gmem_to_smem(a_gmem.at[rows], a_smem, loaded)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, loaded)
        plgpu.copy_gmem_to_smem(metadata_gmem.at[pl.ds(block, 1)], metadata_smem, loaded)
        plgpu.barrier_wait(loaded)

        # 2. The tensor core reads metadata from tensor memory only. Copy and MMA run in the order in which one
        #    thread issues them, so nothing needs to be waited for in between. Without the copy the MMA reads
        #    whatever was there before: MV701.
        plgpu.async_copy_sparse_metadata_to_tmem(metadata_smem, metadata_tmem)

        # 3. acc = A @ B. `b_smem` holds B transposed, (N, K), so it is transposed in place (no data moves).
        plgpu.tcgen05_mma(
            acc,
            a_smem,
            b_smem.transpose((1, 0)),
            done,
            a_sparse_metadata=metadata_tmem,
            accumulate=False,
        )
        plgpu.barrier_wait(done)

        # 4. The accumulator goes home through registers.
        out_gmem[rows, :] = plgpu.async_load_tmem(acc)

    # A tile of an MMA operand is 8 rows of `swizzle` bytes. 64 bytes of kept elements and 128 bytes of B span the
    # same part of K. B needs at least 64: a 32-byte tile holds only half of what one sparse instruction reads
    # (MV117).
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(m // BLOCK_M,),
        grid_names=("block",),
        scratch_types=dict(
            a_smem=plgpu.SMEM((BLOCK_M, half_k), a.dtype, transforms=tiles(a.dtype, swizzle=64)),
            b_smem=plgpu.SMEM((n, k), b.dtype, transforms=tiles(b.dtype, swizzle=128)),
            metadata_smem=plgpu.SMEM((1, *metadata.shape[1:]), jnp.uint2),  # linear: no tiling, no swizzle
            acc=plgpu.TMEM((BLOCK_M, n), jnp.float32),
            metadata_tmem=plgpu.TMEM((BLOCK_M, half_k), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
            loaded=plgpu.Barrier(num_arrivals=3),
            done=plgpu.Barrier(orders_tensor_core=True),
        ),
        # The default from JAX 0.12 on. Lane semantics, the older one, wants one swizzle for both operands: MV209.
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup),
    )(a, b, metadata)


def tiles(dtype, swizzle):
    """The layout in shared memory that the tensor core reads: tiles of 8 rows by `swizzle` bytes."""
    columns = swizzle // jnp.dtype(dtype).itemsize
    return plgpu.TilingTransform((8, columns)), plgpu.SwizzleTransform(swizzle)


def kernels():
    """What `mosaic-verify check` asks for: a list of (label, function, arguments). Shapes will do."""

    def arguments(m, n, k, dtype):
        shape = jax.ShapeDtypeStruct
        return shape((m, k // 2), dtype), shape((n, k), dtype), shape((m, k // 4, 2), jnp.uint2)

    return [
        ("256x128x256 bf16", sparse_matmul, arguments(256, 128, 256, jnp.bfloat16)),
        # A dense MMA takes any N that is a multiple of 8. A sparse one does not: this kernel is refused.
        ("256x24x256 bf16", sparse_matmul, arguments(256, 24, 256, jnp.bfloat16)),
    ]


if __name__ == "__main__":
    for label, function, args in kernels():
        try:
            jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
            print(f"{label}: JAX lowers it")
        except Exception as error:
            print(f"{label}: JAX says: {type(error).__name__}: {error}")
