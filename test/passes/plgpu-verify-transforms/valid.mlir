// RUN: mosaic-verify-opt %s --plgpu-verify-transforms --split-input-file --verify-diagnostics | %filecheck %s

// Near misses: nothing is said about these.
// CHECK-LABEL: func.func @plain

func.func @plain() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @plain_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @reshape_and_back_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.reshape"(%meta) : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m1 = "plgpu.reshape"(%m0) : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m1) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @transposed_twice_behind_a_slice_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x128xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta) {offsets = array<i64: 0, 64>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    %m1 = "plgpu.transpose"(%m0) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m2) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @a_transposed_twice_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %a2 = "plgpu.transpose"(%a1) {permutation = array<i64: 1, 0>} : (memref<128x64xf16, "smem">) -> memref<64x128xf16, "smem">
    %a3 = "plgpu.transpose"(%a2) {permutation = array<i64: 1, 0>} : (memref<64x128xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a3, %b2, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @full_slice() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @columns() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x128xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta) {offsets = array<i64: 0, 64>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @columns_at_run_time() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %c32 = "plgpu.constant"() {value = 32 : i32} : () -> i32
    %at = "plgpu.primitive"(%i, %c32) {name = "mul"} : (i32, i32) -> i32
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x128xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %at) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @batch_indexed() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", batch = array<i64: 2>, collective = false} : () -> memref<128x128xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.expand_batch"(%meta) {batch = array<i64: 2>} : (memref<128x128xui2, "tmem">) -> memref<2x128x64xui2, "tmem">
    %m1 = "plgpu.slice"(%m0) {offsets = array<i64: 1, 0, 0>, sizes = array<i64: 1, 128, 64>, dropped = array<i64: 0>} : (memref<2x128x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m1) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @promise_before_0_11() attributes {plgpu.semantics = "warpgroup", plgpu.jax = array<i64: 0, 10, 2>} {
  "plgpu.run_scoped"() ({
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %at = "plgpu.multiple_of"(%i) {values = array<i64: 32>} : (i32) -> i32
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x128xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %at) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @copy_source_transposed_twice() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
    %s0 = "plgpu.transpose"(%tile) {permutation = array<i64: 0, 1, 3, 2>} : (memref<1x1x128x64xui2, "smem">) -> memref<1x1x64x128xui2, "smem">
    %s1 = "plgpu.transpose"(%s0) {permutation = array<i64: 0, 1, 3, 2>} : (memref<1x1x64x128xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%s1, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @slice_of_a_transpose() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem"} : () -> memref<128x256xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.transpose"(%b) {permutation = array<i64: 1, 0>} : (memref<128x256xf16, "smem">) -> memref<256x128xf16, "smem">
    %b1 = "plgpu.slice"(%b0) {offsets = array<i64: 128, 0>, sizes = array<i64: 128, 128>} : (memref<256x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b1, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @different_swizzles_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 64>, swizzle = 128 : i64} : () -> memref<16x2x8x64xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 128 : i64} : (memref<16x2x8x64xf16, "smem">) -> memref<16x2x8x64xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 64>} : (memref<16x2x8x64xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @index_behind_another_three_cycle() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<2x16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<2x16x4x8x32xf16, "smem">) -> memref<2x16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<2x16x4x8x32xf16, "smem">) -> memref<2x128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 2, 0, 1>} : (memref<2x128x128xf16, "smem">) -> memref<128x2x128xf16, "smem">
    %b3 = "plgpu.slice"(%b2) {offsets = array<i64: 0, 1, 0>, sizes = array<i64: 128, 1, 128>, dropped = array<i64: 1>} : (memref<128x2x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b3, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @unknown_transform() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.unknown_transform"(%meta) {class = "FutureTransform"} : (memref<128x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}
