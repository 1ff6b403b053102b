// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(plgpu-verify-metadata-flow{report-unknown=true})' --split-input-file --verify-diagnostics=only-expected

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
  // expected-remark @below {{'plgpu.tcgen05_mma' op the dataflow of the metadata cannot be decided here: it depends on what is known only at run time [MV714]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

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
  // expected-remark @below {{'plgpu.tcgen05_mma' op the dataflow of the metadata cannot be decided here: an unknown primitive (magic) [MV714]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

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
  // expected-remark @below {{'plgpu.tcgen05_mma' op the dataflow of the metadata cannot be decided here: inline_mgpu [MV714]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

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
    // expected-remark @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op the dataflow of the metadata cannot be decided here: semaphores [MV714]}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.semaphore_signal"(%sem) : (memref<i32, "semaphore">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.semaphore_wait"(%sem) : (memref<i32, "semaphore">) -> ()
    // expected-remark @below {{'plgpu.tcgen05_mma' op the dataflow of the metadata cannot be decided here: semaphores [MV714]}}
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  return
}

// -----

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
  // expected-remark @below {{'plgpu.tcgen05_mma' op the dataflow of the metadata cannot be decided here: which part of a ref is written is known only at run time [MV714]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %left) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}
