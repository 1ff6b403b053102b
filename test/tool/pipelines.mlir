// Pipelines nest, mix shipped passes with ours, and print back.
// RUN: mosaic-verify-opt %s -p ' builtin.module ( func.func(cse, canonicalize{max-iterations=3}), verify-all,rewrite-all{exact} ) ' --dump-pass-pipeline 2>&1 | %filecheck %s
// RUN: mosaic-verify-opt %s --cse --megablox-cast-existing-out=exact=true --verify-all -dump-pass-pipeline 2>&1 | %filecheck %s --check-prefix=FLAGS
// RUN: mosaic-verify-opt %s --sdy-drop-sharding-rules --dump-pass-pipeline 2>&1 | %filecheck %s --check-prefix=IMPLICIT
// RUN: mosaic-verify-opt %s --pass-pipeline='builtin.module()' | %filecheck %s --check-prefix=NOTHING
// RUN: mosaic-verify-opt %s --pass-pipeline='any(any(cse))' | %filecheck %s --check-prefix=NESTED

// CHECK: Pass Manager with 3 passes:
// CHECK-NEXT: {{^}}builtin.module(
// CHECK-NEXT: {{^}}  func.func(
// CHECK-NEXT: {{^}}    cse,
// CHECK-NEXT: {{^}}    canonicalize{{{.*}}max-iterations=3{{.*}}}
// CHECK-NEXT: {{^}}  ),
// CHECK-NEXT: {{^}}  verify-all,
// CHECK-NEXT: {{^}}  rewrite-all{exact=true}
// CHECK-NEXT: {{^}})
// CHECK: func.func @f
// CHECK-NEXT: return

// FLAGS: Pass Manager with 3 passes:
// FLAGS-NEXT: builtin.module(
// FLAGS-NEXT: cse,
// FLAGS-NEXT: megablox-cast-existing-out{exact=true},
// FLAGS-NEXT: verify-all

// IMPLICIT: Pass Manager with 1 passes:
// IMPLICIT-NEXT: builtin.module(
// IMPLICIT-NEXT: func.func(
// IMPLICIT-NEXT: sdy-drop-sharding-rules

// NOTHING: arith.addi
// NOTHING-NEXT: arith.addi

// NESTED-NOT: arith.addi
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %a : i32
  return %a : i32
}
