// RUN: mosaic-verify-opt %s --plgpu-complete-collective --split-input-file | %filecheck %s

// CHECK-LABEL: @copy
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"{{.*}}collective_axis = "pair"
// CHECK: "plgpu.tcgen05_mma"{{.*}}collective_axis = "pair"
func.func @copy(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.cluster = array<i64: 2>, plgpu.cluster_names = ["pair"]} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x64xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = true, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = true, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %ready = "plgpu.alloc"() {name = "ready", arrivals = 1 : i64, orders_tensor_core = true, cluster_axes = ["pair"], leader_tracked = false} : () -> memref<i64, "barrier">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_arrive"(%ready) : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%ready) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {collective_axis = "pair", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x64xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// CHECK-LABEL: @commit
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"{{.*}}collective_axis = "pair"
// CHECK: "plgpu.tcgen05_mma"
// CHECK: "plgpu.tcgen05_commit_arrive"{{.*}}collective_axis = "pair"
func.func @commit(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.cluster = array<i64: 2>, plgpu.cluster_names = ["pair"]} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x64xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = true, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = true, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %ready = "plgpu.alloc"() {name = "ready", arrivals = 1 : i64, orders_tensor_core = true, cluster_axes = ["pair"], leader_tracked = false} : () -> memref<i64, "barrier">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_arrive"(%ready) : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%ready) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) {collective_axis = "pair"} : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %meta_tmem) {collective_axis = "pair", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x64xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_commit_arrive"(%done) {operandSegmentSizes = array<i32: 1, 0>} : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// The copy would read what the other block has perhaps not loaded.
// CHECK-LABEL: @no_cluster_barrier
// CHECK: "plgpu.async_copy_sparse_metadata_to_tmem"(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}) :
func.func @no_cluster_barrier(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.cluster = array<i64: 2>, plgpu.cluster_names = ["pair"]} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x64xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = true, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = true, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %ready = "plgpu.alloc"() {name = "ready", arrivals = 1 : i64, orders_tensor_core = true, cluster_axes = ["pair"], leader_tracked = false} : () -> memref<i64, "barrier">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {collective_axis = "pair", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x64xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// CHECK-LABEL: @no_collective_op
// CHECK-NOT: collective_axis
func.func @no_collective_op(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.cluster = array<i64: 2>, plgpu.cluster_names = ["pair"]} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x64xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = true, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = true, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %ready = "plgpu.alloc"() {name = "ready", arrivals = 1 : i64, orders_tensor_core = true, cluster_axes = ["pair"], leader_tracked = false} : () -> memref<i64, "barrier">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_arrive"(%ready) : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%ready) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x64xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}
