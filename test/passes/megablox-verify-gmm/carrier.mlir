// RUN: mosaic-verify-opt %s --megablox-verify-gmm --allow-unregistered-dialect --split-input-file --verify-diagnostics=only-expected

// What `python test/kernels/megablox_calls.py SIZES` prints with JAX 0.10.2 and with 0.12.0.1: gmm and tgmm as they are lowered for TPU.

module @jit_calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<256x128xbf16>) -> (tensor<256x128xf32> {jax.result_info = "result[0]"}, tensor<2x128x128xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[100, 156]> : tensor<2xi32>
    %0 = call @gmm(%arg0, %arg1, %c) : (tensor<256x128xbf16>, tensor<2x128x128xbf16>, tensor<2xi32>) -> tensor<256x128xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<256x128xbf16>) -> tensor<128x256xbf16>
    %2 = call @tgmm(%1, %arg2, %c) : (tensor<128x256xbf16>, tensor<256x128xbf16>, tensor<2xi32>) -> tensor<2x128x128xf32>
    return %0, %2 : tensor<256x128xf32>, tensor<2x128x128xf32>
  }
  func.func private @gmm(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<2xi32>) -> tensor<256x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %arg0, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[2, 1, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<2x128x128xbf16>) -> tensor<256x128xf32>
    return %5 : tensor<256x128xf32>
  }
  func.func private @tgmm(%arg0: tensor<128x256xbf16>, %arg1: tensor<256x128xbf16>, %arg2: tensor<2xi32>) -> tensor<2x128x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x256xbf16>) -> tensor<256x128xbf16>
    %6 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %5, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<256x128xbf16>) -> tensor<2x128x128xf32>
    return %6 : tensor<2x128x128xf32>
  }
}

// -----

module @jit_calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<256x128xbf16>) -> (tensor<256x128xf32> {jax.result_info = "result[0]"}, tensor<2x128x128xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<100> : tensor<2xi32>
    // expected-error @below {{'megablox.gmm' op group_sizes add up to 200 rows, but lhs has 256 [MV411]}}
    %0 = call @gmm(%arg0, %arg1, %c) : (tensor<256x128xbf16>, tensor<2x128x128xbf16>, tensor<2xi32>) -> tensor<256x128xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<256x128xbf16>) -> tensor<128x256xbf16>
    %2 = call @tgmm(%1, %arg2, %c) : (tensor<128x256xbf16>, tensor<256x128xbf16>, tensor<2xi32>) -> tensor<2x128x128xf32>
    return %0, %2 : tensor<256x128xf32>, tensor<2x128x128xf32>
  }
  func.func private @gmm(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<2xi32>) -> tensor<256x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %arg0, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[2, 1, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<2x128x128xbf16>) -> tensor<256x128xf32>
    return %5 : tensor<256x128xf32>
  }
  func.func private @tgmm(%arg0: tensor<128x256xbf16>, %arg1: tensor<256x128xbf16>, %arg2: tensor<2xi32>) -> tensor<2x128x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x256xbf16>) -> tensor<256x128xbf16>
    %6 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %5, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<256x128xbf16>) -> tensor<2x128x128xf32>
    return %6 : tensor<2x128x128xf32>
  }
}

// -----

module @jit_calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<256x128xbf16>) -> (tensor<256x128xf32> {jax.result_info = "result[0]"}, tensor<2x128x128xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[200, 100]> : tensor<2xi32>
    // expected-error @below {{'megablox.gmm' op group_sizes add up to 300 rows, but lhs has 256 [MV411]}}
    %0 = call @gmm(%arg0, %arg1, %c) : (tensor<256x128xbf16>, tensor<2x128x128xbf16>, tensor<2xi32>) -> tensor<256x128xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<256x128xbf16>) -> tensor<128x256xbf16>
    // expected-error @below {{'megablox.tgmm' op group_sizes add up to 300 rows, but lhs has 256 [MV411]}}
    %2 = call @tgmm(%1, %arg2, %c) : (tensor<128x256xbf16>, tensor<256x128xbf16>, tensor<2xi32>) -> tensor<2x128x128xf32>
    return %0, %2 : tensor<256x128xf32>, tensor<2x128x128xf32>
  }
  func.func private @gmm(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<2xi32>) -> tensor<256x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %arg0, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[2, 1, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<2x128x128xbf16>) -> tensor<256x128xf32>
    return %5 : tensor<256x128xf32>
  }
  func.func private @tgmm(%arg0: tensor<128x256xbf16>, %arg1: tensor<256x128xbf16>, %arg2: tensor<2xi32>) -> tensor<2x128x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x256xbf16>) -> tensor<256x128xbf16>
    %6 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %5, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<256x128xbf16>) -> tensor<2x128x128xf32>
    return %6 : tensor<2x128x128xf32>
  }
}

