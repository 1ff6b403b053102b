// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-verify{arch=sm_80})' --split-input-file --verify-diagnostics

func.func @mv536(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
