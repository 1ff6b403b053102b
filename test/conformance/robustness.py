"""Faults of our own, threads, and sequences of modes over generated kernels: what JAX says stays what it is.

`python -m test.conformance.robustness --count N --seed S`: a fault in a random call of ours for each of N kernels,
N / 32 rounds of 32 kernels in 8 threads, and N / 25 sequences of 25 steps.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import CodeType
from typing import Any

import jax

import mosaic_verify as mv
from mosaic_verify.jax_hook import level_passes, levels, policy, state
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture

from . import sequences
from .generator import build, options
from .options import Options
from .verdict import _DEFAULT_ARCH, ask_us

_PACKAGE = os.path.dirname(mv.__file__) + os.sep
_PASSES = os.path.dirname(level_passes.load_pass.__wrapped__.__code__.co_filename) + os.sep
_LEVELS = os.path.dirname(levels.__file__)
# What stands between JAX and the guard: nothing can catch what is raised at its first instruction.
_GUARD = {
    *("guarded", "entered.__init__", "entered.__enter__", "entered.__exit__"),
    *("own_fault", "warn_once", "strict", "_ConfigHolder.get"),
    "Architecture.compute_capability",  # what the virtual device of this module answers JAX, outside of the hook
}
KERNELS, THREADS, STEPS = 32, 8, 25


class Planted(Exception):
    """A fault of ours."""


def _is_ours(code: CodeType) -> bool:
    file = code.co_filename
    if not file.startswith((_PACKAGE, _PASSES)) or code.co_qualname in _GUARD or f"{os.sep}virtual_device" in file:
        return False
    return not (os.path.dirname(file) == _LEVELS and "<locals>" in code.co_qualname)


def _profiled(function: Callable[[], Any], profile: Callable[..., None] | None) -> Any:
    shown = sys.unraisablehook
    sys.unraisablehook = lambda _: None  # a generator that is closed is entered once more, and nobody catches that
    sys.setprofile(profile)
    try:
        return function()
    finally:
        sys.setprofile(None)
        sys.unraisablehook = shown


def _outcome(kernel: Callable[..., Any], arguments: tuple[Any, ...], profile: Callable[..., None] | None = None) -> str:
    """The lowered text, or class and first line of what was raised."""
    jax.clear_caches()
    level_passes.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            traced = jax.jit(kernel).trace(*arguments)
            return _profiled(lambda: traced.lower(lowering_platforms=("cuda",)).as_text(), profile)
        except Exception as error:
            return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def fault(o: Options, generator: random.Random) -> tuple[bool, str | None]:
    """Raises in one call of ours while `o` is lowered.

    Returns whether that came to pass, and what is wrong with the outcome, None for nothing.
    """
    kernel, arguments = build(o)
    mode = generator.choice(state.MODES)
    called: Counter[CodeType] = Counter()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and _is_ours(frame.f_code):
            called[frame.f_code] += 1

    with virtual_device(find_architecture(o.arch or _DEFAULT_ARCH)):
        alone = _outcome(kernel, arguments)
        allowed = {alone}
        mv.install(mode)
        try:
            allowed.add(_outcome(kernel, arguments, note))
            if not called:
                return False, None
            code = generator.choice(sorted(called, key=lambda c: (c.co_filename, c.co_firstlineno, c.co_qualname)))
            left = generator.randrange(called[code]) + 1
            name = code.co_qualname

            def fail(frame: Any, event: str, _: object) -> None:
                nonlocal left
                if event == "call" and frame.f_code is code:
                    left -= 1
                    if left == 0:
                        raise Planted(name)

            policy._warned.clear()
            found = _outcome(kernel, arguments, fail)
        finally:
            mv.uninstall()
    # A fault in one check may leave the findings of the others.
    blocked = mode != "report" and found.startswith("KernelVerificationError") and len(allowed) == 2
    # A fault behind a rewrite: JAX refuses the rewritten program by itself, for what the rewrite left.
    left_over = mode.startswith("rewrite") and _refused(alone) and _refused(found) and "Planted" not in found
    wrong = None if found in allowed or blocked or left_over else f"a fault in {name} in mode {mode}: {found[:200]}"
    return left <= 0, wrong


def _refused(outcome: str) -> bool:
    return re.match(r"\w*(Error|Exception): ", outcome) is not None


def in_threads(kernels: list[Options], modes: list[str]) -> str | None:
    """Checks all kernels alone and then at once. Returns the first difference, None for none."""
    built = [(o, *build(o)) for o in kernels]

    def ask(number: int) -> Any:
        ours = ask_us(*built[number], modes[number], watch=False)
        return ours.errors, ours.warnings, ours.error, ours.rewrites, ours.text

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = [ask(number) for number in range(len(built))]
        jax.clear_caches()
        start = threading.Barrier(THREADS)

        def together(number: int) -> Any:
            if number < THREADS:
                start.wait()
            return ask(number)

        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(together, range(len(built))))
    for number, (one, other) in enumerate(zip(alone, found, strict=True)):
        if one != other:
            return f"{kernels[number]} in mode {modes[number]}: {other[:4]} instead of {one[:4]}"
    return None


def run(count: int, seed: int, rounds: int | None = None) -> list[str]:
    """Returns what failed, one text per failure; `rounds`: number of sequences."""
    failures = []
    generator = random.Random(seed)
    stream = options(seed, semantics=None, base=None)
    raised = 0
    for _ in range(count):
        o = next(stream)
        planted, wrong = fault(o, generator)
        raised += planted
        if wrong is not None:
            failures.append(f"{o}: {wrong}")
    if 2 * raised < count:
        failures.append(f"only {raised} of {count} faults came to pass")
    for _ in range(count // KERNELS):
        kernels = [next(stream) for _ in range(KERNELS)]
        if (wrong := in_threads(kernels, [generator.choice(state.MODES) for _ in kernels])) is not None:
            failures.append(f"in threads: {wrong}")
    rounds = count // STEPS if rounds is None else rounds
    programs = sequences.Programs() if rounds else None
    for number in range(rounds):
        try:
            sequences.run(programs, seed * 1000 + number, STEPS)
        except AssertionError as error:
            failures.append(f"sequence {seed * 1000 + number}: {error}")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m test.conformance.robustness", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    failures = run(args.count, args.seed)
    for failure in failures:
        print(failure, flush=True)
    print(f"{args.count} kernels, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
