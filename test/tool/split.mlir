// Chunks are processed one by one; a failing one prints nothing, the others are printed, and line numbers are the file's.
// RUN: not mosaic-verify-opt %S/Inputs/chunks.mlir --split-input-file --cse 2> %t.err | %filecheck %s
// RUN: %filecheck %s --check-prefix=ERR < %t.err
// RUN: not mosaic-verify-opt %S/Inputs/chunks.mlir -split-input-file --output-split-marker='// ====' 2> %t.err | %filecheck %s --check-prefix=MARKER
// RUN: not mosaic-verify-opt %S/Inputs/chunks.mlir 2>&1 | %filecheck %s --check-prefix=ERR
// RUN: mosaic-verify-opt %S/Inputs/chunks.mlir --split-input-file='func.func @second() -> i32 {' 2> %t.err || %filecheck %s --check-prefix=OTHER < %t.err

// CHECK: func.func private @first()
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // -----
// CHECK-NEXT: // -----
// CHECK-NEXT: module {
// CHECK-NEXT: func.func private @third()

// MARKER: func.func private @first()
// MARKER: // ====
// MARKER-NEXT: // ====
// MARKER: func.func private @third()

// ERR: chunks.mlir:6:2: error: 'func.return' op has 0 operands, but enclosing function (@second) returns 1
// ERR-NEXT: {{^        return$}}
// ERR-NEXT: {{^        \^$}}
// ERR-NEXT: chunks.mlir:6:2: note: see current operation: "func.return"() : () -> ()
// ERR-NOT: error

// OTHER: chunks.mlir:6:2: error:
