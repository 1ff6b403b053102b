"""Import of a kernel's jaxpr, against 150 microseconds and 15 for each equation."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import Any

from bench.harness import ROOT, Row

_RUNS = 40
_BASE, _PER_EQUATION = 150e-6, 15e-6  # seconds


def rows() -> Iterable[Row]:
    """Least processor time of several imports of one kernel, in shares of what it may take.

    Kernels that do not use Blackwell's tensor core are not imported; for them it is the scan that finds this out.
    """
    warnings.simplefilter("ignore")
    sys.path[:0] = [str(ROOT / "test" / folder) for folder in ("kernels", "unit")]
    from plgpu_kernels import arguments_of

    from mosaic_verify.jax_hook.importer.interest import worth_importing
    from mosaic_verify.jax_hook.plgpu_level import import_kernel
    from mosaic_verify.jax_hook.virtual_device import virtual_device
    from mosaic_verify.model.architectures import find_architecture

    for label, arch, function, shapes in _kernels():
        with virtual_device(find_architecture(arch)):
            arguments = arguments_of(function, *shapes)
            jaxpr = arguments["jaxpr"]
            count = _equations(import_kernel(jaxpr, arguments).root)
            imported = worth_importing(jaxpr)
            seconds = _least(
                (lambda: import_kernel(jaxpr, arguments)) if imported else (lambda: worth_importing(jaxpr))  # noqa: B023
            )
        detail = f"{seconds * 1e6:.0f} us for {count} equations" + ("" if imported else ", scan only")
        yield Row(label, seconds / (_BASE + _PER_EQUATION * count), 1.0, detail)


def _least(function: Callable[[], object]) -> float:
    times = []
    for _ in range(_RUNS):
        start = process_time()
        function()
        times.append(process_time() - start)
    return min(times)


def _equations(scope: Any) -> int:
    """Number of equations of a scope and everything in it."""
    return len(scope.numbers) + sum(_equations(inner) for inners in scope.children.values() for inner in inners)


def _kernels() -> Iterator[tuple[str, str, Any, Any]]:
    """(label, architecture, function, arguments)."""
    import ops_gpu
    import sparse_mma
    import structures

    for semantics in sparse_mma.SEMANTICS:
        yield f"sparse MMA, {semantics}", "sm_100a", *sparse_mma.kernel(semantics, blocks=2)
        yield f"K loop, {semantics}", "sm_100a", *structures.scan(semantics)
    for label, function, shapes in ops_gpu.kernels():
        yield label, "sm_90a" if "attention" in label else "sm_100a", function, shapes
