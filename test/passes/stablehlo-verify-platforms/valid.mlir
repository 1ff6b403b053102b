// RUN: mosaic-verify-opt %s '--stablehlo-verify-platforms=platforms=cuda,cpu' --split-input-file --verify-diagnostics
// RUN: mosaic-verify-opt %s --stablehlo-verify-platforms --split-input-file --verify-diagnostics

// A branch per platform.
func.func @mv901_case(%x: tensor<8xf32>, %platform: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%platform) ({
    %1 = stablehlo.custom_call @mosaic_gpu_v2(%x) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %x : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @mv901_other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A branch per platform, one of which is in a function of its own.
func.func public @mv901_called(%x: tensor<8xf32>, %platform: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%platform) ({
    %1 = func.call @kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %x : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @mosaic_gpu_v2(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
