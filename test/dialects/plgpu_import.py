# RUN: %python %s | %filecheck %s
"""The plgpu module of a real kernel: metadata allocated with K columns, sliced and transposed twice on its way to the MMA."""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", folder) for folder in ("kernels", "unit")]

import sparse_mma  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from plgpu_kernels import module_of  # noqa: E402


def at_mma(ref):
    return ref.at[:, pl.ds(64, 64)].transpose((1, 0)).transpose((1, 0))


fn, args = sparse_mma.kernel("lane", meta_shape=(128, 128), meta_smem=(1, 2, 128, 64), at_mma=at_mma)
_, imported = module_of(fn, *args)
print(imported.module)

# CHECK: func.func @body(
# CHECK-SAME: plgpu.semantics = "lane"
# CHECK: "plgpu.run_scoped"() ({
# CHECK: %[[A:.*]] = "plgpu.alloc"() {bytes = 16384 : i64, {{.*}}name = "a_smem", swizzle = 64 : i64, tiling = array<i64: 8, 32>} : () -> memref<16x2x8x32xf16, "smem">
# CHECK: %[[ACC:.*]] = "plgpu.alloc"() {collective = false, columns = 128 : i64, {{.*}}layout = "default", name = "acc_tmem"} : () -> memref<128x128xf32, "tmem">
# CHECK: %[[META:.*]] = "plgpu.alloc"() {collective = false, columns = 8 : i64, {{.*}}layout = "sparse_metadata", name = "meta_tmem"} : () -> memref<128x128xui2, "tmem">
# CHECK: "plgpu.copy_gmem_to_smem"
# CHECK: "plgpu.barrier_wait"
# CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"({{.*}}, %[[META]])
# CHECK: %[[UNSWIZZLED:.*]] = "plgpu.unswizzle"(%[[A]]) {swizzle = 64 : i64}
# CHECK: %[[UNTILED:.*]] = "plgpu.untile"(%[[UNSWIZZLED]]) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
# CHECK: %[[SLICE:.*]] = "plgpu.slice"(%[[META]]) {offsets = array<i64: 0, 64>, sizes = array<i64: 128, 64>}
# CHECK: %[[ONCE:.*]] = "plgpu.transpose"(%[[SLICE]]) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
# CHECK: %[[TWICE:.*]] = "plgpu.transpose"(%[[ONCE]])
# CHECK: "plgpu.tcgen05_mma"(%[[ACC]], %[[UNTILED]], {{.*}}, %[[TWICE]]) {eqn = {{.*}}, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
# CHECK: "plgpu.async_load_tmem"(%[[ACC]])
# CHECK: "plgpu.yield"
