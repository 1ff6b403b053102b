// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(mosaic-gpu-verify-tmem{jax=0.10.2})' --split-input-file --verify-diagnostics=only-expected

func.func @mv606_four_ctas(
    %pointer: memref<i32, #gpu.address_space<workgroup>>,
    %barrier: memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  gpu.launch clusters(%cx, %cy, %cz) in (%ncx = %c4, %ncy = %c1, %ncz = %c1) blocks(%bx, %by, %bz) in (%nbx = %c4, %nby = %c1, %nbz = %c1)
      threads(%tx, %ty, %tz) in (%ntx = %c128, %nty = %c1, %ntz = %c1) {
    %block = "mosaic_gpu.tmem_alloc"(%pointer) <{collective = true}>
      : (memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    // expected-error @below {{Collective arrivals only support (2, 1, 1)-shaped clusters, but got (4, 1, 1) [MV606]}}
    "mosaic_gpu.tcgen05_commit_arrive"(%barrier) <{collective = true}>
      : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
    gpu.terminator
  }
  return
}
