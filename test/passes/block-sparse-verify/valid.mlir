// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-verify)' --split-input-file --verify-diagnostics

func.func @mv501(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x8xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv502(%q: tensor<1x2048x1x64xbf16>, %k: tensor<1x2048x1x64xbf16>, %v: tensor<1x2048x1x64xbf16>, %mask_cnt: tensor<1x1x16xi32>, %mask_idx: tensor<1x1x16x16xi32>) -> tensor<1x2048x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x1x16xi32>, tensor<1x1x16x16xi32>) -> (tensor<1x2048x1x64xbf16>, tensor<1x1x2048xf32>)
  return %r#0 : tensor<1x2048x1x64xbf16>
}

// -----

func.func @mv503(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x8xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv504(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, subtile_factor = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv505(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv506(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x8xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv507(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>, %cu_total_m_blocks: tensor<3xi32>) -> tensor<768x2x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv508(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %valid_upper: tensor<1x1x4xi32>, %valid_lower: tensor<1x1x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %valid_upper, %valid_lower) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>, tensor<1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv509(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv510(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x2x64xbf16>, %v: tensor<1x512x2x64xbf16>, %mask_cnt: tensor<1x2x4xi32>, %mask_idx: tensor<1x2x4x4xi32>) -> tensor<1x512x2x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv511(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x1xi32>, %full_cnt: tensor<1x1x4xi32>, %full_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv512(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %full_cnt: tensor<1x1x4xi32>, %full_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv513(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv514(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x2x64xbf16>, %v: tensor<1x512x2x64xbf16>, %mask_cnt: tensor<1x2x4xi32>, %mask_idx: tensor<1x2x4x4xi32>) -> tensor<1x512x2x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv515(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv516(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv517(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {kernel = "fa4", block_size = array<i64: 128, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv518(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x2xi32>, %mask_idx: tensor<1x1x2x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, q_stage = 2 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x2xi32>, tensor<1x1x2x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv519(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x2xi32>) -> tensor<1x512x1x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv520(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv521(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv522(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv523(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x500x1x64xbf16>, %v: tensor<1x500x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [1, 3], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv524(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %full_cnt = stablehlo.constant dense<[[[0, 1, 0, 0]]]> : tensor<1x1x4xi32>
  %full_idx = stablehlo.constant dense<[[[[0], [2], [0], [0]]]]> : tensor<1x1x4x1xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv525(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  %q_mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %q_mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %g:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %q_mask_cnt, %q_mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %g#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv526(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %dq_write_order = stablehlo.constant dense<[[[[0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {spt = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv527(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %dq_write_order = stablehlo.constant dense<[[[[0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv528(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x1xi32>) -> tensor<1x512x1x64xbf16> {
  %diag_cnt = stablehlo.constant dense<[[[0, 1, 1, 1]]]> : tensor<1x1x4xi32>
  %diag_idx = stablehlo.constant dense<[[[[0], [1], [2], [3]]]]> : tensor<1x1x4x1xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_cnt, %diag_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv529(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv531(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %dq_write_order: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {spt = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv532(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %dq_write_order: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv533(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>, %cu_total_m_blocks: tensor<3xi32>) -> tensor<768x2x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv534(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x2x64xbf16>, %v: tensor<1x512x2x64xbf16>, %dout: tensor<1x512x2x64xbf16>, %mask_cnt: tensor<1x2x4xi32>, %mask_idx: tensor<1x2x4x4xi32>) -> tensor<1x512x2x64xbf16> {
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv537(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 2, 6]> : tensor<3xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv538(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 2, 6]> : tensor<3xi32>
  %cu_block_idx_offsets = stablehlo.constant dense<[0, 8, 24]> : tensor<3xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks, %cu_block_idx_offsets) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv539(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x2x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 1, 1, 1], [1, 1, 1, 1]]]> : tensor<1x2x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [1, 0], [2, 0], [3, 0]], [[0, 1], [1, 0], [2, 0], [3, 0]]]]> : tensor<1x2x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {pack_gqa = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv540(%q: tensor<1x512x4x64xbf16>, %k: tensor<1x512x2x64xbf16>, %v: tensor<1x512x2x64xbf16>, %mask_cnt: tensor<1x4x4xi32>, %mask_idx: tensor<1x4x4x4xi32>) -> tensor<1x512x4x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x4x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x4x4xi32>, tensor<1x4x4x4xi32>) -> (tensor<1x512x4x64xbf16>, tensor<1x4x512xf32>)
  return %r#0 : tensor<1x512x4x64xbf16>
}

// -----

func.func @mv541(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv542(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %valid_upper = stablehlo.constant dense<[[[0, 128, 0, 0]]]> : tensor<1x1x4xi32>
  %valid_lower = stablehlo.constant dense<[[[0, 128, 0, 0]]]> : tensor<1x1x4xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %valid_upper, %valid_lower) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>, tensor<1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv543(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv544(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {kernel = "ranker", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv520_behind_count(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 99], [0, 1], [1, 2], [3, -7]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv521_full_row(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 2, 2]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv522_behind_count(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 3]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv523_whole_blocks(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [3, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv524_other_rows(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %full_cnt = stablehlo.constant dense<[[[1, 0, 0, 0]]]> : tensor<1x1x4xi32>
  %full_idx = stablehlo.constant dense<[[[[3], [1], [0], [0]]]]> : tensor<1x1x4x1xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv502_ragged(%q: tensor<1x500x1x64xbf16>, %k: tensor<1x500x1x64xbf16>, %v: tensor<1x500x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x500x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x500x1x64xbf16>, tensor<1x1x500xf32>)
  return %r#0 : tensor<1x500x1x64xbf16>
}

// -----

func.func @mv502_spare_diag_rows(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %diag_cnt: tensor<1x1x5xi32>, %diag_idx: tensor<1x1x5x1xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_cnt, %diag_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x5xi32>, tensor<1x1x5x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv503_fa4_coarse(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv506_subtiles(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x2xi32>, %mask_idx: tensor<1x1x2x4xi32>) -> tensor<1x1024x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 512, 256>, q_stage = 2 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x2xi32>, tensor<1x1x2x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv514_fa4_broadcast(%q: tensor<2x512x2x64xbf16>, %k: tensor<2x512x2x64xbf16>, %v: tensor<2x512x2x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<2x512x2x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<2x512x2x64xbf16>, tensor<2x512x2x64xbf16>, tensor<2x512x2x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<2x512x2x64xbf16>, tensor<2x2x512xf32>)
  return %r#0 : tensor<2x512x2x64xbf16>
}

// -----

func.func @mv517_one_row(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x1xi32>, %mask_idx: tensor<1x1x1x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x1xi32>, tensor<1x1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv525_other_blocks(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  %q_mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %q_mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %g:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %q_mask_cnt, %q_mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %g#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv526_spt(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %dq_write_order = stablehlo.constant dense<[[[[0, 1], [0, 1], [0, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {spt = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv537_packed(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 2, 6]> : tensor<3xi32>
  %cu_block_idx_offsets = stablehlo.constant dense<[0, 8, 24]> : tensor<3xi32>
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks, %cu_block_idx_offsets) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @dynamic_shapes(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<?x1x?xi32>, %mask_idx: tensor<?x1x?x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<?x1x?xi32>, tensor<?x1x?x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @no_rows(%q: tensor<1x0x1x64xbf16>, %k: tensor<1x0x1x64xbf16>, %v: tensor<1x0x1x64xbf16>, %mask_cnt: tensor<1x1x0xi32>, %mask_idx: tensor<1x1x0x0xi32>) -> tensor<1x0x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x0x1x64xbf16>, tensor<1x0x1x64xbf16>, tensor<1x0x1x64xbf16>, tensor<1x1x0xi32>, tensor<1x1x0x0xi32>) -> (tensor<1x0x1x64xbf16>, tensor<1x1x0xf32>)
  return %r#0 : tensor<1x0x1x64xbf16>
}

// -----

func.func @properties(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}>
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
