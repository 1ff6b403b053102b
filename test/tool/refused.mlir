// What a shipped verifier refuses is said in our words, together with everything else that is wrong.
// RUN: not mosaic-verify-opt %S/Inputs/metadata_shape.mlir --mosaic-gpu-verify-sparse-mma 2>&1 | %filecheck %s
// RUN: not mosaic-verify-opt %S/Inputs/metadata_shape.mlir --canonicalize 2>&1 | %filecheck %s --check-prefix=MAPPED
// RUN: not mosaic-verify-opt %S/Inputs/metadata_shape.mlir --verify-all --ignore=MV101,MV111 2>&1 | %filecheck %s --check-prefix=IGNORED
// RUN: not mosaic-verify-opt %S/Inputs/metadata_shape.mlir --rewrite-all --verify-all -o %t.out 2>&1 | %filecheck %s
// RUN: not cat %t.out

// CHECK: metadata_shape.mlir:7:3: error: 'mosaic_gpu.tcgen05_mma' op A sparse metadata shape mismatch: expected (128, 64), got (128, 128) [MV101]
// CHECK-NEXT: {{^}}  "mosaic_gpu.tcgen05_mma"(%acc, %a, %b, %false, %meta)
// CHECK-NEXT: {{^  \^$}}
// CHECK: metadata_shape.mlir:7:3: note: refused by MLIR's verifier: 'mosaic_gpu.tcgen05_mma' op The `a_sparse_metadata` shape [128, 128] must match the shape of `a` [128, 64].
// CHECK: metadata_shape.mlir:21:3: error: 'mosaic_gpu.tcgen05_mma' op N must be a multiple of 16 for sparse MMA, but got N=24 [MV111]

// MAPPED: metadata_shape.mlir:7:3: error: 'mosaic_gpu.tcgen05_mma' op A sparse metadata shape mismatch: expected (128, 64), got (128, 128) [MV101]
// MAPPED-NOT: MV111

// IGNORED: metadata_shape.mlir:7:3: error: 'mosaic_gpu.tcgen05_mma' op The `a_sparse_metadata` shape [128, 128] must match
// IGNORED-NOT: [MV1
