// RUN: mosaic-verify-opt %s --plgpu-fold-transforms=exact=true | %filecheck %s

// JAX compiles this to another program than it says; mending that is no exact rewrite.
// CHECK: "plgpu.transpose"({{.*}}) {permutation = array<i64: 1, 2, 0>}
// CHECK: "plgpu.slice"({{.*}}) {dropped = array<i64: 2>
func.func @index_behind_a_three_cycle() attributes {plgpu.semantics = "lane"} {
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
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 2, 0>} : (memref<2x128x128xf16, "smem">) -> memref<128x128x2xf16, "smem">
    %b3 = "plgpu.slice"(%b2) {offsets = array<i64: 0, 0, 1>, sizes = array<i64: 128, 128, 1>, dropped = array<i64: 2>} : (memref<128x128x2xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b3, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}
