// The loads of JAX 0.10 have another form.
// REQUIRES: jax-0.11
// RUN: mosaic-verify-opt %s --mosaic-gpu-verify-metadata-flow --split-input-file --verify-diagnostics

func.func @straight(%gmem: memref<1x1x128x64xi2>) {
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
  %b40 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
  mosaic_gpu.arrive_expect_tx barrier(%b40 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
  "mosaic_gpu.async_load"(%gmem, %meta_smem, %b40, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  %l41 = memref.load %loaded_phase[] : memref<i32>
  %a41 = arith.andi %l41, %c1 : i32
  %n41 = arith.cmpi ne, %a41, %c0 : i32
  %x41 = arith.xori %l41, %c1 : i32
  memref.store %x41, %loaded_phase[] : memref<i32>
  %e41 = arith.extui %n41 : i1 to i32
  nvvm.mbarrier.try_wait.parity %loaded, %e41, %ticks : !llvm.ptr<3>, i32, i32
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b42 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b42) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l43 = memref.load %done_phase[] : memref<i32>
  %a43 = arith.andi %l43, %c1 : i32
  %n43 = arith.cmpi ne, %a43, %c0 : i32
  %x43 = arith.xori %l43, %c1 : i32
  memref.store %x43, %done_phase[] : memref<i32>
  %e43 = arith.extui %n43 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e43, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @loop(%gmem: memref<1x1x128x64xi2>) {
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
  %b44 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
  mosaic_gpu.arrive_expect_tx barrier(%b44 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
  "mosaic_gpu.async_load"(%gmem, %meta_smem, %b44, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  %from = arith.constant 0 : i32
  %to = arith.constant 4 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    %l45 = memref.load %loaded_phase[] : memref<i32>
    %a45 = arith.andi %l45, %c1 : i32
    %n45 = arith.cmpi ne, %a45, %c0 : i32
    %x45 = arith.xori %l45, %c1 : i32
    memref.store %x45, %loaded_phase[] : memref<i32>
    %e45 = arith.extui %n45 : i1 to i32
    nvvm.mbarrier.try_wait.parity %loaded, %e45, %ticks : !llvm.ptr<3>, i32, i32
    "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    %b46 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
    "mosaic_gpu.tcgen05_commit_arrive"(%b46) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    %l47 = memref.load %done_phase[] : memref<i32>
    %a47 = arith.andi %l47, %c1 : i32
    %n47 = arith.cmpi ne, %a47, %c0 : i32
    %x47 = arith.xori %l47, %c1 : i32
    memref.store %x47, %done_phase[] : memref<i32>
    %e47 = arith.extui %n47 : i1 to i32
    nvvm.mbarrier.try_wait.parity %done, %e47, %ticks : !llvm.ptr<3>, i32, i32
    %b48 = builtin.unrealized_conversion_cast %loaded : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    mosaic_gpu.arrive_expect_tx barrier(%b48 : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %c1
    "mosaic_gpu.async_load"(%gmem, %meta_smem, %b48, %c0, %c0, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 4, 0, 0>, slice_lengths = array<i64: 1, 1, 128, 64>}> : (memref<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32, i32, i32) -> ()
  }
  return
}
