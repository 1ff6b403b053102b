func.func @kernel(
    %acc: memref<128x32xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x32xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x128xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x32xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x32xf16, #gpu.address_space<workgroup>>, i1, memref<128x128xi2, #mosaic_gpu.tmem>) -> ()
  return
}



func.func @narrow(
    %acc: memref<128x24xf32, #mosaic_gpu.tmem>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<128x24xf16, #gpu.address_space<workgroup>>,
    %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
  %false = arith.constant false
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1>}>
    : (memref<128x24xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x24xf16, #gpu.address_space<workgroup>>, i1, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}
