"""Random sequences of mode changes, sessions, checks, lowerings and exports over a few kernels.

Whatever happened before, a kernel gives in a mode what it gives there in a fresh process: nothing that was traced,
lowered or rewritten in one mode is served in another.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.export
from jax._src import source_info_util

import mosaic_verify as mv
from mosaic_verify.jax_hook import state

from .generator import build
from .options import Options

source_info_util.register_exclusion(str(Path(__file__).parent))
OFF = "off"
MODES = (OFF, *state.MODES)
KERNELS = {
    "accepted": Options(),
    "accepted and shortened": Options(source_chain=".transpose((1, 0, 2, 3)).transpose((1, 0, 2, 3))"),
    "refused": Options(n=24),
    "refused, but not when rewritten": Options(semantics="lane", b_swizzle=128),
    "silently wrong": Options(copy="after"),
    "wrong in one place": Options(semantics="lane", metadata_chain=".transpose((1, 0)).transpose((1, 0))"),
}


class Programs:
    """The kernels, jitted once, and what each gives in each mode when nothing happened before."""

    def __init__(self) -> None:
        built = {name: build(o) for name, o in KERNELS.items()}
        self.jitted = {name: (jax.jit(function), arguments) for name, (function, arguments) in built.items()}
        self.expected: dict[tuple[str, str, str], str] = {}
        for name in self.jitted:
            for mode in MODES:
                for how in _HOW:
                    jax.clear_caches()
                    set_mode(mode)
                    self.expected[name, mode, how] = self.outcome(name, how)
        set_mode(OFF)
        jax.clear_caches()

    def outcome(self, name: str, how: str) -> str:
        """The text, or the classes and the first line of what was raised."""
        function, arguments = self.jitted[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return _HOW[how](function, arguments)
            except Exception as error:
                first = (str(error).splitlines() or [""])[0]
                return f"{type(error).__name__} {', '.join(base.__name__ for base in type(error).__mro__)}: {first}"


def _lower(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    return function.trace(*arguments).lower(lowering_platforms=("cuda",)).as_text()


def _nested(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    return _lower(jax.jit(lambda *given: function(*given)), arguments)


def _export(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    disabled = [jax.export.DisabledSafetyCheck.custom_call("mosaic_gpu_v2")]
    text = jax.export.export(function, platforms=["cuda"], disabled_checks=disabled)(*arguments).mlir_module()
    # Without where it was called from.
    return re.sub(r"loc\(#loc\d*\)", "", "\n".join(line for line in text.splitlines() if not line.startswith("#loc")))


_HOW: dict[str, Callable[..., str]] = {"lower": _lower, "nested": _nested, "export": _export}


def set_mode(mode: str) -> None:
    """Installs the hook, or takes it out."""
    if state.installed() is not None:
        mv.uninstall()
    if mode != OFF:
        mv.install(mode)


def run(programs: Programs, seed: int, steps: int) -> None:
    """One sequence.

    Raises:
      AssertionError: a step gave something else than it does alone; the text tells all steps.
    """
    generator = random.Random(seed)
    history: list[str] = []
    mode = OFF
    try:
        for _ in range(steps):
            action = generator.choice(("mode", "call", "call", "call", "session", "check", "clear"))
            name, how = generator.choice(list(KERNELS)), generator.choice(list(_HOW))
            other = generator.choice(state.MODES)
            if action == "mode":
                mode = generator.choice(MODES)
                history.append(f"mode {mode}")
                set_mode(mode)
            elif action == "clear":
                history.append("clear caches")
                jax.clear_caches()
            elif action == "check":
                history.append(f"check {name} in {other}")
                function, arguments = programs.jitted[name]
                report = mv.check(function, *arguments, mode=other, arch=None)
                lowers = not programs.expected[name, other, "lower"].startswith(_ERRORS)
                assert (report.lowered is not None) is lowers, history
            else:
                within = other if action == "session" else mode
                history.append(f"{how} {name} in {within}{' of a session' if action == 'session' else ''}")
                if action == "session":
                    with mv.verifying(other):
                        found = programs.outcome(name, how)
                else:
                    found = programs.outcome(name, how)
                assert found == programs.expected[name, within, how], history
    finally:
        set_mode(OFF)


_ERRORS = ("ValueError", "NotImplementedError", "KernelVerificationError", "VerificationError", "MLIRError")
