"""What is shown and what is not: flags, environment, pyproject.toml, comments."""

import pytest

from mosaic_verify.diagnostics.config import ConfigError, configured_suppression
from mosaic_verify.diagnostics.diagnostic import Diagnostic, Location
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.suppression import Suppression


def finding(code="MV111", severity="error", file="a.mlir", line=1, rule="sparse-n"):
    return Diagnostic(severity, "m", Location(file, line, 1), code=code, rule=rule)


def shown(suppression, diagnostic):
    found = suppression.apply(diagnostic)
    return found and found.severity


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), "error"),
        ((), ("MV111",), None),
        ((), ("MV1",), None),
        ((), ("MV",), None),
        ((), ("ALL",), None),
        ((), ("sparse-n",), None),
        ((), ("MV112", "MV2"), "error"),
        (("MV1",), (), "error"),
        (("MV2",), (), None),
        (("MV1",), ("MV111",), None),
        (("MV111",), ("MV1",), "error"),  # the longer pattern wins
        (("MV111",), ("MV111",), None),
        (("ALL",), ("MV1",), None),
    ],
)
def test_select_and_ignore(select, ignore, expected):
    assert shown(Suppression(select, ignore), finding()) == expected


def test_errors_of_mlir_cannot_be_ignored():
    assert shown(Suppression(("MV2",), ("ALL",)), Diagnostic("error", "m")) == "error"


@pytest.mark.parametrize(
    ("werror", "expected"),
    [(None, "warning"), ((), "error"), (("MV207",), "error"), (("MV2",), "error"), (("MV1",), "warning")],
)
def test_werror(werror, expected):
    assert shown(Suppression(werror=werror), finding("MV207", "warning", rule="tmem-slice")) == expected


def test_werror_without_codes_raises_mlirs_own_warnings_and_no_remarks():
    assert shown(Suppression(werror=()), Diagnostic("warning", "m")) == "error"
    assert shown(Suppression(werror=()), finding("MV308", "remark", rule="x")) == "remark"


def test_the_longest_severity_counts():
    suppression = Suppression(severity={"MV2": "remark", "MV207": "error", "MV3": "ignore"})
    assert shown(suppression, finding("MV207", "warning", rule="tmem-slice")) == "error"
    assert shown(suppression, finding("MV201", "error", rule="x")) == "remark"
    assert shown(suppression, finding("MV305", "error", rule="y")) is None


def test_an_ignored_error_counts_as_none():
    engine = Engine(Suppression(ignore=("MV111",)))
    assert not engine.emit(finding())
    assert not engine.failed and engine.report.ok and not engine.report.diagnostics


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("mma()  # mosaic-verify: ignore[MV111]", None),
        ("mma()  # mosaic-verify: ignore", None),
        ("mma() # mosaic-verify:ignore[MV207, MV1]", None),
        ("mma()  # mosaic-verify: ignore[sparse-n]", None),
        ("mma() // mosaic-verify: ignore[MV111]", None),
        ("mma()  # mosaic-verify: ignore[MV207]", "error"),
        ("mma()  # mosaic-verify: ignore[]", "error"),
        ("mma()  # mosaic-verify ignore[MV111]", "error"),
        ("mma()  mosaic-verify: ignore[MV111]", "error"),
    ],
)
def test_comments_on_the_reported_line(tmp_path, comment, expected):
    file = tmp_path / "kernel.py"
    file.write_text(f"import x\n{comment}\nmma()\n")
    assert shown(Suppression(), finding(file=str(file), line=2)) == expected
    assert shown(Suppression(), finding(file=str(file), line=3)) == "error"


def sources(text):
    found = Sources()
    found.add("a.mlir", text)
    return found


def test_an_ignore_that_matched_nothing_is_a_remark():
    suppression = Suppression(
        ignore=("MV111", "MV207"), sources=sources("x // mosaic-verify: ignore[MV112,MV113]\ny\n")
    )
    suppression.apply(finding("MV111"))
    suppression.apply(finding("MV112", rule="sparse-k"))
    (unused,) = suppression.unused()
    assert (unused.severity, unused.code, unused.message) == ("remark", "MV990", "ignored code 'MV207' matched nothing")
    (comment,) = suppression.unused_comments("a.mlir")
    assert comment.message == "`ignore[MV113]` matched nothing"
    assert comment.location == Location("a.mlir", 1, 3)


def test_a_comment_for_what_is_not_selected_is_not_called_unused():
    text = sources("x // mosaic-verify: ignore[MV112]\n")
    assert not Suppression(("MV2",), sources=text).unused_comments("a.mlir")
    assert not Suppression(ignore=("MV1",), sources=text).unused_comments("a.mlir")
    assert Suppression(sources=text).unused_comments("a.mlir")


def test_comments_are_looked_for_in_the_lines_that_were_asked_for():
    text = sources("a // mosaic-verify: ignore\nb\nc // mosaic-verify: ignore[MV112]\n")
    found = Suppression(sources=text).unused_comments("a.mlir", 2, 3)
    assert [(d.location.line, d.message) for d in found] == [(3, "`ignore[MV112]` matched nothing")]


