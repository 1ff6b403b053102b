"""Cost of the plgpu level: scan, import and verification of a kernel, beside JAX's own lowering of it.

Run `python bench/importer.py`. Times are the best of several runs in microseconds of processor time; an import may take
150 plus 15 for each equation, and all of it together should stay within 2 % of the lowering (which includes tracing).
"""

import os
import sys
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "test", folder) for folder in ("kernels", "unit")]
warnings.filterwarnings("ignore")

import jax  # noqa: E402
import ops_gpu  # noqa: E402
import sparse_mma  # noqa: E402
import structures  # noqa: E402
from plgpu_kernels import arguments_of, lower  # noqa: E402

from mosaic_verify.diagnostics.engine import Engine  # noqa: E402
from mosaic_verify.ir.passes import Session  # noqa: E402
from mosaic_verify.jax_hook.importer.interest import worth_importing  # noqa: E402
from mosaic_verify.jax_hook.plgpu_level import import_kernel  # noqa: E402
from mosaic_verify.jax_hook.virtual_device import virtual_device  # noqa: E402
from mosaic_verify.model.architectures import find_architecture  # noqa: E402
from mosaic_verify.passes import load_pass, pass_names  # noqa: E402


def best(function, runs):
    """The least processor time of `runs` calls, in microseconds."""
    least = float("inf")
    for _ in range(runs):
        start = time.process_time()
        function()
        least = min(least, time.process_time() - start)
    return least * 1e6


def equations(scope):
    """Number of equations of a scope and everything in it."""
    return len(scope.numbers) + sum(equations(inner) for inners in scope.children.values() for inner in inners)


def kernels():
    """(label, architecture, function, arguments)."""
    for semantics in sparse_mma.SEMANTICS:
        yield f"sparse MMA, {semantics}", "sm_100a", *sparse_mma.kernel(semantics, blocks=2)
        yield f"K loop, {semantics}", "sm_100a", *structures.scan(semantics)
    for label, function, shapes in ops_gpu.kernels():
        yield label, "sm_90a" if "attention" in label else "sm_100a", function, shapes


def main():
    passes = [load_pass(name) for name in pass_names() if name.startswith("plgpu-verify-")]
    names = tuple({name for kind in passes for name in kind.ops})
    print(
        f"{'kernel':32s} {'eqns':>5s} {'scan':>6s} {'import':>7s} {'budget':>7s} {'verify':>7s} {'lowering':>9s}"
        "   ratio"
    )
    for label, arch, function, shapes in kernels():
        with virtual_device(find_architecture(arch)):
            arguments = arguments_of(function, *shapes)
            jaxpr = arguments["jaxpr"]
            imported = import_kernel(jaxpr, arguments)

            def verify(imported=imported):
                root = imported.module.operation
                session = Session(Engine(), names)
                with root.context, root.location:
                    for kind in passes:
                        kind().run(root, session)

            def lowering(function=function, shapes=shapes):
                jax.clear_caches()
                lower(function, *shapes)

            scan = best(lambda jaxpr=jaxpr: worth_importing(jaxpr), 20)
            bring = best(lambda jaxpr=jaxpr, arguments=arguments: import_kernel(jaxpr, arguments), 20)
            check, whole = best(verify, 10), best(lowering, 2)
        count = equations(imported.root)
        ours = scan + (bring + check if worth_importing(jaxpr) else 0)
        print(
            f"{label:32s} {count:5d} {scan:6.0f} {bring:7.0f} {150 + 15 * count:7d} {check:7.0f} {whole:9.0f} "
            f"{ours / whole:7.2%}"
        )


if __name__ == "__main__":
    main()
