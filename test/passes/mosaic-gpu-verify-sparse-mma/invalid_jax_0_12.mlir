// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma{jax=0.12.0})' --split-input-file --verify-diagnostics=only-expected

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @mv106_compute_capability_10_0(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
    // expected-error @below {{sparse 4-bit MMA cannot be lowered with Warpgroup semantics: the verifier of the dialect asks for metadata of shape (128, 256), the lowering for (128, 128) [MV106]}}
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

module attributes {mosaic_gpu.arch_major = 11 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @mv106_thor(
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

module attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @mv141_no_gpu(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
    // expected-error @below {{4-bit sparse MMA needs compute capability 10.x or 11.x, but the kernel is lowered for 9.0; without a GPU JAX assumes it [MV141]}}
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

module attributes {mosaic_gpu.arch_major = 12 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @mv141_sm_120(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
    // expected-error @below {{4-bit sparse MMA needs compute capability 10.x or 11.x, but the kernel is lowered for 12.0 [MV141]}}
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

func.func @mv119_scaled_a_in_tmem(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #mosaic_gpu.tmem>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A in TMEM unsupported for block-scaled sparse matmuls [MV119]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #mosaic_gpu.tmem>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv124_block_of_a_dense_mma(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Scale block size mismatch: expected 64, got 32 [MV124]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 7 : i32} {
  func.func @mv126_n_major_b(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<512x128xf4E2M1FN, #gpu.address_space<workgroup>>,
      %sa: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    // expected-error @below {{4-bit block scaled MMA only supports K-fastest operands, but B is N-fastest [MV126]}}
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
      <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>,
         memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
         memref<512x128xf4E2M1FN, #gpu.address_space<workgroup>>,
         i1,
         memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
         memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
         memref<128x256xi2, #mosaic_gpu.tmem>) -> ()
    return
  }
}

// -----

module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 7 : i32} {
  func.func @mv140_fp4_without_scales(
      %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
      %a: memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
      %b: memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>>,
      %meta: memref<128x256xi2, #mosaic_gpu.tmem>) {
    %false = arith.constant false
    %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x512xf4E2M1FN, #gpu.address_space<workgroup>> to memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>
    // expected-error @below {{MMA with element type f4E2M1FN only supports block scaling [MV140]}}
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b_transposed, %false, %meta)
      <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>,
         memref<128x256xf4E2M1FN, #gpu.address_space<workgroup>>,
         memref<512x128xf4E2M1FN, strided<[1, 512]>, #gpu.address_space<workgroup>>,
         i1,
         memref<128x256xi2, #mosaic_gpu.tmem>) -> ()
    return
  }
}
