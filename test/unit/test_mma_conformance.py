"""Our verdict on generated kernels against JAX's own lowering; `test/conformance/generator.py` makes the kernels."""

import itertools
import re
import sys
from pathlib import Path

import pytest
from capture import lower

from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.ir.passes import Session
from mosaic_verify.passes import load_pass

sys.path.insert(0, str(Path(__file__).parent.parent))
from conformance import generator

KERNELS = 25  # per valid kernel that is varied; the generator is endless


def verdict(options):
    """(what JAX raised or None, our errors); None where JAX refuses before a module exists."""
    try:
        fn, args = generator.build(options)
    except Exception:  # a ref that cannot be declared
        return None
    found = []

    def consume(module):
        engine = Engine()
        session = Session(engine)
        for name in ("mosaic-gpu-verify-sparse-mma", "mosaic-gpu-verify-tmem"):
            load_pass(name)().run(module, session)
        found.append([d for d in engine.report.diagnostics if d.severity == "error"])

    error = lower(fn, args, consume)
    return (error, found[0]) if found else None


@pytest.mark.parametrize("base", generator.BASES)
def test_no_false_alarm_and_nothing_missed(base):
    compared = 0
    for options in itertools.islice(generator.options(20, 3, base=base), KERNELS):
        result = verdict(options)
        if result is None:
            continue
        error, findings = result
        compared += 1
        if error is None:
            assert not findings, f"false alarm: {options}"
        elif options.sparse and not left_to_jax(options):
            assert findings, f"missed: {options}\n{error}"
    assert compared > KERNELS // 3


def left_to_jax(options):
    """What the passes at this level do not decide: tiles are not inferred through a reshape to more dimensions.

    Those at the `plgpu` level do (MV205).
    """
    return options.a_swizzle is None and re.search(r"\.reshape\(1, \d+, \d+\)\.at\[0\]", options.a_chain) is not None
