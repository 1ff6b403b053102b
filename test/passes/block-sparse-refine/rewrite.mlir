// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-refine)' --split-input-file | %filecheck %s

// CHECK-LABEL: func.func @split_kv_backward(
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 1, 0, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1], [7, 0], [0, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 2, 1, 1, 0, 0, 1, 1]]]> : tensor<1x1x8xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1], [0, 1], [7, 0], [7, 0], [0, 0], [0, 0], [3, 0], [3, 0]]]]> : tensor<1x1x8x2xi32>
// CHECK: "block_sparse.attention_bwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x8xi32>, tensor<1x1x8x2xi32>) ->
func.func @split_kv_backward(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>) -> tensor<1x1024x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 1, 0, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [7, 0], [0, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @split_kv_forward_ragged(
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4x1xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 1, 1, 0]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 3], [3, 0], [2, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}3, 1, 2, 0]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1, 6, 0], [6, 0, 0, 0], [4, 5, 0, 0], [0, 0, 0, 0]]]]> : tensor<1x1x4x4xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) ->
func.func @split_kv_forward_ragged(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x800x1x64xbf16>, %v: tensor<1x800x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[0, 0, 0, 0]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0], [0], [0], [0]]]]> : tensor<1x1x4x1xi32>
  %full_cnt = stablehlo.constant dense<[[[2, 1, 1, 0]]]> : tensor<1x1x4xi32>
  %full_idx = stablehlo.constant dense<[[[[0, 3], [3, 0], [2, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x800x1x64xbf16>, tensor<1x800x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @split_kv_forward_emitted(
// CHECK: stablehlo.broadcast_in_dim{{.*}}, dims = [0, 1, 2, 3] : (tensor<1x1x4x4xi32>) -> tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.constant dense<2> : tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.multiply{{.*}}: tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.iota dim = 4 : tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.add{{.*}}: tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.reshape{{.*}}: (tensor<1x1x4x4x2xi32>) -> tensor<1x1x4x8xi32>
// CHECK: stablehlo.constant dense<2> : tensor<1x1x4xi32>
// CHECK: stablehlo.multiply{{.*}}: tensor<1x1x4xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x8xi32>) ->
func.func @split_kv_forward_emitted(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @split_kv_forward_emitted_ragged(
// CHECK: stablehlo.broadcast_in_dim{{.*}}, dims = [0, 1, 2, 3] : (tensor<1x1x4x4xi32>) -> tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.constant dense<2> : tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.multiply{{.*}}: tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.iota dim = 4 : tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.add{{.*}}: tensor<1x1x4x4x2xi32>
// CHECK: stablehlo.reshape{{.*}}: (tensor<1x1x4x4x2xi32>) -> tensor<1x1x4x8xi32>
// CHECK: stablehlo.constant dense<2> : tensor<1x1x4xi32>
// CHECK: stablehlo.multiply{{.*}}: tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<7> : tensor<1x1x4x8xi32>
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<1x1x4x8xi32>, tensor<1x1x4x8xi32>) -> tensor<1x1x4x8xi1>
// CHECK: stablehlo.broadcast_in_dim{{.*}}, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<1x1x4x8xi32>
// CHECK: stablehlo.iota dim = 3 : tensor<1x1x4x8xi32>
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<1x1x4x8xi32>, tensor<1x1x4x8xi32>) -> tensor<1x1x4x8xi1>
// CHECK: stablehlo.and{{.*}}: tensor<1x1x4x8xi1>
// CHECK: stablehlo.convert{{.*}}: (tensor<1x1x4x8xi1>) -> tensor<1x1x4x8xi32>
// CHECK: stablehlo.constant dense<0> : tensor<i32>
// CHECK: stablehlo.reduce({{.*}}init:{{.*}}) applies stablehlo.add across dimensions = [3] : (tensor<1x1x4x8xi32>, tensor<i32>) -> tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<2147483647> : tensor<1x1x4x8xi32>
// CHECK: stablehlo.select{{.*}}: tensor<1x1x4x8xi1>, tensor<1x1x4x8xi32>
// CHECK: "stablehlo.sort"({{.*}}) <{dimension = 3 : i64, is_stable = true}> ({
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK: stablehlo.return{{.*}}: tensor<i1>
// CHECK: stablehlo.constant dense<2147483647> : tensor<1x1x4x8xi32>
// CHECK: stablehlo.compare LT,{{.*}}: (tensor<1x1x4x8xi32>, tensor<1x1x4x8xi32>) -> tensor<1x1x4x8xi1>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4x8xi32>
// CHECK: stablehlo.select{{.*}}: tensor<1x1x4x8xi1>, tensor<1x1x4x8xi32>
// CHECK: stablehlo.slice{{.*}}[0:1, 0:1, 0:4, 0:7] : (tensor<1x1x4x8xi32>) -> tensor<1x1x4x7xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x7xi32>) ->
func.func @split_kv_forward_emitted_ragged(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x800x1x64xbf16>, %v: tensor<1x800x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x800x1x64xbf16>, tensor<1x800x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @split_q_forward(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 0, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 7], [0, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 1, 2, 2, 0, 0, 1, 1]]]> : tensor<1x1x8xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 0], [0, 7], [0, 7], [0, 0], [0, 0], [3, 0], [3, 0]]]]> : tensor<1x1x8x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x8xi32>, tensor<1x1x8x2xi32>) ->
func.func @split_q_forward(%q: tensor<1x900x1x64xbf16>, %k: tensor<1x900x1x64xbf16>, %v: tensor<1x900x1x64xbf16>) -> tensor<1x900x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 0, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 7], [0, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x900x1x64xbf16>, tensor<1x1x900xf32>)
  return %r#0 : tensor<1x900x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @split_q_backward(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 0, 1, 0, 0, 0, 1]]]> : tensor<1x1x8xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 3], [0, 0], [3, 0], [0, 0], [0, 0], [0, 0], [1, 0]]]]> : tensor<1x1x8x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 4, 0, 2, 0, 0, 0, 2]]]> : tensor<1x1x8xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1, 0, 0], [0, 1, 6, 7], [0, 0, 0, 0], [6, 7, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [2, 3, 0, 0]]]]> : tensor<1x1x8x4xi32>
