"""What JAX says about a kernel without us, and what we say."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
from jax._src import source_info_util

import mosaic_verify as mv
from mosaic_verify.jax_hook import policy
from mosaic_verify.jax_hook.virtual_device import virtual_device
from mosaic_verify.model.architectures import find_architecture
from mosaic_verify.rules.matching import match_exception

from . import comparable_trees, unnumbered
from .options import Options

# The lines of this folder are no part of a program: the text is to be the same whoever asks for it.
source_info_util.register_exclusion(str(Path(__file__).parent))
comparable_trees.apply()
unnumbered.apply()
_DEFAULT_ARCH = "sm_100a"  # what `mv.check` assumes for a kernel with tcgen05


@dataclass(frozen=True)
class Said:
    """One lowering.

    Attributes:
      stage: where JAX refused: "trace" or "lower"; "" when it did not.
      error: class and first line of what it raised, "" when it raised nothing.
      cause: codes of the rules that explain the exception, the most specific first.
      text: the lowered text, "" when there is none.
    """

    stage: str = ""
    error: str = ""
    cause: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Ours:
    """What one call of `mv.check` found.

    Attributes:
      errors: codes of severity error that our own checks reported, sorted.
      warnings: codes of severity warning, sorted.
      mapped: codes under which JAX's own exception is reported.
      error: class and first line of the exception in the report, "" for none.
      rewrites: names of the passes that rewrote something.
      text: the lowered text, "" when there is none.
      faults: warnings of the hook about itself.
    """

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    mapped: tuple[str, ...] = ()
    error: str = ""
    rewrites: tuple[str, ...] = ()
    text: str = ""
    faults: tuple[str, ...] = ()


def ask_jax(o: Options, kernel: Callable[..., object], arguments: tuple[Any, ...]) -> Said:
    """JAX's verdict on `kernel(*arguments)`, for the device that `o` names (our default one when it names none)."""
    with warnings.catch_warnings(), virtual_device(find_architecture(o.arch or _DEFAULT_ARCH)):
        warnings.simplefilter("ignore")
        stage = "trace"
        try:
            traced = jax.jit(kernel).trace(*arguments)
            stage = "lower"
            return Said(text=traced.lower(lowering_platforms=("cuda",)).as_text())
        except Exception as error:  # whatever JAX raises is the verdict
            cause = tuple(match.rule.code for match in match_exception(error))
            return Said(stage, _first_line(error), cause)


def ask_us(
    o: Options, kernel: Callable[..., object], arguments: tuple[Any, ...], mode: str = "report", watch: bool = True
) -> Ours:
    """Our verdict; without `watch` nobody looks at warnings, which are those of the whole process."""
    with _faults() if watch else nullcontext([]) as faults:
        report = mv.check(kernel, *arguments, mode=mode, arch=o.arch or _DEFAULT_ARCH)
    errors = [d for d in report.diagnostics if d.severity == "error"]
    mapped = [d for d in errors if any(note.message.startswith("raised by JAX as ") for note in d.notes)]
    own = {d.code for d in errors} - {d.code for d in mapped}
    return Ours(
        tuple(sorted(own)),
        tuple(sorted({d.code for d in report.diagnostics if d.severity == "warning"})),
        tuple(d.code for d in mapped),
        "" if report.error is None else _first_line(report.error),
        tuple(dict.fromkeys(rewrite.pass_name for rewrite in report.rewrites)),
        "" if report.lowered is None else report.lowered.as_text(),
        tuple(faults),
    )


@contextmanager
def _faults() -> Iterator[list[str]]:
    """Collects what the hook says about itself; each fault is said again for each kernel."""
    policy._warned.clear()
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    found += [str(entry.message) for entry in caught if issubclass(entry.category, policy.HookWarning)]


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line and line != "Verification failed:"]
    text = re.sub(r"0x[0-9a-f]+", "0x", (lines or [""])[0])  # some print a generator's address
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
