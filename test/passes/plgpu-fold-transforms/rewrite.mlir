// RUN: mosaic-verify-opt %s --plgpu-fold-transforms --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @pair_lane(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @pair_lane() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m1 = "plgpu.transpose"(%m0) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m1) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @pair_warpgroup(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @pair_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m1 = "plgpu.transpose"(%m0) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m1) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @identity_permutation(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @identity_permutation() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 0, 1>} : (memref<128x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @three_cycle(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @three_cycle() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.reshape"(%meta) : (memref<128x64xui2, "tmem">) -> memref<2x64x64xui2, "tmem">
    %m1 = "plgpu.transpose"(%m0) {permutation = array<i64: 1, 2, 0>} : (memref<2x64x64xui2, "tmem">) -> memref<64x64x2xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 1, 2, 0>} : (memref<64x64x2xui2, "tmem">) -> memref<64x2x64xui2, "tmem">
    %m3 = "plgpu.transpose"(%m2) {permutation = array<i64: 1, 2, 0>} : (memref<64x2x64xui2, "tmem">) -> memref<2x64x64xui2, "tmem">
    %m4 = "plgpu.reshape"(%m3) : (memref<2x64x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m4) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @reshape_and_back(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @reshape_and_back() attributes {plgpu.semantics = "lane"} {
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
    %m1 = "plgpu.reshape"(%m0) : (memref<64x128xui2, "tmem">) -> memref<8192xui2, "tmem">
    %m2 = "plgpu.reshape"(%m1) : (memref<8192xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m2) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @full_slice(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
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

// CHECK-LABEL: func.func @bitcast_and_back(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @bitcast_and_back() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.bitcast"(%meta) : (memref<128x64xui2, "tmem">) -> memref<128x64xi2, "tmem">
    %m1 = "plgpu.bitcast"(%m0) : (memref<128x64xi2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m1) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @transpose_around_a_full_slice(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK-NOT: plgpu.transpose"([[META]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @transpose_around_a_full_slice() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m1 = "plgpu.slice"(%m0) {offsets = array<i64: 0, 0>, sizes = array<i64: 64, 128>} : (memref<64x128xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m2) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @copy_target(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"({{.*}}, [[META]])
func.func @copy_target() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
    %d0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %d1 = "plgpu.transpose"(%d0) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %d1) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @slices_merge(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK: [[CUT:%[0-9a-z_]+]] = "plgpu.slice"([[META]]) {offsets = array<i64: 0, 96>, sizes = array<i64: 128, 64>}
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[CUT]]) {
func.func @slices_merge() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x256xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta) {offsets = array<i64: 0, 64>, sizes = array<i64: 128, 128>} : (memref<128x256xui2, "tmem">) -> memref<128x128xui2, "tmem">
    %m1 = "plgpu.slice"(%m0) {offsets = array<i64: 0, 32>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m1) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @slice_between_transposes(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK: [[CUT:%[0-9a-z_]+]] = "plgpu.slice"([[META]]) {offsets = array<i64: 0, 64>, sizes = array<i64: 128, 64>}
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[CUT]]) {
func.func @slice_between_transposes() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x128xui2, "tmem">) -> memref<128x128xui2, "tmem">
    %m1 = "plgpu.slice"(%m0) {offsets = array<i64: 64, 0>, sizes = array<i64: 64, 128>} : (memref<128x128xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m2) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @run_time_slice_between_transposes(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK: [[CUT:%[0-9a-z_]+]] = "plgpu.slice"([[META]], %{{.*}}) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>}
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[CUT]]) {
func.func @run_time_slice_between_transposes() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %c64 = "plgpu.constant"() {value = 64 : i32} : () -> i32
    %at = "plgpu.primitive"(%i, %c64) {name = "mul"} : (i32, i32) -> i32
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x128xui2, "tmem">) -> memref<128x128xui2, "tmem">
    %m1 = "plgpu.slice"(%m0, %at) {offsets = array<i64: -9223372036854775808, 0>, sizes = array<i64: 64, 128>} : (memref<128x128xui2, "tmem">, i32) -> memref<64x128xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m2) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @transposes_behind_a_batch(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK: [[BATCH:%[0-9a-z_]+]] = "plgpu.expand_batch"([[META]])
// CHECK-NOT: plgpu.transpose"([[BATCH]])
// CHECK: [[ONE:%[0-9a-z_]+]] = "plgpu.slice"([[BATCH]])
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[ONE]]) {
func.func @transposes_behind_a_batch() attributes {plgpu.semantics = "lane"} {
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
    %m1 = "plgpu.transpose"(%m0) {permutation = array<i64: 0, 2, 1>} : (memref<2x128x64xui2, "tmem">) -> memref<2x64x128xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 0, 2, 1>} : (memref<2x64x128xui2, "tmem">) -> memref<2x128x64xui2, "tmem">
    %m3 = "plgpu.slice"(%m2) {offsets = array<i64: 1, 0, 0>, sizes = array<i64: 1, 128, 64>, dropped = array<i64: 0>} : (memref<2x128x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m3) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @a_transposed_twice(
// CHECK: [[A:%[0-9a-z_]+]] = "plgpu.untile"(%{{[0-9a-z_]+}}) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">)
// CHECK: "plgpu.tcgen05_mma"(%{{[0-9a-z_]+}}, [[A]], 
func.func @a_transposed_twice() attributes {plgpu.semantics = "lane"} {
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

// CHECK-LABEL: func.func @a_unfolded_and_back(
// CHECK: [[A:%[0-9a-z_]+]] = "plgpu.untile"(%{{[0-9a-z_]+}}) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">)
// CHECK: "plgpu.tcgen05_mma"(%{{[0-9a-z_]+}}, [[A]], 
func.func @a_unfolded_and_back() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %a2 = "plgpu.reshape"(%a1) : (memref<128x64xf16, "smem">) -> memref<8x16x64xf16, "smem">
    %a3 = "plgpu.reshape"(%a2) : (memref<8x16x64xf16, "smem">) -> memref<128x64xf16, "smem">
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

// CHECK-LABEL: func.func @a_bitcast_and_back(
// CHECK: [[A:%[0-9a-z_]+]] = "plgpu.untile"(%{{[0-9a-z_]+}}) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">)
// CHECK: "plgpu.tcgen05_mma"(%{{[0-9a-z_]+}}, [[A]], 
func.func @a_bitcast_and_back() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %a2 = "plgpu.bitcast"(%a1) : (memref<128x64xf16, "smem">) -> memref<128x64xbf16, "smem">
    %a3 = "plgpu.bitcast"(%a2) : (memref<128x64xbf16, "smem">) -> memref<128x64xf16, "smem">
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

// CHECK-LABEL: func.func @b_transposed_three_times(
// CHECK: [[B:%[0-9a-z_]+]] = "plgpu.untile"(%{{[0-9a-z_]+}}) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">)
// CHECK: [[T:%[0-9a-z_]+]] = "plgpu.transpose"([[B]]) {permutation = array<i64: 1, 0>}
// CHECK: "plgpu.tcgen05_mma"(%{{[0-9a-z_]+}}, %{{[0-9a-z_]+}}, [[T]], 
func.func @b_transposed_three_times() attributes {plgpu.semantics = "lane"} {
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
    %b3 = "plgpu.transpose"(%b2) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %b4 = "plgpu.transpose"(%b3) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b4, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @slice_of_a_transpose_before_0_11(
// CHECK: [[B:%[0-9a-z_]+]] = "plgpu.alloc"() {name = "b_smem"}
// CHECK: [[CUT:%[0-9a-z_]+]] = "plgpu.slice"([[B]]) {offsets = array<i64: 0, 128>, sizes = array<i64: 128, 128>}
// CHECK: [[T:%[0-9a-z_]+]] = "plgpu.transpose"([[CUT]]) {permutation = array<i64: 1, 0>}
// CHECK: "plgpu.tcgen05_mma"(%{{[0-9a-z_]+}}, %{{[0-9a-z_]+}}, [[T]], 
func.func @slice_of_a_transpose_before_0_11() attributes {plgpu.semantics = "warpgroup", plgpu.jax = array<i64: 0, 10, 2>} {
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

// CHECK-LABEL: func.func @allocated_transposed(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {collective = false, columns = 4 : i64, layout = "sparse_metadata", name = "meta_tmem"} : () -> memref<128x64xui2, "tmem">
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"({{.*}}, [[META]])
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[META]]) {
func.func @allocated_transposed() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<64x128xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
    %d0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %d0) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @transposed_at_one_use_only(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"{{.*}} memref<128x128xui2, "tmem">
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"({{.*}}, [[META]])
// CHECK: [[T:%[0-9a-z_]+]] = "plgpu.transpose"([[META]])
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[T]]) {
func.func @transposed_at_one_use_only() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x128xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x2x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %meta) : (memref<1x2x128x64xui2, "smem">, memref<128x128xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x128xui2, "tmem">) -> memref<128x128xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x128xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @layout_of_metadata(
// CHECK: "plgpu.alloc"() {collective = false, columns = 4 : i64, layout = "sparse_metadata", name = "meta_tmem"}
func.func @layout_of_metadata() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "default", columns = 64 : i64, collective = false} : () -> memref<128x64xui2, "tmem">
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

// CHECK-LABEL: func.func @tiled_tile(
// CHECK: [[TILE:%[0-9a-z_]+]] = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
// CHECK-NOT: "plgpu.untile"([[TILE]])
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"([[TILE]], 
func.func @tiled_tile() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem", tiling = array<i64: 8, 64>} : () -> memref<1x1x16x1x8x64xui2, "smem">
    %s0 = "plgpu.untile"(%tile) {tiling = array<i64: 8, 64>} : (memref<1x1x16x1x8x64xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%s0, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @k_tile(
// CHECK: [[TILE:%[0-9a-z_]+]] = "plgpu.alloc"() {name = "meta_smem"}
// CHECK: [[ROWS:%[0-9a-z_]+]] = "plgpu.slice"([[TILE]]) {dropped = array<i64: 0, 1>, offsets = array<i64: 0, 1, 0, 0>, sizes = array<i64: 1, 1, 128, 64>}
// CHECK: [[CONTIGUOUS:%[0-9a-z_]+]] = "plgpu.reshape"([[ROWS]]) : (memref<128x64xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"([[CONTIGUOUS]], 
func.func @k_tile() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x2x128x64xui2, "smem">
    %s0 = "plgpu.slice"(%tile) {offsets = array<i64: 0, 1, 0, 0>, sizes = array<i64: 1, 1, 128, 64>} : (memref<1x2x128x64xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%s0, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @k_tile_before_0_11(
// CHECK: [[TILES:%[0-9a-z_]+]] = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<2x1x128x64xui2, "smem">
// CHECK: [[TILE:%[0-9a-z_]+]] = "plgpu.slice"([[TILES]]) {offsets = array<i64: 1, 0, 0, 0>, sizes = array<i64: 1, 1, 128, 64>}
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"([[TILE]], 
func.func @k_tile_before_0_11() attributes {plgpu.semantics = "warpgroup", plgpu.jax = array<i64: 0, 10, 2>} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x2x128x64xui2, "smem">
    %s0 = "plgpu.slice"(%tile) {offsets = array<i64: 0, 1, 0, 0>, sizes = array<i64: 1, 1, 128, 64>} : (memref<1x2x128x64xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%s0, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @equal_swizzles(
// CHECK: "plgpu.alloc"() {name = "a_smem", swizzle = 64 : i64, tiling = array<i64: 8, 32>} : () -> memref<16x2x8x32xf16, "smem">
// CHECK: "plgpu.alloc"() {name = "b_smem", swizzle = 64 : i64, tiling = array<i64: 8, 32>} : () -> memref<16x4x8x32xf16, "smem">
// CHECK: "plgpu.unswizzle"({{.*}}) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">)
// CHECK: "plgpu.unswizzle"({{.*}}) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">)
func.func @equal_swizzles() attributes {plgpu.semantics = "lane"} {
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

// CHECK-LABEL: func.func @different_swizzles_in_warpgroup(
// CHECK: "plgpu.alloc"() {name = "a_smem", swizzle = 64 : i64
// CHECK: "plgpu.alloc"() {name = "b_smem", swizzle = 128 : i64
func.func @different_swizzles_in_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
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

// CHECK-LABEL: func.func @index_behind_a_three_cycle(
// CHECK: [[B:%[0-9a-z_]+]] = "plgpu.untile"({{.*}} -> memref<2x128x128xf16, "smem">
// CHECK: [[ONE:%[0-9a-z_]+]] = "plgpu.slice"([[B]]) {dropped = array<i64: 0>, offsets = array<i64: 1, 0, 0>
// CHECK: "plgpu.tcgen05_mma"(%{{[0-9a-z_]+}}, %{{[0-9a-z_]+}}, [[ONE]], 
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

// -----

// CHECK-LABEL: func.func @member_of_a_union(
// CHECK: [[MEMBER:%[0-9a-z_]+]] = "plgpu.alias"
// CHECK-NOT: plgpu.transpose"([[MEMBER]]
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[MEMBER]]) {
func.func @member_of_a_union() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", union, collective = false} : () -> memref<128x64xi32, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.alias"(%meta) {offset = 0 : i64, group = 0 : i64, layout = "sparse_metadata"} : (memref<128x64xi32, "tmem">) -> memref<128x64xui2, "tmem">
    %m1 = "plgpu.transpose"(%m0) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    %m2 = "plgpu.transpose"(%m1) {permutation = array<i64: 1, 0>} : (memref<64x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m2) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @what_moves_elements_stays(
// CHECK: [[META:%[0-9a-z_]+]] = "plgpu.alloc"() {{.*}}name = "meta_tmem"
// CHECK: [[T:%[0-9a-z_]+]] = "plgpu.transpose"([[META]])
// CHECK: "plgpu.tcgen05_mma"({{.*}}, [[T]]) {
func.func @what_moves_elements_stays() attributes {plgpu.semantics = "lane"} {
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
    %m0 = "plgpu.transpose"(%meta) {permutation = array<i64: 1, 0>} : (memref<128x64xui2, "tmem">) -> memref<64x128xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<64x128xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @layout_of_what_is_loaded_too(
// CHECK: "plgpu.alloc"() {{.*}}layout = "default", name = "meta_tmem"}
func.func @layout_of_what_is_loaded_too() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "default", columns = 64 : i64, collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem"} : () -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%tile, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %meta) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    %loaded = "plgpu.async_load_tmem"(%meta) : (memref<128x64xui2, "tmem">) -> tensor<128x64xui2>
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @tile_that_is_read_too(
// CHECK: "plgpu.alloc"() {name = "meta_smem", tiling = array<i64: 8, 64>}
func.func @tile_that_is_read_too() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "meta_smem", tiling = array<i64: 8, 64>} : () -> memref<1x1x16x1x8x64xui2, "smem">
    %s0 = "plgpu.untile"(%tile) {tiling = array<i64: 8, 64>} : (memref<1x1x16x1x8x64xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%s0, %meta) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %read = "plgpu.get"(%s0) : (memref<1x1x128x64xui2, "smem">) -> tensor<1x1x128x64xui2>
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @swizzles_of_refs_that_are_read(
// CHECK: "plgpu.alloc"() {name = "a_smem", swizzle = 64 : i64
// CHECK: "plgpu.alloc"() {name = "b_smem", swizzle = 128 : i64
func.func @swizzles_of_refs_that_are_read() attributes {plgpu.semantics = "lane"} {
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
    %read = "plgpu.get"(%a1) : (memref<128x64xf16, "smem">) -> tensor<128x64xf16>
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @promised_start(
// CHECK: %[[MASK:.*]] = "plgpu.constant"() {value = -16 : i32}
// CHECK-NEXT: %[[START:.*]] = "plgpu.primitive"(%{{.*}}, %[[MASK]]) {name = "and"}
// CHECK-NEXT: "plgpu.slice"(%{{.*}}, %[[START]])
func.func @promised_start() attributes {plgpu.semantics = "lane", plgpu.grid = array<i64: 4>, plgpu.grid_names = ["block"]} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %start = "plgpu.multiple_of"(%i) {values = array<i64: 64>} : (i32) -> i32
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x256xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %start) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x256xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @promised_start_wg(
// CHECK: %[[MASK:.*]] = "plgpu.constant"() {value = -16 : i32}
// CHECK-NEXT: %[[START:.*]] = "plgpu.primitive"(%{{.*}}, %[[MASK]]) {name = "and"}
// CHECK-NEXT: "plgpu.slice"(%{{.*}}, %[[START]])
func.func @promised_start_wg() attributes {plgpu.semantics = "warpgroup", plgpu.grid = array<i64: 4>, plgpu.grid_names = ["block"]} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %start = "plgpu.multiple_of"(%i) {values = array<i64: 64>} : (i32) -> i32
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x256xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %start) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x256xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @shifted_start(
// CHECK: %[[MASK:.*]] = "plgpu.constant"() {value = -16 : i32}
// CHECK-NEXT: %[[START:.*]] = "plgpu.primitive"(%{{.*}}, %[[MASK]]) {name = "and"}
// CHECK-NEXT: "plgpu.slice"(%{{.*}}, %[[START]])
func.func @shifted_start() attributes {plgpu.semantics = "lane", plgpu.grid = array<i64: 4>, plgpu.grid_names = ["block"]} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %six = "plgpu.constant"() {value = 6 : i32} : () -> i32
    %start = "plgpu.primitive"(%i, %six) {name = "shift_left"} : (i32, i32) -> i32
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x256xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %start) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x256xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @visible_start(
// CHECK-NOT: value = -16
func.func @visible_start() attributes {plgpu.semantics = "lane", plgpu.grid = array<i64: 4>, plgpu.grid_names = ["block"]} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %n = "plgpu.constant"() {value = 64 : i32} : () -> i32
    %start = "plgpu.primitive"(%i, %n) {name = "mul"} : (i32, i32) -> i32
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x256xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %start) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x256xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @start_with_too_small_a_promise(
// CHECK-NOT: value = -16
func.func @start_with_too_small_a_promise() attributes {plgpu.semantics = "lane", plgpu.grid = array<i64: 4>, plgpu.grid_names = ["block"]} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %i = "plgpu.axis_index"() {axis = "block"} : () -> i32
    %start = "plgpu.multiple_of"(%i) {values = array<i64: 8>} : (i32) -> i32
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false} : () -> memref<128x128xf32, "tmem">
    %meta = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false} : () -> memref<128x256xui2, "tmem">
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    %m0 = "plgpu.slice"(%meta, %start) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x256xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %m0) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}
