"""The rules of sparse MMAs, metadata copies and tensor memory on plain facts; one cause, one error."""

from dataclasses import replace

import pytest

import mosaic_verify.rules.tmem  # noqa: F401  (registers its checks)
from mosaic_verify.model.facts import Allocation, Commit, Kernel, MetadataCopy, Operand, SparseMma, Target, TmemCopy
from mosaic_verify.model.tmem_layout import SCALES, SPARSE_METADATA, default_layout
from mosaic_verify.rules.explained_by import EXPLAINED_BY, explain
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.page import rule_codes
from mosaic_verify.rules.registry import run_checks
from mosaic_verify.rules.sparse_mma import check_kernel

WARPGROUP = Target((10, 0), False, (0, 12, 0), "warpgroup")
LANE = replace(WARPGROUP, semantics="lane")
OLD = replace(WARPGROUP, jax=(0, 10, 2))
METADATA = Allocation(2, "meta_tmem", "tmem", (128, 64), "i2", SPARSE_METADATA, 128, 4, collective=False)


def smem(shape, element="f16", swizzle=64, transposed=False, **more):
    bits = {"f16": 16, "bf16": 16, "f32": 32, "f4E2M1FN": 4}.get(element, 8)
    tiling = (8, 8 * swizzle // bits) if swizzle else None
    more = {"smem_known": True, "tiling": tiling, "swizzle": swizzle, "transposed": transposed, **more}
    return Operand(shape, element, "smem", **more)


def tmem(shape, element="f32", layout=None, **more):
    return Operand(shape, element, "tmem", layout=layout, **more)


def mma(m=128, n=128, k=128, element="f16", target=WARPGROUP, **more):
    parts = dict(
        accumulator=tmem((m, n), "i32" if element == "i8" else "f32", default_layout()),
        a=smem((m, k // 2), element),
        b=smem((k, n), element, transposed=True),
        metadata=tmem((m, k // 2), "i2", SPARSE_METADATA, allocation=METADATA),
        target=target,
    )
    return SparseMma(**{**parts, **more})


def copy(shape=(128, 64), element="i2", source=None, target=WARPGROUP, **more):
    source = source or Operand((1, shape[1] // 64, 128, 64), element, "smem", smem_known=False)
    destination = tmem(shape, element, SPARSE_METADATA, allocation=METADATA)
    return MetadataCopy(**{**dict(source=source, destination=destination, target=target), **more})


def codes(*facts, **more):
    kernel = Kernel(
        target=WARPGROUP,
        mmas=tuple(fact for fact in facts if isinstance(fact, SparseMma)),
        copies=tuple(fact for fact in facts if isinstance(fact, MetadataCopy)),
        **more,
    )
    return {finding.code for finding in check_kernel(kernel)}


@pytest.mark.parametrize("target", [WARPGROUP, LANE, OLD, Target()])
@pytest.mark.parametrize("element", ["f16", "bf16", "f8E4M3FN", "f8E5M2", "i8"])
def test_valid_kernels_are_clean(element, target):
    assert codes(mma(element=element, target=target), copy(target=target)) == set()


def test_unknown_facts_are_no_findings():
    assert codes(SparseMma(Operand(), Operand(), Operand(), Operand(), Operand(), Operand())) == set()
    assert codes(MetadataCopy(Operand(), Operand())) == set()
    assert run_checks(Kernel()) == []


NEAR = {  # code: (facts that give exactly this code, a near miss that is clean)
    "MV101": (mma(metadata=tmem((128, 32), "i2", SPARSE_METADATA)), mma(k=256)),
    "MV102": (mma(metadata=tmem((128, 64), "i8", SPARSE_METADATA)), mma()),
    "MV103": (mma(metadata=tmem((128, 64), "i2", default_layout())), mma(metadata=tmem((128, 64), "i2"))),
    "MV104": (mma(metadata=smem((128, 64), "i2", None)), mma()),
    "MV105": (mma(accumulator=smem((128, 128), "f32", None)), mma()),
    "MV107": (mma(metadata=tmem((2, 128, 64), "i2")), mma()),
    "MV108": (mma(accumulator=tmem((128, 256))), mma(accumulator=tmem((128, 256)), collective=True)),
    "MV109": (
        mma(accumulator=tmem((128, 128), "f16", default_layout(2))),
        mma(accumulator=tmem((128, 128), "f16", default_layout())),
    ),
    "MV110": (mma(m=64), mma()),
    "MV111": (mma(n=24), mma(n=48)),
    "MV112": (mma(k=96, a=smem((128, 48), swizzle=32)), mma(k=192)),
    "MV113": (mma(a=smem((128, 128))), mma()),
    "MV114": (mma(element="f32"), mma(element="bf16")),
    "MV115": (mma(element="bf16", accumulator=tmem((128, 128), "f16")), mma(accumulator=tmem((128, 128), "f16"))),
    "MV116": (
        mma(b=smem((128, 128), "bf16", transposed=True)),
        mma(element="f8E4M3FN", b=smem((128, 128), "f8E5M2", transposed=True)),
    ),
    "MV117": (mma(b=smem((128, 128), swizzle=32, transposed=True)), mma(b=smem((128, 128), swizzle=32))),
    "MV118": (mma(n=512), mma(n=256)),
    "MV128": (
        mma(a=tmem((128, 64), "f16", default_layout())),
        mma(a=tmem((128, 64), "f16", default_layout(2))),
    ),
    "MV130": (copy((128, 96)), copy((128, 192))),
    "MV131": (copy(source=Operand((1, 1, 128, 64), "i8", "smem", smem_known=False)), copy()),
    "MV132": (
        copy(source=Operand((1, 1, 128, 64), "i2", "smem", smem_known=False, strides=(16384, 8192, 64, 1))),
        copy(source=Operand((1, 1, 128, 64), "i2", "smem", smem_known=False, strides=(8192, 8192, 64, 1))),
    ),
    "MV133": (copy(source=Operand((1, 1, 128, 64), "i2", "gmem")), copy()),
    "MV140": (mma(element="f6E2M3FN"), mma(element="f8E4M3FN")),
    "MV205": (mma(a=smem((128, 64), swizzle=None)), mma()),
    "MV206": (mma(a=smem((128, 64), tiling=(8, 16))), mma(a=smem((128, 64), swizzle=32))),
    "MV209": (mma(target=LANE, a=smem((128, 64), swizzle=32)), mma(a=smem((128, 64), swizzle=32))),
}


@pytest.mark.parametrize("code", NEAR)
def test_rule_and_near_miss(code):
    wrong, right = NEAR[code]
    assert codes(wrong) == {code}
    assert codes(right) == set()


SCALED = dict(
    k=256,
    element="f8E4M3FN",
    a_scale=tmem((128, 4), "f8E8M0FNU", SCALES),
    b_scale=tmem((128, 4), "f8E8M0FNU", SCALES),
)


@pytest.mark.parametrize(
    "change, wanted",
    [
        ({}, set()),
        ({"a": tmem((128, 128), "f8E4M3FN", default_layout(4))}, {"MV119"}),
        ({"a_scale": tmem((256, 4), "f8E8M0FNU", SCALES)}, {"MV120"}),
        ({"a_scale": tmem((128, 3), "f8E8M0FNU", SCALES)}, {"MV120"}),
        ({"b_scale": tmem((64, 4), "f8E8M0FNU", SCALES)}, {"MV121"}),
        ({"b_scale": tmem((128, 8), "f8E8M0FNU", SCALES)}, {"MV122"}),
        ({"b_scale": None}, {"MV123"}),
        ({"a_scale": tmem((128, 8), "f8E8M0FNU", SCALES)}, {"MV124"}),
        ({"a_scale": tmem((128, 4), "f8E8M0FNU", default_layout(4))}, {"MV125"}),
        ({"a_scale": tmem((128, 4), "f8E4M3FN", SCALES)}, {"MV140"}),
        ({"b_scale": tmem((128, 4), "f8E4M3FN", SCALES)}, {"MV140"}),
        ({"accumulator": tmem((128, 128), "f16", default_layout())}, {"MV115"}),
    ],
)
def test_block_scaling(change, wanted):
    assert codes(mma(**{**SCALED, **change})) == wanted


FP4 = dict(
    k=512,
    element="f4E2M1FN",
    a_scale=tmem((128, 8), "f8E8M0FNU", SCALES),
    b_scale=tmem((128, 8), "f8E8M0FNU", SCALES),
)


@pytest.mark.parametrize(
    "semantics, jax, arch, columns, wanted",
    [
        ("warpgroup", (0, 10, 2), (10, 7), 256, {"MV106"}),
        ("warpgroup", (0, 10, 2), (10, 7), 128, {"MV106"}),
        ("lane", (0, 10, 2), (9, 0), 128, set()),
        ("lane", (0, 10, 2), (9, 0), 256, {"MV101"}),
        ("warpgroup", (0, 12, 0), (10, 0), 256, {"MV106"}),
        ("warpgroup", (0, 12, 0), (10, 0), 128, {"MV106"}),
        ("lane", (0, 12, 0), (10, 3), 128, set()),
        ("lane", (0, 12, 0), (10, 3), 256, {"MV101"}),
        ("warpgroup", (0, 12, 0), (10, 7), 256, set()),
        ("warpgroup", (0, 12, 0), (10, 7), 128, {"MV101"}),
        ("lane", (0, 12, 0), (10, 7), 256, set()),
        ("lane", (0, 12, 0), (11, 0), 128, set()),
        ("lane", (0, 12, 0), (9, 0), 128, {"MV141"}),
        ("warpgroup", (0, 12, 0), (12, 0), 128, {"MV141"}),
        ("warpgroup", (0, 12, 0), None, 128, set()),
    ],
)
def test_sparse_fp4(semantics, jax, arch, columns, wanted):
    target = Target(arch, arch == (9, 0), jax, semantics)  # what JAX assumes without a GPU
    metadata = tmem((128, columns), "i2", SPARSE_METADATA)
    assert codes(mma(**FP4, target=target, metadata=metadata)) == wanted


def test_fp4_is_k_major():
    fp4 = dict(**FP4, target=replace(WARPGROUP, arch=(10, 7)))
    assert codes(mma(**fp4)) == set()
    assert codes(mma(**fp4, b=smem((512, 128), "f4E2M1FN"))) == {"MV126"}


def test_a_metadata_layout_that_lane_semantics_does_not_look_at_is_a_warning():
    kernel = Kernel(mmas=(mma(target=LANE, metadata=tmem((128, 64), "i2", default_layout())),))
    assert [(f.code, f.severity) for f in check_kernel(kernel)] == [("MV103", "warning")]


def test_inferred_tiles_are_errors_only_where_none_fits():
    b = Operand((128, 128), "f16", "smem", smem_known=False, transposed=True)
    assert codes(mma(b=replace(b, swizzle_candidates=(128, 64, 32)))) == set()
    assert codes(mma(b=replace(b, swizzle_candidates=(32,)))) == {"MV117"}
    assert codes(mma(n=48, b=replace(b, shape=(128, 48)))) == {"MV206"}


def test_dense_mmas_are_left_alone():
    dense = mma(m=64, n=24, element="f32", metadata=None)
    assert codes(dense) == set()
    assert codes(replace(dense, a=smem((64, 64), "f6E2M3FN"), b=smem((64, 24), "f6E2M3FN"))) == {"MV140"}


def one(wanted, *facts, **more):
    kernel = Kernel(
        target=WARPGROUP,
        mmas=tuple(fact for fact in facts if isinstance(fact, SparseMma)),
        copies=tuple(fact for fact in facts if isinstance(fact, MetadataCopy)),
        **more,
    )
    found = check_kernel(kernel)
    assert [finding.code for finding in found] == [wanted]
    return " ".join(note.text for note in found[0].notes)


def test_the_element_type_of_metadata_explains_its_copy():
    text = one("MV102", mma(metadata=tmem((128, 64), "i8", SPARSE_METADATA, allocation=METADATA)), copy(element="i8"))
    assert "also: Unsupported dtype: i8, only i2 supported" in text


def test_an_illegal_m_explains_the_metadata_tiles():
    text = one("MV110", mma(m=64), copy((64, 64)))
    assert "also: TMEM reference must have a multiple of 128 rows, but got 64" in text


def test_another_allocation_is_another_cause():
    other = tmem((64, 64), "i2", SPARSE_METADATA, allocation=replace(METADATA, index=7))
    assert codes(mma(m=64), replace(copy((64, 64)), destination=other)) == {"MV110", "MV130"}


def test_k_is_reported_beside_the_tiles_of_the_copy():
    assert codes(mma(k=96, a=smem((128, 48), swizzle=32)), copy((128, 48))) == {"MV112", "MV130"}


def test_every_code_in_the_table_has_a_page():
    known = set(rule_codes())
    flow = {code for row in EXPLAINED_BY for code in row.effects if code.startswith("MV7")}
    named = {code for row in EXPLAINED_BY for code in (*row.causes, *row.effects)} - flow
    assert named <= known


def test_what_explains_nothing_stays_and_doubles_go():
    findings = [Finding("MV111", "one", "mmas[0].b"), Finding("MV111", "two", "mmas[0].b"), Finding("MV601", "three")]
    assert [f.message for f in explain(Kernel(), findings)] == ["one", "three"]


def kernel(*allocations, **more):
    return Kernel(target=WARPGROUP, allocations=allocations, **more)


def ref(index, columns, collective=False, name="", column=None):
    return Allocation(
        index, name, "tmem", (128, columns), "f32", None, column=column, columns=columns, collective=collective
    )


def test_columns():
    accumulator, metadata = ref(0, 512, name="acc"), ref(1, 4, name="meta")
    (finding,) = run_checks(kernel(accumulator, metadata))
    assert finding.code == "MV601"
    assert finding.message == "After rounding up, got 1024 columns, exceeding the limit of 512"
    assert [note.place for note in finding.notes] == ["", "allocations[0]", "allocations[1]"]
    assert "`acc`, 128x512xf32, takes 512 columns" in finding.notes[1].text
    assert run_checks(kernel(ref(0, 256), ref(1, 252), ref(2, 3))) == []
    assert [f.code for f in run_checks(kernel(ref(0, 256), ref(1, 252), ref(2, 5)))] == ["MV601"]


def test_aliased_refs_share_columns():
    assert run_checks(kernel(ref(0, 512, column=0), ref(1, 4, column=0))) == []
    assert [f.code for f in run_checks(kernel(ref(0, 512, column=0), ref(1, 4, column=512)))] == ["MV601"]


def test_mixed_allocations():
    found = run_checks(kernel(ref(0, 128, True, "acc"), ref(1, 4, False, "meta"), cluster=(2, 1, 1)))
    assert [(f.code, f.place) for f in found] == [("MV602", "allocations[1]")]
    assert run_checks(kernel(ref(0, 128, True), ref(1, 4, True), cluster=(2, 1, 1))) == []


def test_shared_memory():
    stage = Allocation(0, "a_smem", "smem", (4, 128, 512), "f16", bytes=524288)
    (finding,) = run_checks(kernel(stage, smem_bytes=524300, smem_limit=232448))
    assert finding.code == "MV603"
    assert "`a_smem`, 4x128x512xf16, takes 524288 bytes" in finding.notes[0].text
    assert run_checks(kernel(stage, smem_bytes=232448, smem_limit=232448)) == []
    assert run_checks(kernel(stage, smem_bytes=524300)) == []


@pytest.mark.parametrize("target", [WARPGROUP, LANE])
def test_collective_ops_agree(target):
    facts = dict(cluster=(2, 1, 1), target=target)
    both = replace(mma(), collective=True), replace(copy(), collective=True)

    def found(**more):
        return [(f.code, f.place) for f in run_checks(Kernel(**{**facts, **more}))]

    assert found(mmas=both[:1], copies=both[1:], commits=(Commit(True),)) == []
    assert found(mmas=both[:1], copies=(copy(),)) == [("MV604", "copies[0]")]
    assert found(mmas=both[:1], commits=(Commit(False),)) == [("MV604", "commits[0]")]
    assert found(mmas=both[:1], tmem_collective=(False,)) == [("MV604", "mmas[0]")]
    assert found(mmas=both[:1], other_copies=(TmemCopy("scales", Operand(), Operand()),)) == [
        ("MV604", "other_copies[0]")
    ]


@pytest.mark.parametrize(
    "jax, cluster, wanted",
    [
        ((0, 10, 2), (2, 1, 1), []),
        ((0, 10, 2), (2, 2, 1), ["MV606"]),
        ((0, 12, 0), (2, 2, 1), []),
        ((0, 12, 0), (4, 1, 1), ["MV606"]),
        ((0, 12, 0), (3, 1, 1), ["MV605"]),
        ((0, 12, 0), None, []),
    ],
)
def test_clusters(jax, cluster, wanted):
    facts = Kernel(
        target=replace(WARPGROUP, jax=jax), cluster=cluster, commits=(Commit(True),), tmem_collective=(True,)
    )
    assert [f.code for f in explain(facts, run_checks(facts))] == wanted


@pytest.mark.parametrize("arch", [(8, 0), (9, 0), (12, 0), (12, 1)])
def test_tcgen05_needs_a_device_that_has_it(arch):
    """Whatever the MMA is, dense or sparse; a device that JAX only assumes proves nothing."""
    chosen = replace(WARPGROUP, arch=arch)
    assert codes(mma(target=chosen)) == {"MV168"}
    assert codes(mma(target=chosen, a=smem((128, 128)), metadata=None)) == {"MV168"}
    assert codes(mma(target=replace(chosen, arch_assumed=True))) == set()


@pytest.mark.parametrize("arch", [None, (10, 0), (10, 1), (10, 3), (10, 7), (11, 0), (13, 0)])
def test_devices_with_tcgen05_and_unknown_ones_are_fine(arch):
    assert codes(mma(target=replace(WARPGROUP, arch=arch))) == set()
