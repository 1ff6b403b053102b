// RUN: mosaic-verify-opt %s --megablox-normalize-gmm --megablox-verify-gmm --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @offset
func.func @offset(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<1xi32>) -> tensor<512x256xbf16> {
  // CHECK: %[[OFFSET:.*]] = stablehlo.reshape %arg3 : (tensor<1xi32>) -> tensor<i32>
  // CHECK: "megablox.gmm"(%arg0, %arg1, %arg2, %[[OFFSET]])
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<1xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// CHECK-LABEL: func.func @one_group
func.func @one_group(%lhs: tensor<512x256xbf16>, %rhs: tensor<256x128xbf16>, %sizes: tensor<1xui16>) -> tensor<512x128xbf16> {
  // CHECK: %[[RHS:.*]] = stablehlo.reshape %arg1 : (tensor<256x128xbf16>) -> tensor<1x256x128xbf16>
  // CHECK: %[[SIZES:.*]] = stablehlo.convert %arg2 : (tensor<1xui16>) -> tensor<1xi32>
  // CHECK: "megablox.gmm"(%arg0, %[[RHS]], %[[SIZES]])
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<256x128xbf16>, tensor<1xui16>) -> tensor<512x128xbf16>
  return %o : tensor<512x128xbf16>
}

// -----

// CHECK-LABEL: func.func @constant_sizes
func.func @constant_sizes(%lhs: tensor<512x256xbf16>, %rhs: tensor<2x256x128xbf16>) -> tensor<512x128xbf16> {
  // CHECK: stablehlo.convert {{.*}} : (tensor<2xi64>) -> tensor<2xi32>
  %sizes = stablehlo.constant dense<[200, 312]> : tensor<2xi64>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<2x256x128xbf16>, tensor<2xi64>) -> tensor<512x128xbf16>
  return %o : tensor<512x128xbf16>
}
