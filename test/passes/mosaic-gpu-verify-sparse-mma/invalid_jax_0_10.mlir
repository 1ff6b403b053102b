// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma{jax=0.10.2})' --split-input-file --verify-diagnostics=only-expected

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 7 : i32} {
  func.func @mv106_any_architecture(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
    // expected-error @below {{cannot be lowered with Warpgroup semantics: the verifier of the dialect asks for metadata of shape (128, 256), the lowering for (128, 128) [MV106]}}
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b_transposed, %false, %sa, %sb, %meta)
      <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>,
         memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
         memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>,
         i1,
         memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
         memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
         memref<128x256xi2, #mosaic_gpu.tmem>) -> ()
    return
  }
}

// -----

func.func @mv111_scaled_48_columns(
    %acc: memref<128x48xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x48xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{N must be a multiple of 32 for block-scaled MMA, but got N=48 [MV111]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x48xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x48xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv116_mixed_fp8(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf8E5M2, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{MMA requires A and B to have the same element type, got: f8E4M3FN and f8E5M2 [MV116]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<128x128xf8E5M2, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}
