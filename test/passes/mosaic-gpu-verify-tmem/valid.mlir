// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-tmem)' --split-input-file --verify-diagnostics=only-expected

func.func @mv601_512_columns(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
  %other = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @mv602_both_collective(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
  %other = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x32xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @mv604_all_collective(
    %pointer: memref<i32, #gpu.address_space<workgroup>>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<64x64xf16, #gpu.address_space<workgroup>>) {
  %false = arith.constant false
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
  %acc = "mosaic_gpu.slice_tmem"(%block) <{offset = 0 : i32}>
    : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mv604_none_collective(
    %pointer: memref<i32, #gpu.address_space<workgroup>>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<64x128xf16, #gpu.address_space<workgroup>>) {
  %false = arith.constant false
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
  %acc = "mosaic_gpu.slice_tmem"(%block) <{offset = 0 : i32}>
    : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false)
    <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<64x128xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mv605_pair(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %c2, %ncy = %c1, %ncz = %c1) blocks(%bx, %by, %bz) in (%nbx = %c2, %nby = %c1, %nbz = %c1)
      threads(%tx, %ty, %tz) in (%ntx = %c128, %nty = %c1, %ntz = %c1) {
    %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
      : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    gpu.terminator
  }
  return
}

// -----

func.func @mv606_pair(
    %pointer: memref<i32, #gpu.address_space<workgroup>>,
    %barrier: memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %c2, %ncy = %c1, %ncz = %c1) blocks(%bx, %by, %bz) in (%nbx = %c2, %nby = %c1, %nbz = %c1)
      threads(%tx, %ty, %tz) in (%ntx = %c128, %nty = %c1, %ntz = %c1) {
    %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
      : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    "mosaic_gpu.tcgen05_commit_arrive"(%barrier) <{collective = true}>
      : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    gpu.terminator
  }
  return
}
