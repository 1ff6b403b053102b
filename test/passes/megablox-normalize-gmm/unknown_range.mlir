// RUN: mosaic-verify-opt %s --megablox-normalize-gmm --split-input-file | %filecheck %s

// The range of 64-bit sizes is not known, and two groups do not fit one matrix: nothing is converted.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: stablehlo
func.func @unknown(%lhs: tensor<512x256xbf16>, %rhs: tensor<256x128xbf16>, %sizes: tensor<2xi64>) -> tensor<512x128xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<256x128xbf16>, tensor<2xi64>) -> tensor<512x128xbf16>
  return %o : tensor<512x128xbf16>
}
