// RUN: mosaic-verify-opt %s --split-input-file | %filecheck %s
// RUN: mosaic-verify-opt %s --split-input-file --emit-bytecode -o %t.mlirbc
// RUN: mosaic-verify-opt %t.mlirbc | %filecheck %s

// Ref transforms are ops: a chain is an SSA chain.
// CHECK-LABEL: func.func @chains(
// CHECK-SAME: %[[META:.*]]: memref<2x128x128xui2, "tmem"> {plgpu.name = "meta_tmem"}
func.func @chains(%meta: memref<2x128x128xui2, "tmem"> {plgpu.name = "meta_tmem"}, %i: i32)
    attributes {plgpu.semantics = "warpgroup", plgpu.grid = array<i64: 2, 4>, plgpu.grid_names = ["m", "n"], plgpu.cluster = array<i64: 2>,
                plgpu.jax = array<i64: 0, 12, 0>, plgpu.arch = "sm_100a"} {
  // CHECK: %[[S:.*]] = "plgpu.slice"(%[[META]], %{{.*}}) {dropped = array<i64: 0>, offsets = array<i64: -9223372036854775808, 0, 64>, sizes = array<i64: 1, 128, 64>}
  %0 = "plgpu.slice"(%meta, %i) {offsets = array<i64: -9223372036854775808, 0, 64>, sizes = array<i64: 1, 128, 64>, dropped = array<i64: 0>}
      : (memref<2x128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
  // CHECK: %[[T:.*]] = "plgpu.transpose"(%[[S]]) {permutation = array<i64: 1, 0>}
  %1 = "plgpu.transpose"(%0) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
  // CHECK: "plgpu.reshape"(%[[T]])
  %2 = "plgpu.reshape"(%1) : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
  return
}

// Every primitive without an op of its own is one with its name, with its regions.
// CHECK-LABEL: func.func @primitives(
func.func @primitives(%x: tensor<8xf32>) attributes {plgpu.semantics = "lane"} {
  // CHECK: "plgpu.primitive"
  // CHECK-SAME: ({
  %0 = "plgpu.primitive"() ({
    // CHECK: {name = "sin"}
    %1 = "plgpu.primitive"(%x) {name = "sin"} : (tensor<8xf32>) -> tensor<8xf32>
    "plgpu.yield"(%1) : (tensor<8xf32>) -> ()
  }) {name = "jit"} : () -> tensor<8xf32>
  return
}
