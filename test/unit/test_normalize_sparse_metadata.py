"""`mosaic-gpu-normalize-sparse-metadata`: addresses from memref types, real kernels, and modules left as they are."""

from __future__ import annotations

import jax
import numpy as np
import pytest
import sparse_mma
from address_oracle import addresses, strided
from capture import lower
from chain_kernels import at, refusal
from chain_strategies import chains
from hypothesis import given, settings
from jax.experimental import pallas as pl
from jaxlib.mlir import ir

import mosaic_verify as mv
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.dialects import memref_chain
from mosaic_verify.ir.context import thread_context
from mosaic_verify.ir.passes import Session
from mosaic_verify.model.chain import Bitcast, RefType, Slice, Transpose
from mosaic_verify.passes.mosaic_gpu_normalize_sparse_metadata import MosaicGpuNormalizeSparseMetadata

SMEM, TMEM = "#gpu.address_space<workgroup>", "#mosaic_gpu.tmem"
PASS = "builtin.module(mosaic-gpu-normalize-sparse-metadata)"
BASES = (
    RefType((128, 64), "i2", "tmem", 2),
    RefType((128, 128), "i2", "tmem", 2),
    RefType((1, 2, 128, 64), "i2", "smem", 2),
    RefType((2, 1, 1, 128, 64), "i2", "smem", 2),
)


def module_of(chain):
    """A module in which a metadata copy uses `chain`; None where the chain has no memref ops."""
    space = TMEM if chain.base.space == "tmem" else SMEM
    shape = "x".join(map(str, chain.base.shape))
    context = thread_context()
    module = ir.Module.parse(
        f"""
        func.func @f(%ref: memref<{shape}xi2, {space}>, %meta: memref<128x64xi2, {TMEM}>,
                     %tile: memref<1x1x128x64xi2, {SMEM}>) {{
          return
        }}""",
        context,
    )
    block = module.body.operations[0].regions[0].blocks[0]
    point = ir.InsertionPoint(block.operations[0])
    value, meta, tile = block.arguments
    with context, ir.Location.unknown() as unknown:
        for step in chain.steps:
            value = memref_chain.build(value, step, unknown, point)
            if value is None:
                return None
        operands = [tile, value] if chain.base.space == "tmem" else [value, meta]
        with point:
            copy = ir.Operation.create(
                "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem",
                operands=operands,
                attributes={"collective": ir.BoolAttr.get(False)},
            )
    return module, copy, 1 if chain.base.space == "tmem" else 0


def elements(value):
    """Elements that a memref value names, from its type alone."""
    kind = ir.MemRefType(value.type)
    strides, offset = kind.get_strides_and_offset()
    return strided(tuple(kind.shape), strides, offset)


@settings(max_examples=300, deadline=None)
@given(chains(bases=BASES, dynamic=False))
def test_elements_stay(drawn):
    chain, _ = drawn
    if any(isinstance(step, Bitcast) or (isinstance(step, Slice) and max(step.strides) > 1) for step in chain.steps):
        return
    built = module_of(chain)
    if built is None:
        return
    module, copy, number = built
    expected = addresses(chain.base.shape, chain.steps)
    np.testing.assert_array_equal(elements(copy.operands[number]), expected)
    with module.context, ir.Location.unknown():
        MosaicGpuNormalizeSparseMetadata().run(module.operation, Session(Engine()))
    after = copy.operands[number]
    np.testing.assert_array_equal(elements(after), expected)
    assert len(memref_chain.read(after).ops) <= max(len(chain.steps), 2)  # a contiguous source is a slice and a reshape


def text_of(semantics="warpgroup", **options):
    fn, args = sparse_mma.kernel(semantics, **options)
    return jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",)).as_text()


T = Transpose((1, 0))
I = Transpose((0, 1))  # noqa: E741
HALF = Slice((0, 0), (64, 128))
REFUSED = {
    "pair at the MMA": dict(at_mma=at((T, T))),
    "longer cycle": dict(at_mma=at((T, T, T, T))),
    "identity": dict(at_mma=at((I,))),
    "pair at the copy": dict(at_copy_target=at((T, T))),
    "pair on square metadata": dict(k=256, at_mma=at((T, T))),
    "slice between transposes": dict(
        meta_shape=(128, 128), meta_smem=(1, 2, 128, 64), at_mma=lambda r: at((T, HALF, T))(r)
    ),
    "K tile": dict(meta_smem=(1, 2, 128, 64), at_copy_source=lambda r: r.at[:, pl.ds(1, 1)]),
}


@pytest.mark.parametrize("label", REFUSED)
def test_refused_programs_compile(label):
    """What JAX refuses in Warpgroup semantics lowers behind the fold."""
    assert refusal("warpgroup", **REFUSED[label]) is not None
    fn, args = sparse_mma.kernel("warpgroup", **REFUSED[label])
    report = mv.check(fn, *args, mode="rewrite")
    assert report.ok and report.lowered is not None
    assert report.rewrites and all(rewrite.kind == "exact" for rewrite in report.rewrites)


@pytest.mark.parametrize("label", REFUSED)
def test_modules_in_flight(label):
    """The pass alone, on a module that JAX is still building: unverified, and without terminators."""

    def run(module):
        with module.context, ir.Location.unknown():
            MosaicGpuNormalizeSparseMetadata(refused_only=True).run(module, Session(Engine()))

    assert lower(*sparse_mma.kernel("warpgroup", **REFUSED[label]), run) is None


def test_programs_that_need_nothing_are_the_same_text():
    for options in (dict(), dict(k=256), dict(at_mma=lambda r: r.at[:, pl.ds(0, 64)]), dict(b_major="n")):
        plain = text_of(**options)
        with mv.verifying(mode="rewrite"):
            assert text_of(**options) == plain


@pytest.mark.parametrize("label", ["pair at the MMA", "identity", "pair at the copy"])
def test_folded_program_is_the_program_without_the_chain(label):
    with mv.verifying(mode="rewrite"):
        folded = text_of(**REFUSED[label])
    assert folded == text_of()


def test_nothing_to_fold_is_byte_identical():
    text = """
      func.func @f(%tile: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>,
                   %meta: memref<128x64xi2, #mosaic_gpu.tmem>) {
        "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%tile, %meta)
          : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
        return
      }"""
    assert mv.run(text, PASS).module == mv.run(text, "builtin.module()").module


@pytest.mark.parametrize(
    ("fine", "coarse", "groups"),
    [
        ((1, 1, 128, 64), (128, 64), [[0, 1, 2], [3]]),
        ((2, 64, 64), (128, 64), [[0, 1], [2]]),
        ((128, 1, 64), (128, 64), [[0, 1], [2]]),
        ((128, 64, 1), (128, 64), [[0], [1, 2]]),
        ((1, 1, 128, 64), (1, 1, 8192), [[0], [1], [2, 3]]),
        ((64, 128), (128, 64), None),
        ((8192,), (128, 64), None),
    ],
)
def test_reassociation(fine, coarse, groups):
    assert memref_chain.reassociation(fine, coarse) == groups
