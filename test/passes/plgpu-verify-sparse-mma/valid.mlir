// RUN: mosaic-verify-opt %s --plgpu-verify-sparse-mma --split-input-file --verify-diagnostics

func.func @one_tile() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
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

func.func @one_tile_warpgroup() attributes {plgpu.semantics = "warpgroup"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
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

func.func @two_k_tiles() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 32768 : i64} : () -> memref<16x4x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 65536 : i64} : () -> memref<16x8x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 4096 : i64} : () -> memref<1x2x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x2x128x64xui2, "smem">, memref<128x128xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x4x8x32xf16, "smem">) -> memref<16x4x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x4x8x32xf16, "smem">) -> memref<128x128xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<16x8x8x32xf16, "smem">) -> memref<16x8x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<16x8x8x32xf16, "smem">) -> memref<128x256xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x256xf16, "smem">) -> memref<256x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x128xf16, "smem">, memref<256x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x128xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @n_48() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 16384 : i64} : () -> memref<16x2x8x32xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 32>, swizzle = 64 : i64, bytes = 12288 : i64} : () -> memref<6x4x8x32xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 2048 : i64} : () -> memref<1x1x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 48 : i64} : () -> memref<128x48xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 4 : i64} : () -> memref<128x64xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 64 : i64} : (memref<16x2x8x32xf16, "smem">) -> memref<16x2x8x32xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 32>} : (memref<16x2x8x32xf16, "smem">) -> memref<128x64xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 64 : i64} : (memref<6x4x8x32xf16, "smem">) -> memref<6x4x8x32xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 32>} : (memref<6x4x8x32xf16, "smem">) -> memref<48x128xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<48x128xf16, "smem">) -> memref<128x48xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x48xf32, "tmem">, memref<128x64xf16, "smem">, memref<128x48xf16, "smem">, i1, memref<i64, "barrier">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @wide_swizzle() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
    %a = "plgpu.alloc"() {name = "a_smem", tiling = array<i64: 8, 64>, swizzle = 128 : i64, bytes = 32768 : i64} : () -> memref<16x2x8x64xf16, "smem">
    %b = "plgpu.alloc"() {name = "b_smem", tiling = array<i64: 8, 64>, swizzle = 128 : i64, bytes = 65536 : i64} : () -> memref<16x4x8x64xf16, "smem">
    %meta = "plgpu.alloc"() {name = "meta_smem", bytes = 4096 : i64} : () -> memref<1x2x128x64xui2, "smem">
    %done = "plgpu.alloc"() {name = "done", arrivals = 1 : i64, orders_tensor_core = true} : () -> memref<i64, "barrier">
    %acc = "plgpu.alloc"() {name = "acc_tmem", layout = "default", collective = false, columns = 128 : i64} : () -> memref<128x128xf32, "tmem">
    %meta_tmem = "plgpu.alloc"() {name = "meta_tmem", layout = "sparse_metadata", collective = false, columns = 8 : i64} : () -> memref<128x128xui2, "tmem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%meta, %meta_tmem) : (memref<1x2x128x64xui2, "smem">, memref<128x128xui2, "tmem">) -> ()
    %a0 = "plgpu.unswizzle"(%a) {swizzle = 128 : i64} : (memref<16x2x8x64xf16, "smem">) -> memref<16x2x8x64xf16, "smem">
    %a1 = "plgpu.untile"(%a0) {tiling = array<i64: 8, 64>} : (memref<16x2x8x64xf16, "smem">) -> memref<128x128xf16, "smem">
    %b0 = "plgpu.unswizzle"(%b) {swizzle = 128 : i64} : (memref<16x4x8x64xf16, "smem">) -> memref<16x4x8x64xf16, "smem">
    %b1 = "plgpu.untile"(%b0) {tiling = array<i64: 8, 64>} : (memref<16x4x8x64xf16, "smem">) -> memref<128x256xf16, "smem">
    %b2 = "plgpu.transpose"(%b1) {permutation = array<i64: 1, 0>} : (memref<128x256xf16, "smem">) -> memref<256x128xf16, "smem">
    "plgpu.tcgen05_mma"(%acc, %a1, %b2, %true, %done, %meta_tmem) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1>}
        : (memref<128x128xf32, "tmem">, memref<128x128xf16, "smem">, memref<256x128xf16, "smem">, i1, memref<i64, "barrier">, memref<128x128xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @fits_shared_memory() attributes {plgpu.semantics = "lane", plgpu.smem_limit = 100000 : i64} {
  "plgpu.run_scoped"() ({
    %true = "plgpu.constant"() {value = true} : () -> i1
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

// A function without `plgpu.semantics` is no kernel.
func.func @no_kernel(%meta: memref<64x64xui2, "tmem">) {
  "plgpu.barrier_wait"(%meta) : (memref<64x64xui2, "tmem">) -> ()
  return
}

// -----

// What a primitive that is known does with a ref is not looked at.
func.func @mv904_known(%ref: memref<128x64xui2, "tmem">) attributes {plgpu.semantics = "lane"} {
  "plgpu.primitive"(%ref) {name = "debug_print"} : (memref<128x64xui2, "tmem">) -> ()
  return
}
