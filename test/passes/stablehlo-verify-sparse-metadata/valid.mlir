// RUN: %python %S/../../kernels/embedded.py --expand %s > %t
// RUN: mosaic-verify-opt %t --pass-pipeline='builtin.module(stablehlo-verify-sparse-metadata)' --split-input-file --verify-diagnostics | %filecheck %s

func.func @f16_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x8x2x8x1x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x1x4x2x8xui2>) -> tensor<1x1x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x8x2x8x4x2x8xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @f16_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @fp8_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @fp8_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @int8_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @int8_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mx_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(mxf8f6f4; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mx_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(mxf8f6f4; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @fp4_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(mxf4nvf4; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @fp4_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(mxf4nvf4; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// At K = 128 the 8-bit format is the row-major order.
func.func @raw_fp8_k128(%pairs: tensor<256x32x2xui2>) -> tensor<256x128xf32> {
  %tiles = stablehlo.reshape %pairs : (tensor<256x32x2xui2>) -> tensor<2x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 2x1x128x64xi2, 256x128xf32)} : (tensor<2x1x128x64xui2>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
}

// -----

// Kinds that need the same format.
func.func @fp8_and_int8(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4 i8; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// A private function that lays metadata out, and one that calls the kernel.
func.func private @lay(%pairs: tensor<128x64x2xui2>) -> tensor<1x2x128x64xui2> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  return %tiles : tensor<1x2x128x64xui2>
}
func.func private @multiply(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
func.func @through_calls(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %tiles = func.call @lay(%pairs) : (tensor<128x64x2xui2>) -> tensor<1x2x128x64xui2>
  %d = func.call @multiply(%tiles) : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @slice_of_rows(%all: tensor<512x64x2xui2>) -> tensor<128x128xf32> {
  %pairs = stablehlo.slice %all [128:256, 0:64, 0:2] : (tensor<512x64x2xui2>) -> tensor<128x64x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @padding(%some: tensor<100x64x2xui2>) -> tensor<128x128xf32> {
  %c = stablehlo.constant dense<0> : tensor<ui2>
  %pairs = stablehlo.pad %some, %c, low = [0, 0, 0], high = [28, 0, 0], interior = [0, 0, 0] : (tensor<100x64x2xui2>, tensor<ui2>) -> tensor<128x64x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @wider_integers(%wide: tensor<128x64x2xi32>) -> tensor<128x128xf32> {
  %pairs = stablehlo.convert %wide : (tensor<128x64x2xi32>) -> tensor<128x64x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @sharded(%some: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %pairs = stablehlo.custom_call @Sharding(%some) {mhlo.sharding = "{replicated}"} : (tensor<128x64x2xui2>) -> tensor<128x64x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %b = stablehlo.optimization_barrier %tiles : tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%b) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// Kernels without sparse MMA are not looked at, whatever they carry; neither are other custom calls.
func.func @dense(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  %d = stablehlo.custom_call @other(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}

// -----

// Ascending pairs of a constant, all alike, are in every format.
func.func @constant() -> tensor<128x128xf32> {
  %pair = stablehlo.constant dense<[1, 3]> : tensor<2xui2>
  %pairs = stablehlo.broadcast_in_dim %pair, dims = [2] : (tensor<2xui2>) -> tensor<128x64x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @same_slice_as_a(%all: tensor<512x64x2xui2>, %matrix: tensor<512x128xf16>) -> tensor<128x128xf32> {
  %pairs = stablehlo.slice %all [128:256, 0:64, 0:2] : (tensor<512x64x2xui2>) -> tensor<128x64x2xui2>
  %a = stablehlo.slice %matrix [128:256, 0:128] : (tensor<512x128xf16>) -> tensor<128x128xf16>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%a, %tiles) {mhlo.backend_config = KERNEL(f16; 128x128xf16, 1x2x128x64xi2, 128x128xf32)} : (tensor<128x128xf16>, tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// CHECK-LABEL: func.func @f16_k128
// CHECK-LABEL: func.func @same_slice_as_a
