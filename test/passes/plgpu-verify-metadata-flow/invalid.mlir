// RUN: mosaic-verify-opt %s --plgpu-verify-metadata-flow --split-input-file --verify-diagnostics=only-expected

func.func @mv701(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  // expected-note @below {{`meta_tmem`}}
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  // expected-error @below {{'plgpu.tcgen05_mma' op no copy writes the sparse metadata that this MMA reads [MV701]}}
  // expected-note @below {{it multiplies with whatever tensor memory holds}}
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
  // expected-note @below {{`meta_tmem`}}
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  // expected-error @below {{'plgpu.tcgen05_mma' op the sparse metadata is copied after the MMA that reads it [MV702]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  // expected-note @below {{the copy is issued here, behind the MMA}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
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
  // expected-note @below {{`wide`}}
  %wide = "plgpu.alloc"() {name = "wide", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  %right = "plgpu.slice"(%wide) {offsets = array<i64: 0, 64>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
  // expected-note @below {{this copy writes columns 4 to 7 of the ref}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %right) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  %left = "plgpu.slice"(%wide) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">) -> memref<128x64xui2, "tmem">
  // expected-error @below {{'plgpu.tcgen05_mma' op the MMA reads columns 0 to 3 of its metadata, but columns 0 to 3 were not copied [MV703]}}
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
  // expected-note @below {{`meta_smem`}}
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op the shared memory that this copy reads is overwritten by TMA before the copy is known to be complete [MV704]}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  // expected-note @below {{it is overwritten here}}
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}

// -----

func.func @mv705(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  // expected-note @below {{`meta_smem`}}
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  // expected-note @below {{it is written here}}
  %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op metadata written from registers is copied without `plgpu.commit_smem()` in between [MV705]}}
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
  // expected-note @below {{`both`}}
  %both = "plgpu.alloc"() {union, name = "both", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xi32, "tmem">
  %acc = "plgpu.alias"(%both) {offset = 0 : i64, group = 0 : i64, layout = "default"} : (memref<128x128xi32, "tmem">) -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alias"(%both) {offset = 0 : i64, group = 1 : i64, layout = "sparse_metadata"} : (memref<128x128xi32, "tmem">) -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  // expected-error @below {{'plgpu.tcgen05_mma' op the sparse metadata of this MMA overlaps its accumulator in tensor memory [MV706]}}
  // expected-note @below {{metadata in columns 0 to 3, the other in columns 0 to 127 of the allocation}}
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
  // expected-note @below {{`meta_tmem`}}
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
    // expected-note @below {{the copy is issued here}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    // expected-error @below {{'plgpu.tcgen05_mma' op the sparse metadata is copied by another thread, and nothing orders the copy before the MMA [MV707]}}
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
  // expected-note @below {{`meta_tmem`}}
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
    "plgpu.barrier_wait"(%copied) : (memref<i64, "barrier">) -> ()
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
    // expected-note @below {{it is overwritten here}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_commit_arrive"(%copied) {operandSegmentSizes = array<i32: 1, 0>} : (memref<i64, "barrier">) -> ()
    "plgpu.yield"() : () -> ()
  }) : (i32) -> ()
  "plgpu.cond"(%is_first) ({
    "plgpu.yield"() : () -> ()
  }, {
    "plgpu.barrier_wait"(%copied) : (memref<i64, "barrier">) -> ()
    // expected-error @below {{'plgpu.tcgen05_mma' op the sparse metadata is overwritten by another thread while this MMA may still read it [MV708]}}
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
  // expected-note @below {{`meta_tmem`}}
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %a0 = "plgpu.slice"(%a) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 64>} : (memref<128x128xf16, "gmem">) -> memref<128x64xf16, "gmem">
  %b0 = "plgpu.slice"(%b) {offsets = array<i64: 0, 0>, sizes = array<i64: 128, 128>} : (memref<256x128xf16, "gmem">) -> memref<128x128xf16, "gmem">
  %m0 = "plgpu.slice"(%gmem) {offsets = array<i64: 0, 1, 0, 0>, sizes = array<i64: 1, 1, 128, 64>} : (memref<1x2x128x64xui2, "gmem">) -> memref<1x1x128x64xui2, "gmem">
  "plgpu.copy_gmem_to_smem"(%a0, %a_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<128x64xf16, "gmem">, memref<128x64xf16, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.copy_gmem_to_smem"(%b0, %b_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<128x128xf16, "gmem">, memref<128x128xf16, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.copy_gmem_to_smem"(%m0, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  // expected-warning @below {{'plgpu.tcgen05_mma' op A and B of this MMA start at K = 0, its metadata belongs to K = 128 [MV709]}}
  // expected-note @below {{followed back through the copies to the arrays in global memory}}
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
  // expected-note @below {{`meta_smem`}}
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = true, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = true, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %ready = "plgpu.alloc"() {name = "ready", arrivals = 1 : i64, orders_tensor_core = true, cluster_axes = ["pair"], leader_tracked = false} : () -> memref<i64, "barrier">
  // expected-note @below {{the load of the other CTA}}
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op a collective copy reads the shared memory of both CTAs, but nothing says that the other CTA's load is complete [MV710]}}
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
  // expected-note @below {{`meta_smem`}}
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  // expected-note @below {{the load}}
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op metadata is copied before its load into shared memory was waited for [MV711]}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
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
  // expected-error @below {{'plgpu.tcgen05_mma' op nobody can observe that this MMA is complete: it has no barrier and no commit comes behind it [MV712]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<128x64xui2, "tmem">) -> ()
  return
}

// -----

func.func @mv713(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xui8, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xui8, "smem">
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xi32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  // expected-warning @below {{'plgpu.tcgen05_mma' op A and B of this MMA are uint8, but the instruction multiplies int8: values above 127 are taken as negative [MV713]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xi32, "tmem">, memref<128x64xui8, "smem">, memref<128x128xui8, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
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
  // expected-note @below {{`wide`}}
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
    // expected-note @below {{this copy in iteration 0 of the loop writes columns 0 to 3 of the ref}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %w) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %j = "plgpu.primitive"(%i, %step) {name = "add"} : (i32, i32) -> i32
    %t = "plgpu.primitive"(%j, %two) {name = "rem"} : (i32, i32) -> i32
    %d = "plgpu.primitive"(%t, %size) {name = "mul"} : (i32, i32) -> i32
    %r = "plgpu.slice"(%wide, %d) {offsets = array<i64: 0, -9223372036854775808>, sizes = array<i64: 128, 64>} : (memref<128x128xui2, "tmem">, i32) -> memref<128x64xui2, "tmem">
    // expected-error @below {{'plgpu.tcgen05_mma' op the MMA reads columns 4 to 7 of its metadata, but columns 4 to 7 were not copied in iteration 0 of the loop [MV703]}}
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
  // expected-note @below {{`meta_tmem`}}
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
    // expected-error @below {{'plgpu.tcgen05_mma' op the sparse metadata is copied after the MMA that reads it in iteration 0 of the loop [MV702]}}
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    // expected-note @below {{the copy is issued here, behind the MMA}}
    // expected-note @below {{also: the shared memory that this copy reads is overwritten by TMA before the copy is known to be complete in iteration 0 of the loop}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
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
  // expected-note @below {{`meta_smem`}}
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
    // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op the shared memory that this copy reads is overwritten by TMA before the copy is known to be complete in iteration 0 of the loop [MV704]}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
      : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    // expected-note @below {{it is overwritten here in iteration 0 of the loop}}
    "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
    "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
    "plgpu.yield"(%i1) : (i32) -> ()
  }) {length = 4 : i64, num_carry = 1 : i64} : (i32) -> i32
  return
}

