"""A fixed small set of what `make fuzz` tries: texts and facts, faults of ours, threads, and sequences of modes."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from test_mma_rules import SCALED, codes, mma, smem
from test_opt_fuzz import check

from mosaic_verify.model.facts import Operand
from mosaic_verify.model.tmem_layout import SPARSE_METADATA, parse_layout

sys.path.insert(0, str(Path(__file__).parent.parent))
from conformance import fuzz, robustness, sequences


@pytest.fixture(scope="module")
def programs():
    return sequences.Programs()


def test_mutated_facts_and_texts():
    assert fuzz.run(400, seed=3) == []


def test_a_permutation_that_is_none(capfd, tmp_path):
    """Found by `make fuzz`: the numbers of a permutation were taken for those of dimensions."""
    (tmp_path / "in.mlir").write_text("""\
func.func @source() attributes {plgpu.semantics = "lane"} {
  "plgpu.run_scoped"() ({
    %meta = "plgpu.alloc"() {name = "meta", layout = "sparse_metadata"} : () -> memref<128x64xui2, "tmem">
    %tile = "plgpu.alloc"() {name = "tile"} : () -> memref<1x1x128x64xui2, "smem">
    %s = "plgpu.transpose"(%tile) {permutation = array<i64: 0, 1, 192, 2>}
      : (memref<1x1x128x64xui2, "smem">) -> memref<1x1x128x64xui2, "smem">
    "plgpu.async_copy_sparse_metadata_to_tmem"(%s, %meta)
      : (memref<1x1x128x64xui2, "smem">, memref<128x64xui2, "tmem">) -> ()
    "plgpu.yield"() : () -> ()
  }) : () -> ()
  return
}
""")
    check(capfd, [str(tmp_path / "in.mlir"), "--verify-all"])


@pytest.mark.parametrize(
    "text",
    [
        "[[128, 16], [32, 128], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -7",
        "[[128, 16], [32, 1], [16, 1], [8, 1]], warp_dims = [-8], lane_dims = [-2, -4, -6], vector_dim = -77",
        "[[128, 0], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1",
    ],
)
def test_a_layout_that_is_none(text):
    """Found by `make fuzz`: the attribute's verifier takes tiles that do not divide one another."""
    assert parse_layout(SPARSE_METADATA.attribute) == SPARSE_METADATA
    assert parse_layout(f"#mosaic_gpu.TiledLayout<{text}>") is None


INFERRED = Operand((128, 128), "f16", "smem", smem_known=False, swizzle_candidates=(1,), transposed=False)


@pytest.mark.parametrize(
    "change",
    [
        dict(SCALED, b=smem((0, 128), "f8E4M3FN", transposed=True)),
        dict(a=replace(INFERRED, shape=(128, 64))),
        dict(b=replace(INFERRED, transposed=True)),
    ],
    ids=["no K", "A without a tile", "B without a tile"],
)
def test_facts_without_a_size(change):
    """Found by `make fuzz`: sizes of zero as divisors."""
    codes(mma(**change))


@pytest.mark.parametrize("seed", range(4))
def test_no_mode_is_served_what_another_made(programs, seed):
    sequences.run(programs, seed, steps=25)


def test_faults_in_generated_kernels_and_kernels_in_threads():
    assert robustness.run(robustness.KERNELS, seed=1, rounds=0) == []
