// What is printed, and in which form.
// RUN: mosaic-verify-opt %s | %filecheck %s
// RUN: mosaic-verify-opt %s --cse -canonicalize | %filecheck %s --check-prefix=FOLDED
// RUN: mosaic-verify-opt %s --mlir-print-op-generic | %filecheck %s --check-prefix=GENERIC
// RUN: mosaic-verify-opt %s --mlir-print-debuginfo --mlir-print-local-scope | %filecheck %s --check-prefix=LOCATIONS
// RUN: mosaic-verify-opt --mlir-print-debuginfo --mlir-print-local-scope < %s | %filecheck %s --check-prefix=STDIN
// RUN: mosaic-verify-opt %s --mlir-elide-elementsattrs-if-larger=3 | %filecheck %s --check-prefix=ELIDED
// RUN: mosaic-verify-opt %s --emit-bytecode -o %t.bc && mosaic-verify-opt %t.bc | %filecheck %s
// RUN: mosaic-verify-opt --emit-bytecode < %s | mosaic-verify-opt - --verify-roundtrip | %filecheck %s
// RUN: mosaic-verify-opt %s --no-implicit-module -p 'func.func(cse)' | %filecheck %s --check-prefix=BARE

// CHECK: module {
// CHECK-NEXT: func.func @f(%[[A:.*]]: i32) -> (i32, tensor<4xi32>) {
// CHECK-NEXT: %[[B:.*]] = arith.addi %[[A]], %[[A]] : i32
// CHECK-NEXT: %[[C:.*]] = arith.addi %[[A]], %[[A]] : i32
// CHECK: return
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-EMPTY:

// FOLDED: func.func @f
// FOLDED-NEXT: arith.constant
// FOLDED-NEXT: %[[B:.*]] = arith.addi
// FOLDED-NEXT: arith.muli %[[B]], %[[B]] : i32

// GENERIC: "builtin.module"() ({
// GENERIC: "arith.addi"(%{{.*}}, %{{.*}}) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32

// LOCATIONS: arith.addi {{.*}} loc("{{.*}}output.mlir":39:8)

// STDIN: arith.addi {{.*}} loc("<stdin>":39:8)

// ELIDED: dense_resource<__elided__> : tensor<4xi32>

// BARE-NOT: module
// BARE: func.func @f
// BARE-NOT: module
func.func @f(%a: i32) -> (i32, tensor<4xi32>) {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %a : i32
  %d = arith.muli %b, %c : i32
  %e = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %d, %e : i32, tensor<4xi32>
}
