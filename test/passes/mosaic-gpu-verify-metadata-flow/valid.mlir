// RUN: mosaic-verify-opt %s --mosaic-gpu-verify-metadata-flow --split-input-file --verify-diagnostics

func.func @registers(%gmem: memref<1x1x128x64xi2>) {
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
  %b32 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b32) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l33 = memref.load %done_phase[] : memref<i32>
  %a33 = arith.andi %l33, %c1 : i32
  %n33 = arith.cmpi ne, %a33, %c0 : i32
  %x33 = arith.xori %l33, %c1 : i32
  memref.store %x33, %done_phase[] : memref<i32>
  %e33 = arith.extui %n33 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e33, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @other_slice(%gmem: memref<1x1x128x64xi2>) {
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
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %other) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b34 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b34) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l35 = memref.load %done_phase[] : memref<i32>
  %a35 = arith.andi %l35, %c1 : i32
  %n35 = arith.cmpi ne, %a35, %c0 : i32
  %x35 = arith.xori %l35, %c1 : i32
  memref.store %x35, %done_phase[] : memref<i32>
  %e35 = arith.extui %n35 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e35, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @same_ref_sliced_twice(%gmem: memref<1x1x128x64xi2>) {
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
  %again_0 = "mosaic_gpu.slice_tmem"(%tmem) <{offset = 128 : i32}> : (memref<128x256xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %again = "mosaic_gpu.tmem_layout_cast"(%again_0) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
  "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
  "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %again) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  %b36 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_commit_arrive"(%b36) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  %l37 = memref.load %done_phase[] : memref<i32>
  %a37 = arith.andi %l37, %c1 : i32
  %n37 = arith.cmpi ne, %a37, %c0 : i32
  %x37 = arith.xori %l37, %c1 : i32
  memref.store %x37, %done_phase[] : memref<i32>
  %e37 = arith.extui %n37 : i1 to i32
  nvvm.mbarrier.try_wait.parity %done, %e37, %ticks : !llvm.ptr<3>, i32, i32
  return
}

// -----

func.func @loop_with_registers(%gmem: memref<1x1x128x64xi2>) {
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
  %from = arith.constant 0 : i32
  %to = arith.constant 4 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    %zero = arith.constant dense<0> : vector<1x1x128x64xi2>
    "mosaic_gpu.vector_store"(%zero, %meta_smem) <{multimem = false}> : (vector<1x1x128x64xi2>, memref<1x1x128x64xi2, #gpu.address_space<workgroup>>) -> ()
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
    "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%meta_smem, %meta_tmem) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %true, %meta_tmem) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
    %b38 = builtin.unrealized_conversion_cast %done : !llvm.ptr<3> to memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>
    "mosaic_gpu.tcgen05_commit_arrive"(%b38) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    %l39 = memref.load %done_phase[] : memref<i32>
    %a39 = arith.andi %l39, %c1 : i32
    %n39 = arith.cmpi ne, %a39, %c0 : i32
    %x39 = arith.xori %l39, %c1 : i32
    memref.store %x39, %done_phase[] : memref<i32>
    %e39 = arith.extui %n39 : i1 to i32
    nvvm.mbarrier.try_wait.parity %done, %e39, %ticks : !llvm.ptr<3>, i32, i32
  }
  return
}
