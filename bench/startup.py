"""Start-up of mosaic-verify-opt on a ten-line file, against a bare import of jaxlib's bindings."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable

from bench.harness import CACHE, Row, interleaved, process, tool

_RUNS = 21
_TEN_LINES = """\
func.func @scale(%ref: memref<128x64xf32>, %factor: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 128 : index
  scf.for %row = %zero to %rows step %one {
    %old = memref.load %ref[%row, %zero] : memref<128x64xf32>
    %new = arith.mulf %old, %factor : f32
    memref.store %new, %ref[%row, %zero] : memref<128x64xf32>
  }
  return
}
"""


def rows() -> Iterable[Row]:
    """Ratios of wall time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / "ten_lines.mlir"
    file.write_text(_TEN_LINES)
    opt = tool("mosaic-verify-opt")
    candidates = {
        "import": process([sys.executable, "-c", "import jaxlib.mlir.ir"]),
        "no pass": process([opt, file]),
        "canonicalize,cse": process([opt, file, "--canonicalize", "--cse"]),
        "verify-all": process([opt, file, "--verify-all"]),
        "sparse MMA": process([opt, file, "-p", "builtin.module(mosaic-gpu-verify-sparse-mma)"]),
    }
    for other in ("xdsl-opt", "mlir-opt", "mlir-opt-22"):
        path = shutil.which(other)
        if path is not None:
            candidates[other] = process([path, file])
    times = interleaved(candidates, _RUNS)
    base = times.pop("import")
    for name in ("no pass", "canonicalize,cse", "verify-all", "sparse MMA"):
        seconds = times.pop(name)
        yield Row(f"{name} / import jaxlib.mlir.ir", seconds / base, 1.25, _figures(seconds, base))
    own = interleaved({"own": candidates["no pass"]}, 3)["own"]
    for name, seconds in times.items():
        yield Row(f"no pass / {name}", own / seconds, None, _figures(own, seconds))


def _figures(measured: float, base: float) -> str:
    return f"{measured * 1e3:.0f} ms / {base * 1e3:.0f} ms"
