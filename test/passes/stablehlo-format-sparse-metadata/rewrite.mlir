// RUN: %python %S/../../kernels/embedded.py --expand %s > %t
// RUN: mosaic-verify-opt %t --pass-pipeline='builtin.module(stablehlo-format-sparse-metadata)' --split-input-file --verify-diagnostics=only-expected | %filecheck %s
// RUN: mosaic-verify-opt %t --pass-pipeline='builtin.module(stablehlo-format-sparse-metadata,stablehlo-verify-sparse-metadata)' --split-input-file --ignore=MV308 2>/dev/null | %filecheck %s

// CHECK-LABEL: func.func @eight_to_sixteen
// CHECK: stablehlo.reshape %{{.*}} -> tensor<1x2x128x64xui2>
// CHECK-NEXT: %[[S:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x2x128x64xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
// CHECK-NEXT: %[[X:.*]] = stablehlo.transpose %[[S]], dims = [0, 1, 2, 6, 4, 5, 3, 7]
// CHECK-NEXT: %[[T:.*]] = stablehlo.reshape %[[X]] : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
// CHECK-NEXT: stablehlo.custom_call @mosaic_gpu_v2(%[[T]])
func.func @eight_to_sixteen(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @sixteen_to_eight
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 1, 2, 6, 4, 5, 3, 7]
func.func @sixteen_to_eight(%pairs: tensor<256x128x2xui2>) -> tensor<256x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<256x128x2xui2>) -> tensor<2x8x2x8x4x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<2x8x2x8x4x4x2x8xui2>) -> tensor<2x4x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<2x4x8x2x8x4x2x8xui2>) -> tensor<2x4x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 2x4x128x64xi2, 256x128xf32)} : (tensor<2x4x128x64xui2>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
}

// -----

// CHECK-LABEL: func.func @right
// CHECK: stablehlo.transpose
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @right(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @unknown(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @raw_to_sixteen
// CHECK: %[[S:.*]] = stablehlo.reshape %{{.*}} -> tensor<2x8x2x8x2x4x2x8xui2>
// CHECK-NEXT: %[[X:.*]] = stablehlo.transpose %[[S]], dims = [0, 4, 1, 6, 3, 5, 2, 7]
// CHECK-NEXT: %[[T:.*]] = stablehlo.reshape %[[X]] : (tensor<2x2x8x2x8x4x2x8xui2>) -> tensor<2x2x128x64xui2>
// CHECK-NEXT: stablehlo.custom_call @mosaic_gpu_v2(%[[T]])
func.func @raw_to_sixteen(%pairs: tensor<256x64x2xui2>) -> tensor<256x128xf32> {
  %tiles = stablehlo.reshape %pairs : (tensor<256x64x2xui2>) -> tensor<2x2x128x64xui2>
  // expected-warning @below {{laid metadata operand 0 out in the 16-bit format [MV306]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 2x2x128x64xi2, 256x128xf32)} : (tensor<2x2x128x64xui2>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
}

// -----

// CHECK-LABEL: func.func @raw_to_eight
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1, 3] : (tensor<2x128x2x64xui2>) -> tensor<2x2x128x64xui2>
func.func @raw_to_eight(%pairs: tensor<256x64x2xui2>) -> tensor<256x128xf32> {
  %tiles = stablehlo.reshape %pairs : (tensor<256x64x2xui2>) -> tensor<2x2x128x64xui2>
  // expected-warning @below {{laid metadata operand 0 out in the 8-bit format [MV306]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 2x2x128x64xi2, 256x128xf32)} : (tensor<2x2x128x64xui2>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
}

// -----

// CHECK-LABEL: func.func @constant
// CHECK: %[[T:.*]] = stablehlo.constant dense<{{.*}}> : tensor<1x1x128x64xui2>
// CHECK-NEXT: stablehlo.custom_call @mosaic_gpu_v2(%[[T]])
func.func @constant() -> tensor<128x128xf32> {
  %i = stablehlo.iota dim = 2 : tensor<128x32x2xi32>
  %pairs = stablehlo.convert %i : (tensor<128x32x2xi32>) -> tensor<128x32x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: func.func @wide
// CHECK: %[[T:.*]] = stablehlo.convert %{{.*}} : (tensor<1x1x128x64xui8>) -> tensor<1x1x128x64xui2>
// CHECK-NEXT: stablehlo.custom_call @mosaic_gpu_v2(%[[T]])
func.func @wide(%tiles: tensor<1x1x128x64xui8>) -> tensor<128x128xf32> {
  // expected-warning @below {{converted metadata operand 0 from tensor<1x1x128x64xui8> to tensor<1x1x128x64xui2> [MV301]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui8>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
