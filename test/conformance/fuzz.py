"""Mutated facts, MLIR texts, flags and pipelines: no fault of ours, no hang, no failure without a word.

`python -m test.conformance.fuzz --count N --seed S` tries N inputs and prints what failed with the seed of that input.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import faulthandler
import io
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from mosaic_verify.model.chain import RefType, Step
from mosaic_verify.model.tmem_layout import TmemLayout
from mosaic_verify.rules.registry import run_checks
from mosaic_verify.rules.sparse_mma import check_kernel
from mosaic_verify.tools import opt

_TESTS = Path(__file__).parent.parent
_HANG = 120  # seconds after which one input is taken for a hang
_INTEGERS = (0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 48, 64, 96, 127, 128, 192, 256, 512, 1024, 1 << 20, 1 << 40)
_STRINGS = ("f16", "bf16", "f32", "i8", "i2", "i1", "i32", "f4E2M1FN", "f6E2M3FN", "f8E4M3FN", "f8E8M0FNU", "tf32", "x",
            "", "smem", "tmem", "gmem", "lane", "warpgroup")  # fmt: skip


def facts() -> list[Any]:
    """Facts of the valid kernels of the generator, as the `plgpu` level sees them."""
    import mosaic_verify as mv
    from mosaic_verify.passes import _plgpu

    from .generator import BASES, build
    from .options import Options

    found: list[Any] = []
    original = _plgpu.run_checks

    def record(fact: Any) -> Any:
        found.append(_plain(fact, {}))
        return original(fact)

    _plgpu.run_checks = record
    try:
        for base in BASES.values():
            for semantics in ("warpgroup", "lane"):
                options = Options(semantics=semantics, **base)
                function, arguments = build(options)
                mv.check(function, *arguments, arch=options.arch)
    finally:
        _plgpu.run_checks = original
    return found


def _plain(value: Any, keys: dict[Any, int]) -> Any:
    """A fact that outlives its module: SSA values, which tell run-time indices apart, become numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _plain(getattr(value, field.name), keys) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    if isinstance(value, tuple):
        items = [_plain(item, keys) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value).__module__.startswith("jaxlib"):
        return keys.setdefault(value, len(keys))
    return value


def mutate(value: Any, generator: random.Random, rate: float) -> Any:
    """`value` with some of its plain parts replaced by others of their type."""
    if isinstance(value, TmemLayout | Step | RefType):
        return value  # what their parts say about one another holds by construction
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in dataclasses.fields(value):
            old = getattr(value, field.name)
            optional = "None" in str(field.type)
            new = None if optional and generator.random() < rate / 2 else mutate(old, generator, rate)
            if new is not old:
                changed[field.name] = new
        return dataclasses.replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        items = [mutate(item, generator, rate) for item in value]
        if items and dataclasses.is_dataclass(items[0]) and generator.random() < rate / 2:
            items.pop(generator.randrange(len(items)))  # ranks stay as they are, lists of facts do not
        return tuple(items)
    if generator.random() >= rate:
        return value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return generator.choice(_INTEGERS)
    return generator.choice(_STRINGS) if isinstance(value, str) else value


def try_facts(seeds: list[Any], generator: random.Random) -> None:
    """All checks on the mutated facts of a kernel. Raises what they raise."""
    rate = generator.choice((0.02, 0.05, 0.2))
    kernel = mutate(generator.choice(seeds), generator, rate)
    check_kernel(kernel, run_checks(kernel))


def texts() -> list[str]:
    """The inputs of the lit tests, one per split."""
    found = []
    for file in sorted(_TESTS.glob("**/*.mlir")):
        found += file.read_text().split("// -----\n")
    return [text for text in found if text.strip()]


_TOKEN = re.compile(r"\d+|[A-Za-z_][\w.]*|%\w+|\s+|.", re.S)


def mutate_text(text: str, other: str, generator: random.Random) -> str:
    """`text` with a few tokens changed, dropped, doubled, or taken from `other`."""
    tokens = _TOKEN.findall(text)
    borrowed = _TOKEN.findall(other) or [""]
    for _ in range(generator.choice((1, 1, 2, 3, 8))):
        place = generator.randrange(len(tokens))
        kind = generator.randrange(5)
        if tokens[place].isdigit() and kind < 4:
            tokens[place] = str(generator.choice(_INTEGERS))
        elif kind == 0:
            tokens[place] = ""
        elif kind == 1:
            tokens[place] *= 2
        elif kind == 2:
            tokens[place] = generator.choice(borrowed)
        elif kind == 3:
            start = generator.randrange(len(borrowed))
            tokens[place] += "".join(borrowed[start : start + generator.randrange(30)])
        else:
            tokens[place] = generator.choice(tokens)
    return "".join(tokens)


_FLAGS = ("--verify-all", "--rewrite-all", "--cse", "--canonicalize", "--verify-diagnostics", "--split-input-file",
          "--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-debuginfo", "--werror",
          "--ignore=MV1", "--select=MV", "--diagnostic-format=json", "--verify-each=false")  # fmt: skip


def try_text(seeds: list[str], generator: random.Random, folder: Path) -> None:
    """`mosaic-verify-opt` on a mutated text. Raises AssertionError for a fault of ours."""
    from mosaic_verify.passes import pass_names

    text = mutate_text(generator.choice(seeds), generator.choice(seeds), generator)
    file = folder / "in.mlir"
    file.write_text(text)
    flags = dict.fromkeys(generator.choice(_FLAGS) for _ in range(generator.randrange(4)))
    if generator.random() < 0.7:
        flags = {"--verify-all": None, **flags}
    if generator.random() < 0.3:
        flags[f"--{generator.choice(pass_names())}"] = None
    out, err = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = opt.run([str(file), *flags])
    said = err.buffer.getvalue().decode()
    where = f"{[*flags]}\n{text}"
    assert code in (0, 1), f"exit code {code}: {where}"
    assert "internal error" not in said and "Traceback" not in said, f"{said}\n{where}"


def run(count: int, seed: int) -> list[str]:
    """Tries `count` inputs, half of them facts. Returns what failed, one text per failure."""
    failures = []
    kernels, programs = facts(), texts()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            generator = random.Random(seed * 1_000_003 + number)
            faulthandler.dump_traceback_later(_HANG, exit=True)
            try:
                if number % 2:
                    try_facts(kernels, generator)
                else:
                    try_text(programs, generator, Path(folder))
            except Exception as error:
                import traceback

                failures.append(f"input {number} of seed {seed}: {error!r}\n{traceback.format_exc()}")
    faulthandler.cancel_dump_traceback_later()
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m test.conformance.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    failures = run(args.count, args.seed)
    for failure in failures:
        print(failure, flush=True)
    print(f"{args.count} inputs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
