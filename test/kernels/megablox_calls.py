"""Calls of megablox `gmm` and `tgmm` as JAX lowers them for TPU; no TPU is needed.

`python test/kernels/megablox_calls.py 100 156` prints the StableHLO of a program with these group sizes, without the
kernels and the arithmetic in front of them, as it is stored in `test/passes/megablox-verify-gmm/carrier.mlir`.
"""

import re

M, K, N = 256, 128, 128


def program(sizes):
    """A function of lhs, rhs (two groups) and the cotangent: gmm and tgmm with constant group sizes; and its shapes."""
    import jax
    import jax.numpy as jnp
    from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm

    def calls(lhs, rhs, cotangent):
        groups = jnp.asarray(sizes, jnp.int32)
        return gmm(lhs, rhs, groups), tgmm(lhs.T, cotangent, groups)

    shapes = [(M, K), (len(sizes), K, N), (M, N)]
    return calls, [jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in shapes]


def without_kernels(text):
    """The functions `main`, `gmm` and `tgmm`, with constants and calls; what else is computed is unknown."""
    from jaxlib.mlir import ir

    from mosaic_verify.ir.context import make_context

    with make_context(unregistered=True), ir.Location.unknown():
        module = ir.Module.parse(text)
        for function in list(module.body.operations):
            if function.name.value in ("main", "gmm", "tgmm"):
                _keep_calls(function.operation)
            else:
                function.operation.erase()
        return re.sub(r'backend_config = "(?:[^"\\]|\\.)*"', 'backend_config = ""', str(module))


def _keep_calls(function):
    from jaxlib.mlir import ir

    block = function.regions[0].blocks[0]
    keep = {"func.return", "stablehlo.transpose"}
    name = function.attributes["sym_name"].value
    for op in reversed(list(block.operations)):
        one = op.operation
        kernel = one.name == "stablehlo.custom_call"
        if kernel or one.name in keep or (name == "main" and one.name in ("func.call", "stablehlo.constant")):
            continue
        for result in one.results:
            if list(result.uses):
                with ir.InsertionPoint(one):
                    unknown = ir.Operation.create("test.unknown", results=[result.type])
                result.replace_all_uses_with(unknown.results[0])
        one.erase()


if __name__ == "__main__":
    import sys

    import jax

    function, shapes = program(tuple(map(int, sys.argv[1:])))
    print(without_kernels(jax.jit(function).trace(*shapes).lower(lowering_platforms=("tpu",)).as_text()))
