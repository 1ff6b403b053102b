// RUN: mosaic-verify-opt %s --plgpu-verify-sparse-mma --split-input-file --verify-diagnostics=only-expected

func.func @mv101_columns_of_uncompressed_a() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 4096 : i64} : () -> memref<1x2x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x2x128x64xui2, "smem">, memref<128x128xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    // expected-error @below {{'plgpu.tcgen05_mma' op A sparse metadata shape mismatch: expected (128, 64), got (128, 128) [MV101]}}
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x128xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv101_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 4096 : i64} : () -> memref<1x2x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x2x128x64xui2, "smem">, memref<128x128xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    // expected-error @below {{'plgpu.tcgen05_mma' op A sparse metadata shape mismatch: expected (128, 64), got (128, 128) [MV101]}}
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x128xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv111_n() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 6144 : i64} : () -> memref<3x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 24 : i64} : () -> memref<128x24xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<3x4x8x32xf16, "smem">) -> memref<3x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<3x4x8x32xf16, "smem">) -> memref<24x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<24x128xf16, "smem">) -> memref<128x24xf16, "smem">
    // expected-error @below {{N must be a multiple of 16 for sparse MMA, but got N=24 [MV111]}}
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x24xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x24xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv117_small_b_tile() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 16>, swizzle = 32 : i64, bytes = 16384 : i64} : () -> memref<16x4x8x16xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 16>, swizzle = 32 : i64, bytes = 32768 : i64} : () -> memref<16x8x8x16xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 32 : i64} : (memref<16x4x8x16xf16, "smem">) -> memref<16x4x8x16xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 16>} : (memref<16x4x8x16xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 32 : i64} : (memref<16x8x8x16xf16, "smem">) -> memref<16x8x8x16xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 16>} : (memref<16x8x8x16xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    // expected-error @below {{B tiling too small. Increase swizzle or transpose the input. [MV117]}}
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv130_tiles() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 4096 : i64} : () -> memref<1x2x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    // expected-error @below {{SMEM has (1, 2, 128, 64), but expected (1, 1, 128, 64) for TMEM ref shape (128, 64) [MV130]}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x2x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv601_columns() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    // expected-error @below {{After rounding up, got 1024 columns, exceeding the limit of 512 [MV601]}}
    %more = "plgpu.alloc"() {name = "more_tmem", layout = "default", collective = false, columns = 512 : i64} : () -> memref<128x512xf32, "tmem">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv603_shared_memory() attributes {plgpu.semantics = "lane", plgpu.smem_limit = 50000 : i64} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    // expected-error @below {{Mosaic GPU kernel exceeds available shared memory: smem_bytes=51212 > max_smem_bytes=50000 [MV603]}}
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv604_copy_for_two() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    // expected-error @below {{Collective attributes are inconsistent across operations in the kernel. [MV604]}}
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) {collective_axis = "pair"} : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x128xf16, "smem">) -> memref<128x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @mv904_unknown(%ref: memref<128x64xui2, "tmem">) attributes {plgpu.semantics = "lane"} {
  // expected-remark @below {{'plgpu.unknown_transform' op unknown class of ref transforms 'mine.Rotate'}}
  %0 = "plgpu.unknown_transform"(%ref) {class = "mine.Rotate"}
      : (memref<128x64xui2, "tmem">) -> memref<128x64xui2, "tmem">
  // expected-remark @below {{'plgpu.unknown_primitive' op unknown primitive 'frobnicate'}}
  "plgpu.unknown_primitive"(%0) {name = "frobnicate"} : (memref<128x64xui2, "tmem">) -> ()
  // The same name is said once.
  "plgpu.unknown_primitive"(%0) {name = "frobnicate"} : (memref<128x64xui2, "tmem">) -> ()
  return
}
