// RUN: mosaic-verify-opt %s --megablox-cast-existing-out --megablox-verify-gmm --split-input-file 2>/dev/null | %filecheck %s
// RUN: mosaic-verify-opt %s --megablox-cast-existing-out --split-input-file --verify-diagnostics | %filecheck %s
// RUN: not mosaic-verify-opt %s '--megablox-cast-existing-out=exact=true' --megablox-verify-gmm --split-input-file 2>&1 | %filecheck %s --check-prefix=EXACT

// EXACT: error: 'megablox.gmm' op Existing output dtype must match preferred_element_type. [MV401]
// EXACT-NOT: error:

// CHECK-LABEL: func.func @narrow
func.func @narrow(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xf32>) -> tensor<512x256xbf16> {
  // CHECK: %[[OUT:.*]] = stablehlo.convert %arg3 : (tensor<512x256xf32>) -> tensor<512x256xbf16>
  // CHECK: "megablox.gmm"(%arg0, %arg1, %arg2, %[[OUT]])
  // expected-warning @+2 {{existing_out was converted from float32 to bfloat16: values are rounded, and the caller's buffer is no longer updated in place [MV401]}}
  // expected-note @+1 {{preferred_element_type=jnp.float32 keeps the buffer as it is}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xf32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// Every bfloat16 value is a float32 value: nothing is rounded, and nothing is warned about.
// CHECK-LABEL: func.func @widen
// EXACT: func.func @widen
func.func @widen(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %out: tensor<4x256x128xbf16>) -> tensor<4x256x128xf32> {
  // CHECK: %[[OUT:.*]] = stablehlo.convert %arg3 : (tensor<4x256x128xbf16>) -> tensor<4x256x128xf32>
  // CHECK: "megablox.tgmm"(%arg0, %arg1, %arg2, %[[OUT]])
  // EXACT: stablehlo.convert
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = f32, tiling = array<i64: 128, 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<4x256x128xbf16>) -> tensor<4x256x128xf32>
  return %o : tensor<4x256x128xf32>
}

// -----

// CHECK-LABEL: func.func @same
// CHECK-NOT: stablehlo.convert
func.func @same(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}
