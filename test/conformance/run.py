"""Runs the comparison: in this process, or in chunks, each in a process of its own."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import jax

from .compare import Outcome, compare
from .counts import Counts
from .generator import options
from .options import Options

CHUNK = 250  # kernels per process: JAX keeps what it has traced
_CLEAR_EVERY = 50


def kernels(count: int, seed: int) -> list[Options]:
    """The kernels of a seed."""
    return list(itertools.islice(options(seed, semantics=None, base=None), count))


def run_here(count: int, seed: int, seen: Callable[[Options, Outcome], None] = lambda o, outcome: None) -> Counts:
    """Compares `count` kernels of a seed."""
    counts = Counts()
    for number, o in enumerate(kernels(count, seed)):
        if number % _CLEAR_EVERY == 0:
            jax.clear_caches()
        outcome = compare(o)
        if outcome.failed:  # what JAX keeps of other kernels can stand in for what it would say to this one
            jax.clear_caches()
            outcome = compare(o)
        counts.add(o, outcome)
        seen(o, outcome)
    return counts


def run_chunks(count: int, seed: int, jobs: int, progress: Callable[[Counts], None]) -> Counts:
    """Compares `count` kernels in chunks; chunk i has the seed `1000 * seed + i`.

    Raises:
      RuntimeError: a chunk crashed.
    """
    sizes = [min(CHUNK, count - start) for start in range(0, count, CHUNK)]
    counts = Counts()
    with ThreadPoolExecutor(jobs) as pool:
        for part in pool.map(lambda job: _chunk(job[1], 1000 * seed + job[0]), enumerate(sizes)):
            counts.merge(part)
            progress(counts)
    return counts


def _chunk(count: int, seed: int) -> dict:
    package = __package__ or "conformance"
    command = [sys.executable, "-m", package, f"--count={count}", f"--seed={seed}", "--chunk"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"the chunk with --count={count} --seed={seed} --chunk crashed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])
