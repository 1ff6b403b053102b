"""Host-side metadata: checking a constant against reading it, and index maps of 64 Mi entries."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.harness import Row, interleaved
from mosaic_verify.model.metadata_format_classify import classify
from mosaic_verify.model.metadata_format_graph import Node

_RUNS = 7
_SECONDS, _MIB = 5.0, 600  # what an index map of 64 Mi entries may take


def rows() -> Iterable[Row]:
    """Ratios of wall time; for index maps, shares of the time and memory that they may take."""
    yield from _constant()
    for how in ("strides", "addresses"):
        tiles = _formatted(16384, 4096, hidden=how == "addresses")
        start = perf_counter()
        _classified(tiles)
        seconds = perf_counter() - start
        tracemalloc.start()
        _classified(tiles if how == "strides" else _formatted(2048, 4096, hidden=True))  # chunks: no size matters
        mib = tracemalloc.get_traced_memory()[1] / (1 << 20)
        tracemalloc.stop()
        figures = f"{seconds:.4f} s, {mib:.0f} MiB"
        yield Row(f"64 Mi entries by {how}, of {_SECONDS:.0f} s", seconds / _SECONDS, 1.0, figures)
        yield Row(f"64 Mi entries by {how}, of {_MIB} MiB", mib / _MIB, 1.0, figures)


def _constant() -> Iterable[Row]:
    """The pass on a constant of 16 Mi entries with one bad pair, against reading the constant out of the module.

    And against one pass of np.max over the entries as numpy has them, a byte each.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "kernels"))
    import embedded
    from jaxlib.mlir import ir

    from mosaic_verify.diagnostics.engine import Engine
    from mosaic_verify.ir.context import make_context
    from mosaic_verify.ir.dense import dense_integers, integer_values
    from mosaic_verify.ir.passes import Session, collect
    from mosaic_verify.passes import load_pass

    m, k = 8192, 4096
    tiles = f"{m // 128}x{k // 128}x128x64"
    split, moved = f"{m // 128}x8x2x8x{k // 128}x4x2x8", f"{m // 128}x{k // 128}x8x2x8x4x2x8"
    text = f"""func.func @main() -> tensor<128x128xf32> {{
      %pairs = stablehlo.constant dense<0> : tensor<{m}x{k // 4}x2xui2>
      %0 = stablehlo.reshape %pairs : (tensor<{m}x{k // 4}x2xui2>) -> tensor<{split}xui2>
      %1 = stablehlo.transpose %0, dims = [0, 4, 1, 6, 3, 5, 2, 7] : (tensor<{split}xui2>) -> tensor<{moved}xui2>
      %2 = stablehlo.reshape %1 : (tensor<{moved}xui2>) -> tensor<{tiles}xui2>
      %d = stablehlo.custom_call @mosaic_gpu_v2(%2) {{mhlo.backend_config = KERNEL(f16; {tiles}xi2, 128x128xf32)}}
        : (tensor<{tiles}xui2>) -> tensor<128x128xf32>
      return %d : tensor<128x128xf32>
    }}"""
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], np.uint8)
    values = pairs[np.random.default_rng(0).integers(0, 6, (m, k // 4))]
    values[4321, 765] = (3, 3)
    verify = load_pass("stablehlo-verify-sparse-metadata")()
    with make_context(unregistered=True), ir.Location.unknown():
        module = ir.Module.parse(embedded.expand(text))
        (op,) = collect(module.operation, ("stablehlo.constant",))["stablehlo.constant"]
        op.attributes["value"] = dense_integers(values, ir.RankedTensorType(op.results[0].type))

        def run() -> None:
            engine = Engine()
            verify.run(module.operation, Session(engine))
            if [found.code for found in engine.report.diagnostics] != ["MV307"]:
                raise RuntimeError("the bad pair was not found")

        candidates = {"read": lambda: integer_values(op.attributes["value"]), "verify": run, "max": values.max}
        times = interleaved(candidates, _RUNS)
    figures = f"pass {times['verify'] * 1e3:.1f} ms, reading {times['read'] * 1e3:.1f} ms"
    yield Row("constant of 16 Mi entries, against reading it", times["verify"] / times["read"], 1.5, figures)
    figures = f"pass {times['verify'] * 1e3:.1f} ms, np.max {times['max'] * 1e3:.1f} ms"
    yield Row("constant of 16 Mi entries, against np.max", times["verify"] / times["max"], None, figures)


def _formatted(m: int, entries: int, *, hidden: bool) -> Node:
    """Metadata in the 16-bit format; a pad of nothing hides its strides."""
    root = Node("root", (m, entries // 2, 2))
    split = Node("reshape", (m // 128, 8, 2, 8, entries // 64, 4, 2, 8), (root,))
    order = (0, 4, 1, 6, 3, 5, 2, 7)
    axes = tuple((i, 0, 1) for i in order)
    moved = Node("strided", tuple(split.shape[i] for i in order), (split,), axes=axes, moves=True)
    tiles = Node("reshape", (m // 128, entries // 64, 128, 64), (moved,))
    return Node("pad", tiles.shape, (tiles,), low=(0,) * 4, interior=(0,) * 4) if hidden else tiles


def _classified(tiles: Node) -> None:
    (laid,) = classify(tiles)
    if laid.formats != {"16-bit"}:
        raise RuntimeError("the format was not recognised")
