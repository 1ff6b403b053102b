"""Peak memory of processes with our checks, against the same without."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.harness import CACHE, ROOT, Row, tool
from bench.startup import _TEN_LINES
from bench.throughput import lowered_kernel, repeated

_SIZES = (10_000, 100_000, 1_000_000)


def rows() -> Iterable[Row]:
    """Ratios of the largest resident set."""
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / "ten_lines.mlir"
    file.write_text(_TEN_LINES)
    opt = tool("mosaic-verify-opt")
    base = peak([sys.executable, "-c", "import jaxlib.mlir.ir"])
    yield _row("start-up, verify-all / import jaxlib.mlir.ir", peak([opt, file, "--verify-all"]), base)
    kernel = lowered_kernel()
    for size in _SIZES:
        big = CACHE / f"ops_{size}.mlir"
        text, ops = repeated(kernel, size)
        big.write_bytes(text)
        command: list[str | Path] = [opt, big, "-o", os.devnull]
        yield _row(f"verify-all on {ops} ops / no pass", peak([*command, "--verify-all"]), peak(command))
        big.unlink()
    lower = [sys.executable, "-m", "bench.memory"]
    base = peak([*lower, "off"])
    for mode in ("report", "enforce", "rewrite"):
        yield _row(f"lowering jax.experimental.pallas.ops.gpu, {mode} / without the hook", peak([*lower, mode]), base)
    base = peak([*lower, "max"])
    yield _row("block lists of 64 Mi entries, verify / np.max", peak([*lower, "lists"]), base)


# The largest resident set of a process on Linux starts with that of the process that forked it, so a small one does.
_LAUNCHER = """
import os, subprocess, sys
done = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(done.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def peak(arguments: Sequence[str | Path]) -> int:
    """Bytes of the largest resident set of a process.

    Raises:
      RuntimeError: it failed.
    """
    command = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    code, size = map(int, done.stdout.split())
    if code:
        raise RuntimeError(f"{' '.join(map(str, arguments))} failed")
    return size * (1 if sys.platform == "darwin" else 1024)


def _row(name: str, ours: int, base: int) -> Row:
    return Row(name, ours / base, None, f"{ours >> 20} MiB / {base >> 20} MiB")


def _lower(mode: str) -> None:
    """Lowers the kernels of JAX once."""
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(ROOT / "test" / "kernels"))
    import jax
    import ops_gpu

    import mosaic_verify as mv
    from mosaic_verify.jax_hook.virtual_device import virtual_device
    from mosaic_verify.model.architectures import find_architecture

    if mode != "off":
        mv.install(mode)
    with virtual_device(find_architecture("sm_100a")):
        for _, function, shapes in ops_gpu.kernels():
            jax.jit(function).trace(*shapes).lower(lowering_platforms=("cuda",))


def _lists(verify: bool) -> None:
    """64 Mi entries, read once or verified."""
    import numpy as np

    import mosaic_verify as mv

    columns = 1 << 10
    rows_ = (1 << 26) // columns
    idx = np.broadcast_to(np.arange(columns, dtype=np.int32), (1, 1, rows_, columns)).copy()
    cnt = np.full((1, 1, rows_), columns, np.int32)
    np.max(idx)
    if verify:
        layout = {"full_cnt": cnt, "full_idx": idx}
        mv.block_sparse.verify(layout, seq_len=128 * rows_, seq_len_k=128 * columns)


if __name__ == "__main__":
    if sys.argv[1] in ("max", "lists"):
        _lists(sys.argv[1] == "lists")
    else:
        _lower(sys.argv[1])
