"""Lowers one stored kernel: `lower.py LABEL [SEMANTICS]`; says so when it lowered."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kernels"))

import jax
import sparse_mma

label, semantics = sys.argv[1], (*sys.argv[2:], "warpgroup")[0]
function, args = sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])
jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",))
print("lowered", label)
