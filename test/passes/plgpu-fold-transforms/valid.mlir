// RUN: mosaic-verify-opt %s --plgpu-fold-transforms --split-input-file -o %t.folded
// RUN: mosaic-verify-opt %s --split-input-file -o %t.plain
// RUN: diff %t.plain %t.folded

// Nothing to fold: not a byte changes.

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
