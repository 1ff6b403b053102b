// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-verify{arch=sm_100a})' --split-input-file --verify-diagnostics

func.func @mv530(%q: tensor<1x512x1x192xbf16>, %k: tensor<1x512x1x192xbf16>, %v: tensor<1x512x1x192xbf16>, %dout: tensor<1x512x1x192xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x192xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op SM100 block-sparse backward with head_dim=192 requires 2CTA; sparse_block_size[1] must cover an even number of tile_n=128 tiles; got factor 1. [MV530]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x192xbf16>, tensor<1x512x1x192xbf16>, tensor<1x512x1x192xbf16>, tensor<1x512x1x192xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x192xbf16>, tensor<1x512x1x192xbf16>, tensor<1x512x1x192xbf16>)
  return %r#0 : tensor<1x512x1x192xbf16>
}

// -----

func.func @mv535(%q: tensor<1x512x1x256xbf16>, %k: tensor<1x512x1x256xbf16>, %v: tensor<1x512x1x256xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x256xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op SM100 forward with head_dim=256 does not support block sparsity [MV535]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x256xbf16>, tensor<1x512x1x256xbf16>, tensor<1x512x1x256xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x256xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x256xbf16>
}
