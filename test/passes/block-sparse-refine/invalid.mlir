// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-refine)' --split-input-file --verify-diagnostics

// What a repairing rewrite did is a warning.

func.func @drop_duplicates(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 3, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0, 0], [1, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
  // expected-warning @below {{'block_sparse.attention_fwd' op dropped 1 repeated entries of the mask lists [MV522]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @tail_last(%q: tensor<1x500x1x64xbf16>, %k: tensor<1x500x1x64xbf16>, %v: tensor<1x500x1x64xbf16>) -> tensor<1x500x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 3, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0, 0], [3, 1, 0], [1, 2, 0], [3, 0, 0]]]]> : tensor<1x1x4x3xi32>
  // expected-warning @below {{'block_sparse.attention_fwd' op moved block 3, which holds the sequence end, to the end of 1 mask lists [MV523]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x3xi32>) -> (tensor<1x500x1x64xbf16>, tensor<1x1x500xf32>)
  return %r#0 : tensor<1x500x1x64xbf16>
}
