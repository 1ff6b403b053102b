// RUN: mosaic-verify-opt %s --megablox-pad-rows --megablox-verify-gmm --split-input-file 2>/dev/null | %filecheck %s
// RUN: mosaic-verify-opt %s --megablox-pad-rows --split-input-file --verify-diagnostics | %filecheck %s

// Constant sizes add up to the rows that lhs had: the appended rows belong to no group.
// CHECK-LABEL: func.func @rows
func.func @rows(%lhs: tensor<500x256xbf16>, %rhs: tensor<2x256x128xbf16>, %out: tensor<500x128xbf16>) -> tensor<500x128xbf16> {
  // CHECK-DAG: %[[LHS:.*]] = stablehlo.pad %arg0, {{.*}}, low = [0, 0], high = [12, 0], interior = [0, 0] : (tensor<500x256xbf16>, tensor<bf16>) -> tensor<512x256xbf16>
  // CHECK-DAG: %[[OUT:.*]] = stablehlo.pad %arg2, {{.*}}, low = [0, 0], high = [12, 0], interior = [0, 0] : (tensor<500x128xbf16>, tensor<bf16>) -> tensor<512x128xbf16>
  // CHECK: %[[WIDE:.*]] = "megablox.gmm"(%[[LHS]], %arg1, {{.*}}, %[[OUT]]) {{.*}}padded_rows = 12{{.*}} -> tensor<512x128xbf16>
  // CHECK: %[[ROWS:.*]] = stablehlo.slice %[[WIDE]] [0:500, 0:128] : (tensor<512x128xbf16>) -> tensor<500x128xbf16>
  // CHECK: return %[[ROWS]]
  %sizes = stablehlo.constant dense<[200, 300]> : tensor<2xi32>
  // expected-warning @below {{12 zero rows were appended, since tm=128 does not divide m=500 [MV414]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<500x256xbf16>, tensor<2x256x128xbf16>, tensor<2xi32>, tensor<500x128xbf16>) -> tensor<500x128xbf16>
  return %o : tensor<500x128xbf16>
}

// -----

// CHECK-LABEL: func.func @transposed
func.func @transposed(%lhs: tensor<256x500xf32>, %rhs: tensor<500x128xf32>, %sizes: tensor<2xi32>) -> tensor<2x256x128xf32> {
  // CHECK: stablehlo.pad %arg0, {{.*}}, low = [0, 0], high = [0, 12]
  // CHECK: stablehlo.pad %arg1, {{.*}}, low = [0, 0], high = [12, 0]
  // CHECK: %[[OUT:.*]] = "megablox.tgmm"
  // CHECK: return %[[OUT]] : tensor<2x256x128xf32>
  // expected-warning @below {{12 zero rows were appended, since tm=128 does not divide m=500 [MV414]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = f32, tiling = array<i64: 128, 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x500xf32>, tensor<500x128xf32>, tensor<2xi32>) -> tensor<2x256x128xf32>
  return %o : tensor<2x256x128xf32>
}

// -----

// CHECK-LABEL: func.func @no_tiling
func.func @no_tiling(%lhs: tensor<512x256xbf16>, %rhs: tensor<2x256x128xbf16>, %sizes: tensor<2xi32>) -> tensor<512x128xbf16> {
  // CHECK: tiling = array<i64: 128, 128, 128>
  // expected-warning @below {{the call has no tiling: it was given (128, 128, 128) [MV403]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<2x256x128xbf16>, tensor<2xi32>) -> tensor<512x128xbf16>
  return %o : tensor<512x128xbf16>
}
