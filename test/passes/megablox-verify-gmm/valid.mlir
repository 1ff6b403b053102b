// RUN: mosaic-verify-opt %s --megablox-verify-gmm --split-input-file --verify-diagnostics

func.func @mv401_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv402_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<i32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv403_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv404_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv405_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<1x256x256xbf16>, %sizes: tensor<1xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<1x256x256xbf16>, tensor<1xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv406_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv407_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv408_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv409_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<i32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv410_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv411_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 128]> : tensor<4xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv412_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv413_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv414_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv415_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv416_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv417_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv418_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 128]> : tensor<4xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv419_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %offset = stablehlo.constant dense<3> : tensor<i32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv420_clean(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>) -> tensor<4x256x128xbf16> {
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv421_clean(%lhs: tensor<1048576x128xbf16>, %rhs: tensor<2x128x128xbf16>) -> tensor<1048576x128xbf16> {
  %sizes = stablehlo.constant dense<[1048321, 255]> : tensor<2xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 256, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1048576x128xbf16>, tensor<2x128x128xbf16>, tensor<2xi32>) -> tensor<1048576x128xbf16>
  return %o : tensor<1048576x128xbf16>
}

// -----

func.func @mv422_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv424_clean(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>) -> tensor<4x256x128xbf16> {
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, num_actual_groups = 4 : i64,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv430_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @dynamic_clean(%lhs: tensor<?x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<?x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<?x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<?x256xbf16>
  return %o : tensor<?x256xbf16>
}

// -----

func.func @remainders_clean(%lhs: tensor<512x200xbf16>, %rhs: tensor<4x200x100xbf16>, %sizes: tensor<4xi32>) -> tensor<512x100xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x200xbf16>, tensor<4x200x100xbf16>, tensor<4xi32>) -> tensor<512x100xbf16>
  return %o : tensor<512x100xbf16>
}

// -----

func.func @transposed_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x128xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = true,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x128xbf16>
  return %o : tensor<512x128xbf16>
}

// -----

func.func @whole_dimension_clean(%lhs: tensor<4x64xbf16>, %rhs: tensor<4x64x64xbf16>, %sizes: tensor<4xi32>) -> tensor<4x64xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 4, 64, 64>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<4x64xbf16>, tensor<4x64x64xbf16>, tensor<4xi32>) -> tensor<4x64xbf16>
  return %o : tensor<4x64xbf16>
}

// -----

func.func @fewer_rows_with_existing_out_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 64]> : tensor<4xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @fewer_rows_with_fewer_groups_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<2x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 64]> : tensor<4xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<2x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv423_clean(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = stablehlo.custom_call @tpu_custom_call(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
    operand_index = 0, operand_tuple_indices = []>]} : (tensor<8xf32>) -> tensor<8xf32>
  return %o : tensor<8xf32>
}

// -----

// The rows without a group are cut off again.
func.func @mv411_sliced_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<448x256xf32> {
  %sizes = stablehlo.constant dense<[128, 128, 128, 64]> : tensor<4xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  %p = stablehlo.convert %o : (tensor<512x256xbf16>) -> tensor<512x256xf32>
  %q = stablehlo.slice %p [0:448, 0:256] : (tensor<512x256xf32>) -> tensor<448x256xf32>
  return %q : tensor<448x256xf32>
}

// -----

func.func @mv432_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[0, 0, 384, 128]> : tensor<4xi32>
  %offset = stablehlo.constant dense<2> : tensor<i32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// The groups that rhs holds end inside lhs, and all other rows are zeroed.
func.func @mv411_local_groups_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<2x256x256xbf16>) -> tensor<512x256xbf16> {
  %sizes = stablehlo.constant dense<[256, 128, 256]> : tensor<3xi32>
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<512x256xbf16>, tensor<2x256x256xbf16>, tensor<3xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// Results of groups that group_sizes does not have keep the values of existing_out.
func.func @mv424_existing_out_clean(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %out: tensor<8x256x128xbf16>) -> tensor<8x256x128xbf16> {
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, num_actual_groups = 8 : i64,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<8x256x128xbf16>) -> tensor<8x256x128xbf16>
  return %o : tensor<8x256x128xbf16>
}

// -----

func.func @mv409_boolean_clean(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>, %offset: tensor<i1>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, transpose_rhs = false,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<i1>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

func.func @mv402_tgmm_clean(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %offset: tensor<i32>) -> tensor<4x256x128xbf16> {
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %offset) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<i32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv401_tgmm_clean(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>, %sizes: tensor<4xi32>, %out: tensor<4x256x128xbf16>) -> tensor<4x256x128xbf16> {
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>, tensor<4x256x128xbf16>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}

// -----

func.func @mv411_tgmm_clean(%lhs: tensor<256x512xbf16>, %rhs: tensor<512x128xbf16>) -> tensor<4x256x128xbf16> {
  // Rows without a group count for no result.
  %sizes = stablehlo.constant dense<100> : tensor<4xi32>
  %o = "megablox.tgmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<256x512xbf16>, tensor<512x128xbf16>, tensor<4xi32>) -> tensor<4x256x128xbf16>
  return %o : tensor<4x256x128xbf16>
}
