// RUN: %python %S/../../kernels/embedded.py --expand %s > %t
// RUN: mosaic-verify-opt %t --pass-pipeline='builtin.module(stablehlo-extract-kernels)' | %filecheck %s

// CHECK: module @kernel_0
// CHECK: from_kernel_arg_idx = 0
// CHECK: kind::f16
// CHECK: module @kernel_1
// CHECK: kind::i8
// CHECK-NOT: module
// CHECK-NOT: stablehlo
func.func @twice(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  %a = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  %b = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
