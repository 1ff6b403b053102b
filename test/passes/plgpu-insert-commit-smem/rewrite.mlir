// RUN: mosaic-verify-opt %s --plgpu-insert-commit-smem --split-input-file | %filecheck %s

// CHECK-LABEL: @registers
// CHECK: "plgpu.swap"
// CHECK-NEXT: "plgpu.primitive"() {inserted, name = "commit_smem"}
// CHECK-NEXT: "plgpu.async_copy_sparse_metadata_to_tmem"
func.func @registers(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// Nothing is lacking.
// CHECK-LABEL: @committed
// CHECK-NOT: inserted
func.func @committed(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  "plgpu.primitive"() {name = "commit_smem"} : () -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// Not written from registers.
// CHECK-LABEL: @loaded
// CHECK-NOT: inserted
func.func @loaded(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// The fence belongs into the thread that wrote.
// CHECK-LABEL: @other_thread
// CHECK-NOT: inserted
func.func @other_thread(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.num_threads = 2 : i64, plgpu.thread_name = "wg"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %group = "plgpu.axis_index"() {axis = "wg"} : () -> i32
  %one = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %second = "plgpu.primitive"(%group, %one) {name = "eq"} : (i32, i32) -> i1
  %is_second = "plgpu.primitive"(%second) {name = "convert_element_type"} : (i1) -> i32
  %first = "plgpu.primitive"(%group, %one) {name = "ne"} : (i32, i32) -> i1
  %is_first = "plgpu.primitive"(%first) {name = "convert_element_type"} : (i1) -> i32
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  "plgpu.cond"(%is_second) ({
    "plgpu.yield"() : () -> ()
  }, {
    %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  return
}

// -----

// Code of single warps has no such primitive.
// CHECK-LABEL: @one_warp
// CHECK-NOT: inserted
func.func @one_warp(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  "plgpu.core_map"() ({
    %warp = "plgpu.axis_index"() {axis = "warp"} : () -> i32
    %one = "plgpu.constant"() {value = 1 : i32} : () -> i32
    %me = "plgpu.primitive"(%warp, %one) {name = "eq"} : (i32, i32) -> i1
    %is = "plgpu.primitive"(%me) {name = "convert_element_type"} : (i1) -> i32
    "plgpu.cond"(%is) ({
      "plgpu.yield"() : () -> ()
    }, {
      "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
      "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
      "plgpu.tcgen05_commit_arrive"(%done) {operandSegmentSizes = array<i32: 1, 0>} : (memref<i64, "barrier">) -> ()
      "plgpu.yield"() : () -> ()
    }) : (i32) -> ()
    "plgpu.yield"() : () -> ()
  }) {mesh = "warp"} : () -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}
