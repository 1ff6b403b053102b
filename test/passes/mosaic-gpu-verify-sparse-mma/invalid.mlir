// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma)' --split-input-file --verify-diagnostics=only-expected

func.func @mv101_columns_of_uncompressed_a(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A sparse metadata shape mismatch: expected (128, 64), got (128, 128) [MV101]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv101_rows(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<256x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A sparse metadata shape mismatch: expected (128, 64), got (256, 64) [MV101]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<256x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv102_bytes(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi8, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A sparse metadata dtype mismatch: expected i2, got i8 [MV102]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi8, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv102_unsigned(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xui2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A sparse metadata dtype mismatch: expected i2, got ui2 [MV102]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xui2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv103_unpacked(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta_laid_out = "mosaic_gpu.tmem_layout_cast"(%meta) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  // expected-error @below {{TMEM layout unpacked is not supported for sparse metadata, expected the sparse metadata layout [MV103]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta_laid_out)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv104_shared_memory(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #gpu.address_space<workgroup>>) {
  %false = arith.constant false
  // expected-error @below {{The `a_sparse_metadata` input must be in TMEM, but got SMEM. [MV104]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @mv105_b_in_tensor_memory(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #mosaic_gpu.tmem>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{The `b` input must be in SMEM, but got TMEM. [MV105]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #mosaic_gpu.tmem>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv105_accumulator_in_shared_memory(
    %acc: memref<128x128xf32, #gpu.address_space<workgroup>>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{The accumulator must be in TMEM, but got SMEM. [MV105]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #gpu.address_space<workgroup>>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv107_stages(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<2x128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{operand `metadata` must be 2D, but got shape (2, 128, 64) [MV107]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<2x128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv108_columns(
    %acc: memref<128x256xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Accumulator shape mismatch: expected (128, 128), got (128, 256) [MV108]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x256xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv108_collective(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Accumulator shape mismatch: expected (128, 256), got (128, 128) [MV108]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv109_packed_accumulator(
    %acc: memref<128x128xf16, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %acc_laid_out = "mosaic_gpu.tmem_layout_cast"(%acc) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x128xf16, #mosaic_gpu.tmem>) -> memref<128x128xf16, #mosaic_gpu.tmem>
  // expected-error @below {{Accumulator layout mismatch: expected #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>, got #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1> [MV109]}}
  "mosaic_gpu.tcgen05_mma"(%acc_laid_out, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf16, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv110_64_rows(
    %acc: memref<64x128xf32, #mosaic_gpu.tmem>,
    %a: memref<64x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<64x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Sparse MMA not supported for M=64 [MV110]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<64x128xf32, #mosaic_gpu.tmem>,
       memref<64x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<64x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv110_256_rows(
    %acc: memref<256x128xf32, #mosaic_gpu.tmem>,
    %a: memref<256x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<256x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Only M=128 and M=64 are supported for MMA, but got M=256 [MV110]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<256x128xf32, #mosaic_gpu.tmem>,
       memref<256x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<256x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_24_columns(
    %acc: memref<128x24xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x24xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{N must be a multiple of 16 for sparse MMA, but got N=24 [MV111]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x24xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x24xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_320_columns(
    %acc: memref<128x320xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x320xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{The only supported N > 256, is 512, but got N=320 [MV111]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x320xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x320xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_collective_192(
    %acc: memref<128x384xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x192xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Only N <= 128 are supported for collective MMA [MV111]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x384xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x192xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_collective_int8(
    %acc: memref<128x96xi32, #mosaic_gpu.tmem>,
    %a: memref<128x64xi8, #gpu.address_space<workgroup>>,
    %b: memref<128x48xi8, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{N must be a multiple of 32 for sparse MMA, but got N=48 [MV111]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x96xi32, #mosaic_gpu.tmem>,
       memref<128x64xi8, #gpu.address_space<workgroup>>,
       memref<128x48xi8, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv112_k_group(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x48xf16, #gpu.address_space<workgroup>>,
    %b: memref<96x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x48xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_tiled = "mosaic_gpu.with_transforms"(%a) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x48xf16, #gpu.address_space<workgroup>>) -> memref<128x48xf16, #gpu.address_space<workgroup>>
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64 : i32>]}>
    : (memref<96x128xf16, #gpu.address_space<workgroup>>) -> memref<96x128xf16, #gpu.address_space<workgroup>>
  // expected-error @below {{K must be a multiple of 64, got: 96 [MV112]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a_tiled, %b_tiled, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x48xf16, #gpu.address_space<workgroup>>,
       memref<96x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x48xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv112_wide_swizzles(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %meta: memref<128x96xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_tiled = "mosaic_gpu.with_transforms"(%a) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>) -> memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 128]>, #mosaic_gpu.swizzle<128 : i32>]}>
    : (memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>) -> memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>
  // expected-error @below {{K must be a multiple of 128, got: 192 [MV112]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a_tiled, %b_tiled, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x96xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv113_uncompressed_a(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{For sparse MMA, `a`'s contracting dimension 128 must be half the first dimension of `b`: 128. [MV113]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv114_f32(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf32, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf32, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Sparse MMA unsupported for f32 [MV114]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf32, #gpu.address_space<workgroup>>,
       memref<128x128xf32, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv115_f16_for_bf16(
    %acc: memref<128x128xf16, #mosaic_gpu.tmem>,
    %a: memref<128x64xbf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xbf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{MMA with element type bf16 only supports accumulators of type f32, but got: f16 [MV115]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf16, #mosaic_gpu.tmem>,
       memref<128x64xbf16, #gpu.address_space<workgroup>>,
       memref<128x128xbf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv115_f32_for_int8(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xi8, #gpu.address_space<workgroup>>,
    %b: memref<128x128xi8, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{MMA with element type s8 only supports s32 accumulators, but got: f32 [MV115]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xi8, #gpu.address_space<workgroup>>,
       memref<128x128xi8, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv115_bf16(
    %acc: memref<128x128xbf16, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{MMA with element type f16 only supports accumulators of type f32 or f16, but got: bf16 [MV115]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xbf16, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv116_different_types(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xbf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{[MV116]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xbf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv117_k_major_b(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> memref<128x128xf16, #gpu.address_space<workgroup>>
  %b_transposed = memref.transpose %b_tiled (d0, d1) -> (d1, d0) : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>
  // expected-error @below {{B tiling too small. Increase swizzle or transpose the input. [MV117]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b_transposed, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv118_two_instructions(
    %acc: memref<128x512xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x512xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A sparse metadata address calculation for multiple tiles [MV118]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x512xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x512xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv120_a_scale_rows(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<256x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{A scale shape mismatch: expected (128, 4), got (256, 4) [MV120]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<256x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv121_b_scale_rows(
    %acc: memref<128x256xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x256xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{B scale shape[0] must be a multiple of 128 and >= N=256, got 128 [MV121]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x256xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x256xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv122_b_scale_columns(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{B scale shape mismatch: expected (128, 4), got (128, 8) [MV122]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x8xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv123_one_scale(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Either none or both scales should be provided [MV123]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv125_scale_layout(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %sa_laid_out = "mosaic_gpu.tmem_layout_cast"(%sa) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 4], [32, 4]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>
  // expected-error @below {{A scale layout #mosaic_gpu.TiledLayout<[[128, 4], [32, 4]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1> is not supported [MV125]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa_laid_out, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv128_unpacked_a(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #mosaic_gpu.tmem>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_laid_out = "mosaic_gpu.tmem_layout_cast"(%a) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
  // expected-error @below {{A layout mismatch: expected #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>, got #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1> [MV128]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a_laid_out, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #mosaic_gpu.tmem>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv130_columns(
    %tiles: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<128x96xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{TMEM reference must have a multiple of 64 colums, but got 96 [MV130]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x96xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv130_rows(
    %tiles: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<64x64xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{TMEM reference must have a multiple of 128 rows, but got 64 [MV130]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<64x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv130_tiles(
    %tiles: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{SMEM has (1, 1, 128, 64), but expected (1, 2, 128, 64) for TMEM ref shape (128, 128) [MV130]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv130_two_rows_of_tiles(
    %tiles: memref<2x1x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<256x64xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{Only M=128 supported [MV130]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<2x1x128x64xi2, #gpu.address_space<workgroup>>, memref<256x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv131_bytes(
    %tiles: memref<1x1x128x64xi8, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{Incompatible dtypes: SMEM has i8, TMEM has i2 [MV131]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x1x128x64xi8, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv132_strides(
    %tiles: memref<1x2x128x64xi2, strided<[32768, 16384, 64, 1]>, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{Only copies from contiguous SMEM references are supported [MV132]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x2x128x64xi2, strided<[32768, 16384, 64, 1]>, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv133_global_memory(
    %tiles: memref<1x1x128x64xi2>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // expected-error @below {{async_copy_sparse_metadata_to_tmem source must be an SMEM ref [MV133]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x1x128x64xi2>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv103_copy_to_unpacked(
    %tiles: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %meta_laid_out = "mosaic_gpu.tmem_layout_cast"(%meta) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  // expected-error @below {{TMEM layout unpacked is not supported for sparse metadata, expected the sparse metadata layout [MV103]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta_laid_out) <{collective = false}>
    : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv140_f6(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf6E2M3FN, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf6E2M3FN, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Unsupported element type: f6E2M3FN [MV140]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf6E2M3FN, #gpu.address_space<workgroup>>,
       memref<128x128xf6E2M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv140_scaled_f16(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{MMA with element type f16 does not support block scaling [MV140]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv140_fp8_scales_of_fp4(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  // expected-error @below {{Scale element type mismatch: expected f8e8m0fnu, got f8E4M3FN [MV140]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>,
       memref<128x4xf8E4M3FN, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv206_tile_of_another_swizzle(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_tiled = "mosaic_gpu.with_transforms"(%a) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<64 : i32>]}>
    : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
  // expected-error @below {{MMA lhs tiling does not fit swizzle. lhs_tiling=(8, 16) expected=(8, 32) [MV206]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a_tiled, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @two_causes(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> memref<128x128xf16, #gpu.address_space<workgroup>>
  %b_transposed = memref.transpose %b_tiled (d0, d1) -> (d1, d0) : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>
  // expected-error @below {{A sparse metadata shape mismatch: expected (128, 64), got (128, 128) [MV101]}}
  // expected-error @below {{B tiling too small. Increase swizzle or transpose the input. [MV117]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b_transposed, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>,
       i1,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}
