// RUN: %python %S/../../kernels/embedded.py --expand %s > %t
// RUN: mosaic-verify-opt %t --pass-pipeline='builtin.module(stablehlo-verify-sparse-metadata)' --split-input-file --verify-diagnostics=only-expected

// expected-note @below {{the metadata comes from argument 0}}
func.func @mv305_f16_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  // expected-note @below {{laid out in the 8-bit format here}}
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out for 8-bit operands, but the kernel multiplies 16-bit ones (kind::f16) [MV305]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// expected-note @below {{the metadata comes from argument 0}}
func.func @mv305_f16_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  // expected-note @below {{laid out in the 8-bit format here}}
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out for 8-bit operands, but the kernel multiplies 16-bit ones (kind::f16) [MV305]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// expected-note @below {{the metadata comes from argument 0}}
func.func @mv305_f8f6f4_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x8x2x8x1x4x2x8xui2>
  // expected-note @below {{laid out in the 16-bit format here}}
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x1x4x2x8xui2>) -> tensor<1x1x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x8x2x8x4x2x8xui2>) -> tensor<1x1x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out for 16-bit operands, but the kernel multiplies 8-bit ones (kind::f8f6f4) [MV305]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// expected-note @below {{the metadata comes from argument 0}}
func.func @mv305_f8f6f4_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  // expected-note @below {{laid out in the 16-bit format here}}
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out for 16-bit operands, but the kernel multiplies 8-bit ones (kind::f8f6f4) [MV305]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// expected-note @below {{the metadata comes from argument 0}}
func.func @mv305_i8_k128(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x8x2x8x1x4x2x8xui2>
  // expected-note @below {{laid out in the 16-bit format here}}
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x1x4x2x8xui2>) -> tensor<1x1x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x8x2x8x4x2x8xui2>) -> tensor<1x1x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out for 16-bit operands, but the kernel multiplies 8-bit ones (kind::i8) [MV305]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// expected-note @below {{the metadata comes from argument 0}}
func.func @mv305_i8_k256(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  // expected-note @below {{laid out in the 16-bit format here}}
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out for 16-bit operands, but the kernel multiplies 8-bit ones (kind::i8) [MV305]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv306_f16(%pairs: tensor<128x32x2xui2>) -> tensor<128x128xf32> {
  // expected-note @below {{only reshaped here}}
  %tiles = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x1x128x64xui2>
  // expected-error @below {{metadata operand 0 is not laid out: its entries are in row-major order, but the kernel needs the 16-bit format (kind::f16) [MV306]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv306_fp8(%pairs: tensor<256x64x2xui2>) -> tensor<256x128xf32> {
  // expected-note @below {{only reshaped here}}
  %tiles = stablehlo.reshape %pairs : (tensor<256x64x2xui2>) -> tensor<2x2x128x64xui2>
  // expected-error @below {{metadata operand 0 is not laid out: its entries are in row-major order, but the kernel needs the 8-bit format (kind::f8f6f4) [MV306]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f8f6f4; 2x2x128x64xi2, 256x128xf32)} : (tensor<2x2x128x64xui2>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
}

// -----

// A matrix of the same size as A is metadata too.
func.func @mv306_matrix(%matrix: tensor<128x128xui2>) -> tensor<128x128xf32> {
  // expected-note @below {{only reshaped here}}
  %tiles = stablehlo.reshape %matrix : (tensor<128x128xui2>) -> tensor<1x2x128x64xui2>
  // expected-error @below {{metadata operand 0 is not laid out: its entries are in row-major order, but the kernel needs the 16-bit format (kind::f16) [MV306]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv310(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  // expected-note @below {{laid out here}}
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 3, 6, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x8x2x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x8x2x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  // expected-error @below {{metadata operand 0 is laid out in no format of sparse metadata, but the kernel needs the 16-bit format (kind::f16) [MV310]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv301(%tiles: tensor<1x1x128x64xui8>) -> tensor<128x128xf32> {
  // expected-error @below {{metadata operand 0 has elements of type ui8, but the kernel reads 2-bit ones [MV301]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui8>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv307_equal_everywhere() -> tensor<128x128xf32> {
  // expected-error @below {{metadata operand 0 has 4096 invalid index pairs (4096 equal): (3, 3) at row 0, group 0, (3, 3) at row 0, group 1, (3, 3) at row 0, group 2, ...; the two positions of a group must be ascending [MV307]}}
  %pairs = stablehlo.constant dense<3> : tensor<128x32x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x8x2x8x1x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x1x4x2x8xui2>) -> tensor<1x1x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x8x2x8x4x2x8xui2>) -> tensor<1x1x128x64xui2>
  // expected-note @below {{the hardware multiplies with elements that it selects by these positions}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv307_descending() -> tensor<128x128xf32> {
  // expected-error @below {{metadata operand 0 has 4096 invalid index pairs (4096 descending): (2, 1) at row 0, group 0}}
  %pair = stablehlo.constant dense<[2, 1]> : tensor<2xui2>
  %pairs = stablehlo.broadcast_in_dim %pair, dims = [2] : (tensor<2xui2>) -> tensor<128x32x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  // expected-note @below {{the hardware multiplies}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv312() -> tensor<128x128xf32> {
  // expected-error @below {{metadata operand 0 holds 5 at row-major index 0, but positions inside a group are 0 to 3 [MV312]}}
  %wide = stablehlo.constant dense<5> : tensor<128x32x2xi32>
  %pairs = stablehlo.convert %wide : (tensor<128x32x2xi32>) -> tensor<128x32x2xui2>
  %0 = stablehlo.reshape %pairs : (tensor<128x32x2xui2>) -> tensor<1x128x1x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x1x64xui2>) -> tensor<1x1x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x1x128x64xui2>) -> tensor<1x1x128x64xui2>
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(i8; 1x1x128x64xi2, 128x128xf32)} : (tensor<1x1x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv311(%all: tensor<512x64x2xui2>, %matrix: tensor<512x128xf16>) -> tensor<128x128xf32> {
  %pairs = stablehlo.slice %all [0:128, 0:64, 0:2] : (tensor<512x64x2xui2>) -> tensor<128x64x2xui2>
  %a = stablehlo.slice %matrix [128:256, 0:128] : (tensor<512x128xf16>) -> tensor<128x128xf16>
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  // expected-error @below {{metadata operand 1 describes rows 0 to 127 and K 0 to 255, but A is rows 128 to 255 and K 0 to 255 of a matrix of the same size [MV311]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%a, %tiles) {mhlo.backend_config = KERNEL(f16; 128x128xf16, 1x2x128x64xi2, 128x128xf32)} : (tensor<128x128xf16>, tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv308_tiles(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: argument 0 already has the shape of tiles [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv308_kinds(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: the kernel has sparse MMAs of several kinds (f16, i8) [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16 i8; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv308_tf32(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: no format is known for kind::tf32 [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(tf32; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv308_order(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x8x2x8x2x4x2x8xui2>
  %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<1x8x2x8x2x4x2x8xui2>) -> tensor<1x2x8x2x8x4x2x8xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x8x2x8x4x2x8xui2>) -> tensor<1x2x128x64xui2>
  %r = stablehlo.reverse %tiles, dims = [1] : tensor<1x2x128x64xui2>
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: its tiles are in the 16-bit format, but in another order than the rows and columns of argument 0 [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%r) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv308_registers(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: the kernel itself moves 2-bit values through registers [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32; %z = arith.constant 0 : index %e = memref.load %m0[%z, %z, %z, %z] : memref<1x2x128x64xi2>)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv308_view(%pairs: tensor<128x64x2xui2>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %pairs : (tensor<128x64x2xui2>) -> tensor<1x128x2x64xui2>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<1x128x2x64xui2>) -> tensor<1x2x128x64xui2>
  %tiles = stablehlo.reshape %1 : (tensor<1x2x128x64xui2>) -> tensor<1x2x128x64xui2>
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: the kernel does not read it as tiles of 128 x 64 entries [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32; %e = memref.reinterpret_cast %m0 to offset: [0], sizes: [128, 128], strides: [128, 1] : memref<1x2x128x64xi2> to memref<128x128xi2>)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// A loop that changes the metadata.
func.func @mv308_loop(%first: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  %n = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<128x128xf32>
  %w:3 = stablehlo.while(%i = %n, %t = %first, %acc = %z) : tensor<i32>, tensor<1x2x128x64xui2>, tensor<128x128xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %x = stablehlo.not %t : tensor<1x2x128x64xui2>
    // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: a value that changes from iteration to iteration of a stablehlo.while already has the shape of tiles [MV308]}}
    %e = stablehlo.custom_call @mosaic_gpu_v2(%t) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
    stablehlo.return %i, %x, %e : tensor<i32>, tensor<1x2x128x64xui2>, tensor<128x128xf32>
  }
  return %w#2 : tensor<128x128xf32>
}

