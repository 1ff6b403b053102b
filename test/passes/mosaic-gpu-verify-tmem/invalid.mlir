// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-tmem)' --split-input-file --verify-diagnostics=only-expected

func.func @mv601_two_allocations(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{Total TMEM allocation exceeds memory limit. Requested 576 columns which exceeds limit of 512. [MV601]}}
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x320xi32, #mosaic_gpu.tmem>
  %other = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x256xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @mv601_shipped(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{After rounding up, got 1024 columns, exceeding the limit of 512 [MV601]}}
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x516xi32, #mosaic_gpu.tmem>
  %ref0 = "mosaic_gpu.slice_tmem"(%block) <{offset = 0 : i32}>
    : (memref<128x516xi32, #mosaic_gpu.tmem>) -> memref<128x512xf32, #mosaic_gpu.tmem>
  %ref1 = "mosaic_gpu.slice_tmem"(%block) <{offset = 512 : i32}>
    : (memref<128x516xi32, #mosaic_gpu.tmem>) -> memref<128x64xi2, #mosaic_gpu.tmem>
  return
}

// -----

func.func @mv602_mixed(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error @below {{Can't mix collective and non-collective TMEM allocations within the same kernel. [MV602]}}
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
  %other = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x32xi32, #mosaic_gpu.tmem>
  return
}

// -----

func.func @mv604_collective_mma(
    %pointer: memref<i32, #gpu.address_space<workgroup>>,
    %a: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %b: memref<64x64xf16, #gpu.address_space<workgroup>>) {
  %false = arith.constant false
  %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = false}>
    : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
  %acc = "mosaic_gpu.slice_tmem"(%block) <{offset = 0 : i32}>
    : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x128xf32, #mosaic_gpu.tmem>
  // expected-error @below {{Collective attributes are inconsistent across operations in the kernel. [MV604]}}
  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false)
    <{collective = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}>
    : (memref<128x128xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>,
       memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
  return
}

// -----

func.func @mv605_no_cluster(
    %pointer: memref<i32, #gpu.address_space<workgroup>>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%nbx = %c1, %nby = %c1, %nbz = %c1)
      threads(%tx, %ty, %tz) in (%ntx = %c128, %nty = %c1, %ntz = %c1) {
    // expected-error @below {{Collective TMEM allocations are only supported for clusters with an even number of blocks in them. Got cluster: (1, 1, 1) [MV605]}}
    %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
      : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    gpu.terminator
  }
  return
}
