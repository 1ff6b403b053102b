// The expected-* designators, on errors of MLIR and findings of ours.
// RUN: mosaic-verify-opt %s --split-input-file --verify-diagnostics --megablox-verify-gmm > %t.out
// RUN: mosaic-verify-opt %s --split-input-file --verify-diagnostics=all -p 'builtin.module(verify-all)' > %t.out
// RUN: mosaic-verify-opt %s --split-input-file --verify-diagnostics=only-expected --verify-all | %filecheck %s
// RUN: not mosaic-verify-opt %S/Inputs/mismatch.mlir --split-input-file --verify-diagnostics 2>&1 | %filecheck %S/Inputs/mismatch.mlir

// CHECK: func.func private @clean
func.func private @clean()

// -----

func.func @a() -> i32 {
  // expected-error @below {{'func.return' op has 0 operands, but enclosing function (@a) returns 1}}
  return
}

// -----

func.func @b() -> i32 {
  return // expected-error-re {{op has {{[[:digit:]]}} operands}}
}

// -----

// expected-error@+2 {{operation being parsed with an unregistered dialect}}
func.func @c() {
  "foo.bar"() : () -> ()
  return
}

// -----

func.func @k(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x128x256xbf16>, %sizes: tensor<4xi32>) -> tensor<512x256xbf16> {
  // expected-error-re @+2 {{op lhs and rhs contract over {{.*}} [MV410]}}
  // expected-note @+1 {{gmm takes k from lhs}}
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<512x256xbf16>, tensor<4x128x256xbf16>, tensor<4xi32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}

// -----

// The current operation and fixes take no part; other notes do.
"builtin.module"() ({
  func.func private @twice() // expected-note {{see existing symbol definition here}}
  func.func private @twice() // expected-error {{redefinition of symbol named 'twice'}}
}) : () -> ()
