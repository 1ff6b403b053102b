// RUN: mosaic-verify-opt %s --mosaic-gpu-normalize-sparse-metadata --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @pair(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @pair(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : memref<128x64xi2, #mosaic_gpu.tmem> to memref<64x128xi2, strided<[1, 64]>, #mosaic_gpu.tmem>
  %1 = memref.transpose %0 (d0, d1) -> (d1, d0) : memref<64x128xi2, strided<[1, 64]>, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @identity_permutation(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @identity_permutation(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %meta (d0, d1) -> (d0, d1) : memref<128x64xi2, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @three_cycle(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @three_cycle(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %e = memref.expand_shape %meta [[0, 1], [2]] output_shape [2, 64, 64] : memref<128x64xi2, #mosaic_gpu.tmem> into memref<2x64x64xi2, #mosaic_gpu.tmem>
  %0 = memref.transpose %e (d0, d1, d2) -> (d1, d2, d0) : memref<2x64x64xi2, #mosaic_gpu.tmem> to memref<64x64x2xi2, strided<[64, 1, 4096]>, #mosaic_gpu.tmem>
  %1 = memref.transpose %0 (d0, d1, d2) -> (d1, d2, d0) : memref<64x64x2xi2, strided<[64, 1, 4096]>, #mosaic_gpu.tmem> to memref<64x2x64xi2, strided<[1, 4096, 64]>, #mosaic_gpu.tmem>
  %2 = memref.transpose %1 (d0, d1, d2) -> (d1, d2, d0) : memref<64x2x64xi2, strided<[1, 4096, 64]>, #mosaic_gpu.tmem> to memref<2x64x64xi2, strided<[4096, 64, 1]>, #mosaic_gpu.tmem>
  %3 = memref.collapse_shape %2 [[0, 1], [2]] : memref<2x64x64xi2, strided<[4096, 64, 1]>, #mosaic_gpu.tmem> into memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %3) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @reshape_and_back(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @reshape_and_back(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.collapse_shape %meta [[0, 1]] : memref<128x64xi2, #mosaic_gpu.tmem> into memref<8192xi2, #mosaic_gpu.tmem>
  %1 = memref.expand_shape %0 [[0, 1]] output_shape [64, 128] : memref<8192xi2, #mosaic_gpu.tmem> into memref<64x128xi2, #mosaic_gpu.tmem>
  %2 = memref.collapse_shape %1 [[0, 1]] : memref<64x128xi2, #mosaic_gpu.tmem> into memref<8192xi2, #mosaic_gpu.tmem>
  %3 = memref.expand_shape %2 [[0, 1]] output_shape [128, 64] : memref<8192xi2, #mosaic_gpu.tmem> into memref<128x64xi2, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %3) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @full_subview(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @full_subview(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.subview %meta[0, 0] [128, 64] [1, 1] : memref<128x64xi2, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @casts_back_and_forth(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @casts_back_and_forth(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.cast %meta : memref<128x64xi2, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[64, 1], offset: ?>, #mosaic_gpu.tmem>
  %1 = memref.cast %0 : memref<128x64xi2, strided<[64, 1], offset: ?>, #mosaic_gpu.tmem> to memref<128x64xi2, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @transposes_with_a_cast_between(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @transposes_with_a_cast_between(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : memref<128x64xi2, #mosaic_gpu.tmem> to memref<64x128xi2, strided<[1, 64]>, #mosaic_gpu.tmem>
  %c = memref.cast %0 : memref<64x128xi2, strided<[1, 64]>, #mosaic_gpu.tmem> to memref<64x128xi2, strided<[1, 64], offset: ?>, #mosaic_gpu.tmem>
  %1 = memref.transpose %c (d0, d1) -> (d1, d0) : memref<64x128xi2, strided<[1, 64], offset: ?>, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[64, 1], offset: ?>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[64, 1], offset: ?>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @slice_between_transposes(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x128xi2, #mosaic_gpu.tmem>, [[I:%[a-z0-9]+]]: index
// CHECK-NOT: memref.transpose
// CHECK: [[CUT:%[a-z0-9_]+]] = memref.subview [[META]][0, [[I]]] [128, 64] [1, 1]
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[CUT]])
func.func @slice_between_transposes(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x128xi2, #mosaic_gpu.tmem>, %i: index) {
  %false = arith.constant false
  %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : memref<128x128xi2, #mosaic_gpu.tmem> to memref<128x128xi2, strided<[1, 128]>, #mosaic_gpu.tmem>
  %1 = memref.subview %0[%i, 0] [64, 128] [1, 1] : memref<128x128xi2, strided<[1, 128]>, #mosaic_gpu.tmem> to memref<64x128xi2, strided<[1, 128], offset: ?>, #mosaic_gpu.tmem>
  %2 = memref.transpose %1 (d0, d1) -> (d1, d0) : memref<64x128xi2, strided<[1, 128], offset: ?>, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[128, 1], offset: ?>, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %2) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, strided<[128, 1], offset: ?>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @a_pair(
// CHECK-SAME: [[A:%[a-z0-9]+]]: memref<128x64xf16, #gpu.address_space<workgroup>>
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{%[a-z0-9]+}}, [[A]], 
func.func @a_pair(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %a (d0, d1) -> (d1, d0) : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<64x128xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>
  %1 = memref.transpose %0 (d0, d1) -> (d1, d0) : memref<64x128xf16, strided<[1, 64]>, #gpu.address_space<workgroup>> to memref<128x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_mma"(%acc, %1, %b, %false, %meta) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @b_pair(
// CHECK-SAME: [[A:%[a-z0-9]+]]: memref<128x128xf16, #gpu.address_space<workgroup>>
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.tcgen05_mma"({{%[a-z0-9]+}}, {{%[a-z0-9]+}}, [[A]], 
func.func @b_pair(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %b (d0, d1) -> (d1, d0) : memref<128x128xf16, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>>
  %1 = memref.transpose %0 (d0, d1) -> (d1, d0) : memref<128x128xf16, strided<[1, 128]>, #gpu.address_space<workgroup>> to memref<128x128xf16, strided<[128, 1]>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %1, %false, %meta) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, strided<[128, 1]>, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @copy_source_pair(
// CHECK-SAME: [[TILE:%[a-z0-9]+]]: memref<1x1x128x64xi2
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"([[TILE]], 
func.func @copy_source_pair(%tile: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %0 = memref.transpose %tile (d0, d1, d2, d3) -> (d0, d1, d3, d2) : memref<1x1x128x64xi2, #gpu.address_space<workgroup>> to memref<1x1x64x128xi2, strided<[8192, 8192, 1, 64]>, #gpu.address_space<workgroup>>
  %1 = memref.transpose %0 (d0, d1, d2, d3) -> (d0, d1, d3, d2) : memref<1x1x64x128xi2, strided<[8192, 8192, 1, 64]>, #gpu.address_space<workgroup>> to memref<1x1x128x64xi2, strided<[8192, 8192, 64, 1]>, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%1, %meta) : (memref<1x1x128x64xi2, strided<[8192, 8192, 64, 1]>, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @copy_destination_pair(
// CHECK-SAME: [[META:%[a-z0-9]+]]: memref<128x64xi2, #mosaic_gpu.tmem>)
// CHECK-NOT: memref.
// CHECK: "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"({{.*}}, [[META]])
func.func @copy_destination_pair(%tile: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : memref<128x64xi2, #mosaic_gpu.tmem> to memref<64x128xi2, strided<[1, 64]>, #mosaic_gpu.tmem>
  %1 = memref.transpose %0 (d0, d1) -> (d1, d0) : memref<64x128xi2, strided<[1, 64]>, #mosaic_gpu.tmem> to memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tile, %1) : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, strided<[64, 1]>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @k_tile(
// CHECK-SAME: [[TILES:%[a-z0-9]+]]: memref<1x2x128x64xi2
// CHECK: [[ROWS:%[a-z0-9_]+]] = memref.subview [[TILES]][0, {{%[a-z0-9]+}}, 0, 0] [1, 1, 128, 64] [1, 1, 1, 1] : memref<1x2x128x64xi2, #gpu.address_space<workgroup>> to memref<128x64xi2, strided<[64, 1], offset: ?>
// CHECK: [[TILE:%[a-z0-9_]+]] = memref.expand_shape [[ROWS]] {{\[\[}}0, 1, 2], [3]] output_shape [1, 1, 128, 64] {{.*}} into memref<1x1x128x64xi2, strided<[8192, 8192, 64, 1], offset: ?>
// CHECK: "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"([[TILE]], 
func.func @k_tile(%tiles: memref<1x2x128x64xi2, #gpu.address_space<workgroup>>, %meta: memref<128x64xi2, #mosaic_gpu.tmem>, %i: index) {
  %0 = memref.subview %tiles[0, %i, 0, 0] [1, 1, 128, 64] [1, 1, 1, 1] : memref<1x2x128x64xi2, #gpu.address_space<workgroup>> to memref<1x1x128x64xi2, strided<[16384, 8192, 64, 1], offset: ?>, #gpu.address_space<workgroup>>
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%0, %meta) : (memref<1x1x128x64xi2, strided<[16384, 8192, 64, 1], offset: ?>, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @layout_is_corrected(
// CHECK: [[META:%[a-z0-9_]+]] = {{"?}}mosaic_gpu.tmem_layout_cast{{.*}}{{\[\[}}128, 16], [32, 1], [16, 1], [8, 1]]
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @layout_is_corrected(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %alloc: memref<128x512xi32, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x512xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %cast = "mosaic_gpu.tmem_layout_cast"(%meta) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %cast) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @layout_is_added(
// CHECK: [[REF:%[a-z0-9_]+]] = {{"?}}mosaic_gpu.slice_tmem
// CHECK: [[META:%[a-z0-9_]+]] = {{"?}}mosaic_gpu.tmem_layout_cast{{.*}}[[REF]]{{.*}}{{\[\[}}128, 16], [32, 1], [16, 1], [8, 1]]
// CHECK: "mosaic_gpu.tcgen05_mma"({{.*}}, [[META]])
func.func @layout_is_added(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %alloc: memref<128x512xi32, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x512xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @layout_of_what_is_loaded_too(
// CHECK: {{"?}}mosaic_gpu.tmem_layout_cast{{.*}}{{\[\[}}128, 1], [32, 1]]
func.func @layout_of_what_is_loaded_too(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<128x128xf16, #gpu.address_space<workgroup>>, %alloc: memref<128x512xi32, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x512xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %cast = "mosaic_gpu.tmem_layout_cast"(%meta) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xi2, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  %read = "mosaic_gpu.async_load_tmem"(%cast) : (memref<128x64xi2, #mosaic_gpu.tmem>) -> vector<128x64xi2>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %cast) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @dense_mma_is_left_alone(
// CHECK: memref.transpose
// CHECK: memref.transpose
func.func @dense_mma_is_left_alone(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x64xf16, #gpu.address_space<workgroup>>, %b: memref<64x128xf16, #gpu.address_space<workgroup>>) {
  %false = arith.constant false
  %0 = memref.transpose %a (d0, d1) -> (d1, d0) : memref<128x64xf16, #gpu.address_space<workgroup>> to memref<64x128xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>
  %1 = memref.transpose %0 (d0, d1) -> (d1, d0) : memref<64x128xf16, strided<[1, 64]>, #gpu.address_space<workgroup>> to memref<128x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>
  "mosaic_gpu.tcgen05_mma"(%acc, %1, %b, %false) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>, memref<64x128xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}
