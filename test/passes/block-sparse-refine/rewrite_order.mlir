// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-refine{derive-write-order=true})' --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @write_order_spt(
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 2, 1, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_bwd"({{.*}}) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) ->
func.func @write_order_spt(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
