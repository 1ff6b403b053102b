// RUN: mosaic-verify-opt %s --mosaic-gpu-normalize-sparse-metadata --split-input-file -o %t.folded
// RUN: mosaic-verify-opt %s --split-input-file -o %t.plain
// RUN: diff %t.plain %t.folded

// Nothing to fold: not a byte changes.

func.func @plain(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @columns(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x128xi2, #mosaic_gpu.tmem>, %i: index) {
  %false = arith.constant false
  %0 = memref.subview %meta[0, 64] [128, 64] [1, 1] : memref<128x128xi2, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[128, 1], offset: 64>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[128, 1], offset: 64>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @b_transposed(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %0, %false, %meta) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @copy(%tile: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tile, %meta) : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @sparse_layout(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %alloc: memref<128x512xi32, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x512xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %cast = "mosaic_gpu.tmem_layout_cast"(%meta) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %cast) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}
