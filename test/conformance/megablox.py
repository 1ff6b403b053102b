"""Calls of megablox gmm and tgmm: our verdict against JAX's TPU lowering and against what interpret mode computes.

`python -m test.conformance.megablox --count N --seed S`. A call that JAX lowers is right when interpret mode gives the
product of each group, the old rows (or zeros) where there is none, and no NaN, which stands for uninitialised memory.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm

import mosaic_verify as mv
from mosaic_verify.rules.page import load_rule

RIGHT = "lowered and right, no error from us"
WRONG = "lowered and wrong, found by us"
REFUSED = "refused, found by us"
EXPLAINED = "refused for a reason that no check covers"
MENDED = "refused or wrong, rewritten and then right"
STRICTER, LAXER, REWRITE = "stricter", "laxer", "rewritten, but still wrong"
FAILURES = (STRICTER, LAXER, REWRITE)


@dataclass(frozen=True)
class Call:
    """One call. `rhs_k`: contraction size of rhs where it is not K; `out`: element type of `existing_out`."""

    kind: str = "gmm"
    m: int = 32
    k: int = 128
    n: int = 128
    groups: int = 3
    sizes: tuple[int, ...] = (8, 8, 16)
    sizes_dtype: str = "int32"
    dtype: str = "float32"
    preferred: str = "float32"
    tiling: tuple[int, ...] | None = (8, 128, 128)
    rhs_k: int | None = None
    transpose_rhs: bool = False
    offset: int | None = None
    offset_shape: tuple[int, ...] = ()
    out: str | None = None
    actual: int | None = None

    def __str__(self) -> str:
        changed = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default)
        return f"Call({', '.join(changed)})"


_CHOICES: dict[str, tuple[Any, ...]] = {
    "sizes": ((8, 8, 16), (3, 21, 8), (0, 32, 0), (8, 8, 8), (16, 16, 16), (8, -8, 32), (32,), (8, 8, 8, 8)),
    "groups": (3, 2, 4, 1),
    "m": (32, 48, 40, 30, 8),
    "tiling": ((8, 128, 128), (16, 128, 128), (12, 128, 128), (8, 64, 128), (8, 128), (0, 128, 128), None),
    "k": (128, 256, 64),
    "n": (128, 256),
    "rhs_k": (256, 64),
    "transpose_rhs": (True,),
    "dtype": ("bfloat16", "float16"),
    "preferred": ("bfloat16",),
    "sizes_dtype": ("int16", "float32"),
    "offset": (0, 1, 2, 3, -1),
    "offset_shape": ((1,),),
    "out": ("float32", "bfloat16"),
    "actual": (3, 2, 4),
}


def calls(seed: int) -> Iterator[Call]:
    """An endless stream of calls, changed in up to two ways."""
    generator = random.Random(seed)
    while True:
        kind = generator.choice(("gmm", "gmm", "tgmm"))
        names = [name for name in _CHOICES if name not in _ONLY or _ONLY[name] == kind]
        picked = generator.sample(names, generator.choice((0, 1, 1, 2, 2)))
        call = replace(Call(kind), **{name: generator.choice(_CHOICES[name]) for name in picked})
        if call.offset_shape and call.offset is None:
            call = replace(call, offset=0)
        if call.offset is not None and "groups" not in picked and kind == "gmm":
            call = replace(call, groups=2)
        yield call


_ONLY = {"transpose_rhs": "gmm", "rhs_k": "gmm", "groups": "gmm", "out": "gmm", "actual": "tgmm"}


def shapes(call: Call) -> tuple[jax.ShapeDtypeStruct, ...]:
    """lhs, rhs and, where the call has one, existing_out."""
    if call.kind == "tgmm":
        pair = [(call.k, call.m), (call.m, call.n)]
    else:
        rows = call.rhs_k or call.k
        pair = [(call.m, call.k), (call.groups, call.n, rows) if call.transpose_rhs else (call.groups, rows, call.n)]
    out = [] if call.out is None else [jax.ShapeDtypeStruct((call.m, call.n), call.out)]
    return (*(jax.ShapeDtypeStruct(shape, call.dtype) for shape in pair), *out)


def program(call: Call, interpret: bool):
    """The function of `shapes(call)`; sizes and offset are constants in it."""

    def run(lhs: Any, rhs: Any, *out: Any) -> Any:
        given: dict[str, Any] = {"preferred_element_type": jnp.dtype(call.preferred), "tiling": call.tiling}
        if call.offset is not None:
            given["group_offset"] = jnp.full(call.offset_shape, call.offset, jnp.int32)
        if out:
            given["existing_out"] = out[0]
        if call.kind == "tgmm":
            given["num_actual_groups"] = call.actual
        else:
            given["transpose_rhs"] = call.transpose_rhs
        sizes = jnp.asarray(call.sizes, call.sizes_dtype)
        return (gmm if call.kind == "gmm" else tgmm)(lhs, rhs, sizes, interpret=interpret, **given)

    return run


def compare(call: Call) -> tuple[str, str]:
    """(kind of outcome, codes or message)."""
    jax.clear_caches()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            jax.jit(program(call, False)).trace(*shapes(call)).lower(lowering_platforms=("tpu",))
            refused = ""
        except Exception as error:  # whatever JAX raises is its verdict
            refused = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
        report = mv.check(program(call, False), *shapes(call), platforms=("tpu",))
        own = [d for d in report.diagnostics if not any(n.message.startswith("raised by JAX as") for n in d.notes)]
        errors = sorted({d.code for d in own if d.severity == "error"})
        found = sorted({d.code for d in own if d.severity != "remark"})
        mapped = [d.code for d in report.diagnostics if d not in own]
        right = not refused and _right(call, "off")
        if right:
            return (STRICTER, " ".join(errors)) if errors else (RIGHT, "")
        if not found:
            if refused and not any(load_rule(code).checked for code in mapped):
                return EXPLAINED, refused
            return LAXER, refused or "computes something else"
        rewritten = mv.check(program(call, False), *shapes(call), platforms=("tpu",), mode="rewrite")
        left = {d.code for d in rewritten.diagnostics if d.severity != "remark"} - {r.code for r in rewritten.rewrites}
        if rewritten.rewrites and not left and rewritten.error is None:
            return (MENDED if _right(call, "rewrite") else REWRITE), " ".join(found)
        return (REFUSED if refused else WRONG), " ".join(found)


def _right(call: Call, mode: str) -> bool:
    """Whether interpret mode computes what the call asks for."""
    generator = np.random.default_rng(0)
    values = [jnp.asarray(generator.standard_normal(s.shape), s.dtype) for s in shapes(call)]
    jax.clear_caches()
    if mode == "off":
        got = program(call, True)(*values)
    else:
        with mv.verifying(mode):
            got = program(call, True)(*values)
    wanted = _reference(call, *(np.asarray(value, np.float64) for value in values))
    got = np.asarray(got, np.float64)
    coarse = "bfloat16" in (call.preferred, call.dtype)
    return (
        wanted is not None
        and got.shape == wanted.shape
        and np.allclose(got, wanted, rtol=0.02, atol=0.5 if coarse else 1e-2)
    )


def _reference(call: Call, lhs: np.ndarray, rhs: np.ndarray, *out: np.ndarray) -> np.ndarray | None:
    """The product, one group at a time; None where there is none."""
    first = call.offset or 0
    starts = np.concatenate([[0], np.cumsum(call.sizes)])
    local = call.groups if call.kind == "gmm" else len(call.sizes) if call.actual is None else call.actual
    tile = max(call.tiling[0], 1) if call.tiling else 1
    rows_of_tiles = -(-call.m // tile) * tile  # rows behind the last one count as zeros
    if min(call.sizes) < 0 or starts[min(max(first, 0) + local, len(call.sizes))] > rows_of_tiles:
        return None  # on a TPU the grid runs past its tables
    if call.kind == "tgmm":
        if first < 0 or first + local > len(call.sizes):
            return None
        rows = [slice(starts[group], starts[group + 1]) for group in range(first, first + local)]
        return np.stack([lhs[:, row] @ rhs[row] for row in rows])
    rhs = rhs.swapaxes(1, 2) if call.transpose_rhs else rhs
    if rhs.shape[1] != call.k:
        return None
    result = out[0].copy() if out else np.zeros((call.m, call.n))
    for group in range(len(call.sizes)):
        if first <= group < first + local:
            row = slice(starts[group], starts[group + 1])
            result[row] = lhs[row] @ rhs[group - first]
    return result


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Outcomes by kind, and disagreements."""
    counts: Counter[str] = Counter()
    failures = []
    stream = calls(seed)
    for _ in range(count):
        call = next(stream)
        kind, key = compare(call)
        counts[kind] += 1
        if kind in FAILURES:
            failures.append(f"{kind}: {key}: {call}")
    return counts, failures


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m test.conformance.megablox", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    counts, failures = run(args.count, args.seed)
    print(*failures, *(f"{number:6} {kind}" for kind, number in counts.most_common()), sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
