"""What benchmarks share: rows, and medians of interleaved runs.

A benchmark is a file in this folder with a function `rows() -> Iterable[Row]`; its first docstring line is its title.
Each file runs in a process of its own, so what it imports and the memory that it takes do not touch the others.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
CACHE = ROOT / "build" / "bench"


class Row(NamedTuple):
    """One result.

    Attributes:
      name: what was measured against what.
      ratio: the measured ratio; what is measured stands above the bar, what it is compared with below.
      target: the ratio that must not be exceeded; None where there is no promise.
      detail: the absolute figures behind it, for orientation.
    """

    name: str
    ratio: float
    target: float | None = None
    detail: str = ""


Clock = Callable[[], float]


def interleaved(
    candidates: Mapping[str, Callable[[], object]], runs: int, warm_up: int = 1, clock: Clock = perf_counter
) -> dict[str, float]:
    """Median time of each candidate in seconds; they take turns, so a slow phase of the machine hits all alike.

    `clock` may be `time.process_time` for what runs in this process on one thread: it does not count what others do.
    """
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for run in range(-warm_up, runs):
        for name, candidate in candidates.items():
            gc.collect()
            start = clock()
            candidate()
            if run >= 0:
                times[name].append(clock() - start)
    return {name: statistics.median(found) for name, found in times.items()}


def process(arguments: Sequence[str | Path]) -> Callable[[], None]:
    """A candidate that runs a process to its end. Its bytecode is cached, whatever the environment says.

    It raises CalledProcessError when the process fails, so that a broken command is never taken for a fast one.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(CACHE / "pycache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [str(argument) for argument in arguments]

    def run() -> None:
        subprocess.run(command, env=environment, check=True, capture_output=True)

    return run


def tool(name: str) -> Path:
    """A console script of this environment."""
    return Path(sys.executable).with_name(name)
