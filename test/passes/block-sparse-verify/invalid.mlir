// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-verify)' --split-input-file --verify-diagnostics

func.func @mv501(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x8xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Block sparsity expects sparse_block_size[1]=128 to match tile_n. [MV501]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv502(%q: tensor<1x2048x1x64xbf16>, %k: tensor<1x2048x1x64xbf16>, %v: tensor<1x2048x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x16xi32>) -> tensor<1x2048x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op block-sparse arrays cover 8 m-tiles but the kernel iterates 16 (seq_len=2048) [MV502]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x16xi32>) -> (tensor<1x2048x1x64xbf16>, tensor<1x1x2048xf32>)
  return %r#0 : tensor<1x2048x1x64xbf16>
}

// -----

func.func @mv503(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparsity requires sparse_block_size[1]=128 to match tile_n. [MV503]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 256>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv504(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Block sparsity expects sparse_block_size_q=128 for subtile_factor=1. [MV504]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv505(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x6xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparsity requires sparse_block_size[1] to be a multiple of tile_n=128. [MV505]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 192>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x6xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv506(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x8xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward m-block dimension 8 does not match sparse_block_size_q=256. Set BlockSparseTensorsTorch.block_size to match the BlockMask BLOCK_SIZE. [MV506]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1x1024xf32>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv507(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>, %cu_total_m_blocks: tensor<3xi32>) -> tensor<768x2x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Varlen block sparsity requires sparse_block_size[0]=128 (= q_stage * tile_m); got 256. [MV507]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {block_size = array<i64: 256, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv508(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %valid_upper: tensor<1x1x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op valid_block_upper and valid_block_lower must be provided together [MV508]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %valid_upper) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv509(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x8xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op mask_block_cnt (_flash_attn_bwd) with shape (1, 1, 4) cannot be expanded to expected shape (1, 1, 8). Hint: Backward expects Q-direction block-sparse tensors (q_mask_cnt/q_mask_idx, and optionally full_q_cnt/full_q_idx). Regenerate the backward BlockMask with BLOCK_SIZE=(128, 128). [MV509]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x8xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv510(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x2x64xbf16>, %v: tensor<1x512x2x64xbf16>, %mask_cnt: tensor<2x4xi32>, %mask_idx: tensor<1x2x4x4xi32>) -> tensor<1x512x2x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward must have shapes (B, H, M) and (B, H, M, N). (mask_cnt is (2, 4), mask_idx is (1, 2, 4, 4)) [MV510]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<2x4xi32>, tensor<1x2x4x4xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv511(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %full_cnt: tensor<1x1x4xi32>, %full_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op mask_block_cnt and mask_block_idx must be provided for block sparsity. [MV511]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %full_cnt, %full_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv512(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %full_cnt: tensor<1x1x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op full_block_cnt and full_block_idx must both be provided or both be None [MV512]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv513(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi64>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op mask_block tensors must have dtype torch.int32 (mask_idx is i64) [MV513]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi64>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv514(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x2x64xbf16>, %v: tensor<1x512x2x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x2x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op head dim of mask_cnt is 1, but the kernel reads 2 and broadcasts nothing: mask_cnt is (1, 1, 4) [MV514]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv515(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x5xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward must share the same m-block dimension. (mask_cnt has 5, mask_idx has 4) [MV515]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x5xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv516(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x5xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward n-block dimension must be <= 4. [MV516]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x5xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv517(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward require explicit sparse_block_size[0] to disambiguate block size for seqlen_q=512 and num_m_blocks=4. [MV517]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv518(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward have block size 128, which must be a multiple of 256. [MV518]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, q_stage = 2 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv519(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x6xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Block sparsity requires sparse_block_size[0] to be a multiple of tile_m=128; got 96. [MV519]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 96, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x6xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv520(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 4], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op mask_idx names block 4, but there are 4 KV blocks (512 tokens in blocks of 128): 1 entry, at (batch, head, row, position) (0, 0, 2, 1) [MV520]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv521(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 3, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op mask_cnt says 3, but a row of mask_idx has 0 to 2 entries: 1 row, at (batch, head, row) (0, 0, 1) [MV521]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv522(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [1, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op mask_idx names block 1 twice in one row: 1 entry, at (batch, head, row, position) (0, 0, 1, 1) [MV522]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv523(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x500x1x64xbf16>, %v: tensor<1x500x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [3, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op block 3 of mask_idx holds the sequence end (seq_len_k=500) but is not the last of its row, so the padding behind the end is attended to: 1 entry, at (batch, head, row, position) (0, 0, 1, 0) [MV523]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x500x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv524(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %full_cnt = stablehlo.constant dense<[[[0, 1, 0, 0]]]> : tensor<1x1x4xi32>
  %full_idx = stablehlo.constant dense<[[[[0], [1], [0], [0]]]]> : tensor<1x1x4x1xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op full_idx names block 1, which mask_idx names in the same row: 1 entry, at (batch, head, row, position) (0, 0, 1, 0) [MV524]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv525(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-note @below {{forward call here}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  %q_mask_cnt = stablehlo.constant dense<[[[2, 1, 1, 1]]]> : tensor<1x1x4xi32>
  %q_mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_bwd' op the mask lists are not the transpose of those of the forward call: 1 block, at (batch, head, Q block, KV block) (0, 0, 2, 1) only forward [MV525]}}
  %g:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %q_mask_cnt, %q_mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %g#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv526(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 1], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %dq_write_order = stablehlo.constant dense<[[[[0, 0], [0, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_bwd' op dq_write_order disagrees with the lists: rank 1 is due at (0, 0, 1, 0), found 0; 1 entry, at (batch, head, row, position) (0, 0, 1, 0) [MV526]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {spt = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv527(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2, 1, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[1, 0], [1, 2], [2, 0], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %dq_write_order = stablehlo.constant dense<[[[[0, 0], [1, 0], [1, 0], [0, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-warning @below {{'block_sparse.attention_bwd' op mask_idx is not ascending, but dq_write_order is: 1 entry, at (batch, head, row, position) (0, 0, 0, 1) below the one before [MV527]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv528(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x1xi32>) -> tensor<1x512x1x64xbf16> {
  %diag_cnt = stablehlo.constant dense<[[[0, 1, 1, 1]]]> : tensor<1x1x4xi32>
  %diag_idx = stablehlo.constant dense<[[[[0], [1], [1], [3]]]]> : tensor<1x1x4x1xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op diag_idx names block 1 in row 2, where no key has the position of a query: 1 entry, at (batch, head, row, position) (0, 0, 2, 0) [MV528]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_cnt, %diag_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv529(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 0, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-remark @below {{'block_sparse.attention_fwd' op no list has a block for 1 row, at (batch, head, row) (0, 0, 1) [MV529]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv531(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op spt requires dq_write_order to be provided [MV531]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {spt = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv532(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op deterministic block-sparse backward requires dq_write_order in block_sparse_tensors [MV532]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv533(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Varlen block sparsity requires block_sparse_tensors.cu_total_m_blocks. [MV533]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv534(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %dout: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>, %cu_total_m_blocks: tensor<3xi32>) -> tensor<768x2x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Varlen backward with block sparsity is not yet supported [MV534]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv537(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 2, 5]> : tensor<3xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op cu_total_m_blocks ends with 5, but mask_cnt has 6 rows [MV537]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv538(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 2, 6]> : tensor<3xi32>
  %cu_block_idx_offsets = stablehlo.constant dense<[0, 8, 25]> : tensor<3xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op cu_block_idx_offsets ends with 25, but mask_idx has 24 entries [MV538]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks, %cu_block_idx_offsets) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv539(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x2x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 1, 1, 1], [2, 1, 1, 1]]]> : tensor<1x2x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [1, 0], [2, 0], [3, 0]], [[0, 1], [1, 0], [2, 0], [3, 0]]]]> : tensor<1x2x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op pack_gqa reads the lists of query heads 0 to 1 from entry 0 of the head dim, but the mask lists of query head 1 differ from it [MV539]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {pack_gqa = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv540(%q: tensor<1x512x4x64xbf16>, %k: tensor<1x512x3x64xbf16>, %v: tensor<1x512x3x64xbf16>, %mask_cnt: tensor<1x4x4xi32>, %mask_idx: tensor<1x4x4x4xi32>) -> tensor<1x512x4x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op 4 query heads are not a multiple of 3 KV heads [MV540]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x4x64xbf16>, tensor<1x512x3x64xbf16>, tensor<1x512x3x64xbf16>, tensor<1x4x4xi32>, tensor<1x4x4x4xi32>) -> (tensor<1x512x4x64xbf16>, tensor<1x4x512xf32>)
  return %r#0 : tensor<1x512x4x64xbf16>
}

// -----

func.func @mv541(%q: tensor<1x512x1x64xf16>, %k: tensor<1x512x1x64xf16>, %v: tensor<1x512x1x64xf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op the ranker kernels read and write bf16, but q is f16, k is f16, v is f16 [MV541]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xf16>, tensor<1x512x1x64xf16>, tensor<1x512x1x64xf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xf16>
}

// -----

func.func @mv542(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  %valid_upper = stablehlo.constant dense<[[[0, 129, 0, 0]]]> : tensor<1x1x4xi32>
  %valid_lower = stablehlo.constant dense<0> : tensor<1x1x4xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op valid_upper says 129, but a tile has positions 0 to 128: 1 entry, at index (0, 0, 1) [MV542]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %valid_upper, %valid_lower) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>, tensor<1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv543(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>) -> tensor<1x512x1x64xbf16> {
  %mask_idx = stablehlo.constant dense_resource<lists> : tensor<1x1x4x4xi32>
  // expected-remark @below {{'block_sparse.attention_fwd' op the values of mask_idx were not checked: dense_resource constants cannot be read [MV543]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
{-# dialect_resources: { builtin: { lists: "0x0400000000000000010000000200000003000000000000000100000002000000030000000000000001000000020000000300000000000000010000000200000003000000" } } #-}

// -----

func.func @mv544(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op attribute 'kernel' must be "ranker" or "fa4", but is "fa3" [MV544]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {kernel = "fa3", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv501_kv_subtile(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x2xi32>, %mask_idx: tensor<1x1x2x8xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Block sparsity expects sparse_block_size[1]=256 for kv_subtile_factor=2. [MV501]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 512>, kv_subtile_factor = 2 : i64, subtile_factor = 1 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x2xi32>, tensor<1x1x2x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv502_packed(%q: tensor<1x2048x1x64xbf16>, %k: tensor<1x2048x1x64xbf16>, %v: tensor<1x2048x1x64xbf16>, %mask_cnt: tensor<1x1x16xi32>, %mask_idx: tensor<1x1x16x16xi32>) -> tensor<1x2048x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op block-sparse arrays cover 16 m-tiles but the kernel will iterate 18 (packed_S=2304). Pass packed_seq_len (the physical packed row length) to build_block_sparse_layout so every physical tile has an entry. [MV502]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {packed_seq_len = 2304 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x2048x1x64xbf16>, tensor<1x1x16xi32>, tensor<1x1x16x16xi32>) -> (tensor<1x2048x1x64xbf16>, tensor<1x1x2048xf32>)
  return %r#0 : tensor<1x2048x1x64xbf16>
}

// -----

func.func @mv502_diag_rows(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %diag_cnt: tensor<1x1x3xi32>, %diag_idx: tensor<1x1x3x1xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op block-sparse arrays cover 3 m-tiles but the kernel iterates 4 (seq_len=512) [MV502]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_cnt, %diag_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x3xi32>, tensor<1x1x3x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv504_fa4(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x8xi32>, %mask_idx: tensor<1x1x8x4xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Block sparsity expects sparse_block_size_q=128 for q_subtile_factor=1. [MV504]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 256, 128>, subtile_factor = 1 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x8xi32>, tensor<1x1x8x4xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv505_backward(%q: tensor<1x1024x1x64xbf16>, %k: tensor<1x1024x1x64xbf16>, %v: tensor<1x1024x1x64xbf16>, %dout: tensor<1x1024x1x64xbf16>, %mask_cnt: tensor<1x1x6xi32>, %mask_idx: tensor<1x1x6x8xi32>) -> tensor<1x1024x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op Block sparsity expects sparse_block_size[1] to be a multiple of tile_n=128; got 192. [MV505]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 192>, subtile_factor = 1 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1x6xi32>, tensor<1x1x6x8xi32>) -> (tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>, tensor<1x1024x1x64xbf16>)
  return %r#0 : tensor<1x1024x1x64xbf16>
}

// -----

func.func @mv508_lower(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %valid_lower: tensor<1x1x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op valid_block_upper and valid_block_lower must be provided together [MV508]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %valid_lower) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv509_full(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %full_cnt: tensor<1x1x3xi32>, %full_idx: tensor<1x1x3x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op full_block_cnt with shape (1, 1, 3) cannot be expanded to expected shape (1, 1, 4). [MV509]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %full_cnt, %full_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x3xi32>, tensor<1x1x3x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv509_write_order(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %dq_write_order: tensor<1x1x4x3xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op dq_write_order (_flash_attn_bwd) with shape (1, 1, 4, 3) cannot be expanded to expected shape (1, 1, 4, 4). Hint: Backward expects Q-direction block-sparse tensors (q_mask_cnt/q_mask_idx, and optionally full_q_cnt/full_q_idx). Regenerate the backward BlockMask with BLOCK_SIZE=(128, 128). [MV509]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4x3xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv510_varlen(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<1x2x6xi32>, %mask_idx: tensor<2x24xi32>, %cu_total_m_blocks: tensor<3xi32>) -> tensor<768x2x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op varlen block sparsity takes lists of shapes (H, total_m_blocks) and (H, total_n_blocks): mask_cnt is (1, 2, 6), mask_idx is (2, 24) [MV510]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<1x2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv512_diag(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %diag_idx: tensor<1x1x4x1xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op diag_block_cnt and diag_block_idx must both be provided or both be None [MV512]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv513_float(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xf32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op mask_block tensors must have dtype torch.int32 (mask_cnt is f32) [MV513]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xf32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv513_write_order(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %dq_write_order: tensor<1x1x4x4xi64>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op dq_write_order must have dtype torch.int32 (dq_write_order is i64) [MV513]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %dq_write_order) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4x4xi64>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv514_batch(%q: tensor<2x512x1x64xbf16>, %k: tensor<2x512x1x64xbf16>, %v: tensor<2x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<2x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op batch dim of mask_cnt is 1, but the kernel reads 2 and broadcasts nothing: mask_cnt is (1, 1, 4) [MV514]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<2x512x1x64xbf16>, tensor<2x512x1x64xbf16>, tensor<2x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<2x512x1x64xbf16>, tensor<2x1x512xf32>)
  return %r#0 : tensor<2x512x1x64xbf16>
}

// -----

func.func @mv514_fa4(%q: tensor<1x512x4x64xbf16>, %k: tensor<1x512x4x64xbf16>, %v: tensor<1x512x4x64xbf16>, %mask_cnt: tensor<1x2x4xi32>, %mask_idx: tensor<1x2x4x4xi32>) -> tensor<1x512x4x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward head dim must be 4 or 1. [MV514]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x4x64xbf16>, tensor<1x512x4x64xbf16>, tensor<1x512x4x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>) -> (tensor<1x512x4x64xbf16>, tensor<1x4x512xf32>)
  return %r#0 : tensor<1x512x4x64xbf16>
}

// -----

func.func @mv515_fa4(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x5xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op Block sparse tensorsforward must share the same m-block dimension. (mask_cnt has 5, mask_idx has 4) [MV515]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x5xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv520_negative(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [-1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op mask_idx names block -1, but there are 4 KV blocks (512 tokens in blocks of 128): 1 entry, at (batch, head, row, position) (0, 0, 2, 0) [MV520]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv520_backward(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x256x1x64xbf16>, %v: tensor<1x256x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[2, 2]]]> : tensor<1x1x2xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 4], [1, 2]]]]> : tensor<1x1x2x2xi32>
  // expected-error @below {{'block_sparse.attention_bwd' op mask_idx names block 4, but there are 4 Q blocks (512 tokens in blocks of 128): 1 entry, at (batch, head, row, position) (0, 0, 0, 1) [MV520]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x256x1x64xbf16>, tensor<1x256x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x2xi32>, tensor<1x1x2x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x256x1x64xbf16>, tensor<1x256x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv521_negative(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, -1, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op mask_cnt says -1, but a row of mask_idx has 0 to 2 entries: 1 row, at (batch, head, row) (0, 0, 1) [MV521]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv524_diag(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %mask_cnt = stablehlo.constant dense<[[[1, 2, 2, 1]]]> : tensor<1x1x4xi32>
  %mask_idx = stablehlo.constant dense<[[[[0, 0], [0, 1], [1, 2], [3, 0]]]]> : tensor<1x1x4x2xi32>
  %diag_cnt = stablehlo.constant dense<[[[0, 1, 0, 0]]]> : tensor<1x1x4xi32>
  %diag_idx = stablehlo.constant dense<[[[[0], [1], [0], [0]]]]> : tensor<1x1x4x1xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op diag_idx names block 1, which mask_idx names in the same row: 1 entry, at (batch, head, row, position) (0, 0, 1, 0) [MV524]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %diag_cnt, %diag_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x2xi32>, tensor<1x1x4xi32>, tensor<1x1x4x1xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv532_full(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>, %full_cnt: tensor<1x1x4xi32>, %full_idx: tensor<1x1x4x4xi32>, %dq_write_order: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op deterministic block-sparse backward requires dq_write_order_full when full blocks are present [MV532]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx, %full_cnt, %full_idx, %dq_write_order) {deterministic = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv537_start(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[1, 2, 6]> : tensor<3xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op cu_total_m_blocks must begin with 0, but begins with 1 [MV537]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv537_decreasing(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 7, 6]> : tensor<3xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op cu_total_m_blocks must not decrease, but cu_total_m_blocks[2]=6 follows 7 (1 places) [MV537]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv538_rows(%q: tensor<768x2x64xbf16>, %k: tensor<768x2x64xbf16>, %v: tensor<768x2x64xbf16>, %mask_cnt: tensor<2x6xi32>, %mask_idx: tensor<2x24xi32>) -> tensor<768x2x64xbf16> {
  %cu_total_m_blocks = stablehlo.constant dense<[0, 2, 6]> : tensor<3xi32>
  %cu_block_idx_offsets = stablehlo.constant dense<[0, 7, 23]> : tensor<3xi32>
  // expected-error @below {{'block_sparse.attention_fwd' op cu_block_idx_offsets gives sequence 0 7 entries, which is no multiple of its 2 rows (1 sequences) [MV538]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx, %cu_total_m_blocks, %cu_block_idx_offsets) {kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1>}
    : (tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<768x2x64xbf16>, tensor<2x6xi32>, tensor<2x24xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<768x2x64xbf16>, tensor<1x2x768xf32>)
  return %r#0 : tensor<768x2x64xbf16>
}

// -----

func.func @mv539_fa4(%q: tensor<1x512x2x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x2x4xi32>, %mask_idx: tensor<1x2x4x4xi32>) -> tensor<1x512x2x64xbf16> {
  // expected-remark @below {{'block_sparse.attention_fwd' op pack_gqa is switched off, since the lists are per head: it takes lists with a head dim of 1 [MV539]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, pack_gqa = true, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
  return %r#0 : tensor<1x512x2x64xbf16>
}

// -----

func.func @mv541_fa4(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op q, k and v must have the same dtype, but q is bf16, k is bf16, v is f16 [MV541]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 128>, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv531_type(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %dout: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_bwd' op spt must be a bool when provided [MV531]}}
  %r:3 = "block_sparse.attention_bwd"(%q, %k, %v, %dout, %mask_cnt, %mask_idx) {spt = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv544_segments(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op 'operandSegmentSizes' adds up to 6 operands, but the op has 5 [MV544]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}

// -----

func.func @mv544_block_size(%q: tensor<1x512x1x64xbf16>, %k: tensor<1x512x1x64xbf16>, %v: tensor<1x512x1x64xbf16>, %mask_cnt: tensor<1x1x4xi32>, %mask_idx: tensor<1x1x4x4xi32>) -> tensor<1x512x1x64xbf16> {
  // expected-error @below {{'block_sparse.attention_fwd' op attribute 'block_size' must be two positive integers, but is [128, 0] [MV544]}}
  %r:2 = "block_sparse.attention_fwd"(%q, %k, %v, %mask_cnt, %mask_idx) {block_size = array<i64: 128, 0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>, tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %r#0 : tensor<1x512x1x64xbf16>
}
