"""`plgpu-fold-transforms` against element addresses computed with numpy, on modules built op by op."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from address_oracle import addresses
from chain_strategies import chains
from hypothesis import given, settings
from jaxlib.mlir import ir

import mosaic_verify as mv
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.dialects.plgpu_chain import build_step, chain_of
from mosaic_verify.ir.context import thread_context
from mosaic_verify.ir.passes import Session
from mosaic_verify.model.chain import Dynamic, RefType, Reshape, Slice, Transpose, Unswizzle, Untile, accepts
from mosaic_verify.passes.plgpu_fold_transforms import PlgpuFoldTransforms

META = RefType((128, 64), "ui2", "tmem", 2)
WIDE = RefType((128, 128), "ui2", "tmem", 2)
TILES = RefType((1, 2, 128, 64), "ui2", "smem", 2)
A = RefType((128, 64), "f16", "smem", 16)
SEMANTICS = ("lane", "warpgroup")


class Kernel:
    """A function with one ref, a chain over it, and an op that uses the result."""

    def __init__(self, base, steps, role, semantics, attributes="", jax="0, 12, 0"):
        self.context = thread_context()
        shape = "x".join(map(str, base.shape))
        self.module = ir.Module.parse(
            f"""
            func.func @kernel(%acc: memref<128x128xf32, "tmem">, %b: memref<128x128xf16, "smem">,
                              %tile: memref<1x1x128x64xui2, "smem">, %meta: memref<128x64xui2, "tmem">,
                              %gmem: memref<1x2x128x64xui2, "gmem">)
                attributes {{plgpu.semantics = "{semantics}", plgpu.jax = array<i64: {jax}>}} {{
              %true = "plgpu.constant"() {{value = true}} : () -> i1
              %ref = "plgpu.alloc"() {{name = "ref"{attributes}}} : () -> memref<{shape}x{base.element}, "{base.space}">
              return
            }}""",
            self.context,
        )
        self.function = self.module.body.operations[0].operation
        block = self.function.regions[0].blocks[0]
        self.block = block
        ops = [op.operation for op in block.operations]
        self.arguments, self.ref, self.true = list(block.arguments), ops[1].results[0], ops[0].results[0]
        self.starts = {}
        self.point = ir.InsertionPoint(ops[-1])
        self.users = [self.use(steps, role)]

    def start(self, start):
        """An SSA value for a run-time start: index times a visible factor."""
        if start.key not in self.starts:
            with self.context, ir.Location.unknown(), self.point:
                i32 = ir.IntegerType.get_signless(32)
                axis = {"axis": ir.StringAttr.get(f"axis{len(self.starts)}")}
                value = ir.Operation.create("plgpu.axis_index", results=[i32], attributes=axis).results[0]
                factor = ir.Operation.create(
                    "plgpu.constant", results=[i32], attributes={"value": ir.IntegerAttr.get(i32, start.multiple_of)}
                ).results[0]
                self.starts[start.key] = ir.Operation.create(
                    "plgpu.primitive",
                    results=[i32],
                    operands=[value, factor],
                    attributes={"name": ir.StringAttr.get("mul")},
                ).results[0]
        return self.starts[start.key]

    def use(self, steps, role):
        value = self.ref
        with self.context, ir.Location.unknown() as unknown:
            for step in steps:
                for start in step.starts if isinstance(step, Slice) else ():
                    if isinstance(start, Dynamic):
                        self.start(start)
                value = build_step(value, step, unknown, self.point, self.starts)
            acc, b, tile, meta, _ = self.arguments
            sizes = ir.DenseI32ArrayAttr.get([1, 1, 1, 1, 0, 0, 0, 1])
            mma = {"metadata": [acc, b, b, self.true, value], "a": [acc, value, b, self.true, meta]}
            mma |= {"b": [acc, b, value, self.true, meta]}
            if role == "tma":
                with self.point:
                    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 0, 0])}
                    op = ir.Operation.create(
                        "plgpu.copy_gmem_to_smem", operands=[self.arguments[4], value], attributes=segments
                    )
                return op, 1
            copy = {"copy_source": [value, meta], "copy_target": [tile, value]}
            if role in mma:
                name, operands, attributes = "plgpu.tcgen05_mma", mma[role], {"operandSegmentSizes": sizes}
            else:
                name, operands, attributes = "plgpu.async_copy_sparse_metadata_to_tmem", copy[role], {}
            with self.point:
                op = ir.Operation.create(name, operands=operands, attributes=attributes)
        return op, {"metadata": 4, "a": 1, "b": 2, "copy_source": 0, "copy_target": 1}[role]

    def fold(self, **options):
        """Runs the pass and returns its rewrites."""
        engine = Engine()
        with self.context, ir.Location.unknown():
            PlgpuFoldTransforms(**options).run(self.module.operation, Session(engine))
        assert self.module.operation.verify()
        return engine.report.rewrites

    def chain(self, number=0):
        op, operand = self.users[number]
        return chain_of(op.operands[operand]).chain


def values_of(kernel, values):
    """Run-time values by the SSA values that a chain read from the IR has as keys."""
    return {kernel.starts[key]: value for key, value in values.items() if key in kernel.starts}


def same_elements(kernel, chain, values):
    """The operand names the same elements as before."""
    after = kernel.chain()
    assert after.result.shape == chain.result.shape
    expected = addresses(chain.base.shape, chain.steps, values)
    np.testing.assert_array_equal(addresses(after.base.shape, after.steps, values_of(kernel, values)), expected)


@settings(max_examples=150, deadline=None)
@given(chains(bases=(META, WIDE)))
def test_metadata(drawn):
    chain, values = drawn
    for semantics in SEMANTICS:
        kernel = Kernel(chain.base, chain.steps, "metadata", semantics, ', layout = "sparse_metadata"')
        rewrites = kernel.fold()
        straight = any("without a transpose" in rewrite.message for rewrite in rewrites)
        after = kernel.chain()
        rows, columns = chain.base.shape
        numbers = np.arange(rows * columns)
        if straight:  # the new ref is the old one transposed
            numbers = numbers.reshape(rows, columns).T.ravel()
        expected = addresses(chain.base.shape, chain.steps, values)
        found = addresses(after.base.shape, after.steps, values_of(kernel, values))
        np.testing.assert_array_equal(numbers[found], expected)


@settings(max_examples=150, deadline=None)
@given(chains(bases=(TILES,)))
def test_copy_source(drawn):
    chain, values = drawn
    for semantics in SEMANTICS:
        kernel = Kernel(TILES, chain.steps, "copy_source", semantics)
        kernel.fold()
        same_elements(kernel, chain, values)


@settings(max_examples=150, deadline=None)
@given(chains(bases=(A,)))
def test_a_and_b(drawn):
    chain, values = drawn
    tiled = RefType((16, 2, 8, 32), "f16", "smem", 16)
    physical = (Unswizzle(64), Untile((8, 32)))
    for role in ("a", "b"):
        for semantics in SEMANTICS:
            kernel = Kernel(
                tiled, (*physical, *chain.steps), role, semantics, ", tiling = array<i64: 8, 32>, swizzle = 64 : i64"
            )
            kernel.fold()
            after = kernel.chain()
            assert after.steps[:2] == physical
            expected = addresses(tiled.shape, (*physical, *chain.steps), values)
            found = addresses(tiled.shape, after.steps, values_of(kernel, values))
            np.testing.assert_array_equal(found, expected)


@settings(max_examples=100, deadline=None)
@given(chains(bases=(META, WIDE)))
def test_refused_only_touches_nothing_that_jax_takes(drawn):
    chain, _ = drawn
    for semantics in SEMANTICS:
        kernel = Kernel(chain.base, chain.steps, "metadata", semantics, ', layout = "sparse_metadata"')
        taken = accepts(kernel.chain(), "metadata", semantics, (0, 12, 0), (128, 16)) is None
        before = str(kernel.module)
        rewrites = kernel.fold(refused_only=True)
        if taken:
            assert not rewrites and str(kernel.module) == before
        elif rewrites:
            after = kernel.chain()
            verdict = accepts(after, "metadata", semantics, (0, 12, 0), (128, 16))
            assert verdict is None or len(after.steps) < len(chain.steps)


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("columns", [64, 128, 256])
def test_straight_allocation(semantics, columns):
    """Element (c, r) of the transposed ref is element (r, c) of the straight one, at every use."""
    base = RefType((columns, 128), "ui2", "tmem", 2)
    steps = ((Transpose((1, 0)),), (Transpose((1, 0)), Slice((0, columns - 64), (128, 64))))
    kernel = Kernel(base, steps[0], "copy_target", semantics, ', layout = "sparse_metadata"')
    kernel.users.append(kernel.use(steps[1], "metadata"))
    before = [addresses(base.shape, chain) for chain in steps]
    *_, rewrite = kernel.fold()
    assert rewrite.kind == "exact" and "without a transpose" in rewrite.message
    renumbered = np.arange(128 * columns).reshape(columns, 128).T.ravel()  # element of the old ref by one of the new
    for number, expected in enumerate(before):
        chain = kernel.chain(number)
        assert chain.base.shape == (128, columns)
        assert not any(isinstance(step, Transpose) for step in chain.steps)
        np.testing.assert_array_equal(renumbered[addresses(chain.base.shape, chain.steps)], expected)


def test_straight_allocation_needs_every_use():
    base = RefType((128, 128), "ui2", "tmem", 2)
    kernel = Kernel(base, (Transpose((1, 0)),), "metadata", "lane", ', layout = "sparse_metadata"')
    kernel.users.append(kernel.use((), "copy_target"))
    assert kernel.fold() == []


@pytest.mark.parametrize("tile", [(8, 64), (16, 32), (128, 64)])
def test_linear_tiles(tile):
    """The logical element at each index of the copy stays; only the physical order changes."""
    physical = RefType((1, 2, 128 // tile[0], 64 // tile[1], *tile), "ui2", "smem", 2)
    steps = (Untile(tile), Slice((0, 1, 0, 0), (1, 1, 128, 64)))
    attributes = f", tiling = array<i64: {tile[0]}, {tile[1]}>"
    kernel = Kernel(physical, steps, "copy_source", "lane", attributes)
    messages = [rewrite.message for rewrite in kernel.fold()]
    assert any("without tiling and swizzle" in message for message in messages)
    chain = kernel.chain()
    assert chain.base.shape == (1, 2, 128, 64)
    np.testing.assert_array_equal(
        addresses(chain.base.shape, chain.steps), addresses(chain.base.shape, steps[1:]).reshape(1, 1, 128, 64)
    )


def test_contiguous_copy_source():
    """The strides of all dimensions become those of a row-major array, at the same elements."""
    for start in (0, 1, Dynamic("t", "t")):
        steps = (Slice((0, start, 0, 0), (1, 1, 128, 64)),)
        kernel = Kernel(TILES, steps, "copy_source", "lane")
        (rewrite,) = kernel.fold()
        assert rewrite.kind == "exact"
        chain = kernel.chain()
        assert isinstance(chain.steps[-1], Reshape)
        value = 1 if isinstance(start, Dynamic) else start
        found = addresses(chain.base.shape, chain.steps, dict.fromkeys(kernel.starts.values(), value))
        np.testing.assert_array_equal(found, (np.arange(math.prod(TILES.shape)).reshape(TILES.shape))[:, value, None])


@pytest.mark.parametrize("start", [0, 1, Dynamic("t", "t")], ids=str)
def test_stacked_tiles(start):
    """JAX 0.10, Warpgroup: (1, T, ...) becomes (T, 1, ...), which numbers its elements alike, and TMA follows."""
    steps = (Slice((0, start, 0, 0), (1, 1, 128, 64)),)
    kernel = Kernel(TILES, steps, "copy_source", "warpgroup", jax="0, 10, 2")
    kernel.users.append(kernel.use((), "tma"))
    (rewrite,) = kernel.fold()
    assert rewrite.kind == "exact" and "(2, 1, 128, 64)" in rewrite.message
    value = 1 if isinstance(start, Dynamic) else start
    copied, loaded = kernel.chain(0), kernel.chain(1)
    assert copied.base.shape == loaded.base.shape == (2, 1, 128, 64)
    assert not any(isinstance(step, Reshape) for step in (*copied.steps, *loaded.steps))
    whole = np.arange(math.prod(TILES.shape)).reshape(TILES.shape)
    found = addresses(copied.base.shape, copied.steps, dict.fromkeys(kernel.starts.values(), value))
    np.testing.assert_array_equal(found, whole[:, value, None])
    np.testing.assert_array_equal(addresses(loaded.base.shape, loaded.steps), whole)


def test_stacked_tiles_that_are_read_stay():
    steps = (Slice((0, 1, 0, 0), (1, 1, 128, 64)),)
    kernel = Kernel(TILES, steps, "copy_source", "warpgroup", jax="0, 10, 2")
    with kernel.context, ir.Location.unknown(), kernel.point:
        ir.Operation.create("plgpu.get", operands=[kernel.ref])
    assert kernel.fold() == []


def test_what_is_ignored_is_not_repaired(monkeypatch):
    text = (Path(__file__).parents[1] / "passes/plgpu-fold-transforms/invalid.mlir").read_text().split("// -----")[0]
    pipeline = "builtin.module(plgpu-fold-transforms)"
    assert [rewrite.code for rewrite in mv.run(text, pipeline).rewrites] == ["MV210"]
    monkeypatch.setenv("MOSAIC_VERIFY_IGNORE", "MV210")
    assert not mv.run(text, pipeline).rewrites
