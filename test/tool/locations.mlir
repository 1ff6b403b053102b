// Findings show the line of the Python file that wrote the op, its callers, and whatever location there is.
// RUN: cd %S && not mosaic-verify-opt %s --verify-all 2>&1 | %filecheck %s

// CHECK: Inputs/kernel.py:3:11: error: 'megablox.gmm' op {{.*}} [MV410]
// CHECK-NEXT: {{^}}    out = gmm(lhs, rhs, sizes)
// CHECK-NEXT: {{^          \^$}}
// CHECK-NEXT: Inputs/kernel.py:9:5: note: called from
// CHECK-NEXT: {{^}}    layer(gmm, lhs, rhs, sizes){{$}}
// CHECK-NEXT: {{^    \^$}}
// CHECK-NEXT: elsewhere.py:1:2: note: called from
// CHECK-NEXT: Inputs/kernel.py:3:11: note: gmm takes k
func.func @k(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
    loc("gmm"(callsite("Inputs/kernel.py":3:10 at callsite("Inputs/kernel.py":9:4 at "elsewhere.py":1:1))))
  return %o : tensor<512x256xbf16>
}

// The reported line of the Python file has a comment that ignores MV410.
func.func @quiet(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
    loc("Inputs/kernel.py":4:10)
  return %o : tensor<512x256xbf16>
}

// CHECK-NOT: kernel.py:4
// CHECK: <unknown>:0: error: loc("run_scoped"): 'megablox.gmm' op
// CHECK-NEXT: <unknown>:0: note: loc("run_scoped"): gmm takes k
// CHECK: <unknown>:0: error: 'megablox.gmm' op
func.func @named(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16> loc("run_scoped")
  %p = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16> loc(unknown)
  return %o : tensor<512x256xbf16>
}
