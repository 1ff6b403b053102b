"""Our verdict on 300 generated kernels against JAX's own lowering, and on those that once disagreed.

A few calls of megablox and block lists against their oracles, too.
"""

import dataclasses
import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from conformance import block_sparse, megablox, versions
from conformance.compare import CLEAN, EXPLAINED, REFUSED, compare
from conformance.generator import BASES
from conformance.options import Options
from conformance.run import kernels
from conformance.source import script

KERNELS, CHUNK, SEED = 300, 25, 20
OLD = jax.__version_info__ < (0, 11)


@pytest.fixture(scope="module")
def generated():
    return kernels(KERNELS, SEED)


@pytest.mark.parametrize("first", range(0, KERNELS, CHUNK))
def test_generated_kernels(generated, first):
    jax.clear_caches()
    outcomes = [(o, compare(o)) for o in generated[first : first + CHUNK]]
    failed = [f"{outcome.kind}: {outcome.key}\n{o}\n{script(o)}" for o, outcome in outcomes if outcome.failed]
    assert not failed, failed[0]
    kinds = [outcome.kind for _, outcome in outcomes]
    assert kinds.count(CLEAN) >= 3
    assert kinds.count(REFUSED) >= 2


# What JAX 0.10 derives from a tiling, later versions want to be told.
TILING_ALONE = CLEAN if OLD else REFUSED
EXPANDED = (REFUSED, True)
ONCE = [
    # A rewrite replaced refs of the kernel that are used inside of a `run_scoped`.
    (Options(semantics="lane", b_swizzle=128, scoped=True), REFUSED, True),
    (Options(semantics="lane", metadata_chain=".transpose((1, 0)).transpose((1, 0))", scoped=True), REFUSED, True),
    (Options(a_transforms="tiling"), TILING_ALONE, False),
    (Options(b_transforms="tiling", b_major="mn"), TILING_ALONE, False),
    (Options(a_transforms="tiling", a_tile=(8, 8)), REFUSED, False),
    (Options(b_transforms="tiling", b_swizzle=32), REFUSED, False),
    # Width of A and swizzle agree, so the ref can be declared; layout inference wants the tiling in front.
    (Options(k=256, a_dtype="int8", a_swizzle=128, a_transforms="reversed"), REFUSED, False),
    # A slice with a run-time start that is longer than its ref: nobody compares the sizes.
    (Options(group=8, metadata_start="multiple_of"), REFUSED, False),
    # JAX 0.10 forgets the layout of a union's member.
    (Options(metadata_layout="unpacked", union=True), CLEAN if OLD else REFUSED, False),
    (Options(n=64, acc_dtype="float16", acc_packed=True, union=True), CLEAN if OLD else REFUSED, False),
    (Options(semantics="lane", n=64, acc_dtype="float16", acc_packed=True, union=True), REFUSED, False),
    (Options(acc_chain=".at[0]"), EXPLAINED, False),
    # Nothing else asks for another tile: layout inference takes the widest, and K is too short for it.
    (Options(a_dtype="int8", a_swizzle=None, b_swizzle=None, a_major="mn"), REFUSED, False),
    (Options(a_dtype="int8", a_swizzle=None, b_swizzle=None, a_major="mn", k=256), CLEAN, False),
    # Layout inference takes no tiles through a reshape to more dimensions; one there and back folds away.
    (Options(a_swizzle=None, b_swizzle=None, a_chain=".reshape(1, 128, 64).at[0]"), *EXPANDED),
    (Options(a_swizzle=None, b_swizzle=None, b_chain=".reshape(1, 128, 128).at[0]"), *EXPANDED),
    (Options(a_swizzle=None, a_chain=".reshape(1, 128, 64).at[0].transpose((1, 0)).transpose((1, 0))"), *EXPANDED),
    (Options(a_swizzle=None, b_swizzle=None, a_chain=".reshape(1, 128, 64).reshape(128, 64)"), CLEAN, False),
    # A rule that looks at dense MMAs, too: JAX 0.10 does not take them.
    (Options(**BASES["dense, scaled, A in TMEM"]), REFUSED if OLD else CLEAN, False),
    (Options(**BASES["dense, scaled, A in TMEM"], acc_chain=".at[:, :]"), REFUSED if OLD else CLEAN, False),
    # What the rewrite leaves is a reason of JAX's that no rule knows.
    (
        Options(
            semantics="lane", n=64, target_chain=".reshape(2, 64, 64).reshape(128, 64)", collective=True, warp=True
        ),
        REFUSED,
        False,
    ),
    (Options(semantics="lane", sparse=False, m=64, n=24), EXPLAINED, False),
]


@pytest.mark.parametrize("options, kind, compiles", ONCE, ids=str)
def test_kernels_that_once_disagreed(options, kind, compiles):
    outcome = compare(options)
    assert (outcome.kind, outcome.compiles) == (kind, compiles), outcome


def test_generated_block_lists():
    counts, failures = block_sparse.run(200, seed=0)
    assert not failures, failures[0]
    assert min(counts[kind] for kind in (block_sparse.VALID, block_sparse.FOUND, block_sparse.REFINED)) > 20


CALLS = [
    (megablox.Call(sizes=(3, 21, 8)), megablox.RIGHT),
    (megablox.Call("tgmm", sizes=(3, 21, 8), offset=1, actual=2), megablox.RIGHT),
    (megablox.Call(sizes=(16, 16, 16)), megablox.WRONG),
    (megablox.Call(groups=2, sizes=(16, 16, 16), offset=0), megablox.RIGHT),
    (megablox.Call("tgmm", offset=2, offset_shape=(1,)), megablox.REFUSED),  # one repair, and one fault that stays
    (megablox.Call("tgmm", m=30), megablox.MENDED),
    (megablox.Call(dtype="float16"), megablox.REFUSED),
]


@pytest.mark.parametrize("call, kind", CALLS, ids=str)
def test_megablox_calls(call, kind):
    assert megablox.compare(call)[0] == kind


def test_the_page_of_versions_keeps_the_rows_of_what_did_not_run(tmp_path, monkeypatch):
    page = tmp_path / "versions.md"
    page.write_text(versions.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(versions, "PAGE", page)
    before, rows = page.read_text(encoding="utf-8"), versions.rows_of_page()
    assert list(rows) == [supported.name for supported in versions.SUPPORTED]
    versions.write(rows)
    assert page.read_text(encoding="utf-8") == before, "the table of what differs is not that of `make versions`"
    rows["0.12"] = dataclasses.replace(rows["0.12"], jax="0.12.9", unit="1 passed")
    versions.write(rows)
    assert versions.rows_of_page() == rows
    changed = set(page.read_text(encoding="utf-8").splitlines()) ^ set(before.splitlines())
    assert len(changed) == 2 and all(line.startswith("| 0.12.") for line in changed)


def test_a_tree_is_not_none():
    tree, same, other = (jax.tree.structure(leaves) for leaves in ((1, 2), (3, 4), [1, 2]))
    assert (tree == None) is False  # noqa: E711
    assert tree == same != other
    assert {tree: 1}[same] == 1