CONFIG = """
[tool.mosaic-verify]
select = ["MV"]
ignore = ["MV207"]
[tool.mosaic-verify.per-file-ignores]
"legacy/*.py" = ["MV4"]
"generated.mlir" = ["ALL"]
[tool.mosaic-verify.severity]
MV430 = "error"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    (tmp_path / "legacy" / "deep").mkdir(parents=True)
    monkeypatch.delenv("MOSAIC_VERIFY_IGNORE", raising=False)
    return tmp_path


def test_configuration(project):
    suppression = configured_suppression(str(project / "legacy" / "deep" / "k.mlir"))
    assert shown(suppression, finding("MV207", "warning", rule="tmem-slice")) is None
    assert shown(suppression, finding("MV430", "warning", rule="x")) == "error"
    old = str(project / "legacy" / "old.py")
    assert shown(suppression, finding("MV430", "warning", file=old, rule="x")) is None
    assert shown(suppression, finding("MV111", file=old)) == "error"
    assert shown(suppression, finding("MV111", file=str(project / "sub" / "generated.mlir"))) is None
    assert not suppression.unused()  # what a project always ignores need not occur


def test_flags_and_environment_add_up(project, monkeypatch):
    monkeypatch.setenv("MOSAIC_VERIFY_IGNORE", "MV111, MV112")
    suppression = configured_suppression(str(project), select=["mv1", "mv2"], ignore=["MV113"])
    assert suppression.select == ("MV1", "MV2")
    assert suppression.ignore == ("MV113", "MV111", "MV112")
    assert shown(suppression, finding("MV305", rule="x")) is None


def test_no_configuration_of_ours(tmp_path, monkeypatch):
    monkeypatch.delenv("MOSAIC_VERIFY_IGNORE", raising=False)
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    suppression = configured_suppression(str(tmp_path))
    assert shown(suppression, finding()) == "error"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.mosaic-verify]\nignore = ['MV000']\n", "unknown code 'MV000'"),
        ("[tool.mosaic-verify]\nignore = 'MV111'\n", "'ignore' in [tool.mosaic-verify] is not a list of codes"),
        (
            "[tool.mosaic-verify]\nignored = []\n",
            "unknown key 'ignored' in [tool.mosaic-verify], expected one of select",
        ),
        ("[tool.mosaic-verify.severity]\nMV111 = 'fatal'\n", "severity of MV111 is 'fatal', expected one of error"),
        ("[tool.mosaic-verify]\nseverity = 3\n", "'severity' in [tool.mosaic-verify] is not a table"),
        ("[tool.mosaic-verify\n", "pyproject.toml: "),
    ],
)
def test_bad_configurations(tmp_path, text, message):
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        configured_suppression(str(tmp_path))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_unknown_codes_get_a_suggestion():
    with pytest.raises(ConfigError, match=r"--ignore: unknown code 'sparse-nn', did you mean 'sparse-n'\?"):
        configured_suppression(ignore=["sparse-nn"])


def test_a_comment_with_a_code_of_no_rule_is_said():
    text = sources("x // mosaic-verify: ignore[MV9999, sparse-n, mv111, MV9]\n")
    found = Suppression(sources=text).unused_comments("a.mlir")
    assert [each.message.partition("` ")[2].partition(":")[0] for each in found] == [
        "has no effect", "matched nothing", "has no effect", "matched nothing",
    ]  # fmt: skip


GMM = """func.func @f(%l: tensor<500x256xbf16>, %r: tensor<4x256x256xbf16>, %s: tensor<4xi32>, %o: tensor<500x256xf32>) -> tensor<500x256xbf16> {
  %0 = "megablox.gmm"(%l, %r, %s, %o) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>, // COMMENT
    transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}
    : (tensor<500x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<500x256xf32>) -> tensor<500x256xbf16>
  return %0 : tensor<500x256xbf16>
}
"""  # noqa: E501
LISTS = """func.func @f(%q: tensor<1x512x1x64xbf16>) -> tensor<1x512x1x64xbf16> {
  %c = stablehlo.constant dense<2> : tensor<1x1x4xi32>
  %i = stablehlo.constant dense<1> : tensor<1x1x4x4xi32>
  %o:2 = "block_sparse.attention_fwd"(%q, %q, %q, %c, %i) {block_size = array<i64: 128, 128>, // COMMENT
    operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}
    : (tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x512x1x64xbf16>, tensor<1x1x4xi32>,
       tensor<1x1x4x4xi32>) -> (tensor<1x512x1x64xbf16>, tensor<1x1x512xf32>)
  return %o#0 : tensor<1x512x1x64xbf16>
}
"""


@pytest.mark.parametrize("text, codes", [(GMM, ("MV401", "MV414")), (LISTS, ("MV522",))])
def test_what_is_ignored_is_not_repaired_either(text, codes):
    import mosaic_verify as mv

    def repaired(comment):
        return {each.code for each in mv.run(text.replace("COMMENT", comment), "builtin.module(rewrite-all)").rewrites}

    assert repaired("nothing") == set(codes)
    for code in codes:
        assert repaired(f"mosaic-verify: ignore[{code}]") == set(codes) - {code}


def test_python_functions_take_what_is_ignored_from_the_environment(monkeypatch):
    import numpy as np

    import mosaic_verify as mv

    def found():
        reports = (
            mv.run(GMM, "builtin.module(megablox-verify-gmm)"),
            mv.sparse_metadata.verify(np.zeros((2, 2)), operand_dtype="float16", m=128, k=128),
            mv.block_sparse.verify({"full_cnt": np.zeros((1, 1, 1), np.float32)}, seq_len=128),
        )
        return [{each.code for each in report.diagnostics} for report in reports]

    codes = sorted(set.union(*found()))
    assert {"MV302", "MV401", "MV513"} <= set(codes)
    monkeypatch.setenv("MOSAIC_VERIFY_IGNORE", ",".join(codes))
    assert found() == [set(), set(), set()]
    monkeypatch.delenv("MOSAIC_VERIFY_IGNORE")
    idle = mv.block_sparse.verify({}, seq_len=128, ignore="MV501").diagnostics
    assert [(each.code, each.message) for each in idle] == [("MV990", "ignored code 'MV501' matched nothing")]
    with pytest.raises(ValueError, match="unknown code 'XX'"):
        mv.block_sparse.verify({}, seq_len=128, ignore="XX")
