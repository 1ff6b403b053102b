// Dumps of the IR around passes, of jaxlib's and of ours alike.
// RUN: mosaic-verify-opt %s -p 'builtin.module(cse,verify-all,megablox-verify-gmm)' --mlir-print-ir-before=cse --mlir-print-ir-after=megablox-verify-gmm 2>&1 >%t.out | %filecheck %s
// RUN: mosaic-verify-opt %s -p 'builtin.module(func.func(cse,canonicalize))' --mlir-print-ir-after-all --mlir-print-ir-after-change --mlir-print-ir-module-scope 2>&1 >%t.out | %filecheck %s --check-prefix=CHANGE
// RUN: not mosaic-verify-opt %S/Inputs/contraction.mlir --cse --megablox-verify-gmm --mlir-print-ir-after-all --mlir-print-ir-after-failure 2>&1 | %filecheck %s --check-prefix=FAILURE
// RUN: mosaic-verify-opt %s --cse --mlir-timing 2>&1 >%t.out | %filecheck %s --check-prefix=TIMING
// RUN: mosaic-verify-opt %s --cse --mlir-timing --mlir-output-format=json 2>&1 >%t.out | %filecheck %s --check-prefix=JSON

// CHECK: // -----// IR Dump Before {{.*}}cse{{.*}} //----- //
// CHECK: arith.addi
// CHECK: arith.addi
// CHECK-NOT: IR Dump After CSE
// CHECK: // -----// IR Dump After {{.*}}megablox-verify-gmm{{.*}} //----- //
// CHECK-NEXT: module {

// CHANGE: IR Dump After {{.*}}cse{{.*}} ('func.func' operation: @f) //----- //
// CHANGE-NEXT: module {
// CHANGE-NOT: IR Dump

// FAILURE: IR Dump After {{.*}} Failed: megablox-verify-gmm //----- //
// FAILURE-NOT: IR Dump

// TIMING: ===-------------------------------------------------------------------------===
// TIMING-NEXT: ... Execution time report ...
// TIMING: Total Execution Time: {{[0-9.]+}} seconds
// TIMING: ----Wall Time----  ----Name----
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  Parser
// TIMING-NEXT: {{[0-9.]+}} ({{.*}}%)  cse
// TIMING: {{[0-9.]+}} (100.0%)  Total

// JSON: [{"wall": {"duration": {{[0-9.e-]+}}, "percentage": {{[0-9.]+}}}, "name": "Parser"}
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %a : i32
  %d = arith.muli %b, %c : i32
  return %d : i32
}
func.func @k(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}
