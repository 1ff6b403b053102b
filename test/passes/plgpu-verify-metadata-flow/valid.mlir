// RUN: mosaic-verify-opt %s --plgpu-verify-metadata-flow --split-input-file --verify-diagnostics

func.func @mv701(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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

func.func @mv702(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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

func.func @mv703(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %wide = "plgpu.alloc"() {name = "wide", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  %left = "plgpu.slice"(%wide) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %left) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %left) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv704(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv705(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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

func.func @mv706(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %both = "plgpu.alloc"() {union, name = "both", layout = "default", collective = false, columns = 132 : i64} : () -> memref<128x132xi32, "tmem">
  %acc = "plgpu.alias"(%both) {offset = 0 : i64, group = 0 : i64, layout = "default"} : (memref<128x132xi32, "tmem">) -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alias"(%both) {offset = 128 : i64, group = 0 : i64, layout = "sparse_metadata"} : (memref<128x132xi32, "tmem">) -> memref<128x64xui2, "tmem">
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

func.func @mv707(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.num_threads = 2 : i64, plgpu.thread_name = "wg"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %copied = "plgpu.alloc"() {name = "copied", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %group = "plgpu.axis_index"() {axis = "wg"} : () -> i32
  %one = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %second = "plgpu.primitive"(%group, %one) {name = "eq"} : (i32, i32) -> i1
  %is_second = "plgpu.primitive"(%second) {name = "convert_element_type"} : (i1) -> i32
  %first = "plgpu.primitive"(%group, %one) {name = "ne"} : (i32, i32) -> i1
  %is_first = "plgpu.primitive"(%first) {name = "convert_element_type"} : (i1) -> i32
  "plgpu.cond"(%is_second) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_arrive"(%copied) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.barrier_wait"(%copied) : (memref<i64, "barrier">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  return
}

// -----

func.func @mv708(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.num_threads = 2 : i64, plgpu.thread_name = "wg"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %copied = "plgpu.alloc"() {name = "copied", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %group = "plgpu.axis_index"() {axis = "wg"} : () -> i32
  %one = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %second = "plgpu.primitive"(%group, %one) {name = "eq"} : (i32, i32) -> i1
  %is_second = "plgpu.primitive"(%second) {name = "convert_element_type"} : (i1) -> i32
  %first = "plgpu.primitive"(%group, %one) {name = "ne"} : (i32, i32) -> i1
  %is_first = "plgpu.primitive"(%first) {name = "convert_element_type"} : (i1) -> i32
  "plgpu.cond"(%is_second) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_commit_arrive"(%copied) {operandSegmentSizes = array<i32: 1, 0>} : (memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_commit_arrive"(%copied) {operandSegmentSizes = array<i32: 1, 0>} : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.barrier_wait"(%copied) : (memref<i64, "barrier">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  return
}

// -----

func.func @mv709(%a: memref<128x128xf16, "gmem">, %b: memref<256x128xf16, "gmem">, %gmem: memref<1x2x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 3 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %a0 = "plgpu.slice"(%a) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x128xf16, "gmem">) -> memref<128x64xf16, "gmem">
  %b0 = "plgpu.slice"(%b) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 128>} : (memref<256x128xf16, "gmem">) -> memref<128x128xf16, "gmem">
  %m0 = "plgpu.slice"(%gmem) {offsets = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 1, 128, 64>} : (memref<1x2x128x64xui2, "gmem">) -> memref<1x1x128x64xui2, "gmem">
  "plgpu.copy_gmem_to_smem"(%a0, %a_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<128x64xf16, "gmem">, memref<128x64xf16, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.copy_gmem_to_smem"(%b0, %b_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<128x128xf16, "gmem">, memref<128x128xf16, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.copy_gmem_to_smem"(%m0, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv710(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup", plgpu.cluster = array<i64: 2>, plgpu.cluster_names = ["pair"]} {
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
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {collective_axis = "pair", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x64xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv711(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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

func.func @mv712(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_commit_arrive"(%done) {operandSegmentSizes = array<i32: 1, 0>} : (memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv713(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xi8, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xi8, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xi32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xi32, "tmem">, memref<128x64xi8, "smem">, memref<128x128xi8, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv703_next_stage(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %wide = "plgpu.alloc"() {name = "wide", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
  %zero = "plgpu.constant"() {value = 0 : i32} : () -> i32
  %step = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %two = "plgpu.constant"() {value = 2 : i32} : () -> i32
  %size = "plgpu.constant"() {value = 64 : i32} : () -> i32
  %in = "plgpu.scan"(%zero) ({
  ^bb0(%i: i32):
    %i1 = "plgpu.primitive"(%i, %step) {name = "add"} : (i32, i32) -> i32
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    %s = "plgpu.primitive"(%i, %two) {name = "rem"} : (i32, i32) -> i32
    %c = "plgpu.primitive"(%s, %size) {name = "mul"} : (i32, i32) -> i32
    %w = "plgpu.slice"(%wide, %c) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %w) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %j = "plgpu.primitive"(%i, %zero) {name = "add"} : (i32, i32) -> i32
    %t = "plgpu.primitive"(%j, %two) {name = "rem"} : (i32, i32) -> i32
    %d = "plgpu.primitive"(%t, %size) {name = "mul"} : (i32, i32) -> i32
    %r = "plgpu.slice"(%wide, %d) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"(%i1) : (i32) -> ()
  }) {length = 4 : i64, num_carry = 1 : i64} : (i32) -> i32
  return
}

// -----

func.func @mv702_in_a_loop(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %zero = "plgpu.constant"() {value = 0 : i32} : () -> i32
  %step = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %two = "plgpu.constant"() {value = 2 : i32} : () -> i32
  %size = "plgpu.constant"() {value = 64 : i32} : () -> i32
  %in = "plgpu.scan"(%zero) ({
  ^bb0(%i: i32):
    %i1 = "plgpu.primitive"(%i, %step) {name = "add"} : (i32, i32) -> i32
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"(%i1) : (i32) -> ()
  }) {length = 4 : i64, num_carry = 1 : i64} : (i32) -> i32
  return
}

// -----

func.func @mv704_next_iteration(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %zero = "plgpu.constant"() {value = 0 : i32} : () -> i32
  %step = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %two = "plgpu.constant"() {value = 2 : i32} : () -> i32
  %size = "plgpu.constant"() {value = 64 : i32} : () -> i32
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  %in = "plgpu.scan"(%zero) ({
  ^bb0(%i: i32):
    %i1 = "plgpu.primitive"(%i, %step) {name = "add"} : (i32, i32) -> i32
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.yield"(%i1) : (i32) -> ()
  }) {length = 4 : i64, num_carry = 1 : i64} : (i32) -> i32
  return
}

// -----

func.func @mv704_registers(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  return
}

// -----

func.func @mv711_other_barrier(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %other = "plgpu.alloc"() {name = "other", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %spare = "plgpu.alloc"() {name = "spare", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %other) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%other) : (memref<i64, "barrier">) -> ()
  "plgpu.copy_gmem_to_smem"(%gmem, %spare, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%spare, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv712_not_enough_arrivals(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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

func.func @mv703_other_ref(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
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

// Nothing is said where it depends on a value that is known only at run time.
func.func @conditional_copy_and_mma(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %flag = "plgpu.alloc"() {name = "flag", bytes = 4 : i64} : () -> memref<i32, "smem">
  %v = "plgpu.get"(%flag) : (memref<i32, "smem">) -> i32
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.cond"(%v) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// Both happen or neither does.
func.func @same_condition_twice(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %flag = "plgpu.alloc"() {name = "flag", bytes = 4 : i64} : () -> memref<i32, "smem">
  %v = "plgpu.get"(%flag) : (memref<i32, "smem">) -> i32
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.cond"(%v) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%v) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  return
}

// -----

// What an unknown primitive does to the ref is anybody's guess.
func.func @unknown_primitive(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.unknown_primitive"(%meta_tmem) {name = "magic"} : (memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// So is what hand-written code does.
func.func @inline_mgpu(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.primitive"(%meta_tmem) {name = "inline_mgpu"} : (memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// An order of threads that is not seen.
func.func @semaphores(%gmem: memref<1x1x128x64xui2, "gmem">, %sem: memref<i32, "semaphore">) attributes {plgpu.semantics = "warpgroup", plgpu.num_threads = 2 : i64, plgpu.thread_name = "wg"} {
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
  "plgpu.cond"(%is_second) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.semaphore_signal"(%sem) : (memref<i32, "semaphore">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.semaphore_wait"(%sem) : (memref<i32, "semaphore">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  return
}

// -----

// Which stage is copied is known only at run time.
func.func @stage_known_at_run_time(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %wide = "plgpu.alloc"() {name = "wide", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
  %flag = "plgpu.alloc"() {name = "flag", bytes = 4 : i64} : () -> memref<i32, "smem">
  %zero = "plgpu.constant"() {value = 0 : i32} : () -> i32
  %step = "plgpu.constant"() {value = 1 : i32} : () -> i32
  %two = "plgpu.constant"() {value = 2 : i32} : () -> i32
  %size = "plgpu.constant"() {value = 64 : i32} : () -> i32
  %v = "plgpu.get"(%flag) : (memref<i32, "smem">) -> i32
  %c = "plgpu.primitive"(%v, %size) {name = "mul"} : (i32, i32) -> i32
  %w = "plgpu.slice"(%wide, %c) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %w) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  %left = "plgpu.slice"(%wide) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %left) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

// One cause, one error: MV130 is about the shape of the copy behind the MMA.
func.func @wrong_shape_is_told_elsewhere(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %wide = "plgpu.alloc"() {name = "wide", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  %left = "plgpu.slice"(%wide) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %left) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %wide) : (memref<1x1x128x64xui2, "smem">, memref<128x128xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}
