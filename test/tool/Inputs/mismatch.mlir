// CHECK: mismatch.mlir:7:3: error: unexpected error: 'func.return' op has 0 operands
// CHECK-NEXT: return
// CHECK-NEXT: ^
// CHECK-NEXT: mismatch.mlir:6:6: error: expected error "something else" was not produced
func.func @a() -> i32 {
  // expected-error @below {{something else}}
  return
}

// -----

// CHECK: mismatch.mlir:16:13: error: 'error' diagnostic emitted when expecting a 'warning'
// CHECK: mismatch.mlir:16:13: error: expected warning "op has 0 operands" was not produced
func.func @b() -> i32 {

  return // expected-warning {{op has 0 operands}}
}

// -----

// CHECK: mismatch.mlir:22:4: error: malformed designator: '}}' must be the last thing on the line
// expected-error {{never seen}} because of this
