// RUN: mosaic-verify-opt %s --mosaic-gpu-verify-metadata-flow --split-input-file --verify-diagnostics=only-expected

func.func @mv701(%gmem: memref<1x1x128x64xi2>) {
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
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op no copy writes the sparse metadata that this MMA reads [MV701]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b1 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b1) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l2 = memref.load %done_phase[] : memref<i32>
  %a2 = arith.andi %l2, %c1 : i32
  %n2 = arith.cmpi ne, %a2, %c0 : i32
  %x2 = arith.xori %l2, %c1 : i32
  memref.store %x2, %done_phase[] : memref<i32>
  %e2 = arith.extui %n2 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e2, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv702(%gmem: memref<1x1x128x64xi2>) {
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
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op the sparse metadata is copied after the MMA that reads it [MV702]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b3 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b3) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %l4 = memref.load %done_phase[] : memref<i32>
  %a4 = arith.andi %l4, %c1 : i32
  %n4 = arith.cmpi ne, %a4, %c0 : i32
  %x4 = arith.xori %l4, %c1 : i32
  memref.store %x4, %done_phase[] : memref<i32>
  %e4 = arith.extui %n4 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e4, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv703(%gmem: memref<1x1x128x64xi2>) {
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
  %other_0 = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 132 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %other = "mosaic_gpu.tmem_layout_cast"(%other_0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %other) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op the MMA reads columns 128 to 131 of its metadata, but columns 128 to 131 were not copied [MV703]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b5 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b5) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l6 = memref.load %done_phase[] : memref<i32>
  %a6 = arith.andi %l6, %c1 : i32
  %n6 = arith.cmpi ne, %a6, %c0 : i32
  %x6 = arith.xori %l6, %c1 : i32
  memref.store %x6, %done_phase[] : memref<i32>
  %e6 = arith.extui %n6 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e6, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv704_registers(%gmem: memref<1x1x128x64xi2>) {
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
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  // expected-error @below {{'mosaic_gpu.async_store_sparse_metadata_smem_to_tmem' op the shared memory that this copy reads is overwritten by registers before the copy is known to be complete [MV704]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b7 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b7) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %zero2 = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero2, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  %l8 = memref.load %done_phase[] : memref<i32>
  %a8 = arith.andi %l8, %c1 : i32
  %n8 = arith.cmpi ne, %a8, %c0 : i32
  %x8 = arith.xori %l8, %c1 : i32
  memref.store %x8, %done_phase[] : memref<i32>
  %e8 = arith.extui %n8 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e8, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv705(%gmem: memref<1x1x128x64xi2>) {
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
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  // expected-error @below {{'mosaic_gpu.async_store_sparse_metadata_smem_to_tmem' op metadata written from registers is copied without `plgpu.commit_smem()` in between [MV705]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b9 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b9) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l10 = memref.load %done_phase[] : memref<i32>
  %a10 = arith.andi %l10, %c1 : i32
  %n10 = arith.cmpi ne, %a10, %c0 : i32
  %x10 = arith.xori %l10, %c1 : i32
  memref.store %x10, %done_phase[] : memref<i32>
  %e10 = arith.extui %n10 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e10, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv706(%gmem: memref<1x1x128x64xi2>) {
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
  %meta_tmem_0 = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 64 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %meta_tmem = "mosaic_gpu.tmem_layout_cast"(%meta_tmem_0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op the sparse metadata of this MMA overlaps its accumulator in tensor memory [MV706]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b11 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b11) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l12 = memref.load %done_phase[] : memref<i32>
  %a12 = arith.andi %l12, %c1 : i32
  %n12 = arith.cmpi ne, %a12, %c0 : i32
  %x12 = arith.xori %l12, %c1 : i32
  memref.store %x12, %done_phase[] : memref<i32>
  %e12 = arith.extui %n12 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e12, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv711_nothing_written(%gmem: memref<1x1x128x64xi2>) {
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
  // expected-error @below {{'mosaic_gpu.async_store_sparse_metadata_smem_to_tmem' op metadata is copied from shared memory that nothing has written [MV711]}}
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b13 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b13) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l14 = memref.load %done_phase[] : memref<i32>
  %a14 = arith.andi %l14, %c1 : i32
  %n14 = arith.cmpi ne, %a14, %c0 : i32
  %x14 = arith.xori %l14, %c1 : i32
  memref.store %x14, %done_phase[] : memref<i32>
  %e14 = arith.extui %n14 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e14, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @mv712(%gmem: memref<1x1x128x64xi2>) {
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
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op nobody can observe that this MMA is complete: it has no barrier and no commit comes behind it [MV712]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv712_another_wait(%gmem: memref<1x1x128x64xi2>) {
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
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b15 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b15) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l16 = memref.load %done_phase[] : memref<i32>
  %a16 = arith.andi %l16, %c1 : i32
  %n16 = arith.cmpi ne, %a16, %c0 : i32
  %x16 = arith.xori %l16, %c1 : i32
  memref.store %x16, %done_phase[] : memref<i32>
  %e16 = arith.extui %n16 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e16, %ticks : !llvm.ptr<3>, i32, i32
  %l17 = memref.load %done_phase[] : memref<i32>
  %a17 = arith.andi %l17, %c1 : i32
  %n17 = arith.cmpi ne, %a17, %c0 : i32
  %x17 = arith.xori %l17, %c1 : i32
  memref.store %x17, %done_phase[] : memref<i32>
  %e17 = arith.extui %n17 : i1 to i32
  // expected-error @below {{'nvvm.mbarrier.try_wait.parity' op waits for arrival 2 at a barrier that only 1 arrival reaches [MV712]}}
  nvvm.mbarrier.try_wait.parity %done, %e17, %ticks : !llvm.ptr<3>, i32, i32
  return
}
