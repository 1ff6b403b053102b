// RUN: mosaic-verify-opt %s --megablox-verify-gmm --split-input-file --verify-diagnostics=only-expected

func.func @mv401(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xf32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op Existing output dtype must match preferred_element_type. [MV401]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xf32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv402(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<1xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op group_offset must be a ()-shaped array. Got: (1,). [MV402]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<1xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv403(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op No tuned tiling found for (m, k, n) = (512, 256, 256) [MV403]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv404(%lhs: tensor<2x512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op Expected 2-tensor for 'lhs' but got 3-tensor. [MV404]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv405(%lhs: tensor<512x256xbf16>, %rhs: tensor<256x256xbf16>, %sizes: tensor<1xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op Expected 3-tensor for 'rhs' but got 2-tensor. [MV405]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<256x256xbf16>, tensor<1xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv406(%lhs: tensor<512x256xf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op Expected bfloat16 or float32 array but got float16. [MV406]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv407(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi64>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op Expected 32-bit integer 'group_sizes' but got int64. [MV407]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi64>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv408(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<2x2xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op group_sizes must be a vector with one entry per group, but has shape (2, 2) [MV408]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<2x2xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv409(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<f32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op group_offset must be an integer, but is f32 [MV409]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<f32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv410(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op lhs and rhs contract over different sizes: lhs has k=256, rhs has 128 (dimension 1) [MV410]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv411(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 64]> : tensor<4xi32>
  // expected-error @below {{'megablox.gmm' op group_sizes add up to 448 rows, but lhs has 512 [MV411]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv412(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op tiling must be (tm, tk, tn), but has 2 entries: (128, 128) [MV412]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv413(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op tiling must be positive, but is (128, 0, 128) [MV413]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 0, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv414(%lhs: tensor<500x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<500x256xbf16> {
  // expected-error @below {{'megablox.gmm' op 500 must be divisible by x-dimension tile size (128). [MV414]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<500x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<500x256xbf16>
  return %o : tensor<500x256xbf16>
}

// -----

func.func @mv415(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op tk=64 must be a multiple of 128 on TPU, or all of its dimension (256) [MV415]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 64, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv416(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<256x256xbf16>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op existing_out must have the shape of the result, (512, 256), but has (256, 256) [MV416]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<256x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv417(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xf64> {
  // expected-error @below {{'megablox.gmm' op preferred_element_type must not be wider than the float32 accumulator, but is float64 [MV417]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = f64, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xf64>
  return %o : tensor<512x256xf64>
}

// -----

func.func @mv418(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, -128, 256, 256]> : tensor<4xi32>
  // expected-error @below {{'megablox.gmm' op group sizes must not be negative: group_sizes[1]=-128 [MV418]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv419(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %offset = stablehlo.constant dense<4> : tensor<i32>
  // expected-warning @below {{'megablox.gmm' op group_offset=4 selects no group: group_sizes has 4 entries [MV419]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv420(%lhs: tensor<256x512xbf16>, %rhs: tensor<256x128xbf16>, %sizes: tensor<4xi32>) -> tensor<4x256x128xbf16> {
  // expected-error @below {{'megablox.tgmm' op lhs and rhs have different numbers of rows to group: lhs has m=512, rhs has 256 [MV420]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<256x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv421(%lhs: tensor<1048576x128xbf16>, %rhs: tensor<2x128x128xbf16>) -> tensor<1048576x128xbf16> {
  %sizes = stablehlo.constant dense<[1048321, 255]> : tensor<2xi32>
  // expected-error @below {{'megablox.gmm' op the group that starts inside tile 8190 is counted for another tile [MV421]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1048576x128xbf16>, tensor<2x128x128xbf16>, tensor<2xi32>) -> tensor<1048576x128xbf16>
  return %o : tensor<1048576x128xbf16>
}

// -----

func.func @mv422(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  // expected-warning @below {{'megablox.gmm' op the gradient of existing_out is the whole cotangent, although rows of local groups are overwritten [MV422]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false, differentiated,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv424(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>) -> tensor<8x256x128xbf16> {
  // expected-warning @below {{'megablox.tgmm' op num_actual_groups=8, but group_sizes has 4 entries [MV424]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, num_actual_groups = 8 : i64,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>) -> tensor<8x256x128xbf16>
  return %o : tensor<8x256x128xbf16>
}

// -----

func.func @mv430(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op requires attribute 'preferred_element_type' [MV430]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// Refused by MLIR's verifier already, and put in our words.
func.func @mv423(%x: tensor<8xf32>) -> tensor<8xbf16> {
  // expected-error @below {{operand part has type 'tensor<8xf32>' and output part has type 'tensor<8xbf16>' [MV423]}}
  %o = stablehlo.custom_call @tpu_custom_call(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
    operand_index = 0, operand_tuple_indices = []>]} : (tensor<8xf32>) -> tensor<8xbf16>
  return %o : tensor<8xbf16>
}

// -----

func.func @mv411_some_rows_are_masked(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %mask: tensor<512x256xi1>, %zero: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 64]> : tensor<4xi32>
  // expected-remark @below {{'megablox.gmm' op group_sizes add up to 448 rows, but lhs has 512 [MV411]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  %p = stablehlo.select %mask, %o, %zero : tensor<512x256xi1>, tensor<512x256xbf16>
  return %p : tensor<512x256xbf16>
}

// -----

// Rows of groups before the offset are zeroed only where rhs has fewer groups than group_sizes.
func.func @mv432(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[100, 128, 156, 128]> : tensor<4xi32>
  %offset = stablehlo.constant dense<2> : tensor<i32>
  // expected-warning @below {{'megablox.gmm' op group_offset=2 leaves the first 228 rows of the result uninitialised [MV432]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// More groups in rhs than sizes: nothing is zeroed either.
func.func @mv411_more_groups_in_rhs(%lhs: tensor<512x256xbf16>, %rhs: tensor<5x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 64]> : tensor<4xi32>
  // expected-error @below {{'megablox.gmm' op group_sizes add up to 448 rows, but lhs has 512 [MV411]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<5x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv411_local_groups_run_past(%lhs: tensor<512x256xbf16>, %rhs: tensor<2x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[256, 128, 256]> : tensor<3xi32>
  %offset = stablehlo.constant dense<1> : tensor<i32>
  // expected-error @below {{'megablox.gmm' op group_sizes add up to 640 rows, but lhs has 512 [MV411]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<2x256x256xbf16>, tensor<3xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv424_behind_offset(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>) -> tensor<4x256x128xbf16> {
  %offset = stablehlo.constant dense<1> : tensor<i32>
  // expected-warning @below {{'megablox.tgmm' op num_actual_groups=4 from group_offset=1 on, but group_sizes has 4 entries [MV424]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv424_negative(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>) -> tensor<0x256x128xbf16> {
  // expected-error @below {{'megablox.tgmm' op num_actual_groups must not be negative, but is -1 [MV424]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, num_actual_groups = -1 : i64,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>) -> tensor<0x256x128xbf16>
  return %o : tensor<0x256x128xbf16>
}

// -----

func.func @mv405_tgmm(%lhs: tensor<256x512xbf16>, %rhs: tensor<4x512x128xbf16>, %sizes: tensor<4xi32>) -> tensor<4x256x128xbf16> {
  // expected-error @below {{'megablox.tgmm' op Expected 2-tensor for 'rhs' but got 3-tensor. [MV405]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<4x512x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv402_tgmm(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %offset: tensor<1xi32>) -> tensor<4x256x128xbf16> {
  // expected-error @below {{'megablox.tgmm' op group_offset must be a ()-shaped array. Got: (1,). [MV402]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<1xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv409_boolean(%lhs: tensor<512x256xbf16>, %rhs: tensor<2x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<i1>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op group_offset must be an integer, but is i1 [MV409]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<2x256x256xbf16>, tensor<4xi32>, tensor<i1>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv401_tgmm(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %out: tensor<4x256x128xf32>) -> tensor<4x256x128xbf16> {
  // expected-error @below {{'megablox.tgmm' op Existing output dtype must match preferred_element_type. [MV401]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<4x256x128xf32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv416_tgmm(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %out: tensor<5x256x128xbf16>) -> tensor<4x256x128xbf16> {
  // expected-error @below {{'megablox.tgmm' op existing_out must have the shape of the result, (4, 256, 128), but has (5, 256, 128) [MV416]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<5x256x128xbf16>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv415_rows(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op tm=4 must be a multiple of 8 on TPU, or all of its dimension (512) [MV415]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 4, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv410_transposed(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x128xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error @below {{'megablox.gmm' op lhs and rhs contract over different sizes: lhs has k=256, rhs has 128 (dimension 2) [MV410]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = true,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x128xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv411_too_many(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<192> : tensor<4xi32>
  // expected-error @below {{'megablox.gmm' op group_sizes add up to 768 rows, but lhs has 512 [MV411]}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv411_tgmm(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>) -> tensor<4x256x128xbf16> {
  %sizes = stablehlo.constant dense<192> : tensor<4xi32>
  // expected-error @below {{'megablox.tgmm' op group_sizes add up to 768 rows, but lhs has 512 [MV411]}}
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}
