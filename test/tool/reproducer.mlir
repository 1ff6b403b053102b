// Reproducers are written and run.
// RUN: mosaic-verify-opt %s --cse --mlir-generate-reproducer=%t.mlir > %t.out
// RUN: mosaic-verify-opt %t.mlir --run-reproducer --dump-pass-pipeline 2>&1 | %filecheck %s
// RUN: not mosaic-verify-opt %S/Inputs/contraction.mlir --cse --megablox-verify-gmm --mlir-pass-pipeline-crash-reproducer=%t.crash 2>&1 | %filecheck %s --check-prefix=CRASH
// RUN: not mosaic-verify-opt %t.crash --run-reproducer 2>&1 | %filecheck %s --check-prefix=AGAIN

// CHECK: builtin.module(
// CHECK-NEXT: cse
// CHECK: arith.addi
// CHECK-NOT: arith.addi

// CRASH: error: 'megablox.gmm' op {{.*}} [MV410]
// CRASH: contraction.mlir:0:0: error: Failures have been detected while processing an MLIR pass pipeline
// CRASH-NEXT: contraction.mlir:0:0: note: reproducer generated at `{{.*}}.crash`

// AGAIN: error: 'megablox.gmm' op {{.*}} [MV410]
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %a : i32
  %d = arith.muli %b, %c : i32
  return %d : i32
}
