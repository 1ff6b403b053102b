// The loads of JAX 0.10 have another form.
// REQUIRES: jax-0.11
// RUN: mosaic-verify-opt %s --mosaic-gpu-verify-metadata-flow --split-input-file --verify-diagnostics=only-expected

func.func @mv704(%gmem: memref<1x1x128x64xi2>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ticks = arith.constant 10000000 : i32
  %true = arith.constant true
  %pointer = "mosaic_gpu.slice_smem"() <{offset = 60000 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
  %tmem = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}> : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
  %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
  %b = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<128x128xf16, #gpu.address_space<workgroup>>
  %meta_smem = "mosaic_gpu.slice_smem"() <{offset = 49152 : i32}> : () -> memref<1x1x128x64xi2, #gpu.address_space<workgroup>>
  %loaded_at = arith.constant 53248 : i64
  %loaded = llvm.inttoptr %loaded_at : i64 to !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%loaded) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  %loaded_phase = memref.alloca() : memref<i32>
  memref.store %c0, %loaded_phase[] : memref<i32>
  %done_at = arith.constant 53256 : i64
  %done = llvm.inttoptr %done_at : i64 to !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%done) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}> : (!llvm.ptr<3>) -> ()
  %done_phase = memref.alloca() : memref<i32>
  memref.store %c0, %done_phase[] : memref<i32>
  %acc = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 0 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  %meta_tmem_0 = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 128 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %meta_tmem = "mosaic_gpu.tmem_layout_cast"(%meta_tmem_0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %b18 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
  mosaic_gpu.arrive_expect_tx barrier(%b18 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
  "mosaic_gpu.async_load"(%gmem, %meta_smem, %b18, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  %l19 = memref.load %loaded_phase[] : memref<i32>
  %a19 = arith.andi %l19, %c1 : i32
  %n19 = arith.cmpi ne, %a19, %c0 : i32
  %x19 = arith.xori %l19, %c1 : i32
  memref.store %x19, %loaded_phase[] : memref<i32>
  %e19 = arith.extui %n19 : i1 to i32
  nvvm.mbarrier.try_wait.parity %loaded, %e19, %ticks : !llvm.ptr<3>, i32, i32
  // expected-error @below {{'mosaic_gpu.async_store_sparse_metadata_smem_to_tmem' op the shared memory that this copy reads is overwritten by TMA before the copy is known to be complete [MV704]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b20 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b20) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %b21 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
  mosaic_gpu.arrive_expect_tx barrier(%b21 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
  "mosaic_gpu.async_load"(%gmem, %meta_smem, %b21, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  %l22 = memref.load %done_phase[] : memref<i32>
  %a22 = arith.andi %l22, %c1 : i32
  %n22 = arith.cmpi ne, %a22, %c0 : i32
  %x22 = arith.xori %l22, %c1 : i32
  memref.store %x22, %done_phase[] : memref<i32>
  %e22 = arith.extui %n22 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e22, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv704_in_a_loop(%gmem: memref<1x1x128x64xi2>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ticks = arith.constant 10000000 : i32
  %true = arith.constant true
  %pointer = "mosaic_gpu.slice_smem"() <{offset = 60000 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
  %tmem = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}> : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
  %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
  %b = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<128x128xf16, #gpu.address_space<workgroup>>
  %meta_smem = "mosaic_gpu.slice_smem"() <{offset = 49152 : i32}> : () -> memref<1x1x128x64xi2, #gpu.address_space<workgroup>>
  %loaded_at = arith.constant 53248 : i64
  %loaded = llvm.inttoptr %loaded_at : i64 to !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%loaded) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  %loaded_phase = memref.alloca() : memref<i32>
  memref.store %c0, %loaded_phase[] : memref<i32>
  %done_at = arith.constant 53256 : i64
  %done = llvm.inttoptr %done_at : i64 to !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%done) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}> : (!llvm.ptr<3>) -> ()
  %done_phase = memref.alloca() : memref<i32>
  memref.store %c0, %done_phase[] : memref<i32>
  %acc = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 0 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  %meta_tmem_0 = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 128 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %meta_tmem = "mosaic_gpu.tmem_layout_cast"(%meta_tmem_0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %b23 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
  mosaic_gpu.arrive_expect_tx barrier(%b23 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
  "mosaic_gpu.async_load"(%gmem, %meta_smem, %b23, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  %from = arith.constant 0 : i32
  %to = arith.constant 4 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    %l24 = memref.load %loaded_phase[] : memref<i32>
    %a24 = arith.andi %l24, %c1 : i32
    %n24 = arith.cmpi ne, %a24, %c0 : i32
    %x24 = arith.xori %l24, %c1 : i32
    memref.store %x24, %loaded_phase[] : memref<i32>
    %e24 = arith.extui %n24 : i1 to i32
    nvvm.mbarrier.try_wait.parity %loaded, %e24, %ticks : !llvm.ptr<3>, i32, i32
  // expected-error @below {{'mosaic_gpu.async_store_sparse_metadata_smem_to_tmem' op the shared memory that this copy reads is overwritten by TMA before the copy is known to be complete in iteration 0 of the loop [MV704]}}
    "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    %b25 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
    "mosaic_gpu.tcgen05_commit_arrive"(%b25) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    %b26 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.arrive_expect_tx barrier(%b26 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
    "mosaic_gpu.async_load"(%gmem, %meta_smem, %b26, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
    %l27 = memref.load %done_phase[] : memref<i32>
    %a27 = arith.andi %l27, %c1 : i32
    %n27 = arith.cmpi ne, %a27, %c0 : i32
    %x27 = arith.xori %l27, %c1 : i32
    memref.store %x27, %done_phase[] : memref<i32>
    %e27 = arith.extui %n27 : i1 to i32
    nvvm.mbarrier.try_wait.parity %done, %e27, %ticks : !llvm.ptr<3>, i32, i32
  }
  return
}

// -----

func.func @mv711(%gmem: memref<1x1x128x64xi2>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ticks = arith.constant 10000000 : i32
  %true = arith.constant true
  %pointer = "mosaic_gpu.slice_smem"() <{offset = 60000 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
  %tmem = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}> : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
  %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
  %b = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<128x128xf16, #gpu.address_space<workgroup>>
  %meta_smem = "mosaic_gpu.slice_smem"() <{offset = 49152 : i32}> : () -> memref<1x1x128x64xi2, #gpu.address_space<workgroup>>
  %loaded_at = arith.constant 53248 : i64
  %loaded = llvm.inttoptr %loaded_at : i64 to !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%loaded) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  %loaded_phase = memref.alloca() : memref<i32>
  memref.store %c0, %loaded_phase[] : memref<i32>
  %done_at = arith.constant 53256 : i64
  %done = llvm.inttoptr %done_at : i64 to !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%done) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = true}> : (!llvm.ptr<3>) -> ()
  %done_phase = memref.alloca() : memref<i32>
  memref.store %c0, %done_phase[] : memref<i32>
  %acc = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 0 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  %meta_tmem_0 = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 128 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %meta_tmem = "mosaic_gpu.tmem_layout_cast"(%meta_tmem_0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %b28 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
  mosaic_gpu.arrive_expect_tx barrier(%b28 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
  "mosaic_gpu.async_load"(%gmem, %meta_smem, %b28, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  // expected-error @below {{'mosaic_gpu.async_store_sparse_metadata_smem_to_tmem' op metadata is copied before its load into shared memory was waited for [MV711]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %l29 = memref.load %loaded_phase[] : memref<i32>
  %a29 = arith.andi %l29, %c1 : i32
  %n29 = arith.cmpi ne, %a29, %c0 : i32
  %x29 = arith.xori %l29, %c1 : i32
  memref.store %x29, %loaded_phase[] : memref<i32>
  %e29 = arith.extui %n29 : i1 to i32
  nvvm.mbarrier.try_wait.parity %loaded, %e29, %ticks : !llvm.ptr<3>, i32, i32
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b30 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b30) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l31 = memref.load %done_phase[] : memref<i32>
  %a31 = arith.andi %l31, %c1 : i32
  %n31 = arith.cmpi ne, %a31, %c0 : i32
  %x31 = arith.xori %l31, %c1 : i32
  memref.store %x31, %done_phase[] : memref<i32>
  %e31 = arith.extui %n31 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e31, %ticks : !llvm.ptr<3>, i32, i32
  return
}
