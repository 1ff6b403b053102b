// RUN: mosaic-verify-opt %s --mosaic-gpu-normalize-sparse-metadata --split-input-file --verify-diagnostics=only-expected

func.func @mv202_transpose_that_moves_elements(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<256x128xf16, #gpu.address_space<workgroup>>, %alloc: memref<128x512xi32, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %meta = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x512xi32, #mosaic_gpu.tmem>) -> memref<128x128xi2, #mosaic_gpu.tmem>
  %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : memref<128x128xi2, #mosaic_gpu.tmem> to memref<128x128xi2, strided<[1, 128]>, #mosaic_gpu.tmem>
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op TMEM transpose not allowed. [MV202]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<256x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x128xi2, strided<[1, 128]>, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv203_reshape_that_moves_elements(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<256x128xf16, #gpu.address_space<workgroup>>, %alloc: memref<128x512xi32, #mosaic_gpu.tmem>) {
  %meta = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x512xi32, #mosaic_gpu.tmem>) -> memref<256x64xi2, #mosaic_gpu.tmem>
  %false = arith.constant false
  %0 = memref.collapse_shape %meta [[0, 1]] : memref<256x64xi2, #mosaic_gpu.tmem> into memref<16384xi2, #mosaic_gpu.tmem>
  %1 = memref.expand_shape %0 [[0, 1]] output_shape [128, 128] : memref<16384xi2, #mosaic_gpu.tmem> into memref<128x128xi2, #mosaic_gpu.tmem>
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op TMEM reshape not allowed. [MV203]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %1) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<256x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// -----

func.func @mv202_of_an_argument(%acc: memref<128x128xf32, #mosaic_gpu.tmem>, %a: memref<128x128xf16, #gpu.address_space<workgroup>>, %b: memref<256x128xf16, #gpu.address_space<workgroup>>, %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  %0 = memref.transpose %meta (d0, d1) -> (d1, d0) : memref<128x128xi2, #mosaic_gpu.tmem> to memref<128x128xi2, strided<[1, 128]>, #mosaic_gpu.tmem>
  // expected-error @below {{'mosaic_gpu.tcgen05_mma' op TMEM transpose not allowed. [MV202]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %0) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
      : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<256x128xf16, #gpu.address_space<workgroup>>, i1, memref<128x128xi2, strided<[1, 128]>, #mosaic_gpu.tmem>) -> ()
  return
}
