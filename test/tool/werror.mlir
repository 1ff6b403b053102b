// Warnings alone are no failure; --werror makes errors of them.
// RUN: mosaic-verify-opt %s --megablox-pad-rows 2>&1 | %filecheck %s
// RUN: mosaic-verify-opt %s --megablox-pad-rows --werror=MV207 2>&1 | %filecheck %s
// RUN: not mosaic-verify-opt %s --megablox-pad-rows --werror 2>&1 | %filecheck %s --check-prefix=ERROR
// RUN: not mosaic-verify-opt %s --megablox-pad-rows -werror=MV1,MV4 2>&1 | %filecheck %s --check-prefix=ERROR
// RUN: mosaic-verify-opt %s --megablox-pad-rows --werror --ignore=MV414 | %filecheck %s --check-prefix=IGNORED
// RUN: mosaic-verify-opt %S/Inputs/contraction.mlir --megablox-verify-gmm --mlir-diagnostic-verbosity-level=errors --ignore=MV410 2>&1 | %filecheck %s --check-prefix=QUIET
// RUN: not mosaic-verify-opt %S/Inputs/contraction.mlir --megablox-verify-gmm --mlir-disable-diagnostic-notes 2>&1 | %filecheck %s --check-prefix=NOTES

// CHECK: warning: {{.*}} [MV414]
// CHECK: func.func @k

// ERROR: error: {{.*}} [MV414]
// ERROR-NOT: func.func

// IGNORED: func.func @k

// QUIET-NOT: MV410
// QUIET: func.func @k

// NOTES: [MV410]
// NOTES-NOT: gmm takes k from lhs
func.func @k(%lhs: tensor<500x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>) -> tensor<500x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
    : (tensor<500x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>) -> tensor<500x256xbf16>
  return %o : tensor<500x256xbf16>
}
