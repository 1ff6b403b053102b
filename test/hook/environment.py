"""MOSAIC_VERIFY in the environment: the hook without a change of the program."""

# ruff: noqa: E501

# Without the variable nothing of ours is imported.
# RUN: %python -c "import jax, sys; jax.devices(); sys.exit('mosaic_verify.jax_hook' in sys.modules)"

# RUN: env MOSAIC_VERIFY=enforce %python %S/Inputs/lower.py "valid f16" | %filecheck %s --check-prefix=VALID
# RUN: env MOSAIC_VERIFY=report %python -W error::UserWarning -W error::RuntimeWarning %S/Inputs/lower.py "valid fp8" lane 2>&1 | %filecheck %s --check-prefix=VALID
# VALID: lowered valid

# RUN: not env MOSAIC_VERIFY=enforce %python %S/Inputs/lower.py "n not a multiple of 16" 2>&1 | %filecheck %s --check-prefix=ENFORCE
# RUN: not mosaic-verify run --mode enforce %S/Inputs/lower.py "n not a multiple of 16" 2>&1 | %filecheck %s --check-prefix=ENFORCE
# RUN: not mosaic-verify run %S/Inputs/lower.py "n not a multiple of 16" lane 2>&1 | %filecheck %s --check-prefix=ENFORCE
# ENFORCE: KernelVerificationError: {{.*}}sparse_mma.py:{{[0-9]+:[0-9]+}}: error: {{.*}}N must be a multiple of 16 for sparse MMA, but got N=24 [MV111]
# ENFORCE-NEXT: plgpu.tcgen05_mma(

# In report mode JAX goes on, and its own exception carries the report.
# RUN: not env MOSAIC_VERIFY=report %python %S/Inputs/lower.py "n not a multiple of 16" 2>&1 | %filecheck %s --check-prefix=REPORT
# RUN: not mosaic-verify run --mode report %S/Inputs/lower.py "n not a multiple of 16" 2>&1 | %filecheck %s --check-prefix=REPORT
# REPORT: NotImplementedError: N must be a multiple of 16 for sparse MMA, but got N=24
# REPORT: mosaic-verify:
# REPORT-NEXT: sparse_mma.py:{{[0-9]+:[0-9]+}}: error: {{.*}}[MV111]

# What does not block is a warning at the user's line.
# RUN: env MOSAIC_VERIFY=enforce %python %S/Inputs/lower.py "metadata from an odd column" 2>&1 | %filecheck %s --check-prefix=WARNING
# RUN: env MOSAIC_VERIFY=enforce MOSAIC_VERIFY_IGNORE=MV2 %python -W error::UserWarning %S/Inputs/lower.py "metadata from an odd column" | %filecheck %s --check-prefix=IGNORED
# WARNING: sparse_mma.py:{{[0-9]+}}: KernelVerificationWarning: {{.*}}[MV207]
# WARNING: lowered metadata from an odd column
# IGNORED: lowered metadata from an odd column

# An ignored error does not block: JAX says what it has to say.
# RUN: not env MOSAIC_VERIFY=enforce MOSAIC_VERIFY_IGNORE=MV111 %python %S/Inputs/lower.py "n not a multiple of 16" 2>&1 | %filecheck %s --check-prefix=JAX
# JAX-NOT: MV111
# JAX: NotImplementedError: N must be a multiple of 16
# JAX-NOT: MV111

# Case does not matter; a mode that does not exist is one warning, and the program runs.
# RUN: not env MOSAIC_VERIFY=Enforce %python %S/Inputs/lower.py "n not a multiple of 16" 2>&1 | %filecheck %s --check-prefix=ENFORCE
# RUN: env MOSAIC_VERIFY=strict %python %S/Inputs/lower.py "valid f16" 2>&1 | %filecheck %s --check-prefix=MODE
# RUN: env MOSAIC_VERIFY=strict %python -W error::RuntimeWarning %S/Inputs/lower.py "valid f16" 2>&1 | %filecheck %s --check-prefix=MODE
# MODE: mosaic-verify: MOSAIC_VERIFY: unknown mode 'strict' (known: report, enforce, rewrite, rewrite-exact, off); the hook is not installed, NOTHING IS VERIFIED
# MODE-NOT: Traceback
# MODE: lowered valid f16

# RUN: not mosaic-verify run %S/Inputs/missing.py 2>&1 | %filecheck %s --check-prefix=MISSING
# MISSING: missing.py
# MISSING-NOT: Traceback
