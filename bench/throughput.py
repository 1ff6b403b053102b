"""Cost of verify-all per op of a lowered real kernel, against parse, verify and print without a pass."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from time import process_time

from bench.harness import ROOT, Row, interleaved

_SIZES = ((10_000, 25), (100_000, 9), (1_000_000, 3))  # ops, runs
_FLAT = 1.25  # what the largest module may cost per op, against the one before
_PER_OP = 100e-9  # seconds that verify-all may add per op


def rows() -> Iterable[Row]:
    """Added time in units of 100 ns per op, for modules that repeat one kernel.

    A run with verify-all does what a run without a pass does, and then the pipeline. The pipeline is timed by itself:
    the difference of two whole runs, which take a hundred times as long, would be lost in their noise.
    """
    kernel = lowered_kernel()
    per_op = []
    for size, runs in _SIZES:
        text, ops = repeated(kernel, size)
        whole, verify = _candidates(text)
        times = interleaved({"whole": whole, "verify": verify}, runs, clock=process_time)
        figures = f"{times['verify'] / ops * 1e9:.0f} ns per op on top of {times['whole'] / ops * 1e9:.0f} ns"
        target = 1.0 if size >= 100_000 else None  # in a smaller module, what each run costs weighs more
        yield Row(f"verify-all on {ops} ops, in 100 ns per op", times["verify"] / ops / _PER_OP, target, figures)
        share = f"{times['verify'] * 1e3:.1f} ms on {times['whole'] * 1e3:.0f} ms"
        yield Row(f"verify-all on {ops} ops / parse, verify, print", times["verify"] / times["whole"], None, share)
        per_op.append(times["verify"] / ops)
    figures = ", ".join(f"{seconds * 1e9:.0f}" for seconds in per_op) + " ns"
    yield Row("cost per op, largest module / the one before", per_op[-1] / per_op[-2], _FLAT, figures)


def _candidates(text: bytes) -> tuple[Callable[[], object], Callable[[], object]]:
    """Parse, verify and print without a pass; and verify-all on the module that was parsed."""
    from mosaic_verify.diagnostics.engine import Engine
    from mosaic_verify.ir.context import make_context
    from mosaic_verify.ir.parse import parse
    from mosaic_verify.ir.passes import Session
    from mosaic_verify.ir.pipeline import run_pipeline

    context = make_context()
    root = parse(text, context)

    def whole() -> object:
        return parse(text, context).get_asm(binary=True, assume_verified=True)

    def verify() -> None:
        engine = Engine()
        if not run_pipeline(root, "builtin.module(verify-all)", Session(engine)):
            raise RuntimeError(f"the kernel is not clean: {engine.report.diagnostics[0].text}")

    return whole, verify


def repeated(kernel: str, size: int) -> tuple[bytes, int]:
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


def lowered_kernel() -> str:
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