// CHECK: "block_sparse.attention_bwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) ->
func.func @split_q_backward(%q: tensor<1x900x1x64xbf16>, %k: tensor<1x900x1x64xbf16>, %v: tensor<1x900x1x64xbf16>, %dout: tensor<1x900x1x64xbf16>) -> tensor<1x900x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 0, 1, 0, 0, 0, 1]]]> : tensor<1x1x8xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 3], [0, 0], [3, 0], [0, 0], [0, 0], [0, 0], [1, 0]]]]> : tensor<1x1x8x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x2xi32>) -> (tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>, tensor<1x900x1x64xbf16>)
  return %r#0 : tensor<1x900x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @split_diagonal(
// CHECK: stablehlo.constant dense<0> : tensor<1x1x2xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x2x1xi32>
// CHECK: stablehlo.constant dense<1> : tensor<1x1x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0], [1]]]]> : tensor<1x1x2x1xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<0> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<1> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [1, 0], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) ->
func.func @split_diagonal(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[0, 0]]]> : tensor<1x1x2xi32>
  %mask_idx = stablehlo.constant dense<[[[[0], [0]]]]> : tensor<1x1x2x1xi32>
  %diag_cnt = stablehlo.constant dense<[[[1, 1]]]> : tensor<1x1x2xi32>
  %diag_idx = stablehlo.constant dense<[[[[0], [1]]]]> : tensor<1x1x2x1xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_cnt, %diag_idx) {block_size = array<i64: 256, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x2xi32>, tensor<1x1x2x1xi32>, tensor<1x1x2xi32>, tensor<1x1x2x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @broadcast(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 1], [1, 2, 2, 1]], {{\[\[}}1, 2, 2, 1], [1, 2, 2, 1]]]> : tensor<2x2x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 1], [1, 2], [3, 0]], {{\[\[}}0, 0], [0, 1], [1, 2], [3, 0]]], {{\[\[\[}}0, 0], [0, 1], [1, 2], [3, 0]], {{\[\[}}0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<2x2x4x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<2x2x4xi32>, tensor<2x2x4x2xi32>) ->
func.func @broadcast(%q: tensor<2x512x2x64xbf16>, %k: tensor<2x512x2x64xbf16>, %v: tensor<2x512x2x64xbf16>) -> tensor<2x512x2x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<2x512x2x64xbf16>, tensor<2x512x2x64xbf16>, tensor<2x512x2x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<2x512x2x64xbf16>, tensor<2x2x512xf32>)
  return %r#0 : tensor<2x512x2x64xbf16>
}

