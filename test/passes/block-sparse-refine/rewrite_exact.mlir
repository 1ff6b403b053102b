// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-refine{exact=true})' --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @cast_emitted(
// CHECK: stablehlo.convert{{.*}}: (tensor<1x1x4x2xi8>) -> tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) ->
func.func @cast_emitted(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x2xi8>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi8>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @keep_duplicates(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 3, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0], [1, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) ->
func.func @keep_duplicates(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 3, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0, 0], [1, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
