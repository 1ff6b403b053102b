// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma{jax=0.12.0})' --split-input-file --verify-diagnostics=only-expected

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 7 : i32} {
  func.func @fp4_on_10_7(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
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

func.func @fp4_architecture_unknown(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
    %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
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

// -----

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 7 : i32} {
  func.func @fp4_scales_of_fp4(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x16xf8E4M3FN, #mosaic_gpu.tmem>,
      %sb: memref<128x16xf8E4M3FN, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b_transposed, %false, %sa, %sb, %meta)
      <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>,
         memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
         memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>,
         i1,
         memref<128x16xf8E4M3FN, #mosaic_gpu.tmem>,
         memref<128x16xf8E4M3FN, #mosaic_gpu.tmem>,
         memref<128x256xi2, #mosaic_gpu.tmem>) -> ()
    return
  }
}