// -----

module @jit_calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<256x128xbf16>) -> (tensor<256x128xf32> {jax.result_info = "result[0]"}, tensor<2x128x128xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[-56, 312]> : tensor<2xi32>
    // expected-error @below {{'megablox.gmm' op group sizes must not be negative: group_sizes[0]=-56 [MV418]}}
    %0 = call @gmm(%arg0, %arg1, %c) : (tensor<256x128xbf16>, tensor<2x128x128xbf16>, tensor<2xi32>) -> tensor<256x128xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<256x128xbf16>) -> tensor<128x256xbf16>
    // expected-error @below {{'megablox.tgmm' op group sizes must not be negative: group_sizes[0]=-56 [MV418]}}
    %2 = call @tgmm(%1, %arg2, %c) : (tensor<128x256xbf16>, tensor<256x128xbf16>, tensor<2xi32>) -> tensor<2x128x128xf32>
    return %0, %2 : tensor<256x128xf32>, tensor<2x128x128xf32>
  }
  func.func private @gmm(%arg0: tensor<256x128xbf16>, %arg1: tensor<2x128x128xbf16>, %arg2: tensor<2xi32>) -> tensor<256x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %arg0, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[2, 1, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<2x128x128xbf16>) -> tensor<256x128xf32>
    return %5 : tensor<256x128xf32>
  }
  func.func private @tgmm(%arg0: tensor<128x256xbf16>, %arg1: tensor<256x128xbf16>, %arg2: tensor<2xi32>) -> tensor<2x128x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<3xi32>
    %4 = "test.unknown"() : () -> tensor<i32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<128x256xbf16>) -> tensor<256x128xbf16>
    %6 = stablehlo.custom_call @tpu_custom_call(%4, %1, %2, %3, %0, %5, %arg1) {backend_config = "", kernel_name = "kernel", mhlo.frontend_attributes = {kernel_metadata = "{}"}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[2, 1, 0]> : tensor<3xindex>]} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<256x128xbf16>) -> tensor<2x128x128xf32>
    return %6 : tensor<2x128x128xf32>
  }
}

// -----

// Other kernels have the name and the tables, too: with weights of a byte and a scale for each column, or two weights in a
// byte. megablox refuses such operands before anything is lowered.
module @jit_quantized {
  func.func public @main(%lhs: tensor<256x128xbf16>, %rhs: tensor<2x128x128xi8>, %scale: tensor<2x1x128xf32>, %packed: tensor<2x64x128xui8>) -> (tensor<256x128xf32>, tensor<256x128xf32>) {
    %sizes = stablehlo.constant dense<100> : tensor<2xi32>
    %0 = call @gmm(%lhs, %rhs, %sizes, %scale) : (tensor<256x128xbf16>, tensor<2x128x128xi8>, tensor<2xi32>, tensor<2x1x128xf32>) -> tensor<256x128xf32>
    %1 = call @gmm_0(%lhs, %packed, %sizes) : (tensor<256x128xbf16>, tensor<2x64x128xui8>, tensor<2xi32>) -> tensor<256x128xf32>
    return %0, %1 : tensor<256x128xf32>, tensor<256x128xf32>
  }
  func.func private @gmm(%lhs: tensor<256x128xbf16>, %rhs: tensor<2x128x128xi8>, %sizes: tensor<2xi32>, %scale: tensor<2x1x128xf32>) -> tensor<256x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<i32>
    %4 = stablehlo.custom_call @tpu_custom_call(%3, %1, %2, %2, %0, %lhs, %rhs, %scale) {backend_config = "", kernel_name = "kernel"} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<2x128x128xi8>, tensor<2x1x128xf32>) -> tensor<256x128xf32>
    return %4 : tensor<256x128xf32>
  }
  func.func private @gmm_0(%lhs: tensor<256x128xbf16>, %rhs: tensor<2x64x128xui8>, %sizes: tensor<2xi32>) -> tensor<256x128xf32> {
    %0 = "test.unknown"() : () -> tensor<1xi32>
    %1 = "test.unknown"() : () -> tensor<3xi32>
    %2 = "test.unknown"() : () -> tensor<3xi32>
    %3 = "test.unknown"() : () -> tensor<i32>
    %4 = stablehlo.custom_call @tpu_custom_call(%3, %1, %2, %2, %0, %lhs, %rhs) {backend_config = "", kernel_name = "kernel"} : (tensor<i32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<256x128xbf16>, tensor<2x64x128xui8>) -> tensor<256x128xf32>
    return %4 : tensor<256x128xf32>
  }
}
