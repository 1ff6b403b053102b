"""A real program of `cutlass.jax.cutlass_call`, through the hook. Needs the extra `cute`; no GPU."""

import numpy as np
import pytest

pytest.importorskip("cutlass.jax")

import block_sparse_cutlass as program

import mosaic_verify as mv


def check(forward, backward):
    function, shapes = program.attention(forward, backward)
    return mv.check(function, *shapes)


def test_a_clean_program():
    report = check(*program.ranker_lists(history=256))
    assert report.ok and report.error is None
    assert [d for d in report.diagnostics if d.code.startswith("MV5")] == []


@pytest.mark.parametrize("direction", [0, 1])
def test_a_wrong_index_is_found_at_the_users_line(direction):
    lists = program.ranker_lists(history=256)
    lists[direction][3][0, 1, 0, 1] = 5
    (finding,) = check(*lists).diagnostics
    assert finding.code == "MV520" and "(0, 1, 0, 1)" in finding.message
    assert finding.location.file.endswith("block_sparse_cutlass.py")


def test_lists_of_another_length():
    report = check(*program.ranker_lists(history=256, seq_len=1024))
    assert "MV502" in [d.code for d in report.diagnostics]
    assert (
        "block-sparse arrays cover 8 m-tiles but the kernel iterates 4 (seq_len=512)" in report.diagnostics[0].message
    )


def test_the_stored_program_is_this_one():
    """The lit input has the operands that the installed package passes today."""
    import jax

    function, shapes = program.attention(*program.ranker_lists(history=256))
    text = program.without_kernels(jax.jit(function).trace(*shapes).lower(lowering_platforms=("cuda",)).as_text())
    stored = (__import__("pathlib").Path(__file__).parents[1] / "passes/block-sparse-verify/cutlass.mlir").read_text()

    def calls(module):
        return [line.split(" : ", 1)[-1] for line in module.splitlines() if "@CuteDSLRT" in line]

    assert calls(text) == calls(stored.split("// -----")[0])
    assert np.all([len(each) > 100 for each in calls(text)])
