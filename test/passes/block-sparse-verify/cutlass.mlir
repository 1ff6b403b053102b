// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module(block-sparse-verify)' --split-input-file --verify-diagnostics

// What `python test/kernels/block_sparse_cutlass.py` prints (nvidia-cutlass-dsl 4.8.1, JAX 0.12.0.1): the gradient of an
// attention whose kernels are called with `cutlass.jax.cutlass_call`. The chunks behind the first differ in their lists.

module @clean attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>) -> (tensor<1x512x2x64xbf16> {jax.result_info = "result[0]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[1]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1x2x4xi32>
    %c_2 = stablehlo.constant dense<[[[[0, 1], [0, 1], [0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1], [0, 1]]]]> : tensor<1x2x4x2xi32>
    %c_3 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_4 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_7 = stablehlo.constant dense<[[[4, 4, 0, 0], [4, 4, 0, 0]]]> : tensor<1x2x4xi32>
    %c_8 = stablehlo.constant dense<[[[[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]]]]> : tensor<1x2x4x4xi32>
    %c_9 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_10 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %0:2 = call @call_wrapper(%arg0, %arg1, %arg2, %c, %c_0, %c_1, %c_2, %c_3, %c_4) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x512x2x64xf32>
    %2 = stablehlo.convert %1 : (tensor<1x512x2x64xf32>) -> tensor<1x512x2x64xbf16>
    %3 = stablehlo.convert %0#0 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %4 = stablehlo.convert %2 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<1x512x2x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<1x512x2x64xf32>, tensor<f32>) -> tensor<1x512x2xf32>
    %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<1x512x2xf32>) -> tensor<1x2x512xf32>
    %8:3 = call @call_wrapper_0(%arg0, %arg1, %arg2, %2, %0#1, %7, %c_5, %c_6, %c_7, %c_8, %c_9, %c_10) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %8#0, %8#1, %8#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @call_wrapper(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    %0:2 = call @cutlass_call_inner(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @cutlass_call_inner(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    %0:2 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @call_wrapper_0(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    %0:3 = call @cutlass_call_inner_1(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @cutlass_call_inner_1(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    %0:3 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
}

// -----

module @duplicate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>) -> (tensor<1x512x2x64xbf16> {jax.result_info = "result[0]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[1]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1x2x4xi32>
    %c_2 = stablehlo.constant dense<[[[[1, 1], [0, 1], [0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1], [0, 1]]]]> : tensor<1x2x4x2xi32>
    %c_3 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_4 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_7 = stablehlo.constant dense<[[[4, 4, 0, 0], [4, 4, 0, 0]]]> : tensor<1x2x4xi32>
    %c_8 = stablehlo.constant dense<[[[[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]]]]> : tensor<1x2x4x4xi32>
    %c_9 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_10 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %0:2 = call @call_wrapper(%arg0, %arg1, %arg2, %c, %c_0, %c_1, %c_2, %c_3, %c_4) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x512x2x64xf32>
    %2 = stablehlo.convert %1 : (tensor<1x512x2x64xf32>) -> tensor<1x512x2x64xbf16>
    %3 = stablehlo.convert %0#0 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %4 = stablehlo.convert %2 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<1x512x2x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<1x512x2x64xf32>, tensor<f32>) -> tensor<1x512x2xf32>
    %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<1x512x2xf32>) -> tensor<1x2x512xf32>
    %8:3 = call @call_wrapper_0(%arg0, %arg1, %arg2, %2, %0#1, %7, %c_5, %c_6, %c_7, %c_8, %c_9, %c_10) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %8#0, %8#1, %8#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @call_wrapper(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    %0:2 = call @cutlass_call_inner(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @cutlass_call_inner(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    // expected-error @below {{'stablehlo.custom_call' op full_idx names block 1 twice in one row: 1 entry, at (batch, head, row, position) (0, 0, 0, 1) [MV522]}}
    %0:2 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @call_wrapper_0(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    %0:3 = call @cutlass_call_inner_1(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @cutlass_call_inner_1(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    %0:3 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
}

// -----

module @transposed attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>) -> (tensor<1x512x2x64xbf16> {jax.result_info = "result[0]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[1]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1x2x4xi32>
    %c_2 = stablehlo.constant dense<[[[[0, 1], [0, 1], [0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1], [0, 1]]]]> : tensor<1x2x4x2xi32>
    %c_3 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_4 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_7 = stablehlo.constant dense<[[[4, 3, 0, 0], [4, 4, 0, 0]]]> : tensor<1x2x4xi32>
    %c_8 = stablehlo.constant dense<[[[[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]]]]> : tensor<1x2x4x4xi32>
    %c_9 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_10 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %0:2 = call @call_wrapper(%arg0, %arg1, %arg2, %c, %c_0, %c_1, %c_2, %c_3, %c_4) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x512x2x64xf32>
    %2 = stablehlo.convert %1 : (tensor<1x512x2x64xf32>) -> tensor<1x512x2x64xbf16>
    %3 = stablehlo.convert %0#0 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %4 = stablehlo.convert %2 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<1x512x2x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<1x512x2x64xf32>, tensor<f32>) -> tensor<1x512x2xf32>
    %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<1x512x2xf32>) -> tensor<1x2x512xf32>
    %8:3 = call @call_wrapper_0(%arg0, %arg1, %arg2, %2, %0#1, %7, %c_5, %c_6, %c_7, %c_8, %c_9, %c_10) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %8#0, %8#1, %8#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @call_wrapper(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    %0:2 = call @cutlass_call_inner(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @cutlass_call_inner(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    // expected-note @below {{forward call here}}
    %0:2 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @call_wrapper_0(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    %0:3 = call @cutlass_call_inner_1(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @cutlass_call_inner_1(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    // expected-error @below {{'stablehlo.custom_call' op the full lists are not the transpose of those of the forward call: 1 block, at (batch, head, Q block, KV block) (0, 0, 3, 1) only forward [MV525]}}
    %0:3 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
}

// -----

module @range attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>) -> (tensor<1x512x2x64xbf16> {jax.result_info = "result[0]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[1]"}, tensor<1x512x1x64xbf16> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1x2x4xi32>
    %c_2 = stablehlo.constant dense<[[[[0, 1], [0, 1], [0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1], [0, 1]]]]> : tensor<1x2x4x2xi32>
    %c_3 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_4 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<1x2x4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<1x2x4x1xi32>
    %c_7 = stablehlo.constant dense<[[[4, 4, 0, 0], [4, 4, 0, 0]]]> : tensor<1x2x4xi32>
    %c_8 = stablehlo.constant dense<[[[[0, 1, 2, 4], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 1, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 0, 0]]]]> : tensor<1x2x4x4xi32>
    %c_9 = stablehlo.constant dense<[[[0, 0, 1, 1], [0, 0, 1, 1]]]> : tensor<1x2x4xi32>
    %c_10 = stablehlo.constant dense<[[[[0], [0], [2], [3]], [[0], [0], [2], [3]]]]> : tensor<1x2x4x1xi32>
    %0:2 = call @call_wrapper(%arg0, %arg1, %arg2, %c, %c_0, %c_1, %c_2, %c_3, %c_4) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x512x2x64xf32>
    %2 = stablehlo.convert %1 : (tensor<1x512x2x64xf32>) -> tensor<1x512x2x64xbf16>
    %3 = stablehlo.convert %0#0 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %4 = stablehlo.convert %2 : (tensor<1x512x2x64xbf16>) -> tensor<1x512x2x64xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<1x512x2x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<1x512x2x64xf32>, tensor<f32>) -> tensor<1x512x2xf32>
    %7 = stablehlo.transpose %6, dims = [0, 2, 1] : (tensor<1x512x2xf32>) -> tensor<1x2x512xf32>
    %8:3 = call @call_wrapper_0(%arg0, %arg1, %arg2, %2, %0#1, %7, %c_5, %c_6, %c_7, %c_8, %c_9, %c_10) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %8#0, %8#1, %8#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @call_wrapper(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    %0:2 = call @cutlass_call_inner(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @cutlass_call_inner(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x2x4xi32>, %arg4: tensor<1x2x4x1xi32>, %arg5: tensor<1x2x4xi32>, %arg6: tensor<1x2x4x2xi32>, %arg7: tensor<1x2x4xi32>, %arg8: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>) {
    %0:2 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x2xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>)
    return %0#0, %0#1 : tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>
  }
  func.func private @call_wrapper_0(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    %0:3 = call @cutlass_call_inner_1(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
  func.func private @cutlass_call_inner_1(%arg0: tensor<1x512x2x64xbf16>, %arg1: tensor<1x512x1x64xbf16>, %arg2: tensor<1x512x1x64xbf16>, %arg3: tensor<1x512x2x64xbf16>, %arg4: tensor<1x2x512xf32>, %arg5: tensor<1x2x512xf32>, %arg6: tensor<1x2x4xi32>, %arg7: tensor<1x2x4x1xi32>, %arg8: tensor<1x2x4xi32>, %arg9: tensor<1x2x4x4xi32>, %arg10: tensor<1x2x4xi32>, %arg11: tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>) {
    // expected-error @below {{'stablehlo.custom_call' op full_idx names block 4, but there are 4 Q blocks (512 tokens in blocks of 128): 1 entry, at (batch, head, row, position) (0, 0, 0, 3) [MV520]}}
    %0:3 = stablehlo.custom_call @CuteDSLRT_NvJaxCutlassCall_v2(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) {backend_config = "", mhlo.backend_config = {key = "", module = ""}, operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[2, 1, 0]> : tensor<3xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>], result_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>]} : (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x2x64xbf16>, tensor<1x2x512xf32>, tensor<1x2x512xf32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>, tensor<1x2x4xi32>, tensor<1x2x4x4xi32>, tensor<1x2x4xi32>, tensor<1x2x4x1xi32>) -> (tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>)
    return %0#0, %0#1, %0#2 : tensor<1x512x2x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>
  }
}
