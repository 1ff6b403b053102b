// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma{jax=0.12.0})' --split-input-file --verify-diagnostics=only-expected
// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma{jax=0.10.2})' --split-input-file

// JAX 0.10 derives the swizzle from the tile, JAX 0.11 does not.
func.func @mv205_no_swizzle(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_tiled = "mosaic_gpu.with_transforms"(%a) <{transforms = [#mosaic_gpu.tile<[8, 32]>]}>
    : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @below {{operand `a` of an MMA needs a tiling and a swizzle, but its SMEM ref has no swizzle [MV205]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a_tiled, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

