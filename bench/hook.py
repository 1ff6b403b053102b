"""The hook in JAX's lowering: kernels lowered with it against without it."""

from __future__ import annotations

import gc
import statistics
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time
from typing import Any

from bench.harness import Row

_TARGET = 1.02  # a compile must not get slower than one can notice
_MODES = ("off", "report", "enforce", "rewrite")
_FIRST = "report, each kernel for the first time"  # a process pays it once for a kernel
_COLUMNS = (*_MODES, _FIRST)


def rows() -> Iterable[Row]:
    """Ratios of processor time spent in `lower`; tracing is outside of it."""
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "kernels"))
    import ops_gpu
    import sparse_mma

    valid = [label for label in sparse_mma.CASES if label.startswith("valid")]
    for semantics in sparse_mma.SEMANTICS:
        kernels = [(label, *sparse_mma.kernel(semantics, **sparse_mma.CASES[label][0])) for label in valid]
        yield from _rows(f"sparse MMA, {semantics}", kernels, 35)
    yield from _rows("kernels of jax.experimental.pallas.ops.gpu", ops_gpu.kernels(), 7)


def _rows(title: str, kernels: list[tuple[str, Callable[..., Any], tuple[Any, ...]]], runs: int) -> Iterable[Row]:
    times = [_medians(function, args, runs) for _, function, args in kernels]
    for mode in _COLUMNS[1:]:
        ratios = [each[mode] / each["off"] for each in times]
        added = statistics.median(each[mode] - each["off"] for each in times) * 1e3
        off = statistics.median(each["off"] for each in times) * 1e3
        worst = max(range(len(ratios)), key=ratios.__getitem__)
        detail = f"{added:+.2f} ms on {off:.1f} ms; worst {ratios[worst]:.2f}: {kernels[worst][0]}"
        target = None if mode == _FIRST else _TARGET
        yield Row(f"{title}, {mode}", statistics.median(ratios), target, detail)


def _medians(function: Callable[..., Any], args: tuple[Any, ...], runs: int) -> dict[str, float]:
    """Median seconds of one lowering per mode; the modes take turns. JAX traces and lowers the program anew."""
    import mosaic_verify as mv
    from mosaic_verify.jax_hook import level_passes
    from mosaic_verify.jax_hook.virtual_device import virtual_device
    from mosaic_verify.model.architectures import find_architecture

    times: dict[str, list[float]] = {mode: [] for mode in _COLUMNS}
    gc.disable()  # a collection of JAX's heap takes longer than what is measured
    with virtual_device(find_architecture("sm_100a")):
        for run in range(-1, runs):
            gc.collect()
            for mode in (*_COLUMNS[run % len(_COLUMNS) :], *_COLUMNS[: run % len(_COLUMNS)]):
                if mode == _FIRST:
                    level_passes.forget()
                if mode != "off":
                    mv.install(mode.partition(",")[0])
                seconds = _deeper(13 * (run + 1), lambda: _lower(function, args))
                if mode != "off":
                    mv.uninstall()
                if run >= 0:
                    times[mode].append(seconds)
    gc.enable()
    return {mode: statistics.median(found) for mode, found in times.items()}


def _deeper(frames: int, call: Callable[[], float]) -> float:
    """Calls with more frames on the stack.

    CPython keeps frames in chunks of 16 KiB, and maps and unmaps a chunk at every call across the end of one. Where
    that end lies is a matter of chance that moves with any frame of ours, of JAX's or of `python -m`; each run has it
    elsewhere.
    """
    return call() if frames == 0 else _deeper(frames - 1, call)


def _lower(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Seconds of processor time to lower a program that JAX has not seen before."""
    import jax

    jax.clear_caches()
    traced = jax.jit(lambda *values: function(*values)).trace(*args)
    start = process_time()
    traced.lower(lowering_platforms=("cuda",))
    return process_time() - start
