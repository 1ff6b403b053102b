// RUN: mosaic-verify-opt %s '--stablehlo-verify-platforms=platforms=cuda,cpu' --split-input-file --verify-diagnostics=only-expected

func.func @mv901_tpu(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{@tpu_custom_call holds a kernel for tpu, but the module is exported for cuda, cpu [MV901]}}
  %0 = stablehlo.custom_call @tpu_custom_call(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @mv901_one_of_two(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{@mosaic_gpu_v2 holds a kernel for cuda, but the module is exported for cpu [MV901]}}
  %0 = stablehlo.custom_call @mosaic_gpu_v2(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
