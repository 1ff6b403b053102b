// Select, ignore, comments, severities.
// RUN: not mosaic-verify-opt %s --verify-all 2>&1 | %filecheck %s
// RUN: mosaic-verify-opt %s --verify-all --ignore=MV410 --ignore MV2 2>&1 | %filecheck %s --check-prefix=IGNORED
// RUN: mosaic-verify-opt %s --verify-all --select=MV1,MV9 | %filecheck %s --check-prefix=SELECTED
// RUN: env MOSAIC_VERIFY_IGNORE=MV4 mosaic-verify-opt %s --verify-all | %filecheck %s --check-prefix=ENVIRONMENT
// RUN: not mosaic-verify-opt %s --verify-all --diagnostic-format=json 2>&1 >%t.out | %filecheck %s --check-prefix=JSON

// CHECK: suppression.mlir:{{[0-9]+}}:8: error: 'megablox.gmm' op {{.*}} rhs has 128 {{.*}} [MV410]
// CHECK-NEXT: %o = "megablox.gmm"(%lhs, %rhs, %sizes)
// CHECK-NEXT: {{^}}       ^{{$}}
// CHECK: suppression.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: `ignore[MV411]` matched nothing [MV990]
// CHECK: for details: mosaic-verify-opt --explain MV410
// CHECK-NOT: rhs has 64

// IGNORED: <unknown>:0: remark: ignored code 'MV2' matched nothing [MV990]
// IGNORED: module {

// SELECTED: module {

// ENVIRONMENT: module {

// JSON: {"severity": "error", "code": "MV410", "rule": "gmm-contraction", "op": "megablox.gmm", "message": "{{.*}}", "file": "{{.*}}suppression.mlir", "line": {{[0-9]+}}, "column": 8,
// JSON-NEXT: {"severity": "remark", "code": "MV990",
func.func @quiet(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x64x256xbf16>, %sizes: tensor<4xi32>)
    -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) // mosaic-verify: ignore[MV410]
    {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x64x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

func.func @loud(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>)
    -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes)
    {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

func.func @useless(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>)
    -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) // mosaic-verify: ignore[MV411]
    {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}
