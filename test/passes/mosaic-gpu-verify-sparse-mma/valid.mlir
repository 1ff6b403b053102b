// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma)' --split-input-file --verify-diagnostics=only-expected

func.func @f16(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @bf16(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xbf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xbf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xbf16, #gpu.address_space<workgroup>>,
       memref<128x128xbf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @fp8(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @int8(
    %acc: memref<128x128xi32, #mosaic_gpu.tmem>,
    %a: memref<128x64xi8, #gpu.address_space<workgroup>>,
    %b: memref<128x128xi8, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xi32, #mosaic_gpu.tmem>,
       memref<128x64xi8, #gpu.address_space<workgroup>>,
       memref<128x128xi8, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @f16_accumulator(
    %acc: memref<128x128xf16, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %acc_laid_out = "mosaic_gpu.tmem_layout_cast"(%acc) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x128xf16, #mosaic_gpu.tmem>) -> memref<128x128xf16, #mosaic_gpu.tmem>
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

func.func @mv101_two_k_tiles(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       memref<256x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv103_sparse_layout(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta_laid_out = "mosaic_gpu.tmem_layout_cast"(%meta) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}>
    : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
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

func.func @mv108_collective(
    %acc: memref<128x256xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x256xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_48_columns(
    %acc: memref<128x48xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x48xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x48xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x48xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_256_columns(
    %acc: memref<128x256xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x256xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x256xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x256xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv111_collective_int8(
    %acc: memref<128x128xi32, #mosaic_gpu.tmem>,
    %a: memref<128x64xi8, #gpu.address_space<workgroup>>,
    %b: memref<128x64xi8, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xi32, #mosaic_gpu.tmem>,
       memref<128x64xi8, #gpu.address_space<workgroup>>,
       memref<128x64xi8, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv112_small_swizzles(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %meta: memref<128x96xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_tiled = "mosaic_gpu.with_transforms"(%a) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>) -> memref<128x96xf8E4M3FN, #gpu.address_space<workgroup>>
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<64 : i32>]}>
    : (memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>) -> memref<192x128xf8E4M3FN, #gpu.address_space<workgroup>>
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

func.func @mv117_64_byte_swizzle(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64 : i32>]}>
    : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> memref<128x128xf16, #gpu.address_space<workgroup>>
  %b_transposed = memref.transpose %b_tiled (d0, d1) -> (d1, d0) : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>
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

func.func @mv117_n_major_b(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> memref<128x128xf16, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b_tiled, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv117_inferred(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %b_transposed = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>
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

func.func @mv119_scaled(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
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

func.func @mv121_256_rows(
    %acc: memref<128x256xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x256xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<256x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa, %sb, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1>}>
    : (memref<128x256xf32, #mosaic_gpu.tmem>,
       memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
       memref<256x256xf8E4M3FN, #gpu.address_space<workgroup>>,
       i1,
       memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<256x4xf8E8M0FNU, #mosaic_gpu.tmem>,
       memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv125_scales_layout(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %b: memref<256x128xf8E4M3FN, #gpu.address_space<workgroup>>,
    %sa: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %sb: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %sa_laid_out = "mosaic_gpu.tmem_layout_cast"(%sa) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 4], [32, 1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-2], vector_dim = -3>}>
    : (memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>
  %sb_laid_out = "mosaic_gpu.tmem_layout_cast"(%sb) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 4], [32, 1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-2], vector_dim = -3>}>
    : (memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %sa_laid_out, %sb_laid_out, %meta)
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

func.func @mv128_packed_a(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #mosaic_gpu.tmem>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_laid_out = "mosaic_gpu.tmem_layout_cast"(%a) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
    : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
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

func.func @different_swizzles(
    %acc: memref<128x128xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x128xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %a_tiled = "mosaic_gpu.with_transforms"(%a) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32 : i32>]}>
    : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
  %b_tiled = "mosaic_gpu.with_transforms"(%b) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}>
    : (memref<128x128xf16, #gpu.address_space<workgroup>>) -> memref<128x128xf16, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_mma"(%acc, %a_tiled, %b_tiled, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>,
       memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<128x128xf16, #gpu.address_space<workgroup>>,
       i1,
       memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv130_copy(
    %tiles: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv130_two_tiles(
    %tiles: memref<1x2x128x64xi2, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv132_row_major(
    %tiles: memref<1x2x128x64xi2, strided<[16384, 8192, 64, 1]>, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tiles, %meta) <{collective = false}>
    : (memref<1x2x128x64xi2, strided<[16384, 8192, 64, 1]>, #gpu.address_space<workgroup>>, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @dense_tf32_with_64_rows(
    %acc: memref<64x128xf32, #mosaic_gpu.tmem>,
    %a: memref<64x64xf32, #gpu.address_space<workgroup>>,
    %b: memref<64x128xf32, #gpu.address_space<workgroup>>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
    : (memref<64x128xf32, #mosaic_gpu.tmem>, memref<64x64xf32, #gpu.address_space<workgroup>>, memref<64x128xf32, #gpu.address_space<workgroup>>, i1) -> ()
  return
}
