// RUN: %python %S/../../kernels/embedded.py --expand %s > %t
// RUN: mosaic-verify-opt %t --pass-pipeline='builtin.module(stablehlo-format-sparse-metadata{exact=true})' --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @raw
// CHECK-NOT: stablehlo.transpose
func.func @raw(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %tiles = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @proved
// CHECK: stablehlo.transpose
// CHECK: stablehlo.transpose
func.func @proved(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
