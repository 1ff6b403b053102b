"""Mode rewrite: programs that JAX refuses, and that are the same without the refused detour, lower."""

# ruff: noqa: E501

# RUN: env MOSAIC_VERIFY=rewrite %python %S/Inputs/lower.py "metadata transposed twice" 2>&1 | %filecheck %s
# RUN: env MOSAIC_VERIFY=rewrite-exact %python %S/Inputs/lower.py "metadata transposed twice" 2>&1 | %filecheck %s
# RUN: mosaic-verify run --mode rewrite %S/Inputs/lower.py "metadata transposed twice" 2>&1 | %filecheck %s
# CHECK-NOT: Traceback
# CHECK: sparse_mma.py:{{[0-9]+}}: KernelVerificationWarning: {{.*}}sparse_mma.py:{{[0-9]+:[0-9]+}}: warning: rewrote the program: {{.*}} exact)
# CHECK-NOT: rewrote the program
# CHECK: lowered metadata transposed twice

# What no fold mends is refused as in enforce.
# RUN: not env MOSAIC_VERIFY=rewrite %python %S/Inputs/lower.py "metadata transposed" 2>&1 | %filecheck %s --check-prefix=REFUSED
# REFUSED: KernelVerificationError: {{.*}}sparse_mma.py:{{[0-9]+:[0-9]+}}: error: {{.*}}[MV202]
