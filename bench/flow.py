"""Cost of following the metadata's dataflow, against 1 ms and 30 microseconds per event."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from time import process_time

from bench.harness import ROOT, Row, interleaved

_BASE, _PER_EVENT = 1e-3, 30e-6  # seconds
_RUNS, _BATCH = 7, 8


def rows() -> Iterable[Row]:
    """From the imported kernel to the answer, per event that the analysis puts in order."""
    sys.path[:0] = [str(ROOT / "test" / "kernels"), str(ROOT / "test" / "unit")]
    warnings.simplefilter("ignore")
    import flow_kernels
    import flow_valid_kernels
    import sparse_mma
    from plgpu_kernels import module_of

    from mosaic_verify.diagnostics.engine import Engine
    from mosaic_verify.dialects.plgpu_flow import program_of
    from mosaic_verify.dialects.plgpu_view import OPS, kernel_views
    from mosaic_verify.ir.passes import Session
    from mosaic_verify.model.flow import analyse

    kernels = {
        "one MMA": sparse_mma.kernel("warpgroup"),
        "ring of 4, 64 K steps": flow_kernels.ring("warpgroup", False, 4, 64),
        "two warpgroups, 128 K steps": flow_valid_kernels.specialised_warpgroups("warpgroup", 4, 128),
        "persistent, 8 tiles of 8 steps": flow_valid_kernels.persistent("warpgroup", 2, 8, 8),
        "pipeline": flow_valid_kernels.pipeline("warpgroup"),
    }
    for name, (fn, arguments) in kernels.items():
        _, imported = module_of(fn, *arguments)
        root = imported.module.operation
        [view] = kernel_views(root, Session(Engine()).ops(root, OPS))

        def run(view=view):
            for _ in range(_BATCH):  # the harness empties the caches of the machine in front of each run
                program = program_of(view)
                assert program is not None
                answer = analyse(program)
            return answer

        steps = run().steps
        seconds = interleaved({"run": run}, _RUNS, clock=process_time)["run"] / _BATCH
        allowed = _BASE + _PER_EVENT * steps
        yield Row(name, seconds / allowed, 1.0, f"{seconds * 1e3:.2f} ms for {steps} events")
