"""The hook's levels, each by itself, on the kernels of jax.experimental.pallas.ops.gpu."""

from __future__ import annotations

import gc
import statistics
import sys
import warnings
from collections.abc import Iterable
from time import process_time

from bench.harness import ROOT, Row

_RUNS = 3


def rows() -> Iterable[Row]:
    """Ratios of processor time spent in `lower` with one level in mode report, against none; the levels take turns."""
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(ROOT / "test" / "kernels"))
    import jax
    import ops_gpu

    import mosaic_verify as mv
    from mosaic_verify.jax_hook import level_passes, patches
    from mosaic_verify.jax_hook.virtual_device import virtual_device
    from mosaic_verify.model.architectures import find_architecture

    table = patches.all_levels()
    kernels = ops_gpu.kernels()
    times: dict[str, list[list[float]]] = {
        name: [[] for _ in kernels] for name in ("none", *(level.name for level in table))
    }
    gc.collect()
    gc.disable()  # a collection of JAX's heap takes longer than what is measured
    try:
        with virtual_device(find_architecture("sm_100a")):
            for run in range(-1, _RUNS):
                for number, (_, function, args) in enumerate(kernels):
                    for name, found in times.items():
                        only = tuple(level for level in table if level.name == name)
                        patches.all_levels = lambda only=only: only
                        level_passes.forget()
                        traced = jax.jit(lambda *values, f=function: f(*values)).trace(*args)
                        with mv.verifying("report"):
                            start = process_time()
                            traced.lower(lowering_platforms=("cuda",))
                            seconds = process_time() - start
                        if run >= 0:
                            found[number].append(seconds)
    finally:
        patches.all_levels = lambda: table
        gc.enable()
    medians = {name: [statistics.median(runs) for runs in found] for name, found in times.items()}
    none = medians.pop("none")
    for name, seconds in medians.items():
        ratio = statistics.median(s / n for s, n in zip(seconds, none, strict=True))
        added = statistics.median(s - n for s, n in zip(seconds, none, strict=True)) * 1e3
        yield Row(f"level {name} / no level", ratio, None, f"{added:+.2f} ms on {statistics.median(none) * 1e3:.1f} ms")
