func.func @k(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}