// -----

func.func @mv704_registers(%gmem: memref<1x1x128x64xui2, "gmem">) attributes {plgpu.semantics = "warpgroup"} {
  %true = "plgpu.constant"() {value = true} : () -> i1
  %a_smem = "plgpu.alloc"() {name = "a_smem", bytes = 16384 : i64} : () -> memref<128x64xf16, "smem">
  %b_smem = "plgpu.alloc"() {name = "b_smem", bytes = 32768 : i64} : () -> memref<128x128xf16, "smem">
  // expected-note @below {{`meta_smem`}}
  %meta_smem = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  %loaded = "plgpu.alloc"() {name = "loaded", arrivals = 1 : i64, orders_tensor_core = false} : () -> memref<i64, "barrier">
  %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
  %acc = "plgpu.alloc"() {name = "acc", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %tile = "plgpu.get"(%gmem) : (memref<1x1x128x64xui2, "gmem">) -> tensor<1x1x128x64xui2>
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op the shared memory that this copy reads is overwritten by registers before the copy is known to be complete [MV704]}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  // expected-note @below {{it is overwritten here}}
  %old = "plgpu.swap"(%meta_smem, %tile) : (memref<1x1x128x64xui2, "smem">, tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
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
  // expected-note @below {{`spare`}}
  %spare = "plgpu.alloc"() {name = "spare", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %other) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%other) : (memref<i64, "barrier">) -> ()
  // expected-note @below {{the load}}
  "plgpu.copy_gmem_to_smem"(%gmem, %spare, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  // expected-error @below {{'plgpu.async_copy_sparse_metadata_to_tmem' op metadata is copied before its load into shared memory was waited for [MV711]}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%spare, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
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
  // expected-error @below {{'plgpu.barrier_wait' op waits for arrival 2 at a barrier that only 1 arrival reaches [MV712]}}
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
  // expected-note @below {{`meta_tmem`}}
  %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  %spare = "plgpu.alloc"() {name = "spare", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
  "plgpu.copy_gmem_to_smem"(%gmem, %meta_smem, %loaded) {operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (memref<1x1x128x64xui2, "gmem">, memref<1x1x128x64xui2, "smem">, memref<i64, "barrier">) -> ()
  "plgpu.barrier_wait"(%loaded) : (memref<i64, "barrier">) -> ()
  // expected-note @below {{this copy writes another ref}}
  "plgpu.async_copy_sparse_metadata_to_tmem"(%meta_smem, %spare) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
  // expected-error @below {{'plgpu.tcgen05_mma' op the sparse metadata of this MMA is in another ref than the copied one [MV703]}}
  "plgpu.tcgen05_mma"(%acc, %a_smem, %b_smem, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
    : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
  "plgpu.barrier_wait"(%done) : (memref<i64, "barrier">) -> ()
  return
}
