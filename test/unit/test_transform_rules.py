"""Findings about chains, from plain facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mosaic_verify.model.chain import Dynamic, ExpandBatch, RefType, Reshape, Slice, Transpose, Unswizzle, Untile
from mosaic_verify.model.facts import Allocation, Kernel, MetadataCopy, Operand, SparseMma, Target
from mosaic_verify.model.tmem_layout import SPARSE_METADATA, default_layout
from mosaic_verify.rules.sparse_mma import check_kernel
from mosaic_verify.rules.transforms import mma_chains

LANE = Target((10, 0), False, (0, 12, 0), "lane", "plgpu")
T = Transpose((1, 0))


def tmem(name, shape, element, layout, bits, steps=(), base=None):
    base = base or RefType(shape, element, "tmem", bits)
    result = base
    for step in steps:
        result = step.apply(result)
    allocation = Allocation(0 if name == "acc" else 1, name, "tmem", shape, element, layout)
    return Operand(result.shape, element, "tmem", allocation, tuple(steps), base, layout=layout)


def smem(name, shape, steps=(), swizzle=64, transposed=False):
    wide = 8 * swizzle // 16
    base = RefType((shape[0] // 8, shape[1] // wide, 8, wide), "f16", "smem", 16)
    allocation = Allocation(2, name, "smem", shape, "f16", tiling=(8, wide), swizzle=swizzle)
    chain = (Unswizzle(swizzle), Untile((8, wide)), *steps)
    result = shape[::-1] if transposed else shape
    return Operand(
        result, "f16", "smem", allocation, chain, base, tiling=(8, wide), swizzle=swizzle, transposed=transposed
    )


def mma(metadata_steps=(), a_steps=(), acc_steps=(), target=LANE, meta_shape=(128, 64)):
    return SparseMma(
        accumulator=tmem("acc", (128, 128), "f32", default_layout(), 32, acc_steps),
        a=smem("a_smem", (128, 64), a_steps),
        b=smem("b_smem", (128, 128), (T,), transposed=True),
        metadata=tmem("meta_tmem", meta_shape, "i2", SPARSE_METADATA, 2, metadata_steps),
        target=target,
    )


def codes(fact):
    return [(finding.code, finding.place) for finding in check_kernel(Kernel(target=fact.target, mmas=(fact,)))]


def test_clean():
    assert codes(mma()) == []
    assert codes(mma((Slice((0, 64), (128, 64)),), meta_shape=(128, 128))) == []


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((T,), "MV202"),
        ((T, T), "MV202"),
        ((Reshape((64, 128)),), "MV203"),
        ((Slice((0, 0), (64, 64)),), "MV207"),
        ((Slice((0, 0), (1, 64), dropped=(0,)),), "MV207"),
    ],
)
def test_one_cause_one_error(steps, code):
    """The chain explains the shape that it leads to."""
    found = check_kernel(Kernel(target=LANE, mmas=(mma(steps),)))
    assert [(f.code, f.place, f.severity) for f in found] == [(code, "mmas[0].metadata", "error")]
    assert ">>>" in found[0].notes[0].text and "meta_tmem" in found[0].notes[0].text


def test_identity_names_the_way_out():
    (finding,) = mma_chains(mma((T, T)))
    assert finding.message == "TMEM transpose not allowed."
    assert finding.fixes == ("write `meta_tmem`: it is the same ref (mode rewrite does this)",)
    (finding,) = mma_chains(mma(a_steps=(T, T)))
    assert finding.code == "MV205"
    assert finding.message.startswith("Unsupported transforms for LHS: [UnswizzleRef(swizzle=64), UntilingTransform")


def test_warpgroup_quotes_what_jax_says():
    (finding,) = mma_chains(mma((T, T), target=replace(LANE, semantics="warpgroup")))
    assert finding.code == "MV202"
    assert any("This is a bug" in note.text for note in finding.notes)
    (finding,) = mma_chains(mma((T, Reshape((128, 64))), target=replace(LANE, semantics="warpgroup")))
    assert finding.code == "MV204"
    assert any("(TransposeTransform(permutation=(1, 0)), ReshapeTransform" in note.text for note in finding.notes)


def test_odd_column_is_a_warning_and_silences_nothing():
    wrong = mma((Slice((0, 16), (128, 48)),), meta_shape=(128, 128))
    found = check_kernel(Kernel(target=LANE, mmas=(wrong,)))
    assert sorted((f.code, f.severity) for f in found) == [("MV101", None), ("MV207", "warning")]
    for start, count in ((16, 1), (32, 0), (0, 0), (48, 1)):
        found = codes(mma((Slice((0, start), (128, 64)),), meta_shape=(128, 128)))
        assert found == [("MV207", "mmas[0].metadata")] * count


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (Dynamic("i", "i"), "not known to be a multiple of 16"),
        (Dynamic("i", "i", 8, 8), "not known to be a multiple of 16"),
        (Dynamic("i", "i", 1, 16), "promises"),
        (Dynamic("i", "i", 16), "odd TMEM column"),
        (Dynamic("i", "i", 16, 32), None),
        (Dynamic("i", "i", 32), None),
    ],
)
def test_run_time_columns(start, said):
    found = list(mma_chains(mma((Slice((0, start), (128, 64)),), meta_shape=(128, 128))))
    assert [f.code for f in found] == (["MV207"] if said else [])
    if said:
        assert said in " ".join([found[0].message, *(note.text for note in found[0].notes)])


def test_leading_dimension():
    base = RefType((128, 128), "i2", "tmem", 2)
    index = Slice((1, 0, 0), (1, 128, 64), dropped=(0,))
    for steps, code in (((), "MV201"), ((index,), None), ((index, T, T), "MV202")):
        metadata = tmem("meta", (2, 128, 64), "i2", SPARSE_METADATA, 2, (ExpandBatch((2,)), *steps), base)
        found = [finding.code for finding in mma_chains(replace(mma(), metadata=metadata))]
        assert found == ([code] if code else [])


def test_copy_source_with_tiles():
    base = RefType((1, 1, 16, 1, 8, 64), "i2", "smem", 2)
    source = Operand((1, 1, 128, 64), "i2", "smem", None, (Untile((8, 64)),), base, tiling=(8, 64))
    copy = MetadataCopy(source, mma().metadata, target=LANE)
    (finding,) = check_kernel(Kernel(target=LANE, copies=(copy,)))
    assert finding.code == "MV201"
    assert finding.message == "Unimplemented transforms for SMEM refs: [UntilingTransform(tiling=(8, 64))]"


def test_lowered_chains_are_judged_as_memref_ops():
    target = replace(LANE, semantics="warpgroup", level="mosaic_gpu")
    lowered = mma((T,), target=target)
    logical = RefType((128, 64), "f16", "smem", 16), RefType((128, 128), "f16", "smem", 16)
    lowered = replace(
        lowered,
        a=replace(lowered.a, chain=(), base=logical[0]),
        b=replace(lowered.b, chain=(T,), base=logical[1]),
    )
    assert [f.code for f in mma_chains(lowered)] == ["MV202"]
    # A transpose in front of a reshape stops Pallas, but not a module that somebody built by hand.
    source = Operand(
        (1, 1, 128, 64), "i2", "smem", None, (Transpose((1, 0, 2, 3)), Reshape((1, 1, 128, 64))),
        RefType((1, 1, 128, 64), "i2", "smem", 2), strides=(8192, 8192, 64, 1),
    )  # fmt: skip
    assert check_kernel(Kernel(target=target, copies=(MetadataCopy(source, mma().metadata, target=target),))) == []