// -----

func.func @mv920_missing(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-warning @below {{carries a kernel that is not checked: it has no `mhlo.backend_config` [MV920]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv920_empty(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-warning @below {{carries a kernel that is not checked: its `mhlo.backend_config` has no entry `module` with a kernel [MV920]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = {}} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv920_text(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-warning @below {{carries a kernel that is not checked: the entry `module` of its `mhlo.backend_config` is no MLIR bytecode [MV920]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = {module = "kernel"}} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv920_newer(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-warning @below {{carries a kernel that is not checked: jaxlib cannot read its module, written by MLIR99.0.0: }}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = {module = "ML\EFR\C7MLIR99.0.0\00 tcgen05.mma.sp"}} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv920_truncated(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-warning @below {{the bytecode in the entry `module` of its `mhlo.backend_config` is truncated [MV920]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = {module = "ML\EFR\01MLIR24.0.0git\00\01\89\0F\01\03\05"}} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv921_count(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-error @below {{has 1 operands and 1 results, but its kernel takes at least 3 arrays [MV921]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 128x128xf16, 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv921_shape(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-error @below {{passes tensor<1x2x128x64xui2> as operand 0, where its kernel reads metadata 2x2x128x64 [MV921]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 2x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

// Shapes and types that no kernel is made for.
func.func @mv308_dynamic(%tiles: tensor<?x2x128x64xui2>) -> tensor<128x128xf32> {
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: argument 0 does not show rows and groups [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<?x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}

// -----

func.func @mv921_token(%tiles: tensor<1x2x128x64xui2>, %token: !stablehlo.token) -> !stablehlo.token {
  // expected-error @below {{passes !stablehlo.token as operand 0, where its kernel reads metadata 1x2x128x64 [MV921]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%token, %tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (!stablehlo.token, tensor<1x2x128x64xui2>) -> !stablehlo.token
  return %d : !stablehlo.token
}

// -----

func.func private @mv308_recursive(%tiles: tensor<1x2x128x64xui2>) -> tensor<128x128xf32> {
  %x = func.call @mv308_recursive(%tiles) : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  // expected-remark @below {{cannot tell whether metadata operand 0 is laid out as the kernel needs it: argument 0 already has the shape of tiles [MV308]}}
  %d = stablehlo.custom_call @mosaic_gpu_v2(%tiles) {mhlo.backend_config = KERNEL(f16; 1x2x128x64xi2, 128x128xf32)} : (tensor<1x2x128x64xui2>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
