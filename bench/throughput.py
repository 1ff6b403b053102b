"""Cost of verify-all per op of a lowered real kernel, against parse, verify and print without a pass."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from statistics import median
from time import process_time

from bench.harness import ROOT, Row, added, series

_SIZES = ((10_000, 25), (100_000, 9))  # ops, runs
_PER_OP = 100e-9  # seconds that verify-all may add per op


def rows() -> Iterable[Row]:
    """Added time in units of 100 ns per op, for modules that repeat one kernel."""
    kernel = _lowered_kernel()
    for size, runs in _SIZES:
        text, ops = _repeated(kernel, size)
        with_pass, without = _run(text, "builtin.module(verify-all)"), _run(text, "builtin.module()")
        times = series({"with": with_pass, "without": without}, runs, clock=process_time)
        cost, base = added(times, "with", "without") / ops, median(times["without"]) / ops
        figures = f"{cost * 1e9:.0f} ns per op on top of {base * 1e9:.0f} ns"
        yield Row(f"verify-all on {ops} ops, in 100 ns per op", cost / _PER_OP, 1.0, figures)


def _run(text: bytes, pipeline: str) -> Callable[[], object]:
    from mosaic_verify.diagnostics.engine import Engine
    from mosaic_verify.ir.context import make_context
    from mosaic_verify.ir.source_run import run_source

    context = make_context()

    def run() -> object:
        engine = Engine()
        root = run_source(text, pipeline, engine, context)
        if root is None:
            raise RuntimeError(f"the kernel is not clean: {engine.report.diagnostics[0].text}")
        return root.get_asm(binary=True, assume_verified=True)

    return run


def _repeated(kernel: str, size: int) -> tuple[bytes, int]:
    """A module with as many copies of the kernel as give `size` ops, and their exact number."""
    from jaxlib.mlir import ir

    from mosaic_verify.ir.context import make_context

    module = ir.Module.parse(kernel, make_context())
    count = 0

    def visit(_op: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    copies = max(1, size // count)
    return f"module {{\n{kernel * copies}\n}}\n".encode(), copies * count + 1


def _lowered_kernel() -> str:
    """The module that the custom call of a sparse matrix product carries, as text without names of symbols to clash."""
    sys.path.insert(0, str(ROOT / "test" / "kernels"))
    import jax
    import sparse_mma

    from mosaic_verify.dialects.stablehlo_kernel import CUSTOM_CALL, kernel_bytes, read_kernel
    from mosaic_verify.ir.passes import collect

    fn, arguments = sparse_mma.kernel("warpgroup")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lowered = jax.jit(fn).trace(*arguments).lower(lowering_platforms=("cuda",))
    host = lowered.compiler_ir("stablehlo").operation
    call = collect(host, [CUSTOM_CALL])[CUSTOM_CALL][0]
    text = read_kernel(kernel_bytes(call)).get_asm(use_local_scope=True)  # aliases could not be repeated
    return re.sub(r"\Amodule @\w+", "module", text)  # nor can a symbol