// -----

// CHECK-LABEL: func.func @cast(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 1]]]> : tensor<1x1x4xi64>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xui8>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) ->
func.func @cast(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi64>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xui8>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi64>, tensor<1x1x4x2xui8>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @cut_rows(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 0]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 1], [1, 2], [0, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2]]]> : tensor<1x1x3xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 1], [1, 2]]]]> : tensor<1x1x3x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x3xi32>, tensor<1x1x3x2xi32>) ->
func.func @cut_rows(%q: tensor<1x300x1x64xbf16>, %k: tensor<1x300x1x64xbf16>, %v: tensor<1x300x1x64xbf16>) -> tensor<1x300x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 0]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [0, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x300x1x64xbf16>, tensor<1x300x1x64xbf16>, tensor<1x300x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x300x1x64xbf16>, tensor<1x1x300xf32>)
  return %r#0 : tensor<1x300x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @cut_columns(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2]]]> : tensor<1x1x3xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0, 0], [0, 1, 0, 0], [1, 2, 0, 0]]]]> : tensor<1x1x3x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2]]]> : tensor<1x1x3xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0], [0, 1, 0], [1, 2, 0]]]]> : tensor<1x1x3x3xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x3xi32>, tensor<1x1x3x3xi32>) ->
func.func @cut_columns(%q: tensor<1x300x1x64xbf16>, %k: tensor<1x300x1x64xbf16>, %v: tensor<1x300x1x64xbf16>) -> tensor<1x300x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2]]]> : tensor<1x1x3xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0, 0, 0], [0, 1, 0, 0], [1, 2, 0, 0]]]]> : tensor<1x1x3x4xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x300x1x64xbf16>, tensor<1x300x1x64xbf16>, tensor<1x300x1x64xbf16>, tensor<1x1x3xi32>, tensor<1x1x3x4xi32>) -> (tensor<1x300x1x64xbf16>, tensor<1x1x300xf32>)
  return %r#0 : tensor<1x300x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @drop_duplicates(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 3, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0], [1, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0], [1, 0, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) ->
func.func @drop_duplicates(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 3, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0, 0], [1, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @tail_last(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 3, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0], [3, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 3, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0, 0], [1, 0, 3], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) ->
func.func @tail_last(%q: tensor<1x500x1x64xbf16>, %k: tensor<1x500x1x64xbf16>, %v: tensor<1x500x1x64xbf16>) -> tensor<1x500x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 3, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0, 0], [3, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) -> (tensor<1x500x1x64xbf16>, tensor<1x1x500xf32>)
  return %r#0 : tensor<1x500x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @sort_with_write_order(
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 2, 1, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}1, 0], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 2, 1, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_bwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) ->
func.func @sort_with_write_order(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[1, 0], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %dq_write_order = stablehlo.constant dense<[[[[0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @write_order(
// CHECK: stablehlo.constant dense<{{\[\[\[}}2, 2, 1, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_bwd"({{.*}}) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) ->
func.func @write_order(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @untouched(
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 256>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) ->
func.func @untouched(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @ambiguous(
// CHECK: "block_sparse.attention_fwd"({{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x8xi32>, tensor<1x1x8x16xi32>) ->
func.func @ambiguous(%q: tensor<1x2048x1x64xbf16>, %k: tensor<1x2048x1x64xbf16>, %v: tensor<1x2048x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x16xi32>) -> tensor<1x2048x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x16xi32>) -> (tensor<1x2048x1x64xbf16>, tensor<1x1x2048xf32>)
  return %r#0 : tensor<1x2048x1x64xbf16>
}

// -----

// CHECK-LABEL: func.func @wrong_index(
// CHECK: stablehlo.constant dense<{{\[\[\[}}1, 2, 2, 1]]]> : tensor<1x1x4xi32>
// CHECK: stablehlo.constant dense<{{\[\[\[\[}}0, 0], [0, 4], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
// CHECK: "block_sparse.attention_fwd"({{.*}}) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
// CHECK-SAME: tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) ->
func.func @wrong_index(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 4], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
