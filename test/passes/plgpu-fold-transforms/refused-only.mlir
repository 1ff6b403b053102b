// RUN: mosaic-verify-opt %s --plgpu-fold-transforms=refused-only=true --split-input-file -o %t.folded
// RUN: mosaic-verify-opt %s --split-input-file -o %t.plain
// RUN: diff %t.plain %t.folded

// JAX lowers these as they stand: with `refused-only` nothing is changed.

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

func.func @reshape_and_back() attributes {plgpu.semantics = "warpgroup"} {
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

func.func @different_swizzles() attributes {plgpu.semantics = "warpgroup"} {
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

func.func @source() attributes {plgpu.semantics = "lane"} {
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
