"""Chains of calls that lead to an op: there may be very many of them."""

import pytest
from jaxlib.mlir import ir

from mosaic_verify.dialects.stablehlo_provenance import Provenance
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.passes import collect

KIND = "tensor<8xf32>"


def calling(levels, calls):
    """A module whose function of each level calls the next one so many times; the last one has a kernel."""
    entry = f"%0 = call @f0(%x) : ({KIND}) -> {KIND}\n return %0 : {KIND}"
    lines = [f"func.func public @main(%x: {KIND}) -> {KIND} {{ {entry} }}"]
    for level in range(levels):
        body = [f"%{call} = call @f{level + 1}(%x) : ({KIND}) -> {KIND}" for call in range(calls)]
        lines += [f"func.func private @f{level}(%x: {KIND}) -> {KIND} {{", *body, f"return %0 : {KIND} }}"]
    kernel = f"%0 = stablehlo.custom_call @tpu_custom_call(%x) : ({KIND}) -> {KIND}"
    lines.append(f"func.func private @f{levels}(%x: {KIND}) -> {KIND} {{ {kernel}\n return %0 : {KIND} }}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("levels", "calls", "paths"), [(0, 1, 1), (3, 4, 64), (1, 65, 1), (3, 5, 1), (16, 3, 1), (400, 4, 1)]
)
def test_more_than_64_chains_are_not_even_counted(levels, calls, paths):
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(calling(levels, calls))
        found = collect(module.operation, ("func.call", "stablehlo.custom_call"))
        provenance = Provenance(module.operation, lambda: found["func.call"])
        (kernel,) = found["stablehlo.custom_call"]
        chains = provenance.call_paths(kernel)
    assert len(chains) == paths
    assert (chains == [()]) == (calls**levels > 64)
