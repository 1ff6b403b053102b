// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-refine{derive-backward=true exact=true})' --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @derive_emitted(
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) ->
// CHECK: stablehlo.broadcast_in_dim{{.*}}, dims = [0, 1, 3, 4] : (tensor<1x1x4x4xi32>) -> tensor<1x1x4x4x4xi32>
// CHECK: stablehlo.broadcast_in_dim{{.*}}, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<1x1x4x4xi32>
// CHECK: stablehlo.iota dim = 3 : tensor<1x1x4x4xi32>
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xi1>
// CHECK: stablehlo.broadcast_in_dim{{.*}}, dims = [0, 1, 3, 4] : (tensor<1x1x4x4xi1>) -> tensor<1x1x4x4x4xi1>
// CHECK: stablehlo.iota dim = 2 : tensor<1x1x4x4x4xi32>
// CHECK: stablehlo.compare EQ,{{.*}}: (tensor<1x1x4x4x4xi32>, tensor<1x1x4x4x4xi32>) -> tensor<1x1x4x4x4xi1>
// CHECK: stablehlo.and{{.*}}: tensor<1x1x4x4x4xi1>
// CHECK: stablehlo.convert{{.*}}: (tensor<1x1x4x4x4xi1>) -> tensor<1x1x4x4x4xi32>
// CHECK: stablehlo.constant dense<0> : tensor<i32>
// CHECK: stablehlo.reduce({{.*}}init:{{.*}}) applies stablehlo.add across dimensions = [4] : (tensor<1x1x4x4x4xi32>, tensor<i32>) -> tensor<1x1x4x4xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4x4xi32>
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xi1>
// CHECK: stablehlo.iota dim = 3 : tensor<1x1x4x4xi32>
// CHECK: stablehlo.convert{{.*}}: (tensor<1x1x4x4xi1>) -> tensor<1x1x4x4xi32>
// CHECK: stablehlo.constant dense<0> : tensor<i32>
// CHECK: stablehlo.reduce({{.*}}init:{{.*}}) applies stablehlo.add across dimensions = [3] : (tensor<1x1x4x4xi32>, tensor<i32>) -> tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<2147483647> : tensor<1x1x4x4xi32>
// CHECK: stablehlo.select{{.*}}: tensor<1x1x4x4xi1>, tensor<1x1x4x4xi32>
// CHECK: "stablehlo.sort"({{.*}}) <{dimension = 3 : i64, is_stable = true}> ({
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK: stablehlo.return{{.*}}: tensor<i1>
// CHECK: stablehlo.constant dense<2147483647> : tensor<1x1x4x4xi32>
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xi1>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4x4xi32>
// CHECK: stablehlo.select{{.*}}: tensor<1x1x4x4xi1>, tensor<1x1x4x4xi32>
// CHECK: "block_sparse.attention_bwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) ->
func.func @derive_emitted(%q: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %cnt: tensor<1x1x4xi32>, %idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %q, %q, %cnt, %idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  %g:3 = "block_sparse.attention_bwd"(%q, %q, %q, %dout) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %g#0 : tensor<1x512x1x64xbf16>
}
