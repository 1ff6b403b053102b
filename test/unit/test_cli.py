"""`mosaic-verify check`, `explain` and `rules`: output, exit codes, bad input."""

import io
import json
import os
import sys
import textwrap
from pathlib import Path

import pytest

from mosaic_verify.rules.page import rule_codes
from mosaic_verify.tools import cli

EXAMPLE = Path(__file__).parents[2] / "examples" / "sparse_matmul.py"
MODULE = "func.func @f() {\n  return\n}\n"
REFUSED = """func.func @f(%lhs: tensor<512x256xbf16>, %rhs: tensor<4x256x256xbf16>, %sizes: tensor<4xi32>,
             %out: tensor<512x256xf32>) -> tensor<512x256xbf16> {
  %o = "megablox.gmm"(%lhs, %rhs, %sizes, %out) {preferred_element_type = bf16, tiling = array<i64: 128, 128, 128>,
    transpose_rhs = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}
    : (tensor<512x256xbf16>, tensor<4x256x256xbf16>, tensor<4xi32>, tensor<512x256xf32>) -> tensor<512x256xbf16>
  return %o : tensor<512x256xbf16>
}
"""


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*argv, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code = cli.main([str(word) for word in argv])
        except SystemExit as error:  # argparse
            code = error.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


def write(name, text):
    Path(name).write_text(textwrap.dedent(text), encoding="utf-8")
    return name


def test_the_example_shows_one_clean_and_one_refused_kernel(run):
    code, out, err = run("check", f"{EXAMPLE}::kernels")
    assert code == 1
    assert "256x128x256 bf16: ok\n" in out and "cli.py" not in out and "<" not in out
    assert "256x24x256 bf16: refused (1 error)\n" in out
    assert out.count("error:") == 1 and out.count("[MV111]") == 1
    line = next(
        number for number, text in enumerate(EXAMPLE.read_text().splitlines(), 1) if "plgpu.tcgen05_mma(" in text
    )
    assert f"{EXAMPLE}:{line}:9: error: " in out
    assert "        plgpu.tcgen05_mma(\n        ^\n" in out
    assert "1 of 2 ok, 1 refused\n" in out and "mosaic-verify explain MV111" in out
    if os.path.exists(README := EXAMPLE.parents[1] / "README.md"):
        shown = out[out.index(str(EXAMPLE)) : out.index("256x24x256")]
        assert shown.replace(str(EXAMPLE), "examples/sparse_matmul.py") in README.read_text(encoding="utf-8")
    assert err == ""


def test_json_is_one_object_per_line(run):
    code, out, _ = run("check", f"{EXAMPLE}::kernels", "--format", "json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [(line["kind"], line["label"]) for line in lines] == [
        ("report", "256x128x256 bf16"),
        ("diagnostic", "256x24x256 bf16"),
        ("report", "256x24x256 bf16"),
    ]
    assert [line["ok"] for line in lines if line["kind"] == "report"] == [True, False]
    assert lines[1]["code"] == "MV111" and lines[1]["file"] == str(EXAMPLE) and lines[1]["severity"] == "error"


def test_what_is_ignored_does_not_hide_that_jax_refused(run):
    code, out, _ = run("check", f"{EXAMPLE}::kernels", "--ignore", "MV111")
    assert code == 1 and "MV111" not in out
    assert "refused (JAX raised NotImplementedError: N must be a multiple of 16" in out


def test_modules(run):
    write("clean.mlir", MODULE)
    write("refused.mlir", REFUSED)
    assert run("check", "clean.mlir") == (0, "clean.mlir: ok (no kernel found)\n", "")
    assert "clean.mlir: ok (no kernel found)" in run("check", "clean.mlir", "refused.mlir")[1]
    code, out, _ = run("check", "clean.mlir", "refused.mlir")
    assert code == 1
    assert "refused.mlir:3:8: error: 'megablox.gmm' op Existing output dtype must match" in out
    assert out.splitlines()[-2:] == ["1 of 2 ok, 1 refused", "for details: mosaic-verify explain MV401"]
    assert run("check", "refused.mlir", "--ignore", "MV401")[0] == 0
    assert run("check", "refused.mlir", "--select", "MV1,MV2")[0] == 0
    assert run("check", "-", stdin=MODULE)[0] == 0


def test_warnings_fail_only_with_werror(run):
    text = REFUSED.replace("preferred_element_type = bf16", "preferred_element_type = f32").replace(
        "-> tensor<512x256xbf16>", "-> tensor<512x256xf32>"
    )
    text = text.replace("return %o : tensor<512x256xbf16>", "return %o : tensor<512x256xf32>")
    write("gmm.mlir", text)
    assert run("check", "gmm.mlir")[0] == 0
    write("cast.mlir", REFUSED)
    code, out, _ = run("check", "--rewrite", "cast.mlir")
    assert code == 0 and "warning:" in out and "1 rewrite" in out
    assert run("check", "--rewrite", "--werror", "cast.mlir")[0] == 1
    assert run("check", "--rewrite", "--werror=MV401", "cast.mlir")[0] == 1
    assert run("check", "--rewrite", "--werror=MV1", "cast.mlir")[0] == 0
    assert run("check", "--rewrite=exact", "cast.mlir")[0] == 1  # a narrowing cast is no exact rewrite


def test_output_file(run):
    write("cast.mlir", REFUSED)
    assert run("check", "--rewrite", "cast.mlir", "-o", "fixed.mlir")[0] == 0
    assert "stablehlo.convert" in Path("fixed.mlir").read_text()
    assert run("check", "fixed.mlir")[0] == 0
    assert run("check", "--rewrite=exact", "cast.mlir", "-o", "none.mlir")[0] == 1
    assert not Path("none.mlir").exists()
    code, _, err = run("check", "cast.mlir", "-o", "x.mlir")
    assert code == 2 and "-o needs --rewrite" in err
    code, _, err = run("check", "--rewrite", "cast.mlir", "-o", "no/such/folder.mlir")
    assert code == 2 and err.count("\n") == 1 and "no/such/folder.mlir" in err


def test_output_of_a_kernel_is_the_lowered_program(run):
    write("one.py", "def kernel():\n    import sparse_mma\n\n    return sparse_mma.kernel()\n")
    assert run("check", "--rewrite", "one.py::kernel", "-o", "kernel.mlir")[0] == 0
    assert "mosaic_gpu" in Path("kernel.mlir").read_text()
    assert [name for name in os.listdir() if name not in ("__pycache__",)] == ["one.py", "kernel.mlir"] or len(
        [name for name in os.listdir() if name.endswith(".tmp")]
    ) == 0


BAD_FUNCTIONS = """
    import sys

    value = 3


    def raises():
        raise RuntimeError("no luck\\nat all")


    def number():
        return 3


    def nothing():
        pass


    def needs(x):
        return x


    def empty():
        return []


    def pairs():
        return [("label", print)]


    def no_function():
        return [("label", 3, ())]


    def no_arguments():
        return print, 3


    def leaves():
        sys.exit(3)
"""


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no.py::f", "cannot open 'no.py': No such file or directory"),
        ("no.mlir", "cannot open 'no.mlir': No such file or directory"),
        ("bad.py::rases", "'bad.py' has no 'rases' (did you mean 'raises'?)"),
        ("bad.py::raises", "'bad.py::raises' failed: bad.py:8: RuntimeError: no luck"),
        ("bad.py::number", "'bad.py::number' returned an int: it must return (fn, args) or a list"),
        ("bad.py::nothing", "'bad.py::nothing' returned nothing: it must return"),
        ("bad.py::needs", "'bad.py::needs' takes arguments (x)"),
        ("bad.py::empty", "'bad.py::empty' returned an empty list"),
        ("bad.py::pairs", "entry 0 of 'bad.py::pairs' is a tuple of 2"),
        ("bad.py::no_function", "fn is an int, not a function"),
        ("bad.py::no_arguments", "args is an int, not a tuple"),
        ("bad.py::leaves", "'bad.py::leaves' failed: bad.py:40: SystemExit: 3"),
        ("bad.py::value", "'bad.py::value' is not a function but an int"),
        ("bad.py", "'bad.py' needs the name of a function: bad.py::raises"),
        ("broken.py::f", "importing 'broken.py' failed: broken.py:1: SyntaxError"),
        ("imports.py::f", "importing 'imports.py' failed: imports.py:2: ModuleNotFoundError"),
        ("garbage.bin", "cannot read 'garbage.bin'"),
        ("truncated.mlirbc", "truncated.mlirbc"),
        ("broken.mlir", "broken.mlir:1:1"),
        ("folder", "cannot read 'folder'"),
        ("empty.mlir", "'empty.mlir' is empty: there is nothing to check"),
        ("blank.mlir", "'blank.mlir' is empty: there is nothing to check"),
    ],
)
def test_bad_targets_are_one_line_and_exit_code_2(run, target, said):
    write("bad.py", BAD_FUNCTIONS)
    write("broken.py", "def f(:\n")
    write("imports.py", "\nimport no_such_module_anywhere\n")
    write("broken.mlir", "func.func @f(")
    write("clean.mlir", MODULE)
    Path("garbage.bin").write_bytes(b"\x00\x01\x02garbage")
    Path("truncated.mlirbc").write_bytes(b"ML\xefR\x0dMLIR")
    Path("folder").mkdir()
    write("empty.mlir", "")
    write("blank.mlir", "\n \n")
    code, out, err = run("check", target)
    assert code == 2, (out, err)
    assert said in err and err.startswith("mosaic-verify: ")
    assert err.count("\n") == 1 and "Traceback" not in err
    code, out, err = run("check", target, "clean.mlir")  # the others are checked all the same
    assert code == 2 and "clean.mlir: ok" in out


def test_bad_options(run):
    write("clean.mlir", MODULE)
    for argv, said in [
        (["--ignore", "MV9999"], "MV9999"),
        (["--select", "X1"], "X1"),
        (["--werror=nope"], "nope"),
        (["--arch", "sm_1a"], "sm_1a"),
        (["--rewrite=some"], "invalid choice"),
        (["--nope"], "unrecognized arguments"),
    ]:
        code, _, err = run("check", "clean.mlir", *argv)
        assert code == 2 and said in err and "Traceback" not in err, argv
    assert run("check")[0] == 2
    assert run()[0] == 2
    assert run("no-such-command")[0] == 2


def test_our_own_fault_is_one_line(run, monkeypatch):
    write("clean.mlir", MODULE)

    def fail(*_):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("mosaic_verify.tools.cli_targets.check_module", fail)
    code, _, err = run("check", "clean.mlir")
    assert code == 2 and err.count("\n") == 1 and "internal error, ZeroDivisionError: oops" in err
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    with pytest.raises(ZeroDivisionError):
        run("check", "clean.mlir")


def test_what_the_target_prints_is_not_in_the_report(run):
    write(
        "loud.py",
        """
        import jax

        print("while importing")


        def kernels():
            print("while asked")

            def fn(x):
                print("while tracing")
                return x

            return [("loud", fn, [jax.ShapeDtypeStruct((2,), "float32")])]
        """,
    )
    code, out, err = run("check", "loud.py::kernels", "--format", "json")
    assert code == 0
    assert [json.loads(line)["label"] for line in out.splitlines()] == ["loud"]
    assert "while importing" in err and "while asked" in err and "while tracing" in err


@pytest.mark.parametrize("query", ["MV111", "mv111", "[MV111]", "sparse-n"])
def test_explain_by_code_and_name(run, query):
    code, out, err = run("explain", query)
    assert (code, err) == (0, "")
    assert out.startswith("# MV111: sparse-n\n") and "## Why is this bad?" in out
    assert "\x1b" not in out


def test_explain_messages_and_tracebacks(run):
    code, out, _ = run("explain", "N must be a multiple of 16 for sparse MMA, but got N=24")
    assert code == 0 and "# MV111: sparse-n" in out
    code, out, _ = run("explain", "N must be a multiple", "of 16 for sparse MMA,", "but got N=24")
    assert code == 0 and "# MV111: sparse-n" in out
    frames = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n'
    traceback = f"{frames}ValueError: TMEM reshape not allowed.\n"
    code, out, _ = run("explain", "-", stdin=traceback)
    assert code == 0 and "# MV203: tmem-reshape" in out
    code, out, _ = run("explain", "--format", "json", "-", stdin=traceback)
    assert code == 0 and json.loads(out)[0]["code"] == "MV203"
    code, out, _ = run("explain", "(64, 64) is not divisible into tiles of shape (128, 16)")
    assert code == 0 and "Other rules that the message can come from:\n  MV103" in out


def test_explain_the_unknown(run):
    code, out, err = run("explain", "MV112x")
    assert code == 1 and out == "" and "no rule is called 'MV112x'" in err
    code, out, err = run("explain", "MV199")
    assert code == 2 and out == "" and "unknown code 'MV199' (`mosaic-verify rules`" in err
    code, out, err = run("explain", "sparse-nn")
    assert code == 1 and "did you mean 'sparse-" in err
    code, out, err = run("explain", "the kernel has a cold")
    assert code == 1 and out == "" and err.startswith("mosaic-verify: no rule has this message\n")
    code, _, err = run("explain", "-", stdin="\n")
    assert code == 2 and "nothing to explain" in err
    code, _, err = run("explain", "sparse metadata shape does not match")
    assert code == 1 and "MV101" in err  # the nearest ones are shown
    assert (
        run("explain", "-", stdin="\udcff\x00 binary \x01".encode("utf-8", "surrogateescape").decode("latin-1"))[0] == 1
    )


def test_rules(run):
    code, out, _ = run("rules")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == rule_codes()
    code, out, _ = run("rules", "--format", "json")
    listed = json.loads(out)
    assert code == 0 and [rule["code"] for rule in listed] == rule_codes()
    assert set(listed[0]) >= {"code", "name", "summary", "severity", "messages", "checked", "explanation"}
    code, out, _ = run("rules", "--format", "markdown")
    assert code == 0 and out.startswith("# Rules\n") and out.count("\n| [MV") == len(rule_codes())


def test_colours_only_on_a_terminal(run, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for variable, coloured in [(None, True), ("1", False)]:
        if variable:
            monkeypatch.setenv("NO_COLOR", variable)
        shown = Terminal()
        monkeypatch.setattr(sys, "stdout", shown)
        assert cli.main(["explain", "MV111"]) == 0
        assert ("\x1b[" in shown.getvalue()) == coloured


def test_help_names_every_command(run):
    code, out, _ = run("--help")
    assert code == 0 and all(word in out for word in ("check", "run", "explain", "rules", "examples:", "exit codes"))
    for command in ("check", "run", "explain", "rules"):
        code, out, _ = run(command, "--help")
        assert code == 0 and "examples:" in out
    assert run("--version")[1].startswith("mosaic-verify ")


def test_what_shipped_verifiers_refuse_has_its_rule(run):
    alias = "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>"
    write(
        "alias.mlir",
        f"""
        func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xbf16> {{
          %o = stablehlo.custom_call @tpu_custom_call(%x) {{output_operand_aliases = [{alias}]}}
            : (tensor<8x128xf32>) -> tensor<8x128xbf16>
          return %o : tensor<8x128xbf16>
        }}
        """,
    )
    code, out, _ = run("check", "alias.mlir")
    assert code == 1 and "alias.mlir:3:8: error: 'stablehlo.custom_call' op shapes mismatch" in out and "[MV423]" in out
    write("return.mlir", "func.func @f() -> i32 {\n  return\n}\n")
    code, out, _ = run("check", "return.mlir")
    assert code == 1 and "return.mlir:2:3: error: 'func.return' op has 0 operands" in out and "[MV" not in out


def test_the_configuration_is_the_one_above_the_target(run, tmp_path):
    table = '[tool.mosaic-verify]\nignore = ["MV207"]\n[tool.mosaic-verify.severity]\nMV401 = "warning"\n'
    for folder in ("sub", "other"):
        Path(folder).mkdir()
        write(f"{folder}/refused.mlir", REFUSED)
        write(
            f"{folder}/kernels_of_{folder}.py",
            """
            import sparse_mma

            def odd_column():
                return sparse_mma.kernel(**sparse_mma.CASES["metadata from an odd column"][0])
            """,
        )
    write("sub/pyproject.toml", table)
    targets = ["refused.mlir", "kernels_of_sub.py::odd_column"]
    inside = [run("check", f"sub/{target}") for target in targets]
    assert [code for code, _, _ in inside] == [0, 0] and "MV207" not in inside[1][1], inside
    assert run("check", "other/refused.mlir")[0] == 1
    assert "[MV207]" in run("check", "other/kernels_of_other.py::odd_column")[1]
    write("sub/pyproject.toml", '[tool.mosaic-verify]\nignore = ["MV9999"]\n')
    for target in targets:
        code, _, err = run("check", f"sub/{target}")
        assert code == 2 and err.count("\n") == 1 and "unknown code 'MV9999'" in err and "internal" not in err
    assert run("check", "other/refused.mlir")[0] == 1


def test_a_program_without_a_kernel_is_said_to_be_one(run):
    write(
        "plain.py",
        """
        import jax
        import sparse_mma

        SHAPE = [jax.ShapeDtypeStruct((2,), "float32")]

        def kernels():
            uniform = lambda x: x + jax.random.uniform(jax.random.key(0), (2,))
            return [("plain", lambda x: x + 1, SHAPE), ("random", uniform, SHAPE), ("kernel", *sparse_mma.kernel())]
        """,
    )
    out = run("check", "plain.py::kernels")[1].splitlines()
    assert out[:2] == ["plain: ok (no kernel found)", "random: ok (no kernel found)"]
    assert "kernel: ok (1 remark)" in out
    out = run("check", "plain.py::kernels", "--format", "json")[1].splitlines()
    reports = [line for line in map(json.loads, out) if line["kind"] == "report"]
    assert [line["examined"] for line in reports] == [False, False, True]


def test_optional_values_stand_behind_an_equals_sign(run):
    out = run("check", "--help")[1]
    assert out.count("--rewrite[=exact]") == 2 and out.count("--werror[=CODES]") == 2 and "--platform tpu" in out
    write("clean.mlir", MODULE)
    code, out, err = run("check", "--rewrite", "exact", "clean.mlir")
    assert (code, out) == (2, "") and "did you mean --rewrite=exact?" in err and err.count("\n") == 1
    assert run("check", "--rewrite", "clean.mlir")[0] == 0


def test_explain_a_prefix_lists_its_rules(run):
    for query in ("MV7", "mv70", "[MV7]"):
        code, out, _ = run("explain", query)
        wanted = query.strip("[]").upper()
        assert code == 0 and [line.split()[0] for line in out.splitlines()] == [
            each for each in rule_codes() if each.startswith(wanted)
        ]
    code, out, _ = run("explain", "--format", "json", "MV7")
    assert code == 0 and {rule["code"][:3] for rule in json.loads(out)} == {"MV7"}


def test_comments_of_no_use_are_said_in_a_module_without_a_kernel(run):
    write("clean.mlir", MODULE.replace("return", "return // mosaic-verify: ignore[MV207]"))
    code, out, _ = run("check", "clean.mlir")
    assert code == 0 and "clean.mlir:2:10: remark: `ignore[MV207]` matched nothing [MV990]" in out


def test_frames_that_start_us_are_no_callers():
    from jaxlib.mlir import ir

    from mosaic_verify.ir.locations import to_location

    with ir.Context():  # where the command itself calls a kernel
        assert to_location(ir.Location.file("/bin/mosaic-verify", 8, 13)).file is None
    files = [cli.__file__, "/bin/mosaic-verify", "<frozen importlib._bootstrap>", "/app/train.py"]
    with ir.Context(), ir.Location.unknown():
        frames = [ir.Location.file(file, line, 1) for line, file in enumerate(files, 1)]
        found = to_location(ir.Location.callsite(ir.Location.file("k.mlir", 9, 1), frames))
    assert str(found) == "k.mlir:9:1" and [each.file for each in found.callers] == ["/app/train.py"]


def test_ignore_comments_in_python_files_that_no_kernel_needs_are_said_at_the_end(run):
    write(
        "commented.py",
        """\
        import jax
        import jax.numpy as jnp
        import sparse_mma
        from jax.experimental.pallas import mosaic_gpu as plgpu

        def make(how):
            fn, (a, b, _) = sparse_mma.kernel(k=256)
            def program(x, y, pairs):
                def untraced():
                    return 1  # mosaic-verify: ignore[MV207]
                tiles = plgpu.format_tcgen05_sparse_metadata(
                    pairs, how
                )  # mosaic-verify: ignore[MV301]
                return fn(x, y, tiles)  # mosaic-verify: ignore[MV305]
            return program, (a, b, jax.ShapeDtypeStruct((128, 64, 2), jnp.uint2))

        def right(): return make(jnp.float16)
        def wrong(): return make(jnp.float8_e4m3fn)
        def both(): return [("right", *right()), ("wrong", *wrong())]
        """,
    )
    idle = "commented.py:13:12: remark: `ignore[MV301]` matched nothing [MV990]"
    for name, others in (("right", 1), ("wrong", 0), ("both", 0)):
        code, out, _ = run("check", f"commented.py::{name}")
        assert code == 0 and out.count(idle) == 1 and out.count("[MV990]") == 1 + others, name
        assert out.count("commented.py:14:33: remark: `ignore[MV305]` matched nothing [MV990]") == others, name
    code, out, _ = run("check", "commented.py::right", "--select", "MV1", "--format", "json")
    assert code == 0 and "MV990" not in out


def test_the_architecture_reaches_passes_over_modules(run):
    lists = "tensor<1x2x1xi32>, tensor<1x2x1x1xi32>"
    tensor = "tensor<1x128x2x256xbf16>"
    write(
        "attention.mlir",
        f"""\
        func.func @fwd(%q: {tensor}, %cnt: tensor<1x2x1xi32>, %idx: tensor<1x2x1x1xi32>) -> {tensor} {{
          %o, %lse = "block_sparse.attention_fwd"(%q, %q, %q, %cnt, %idx) {{tile_m = 128 : i64, tile_n = 128 : i64,
            q_stage = 1 : i64, kernel = "fa4", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}}
            : ({tensor}, {tensor}, {tensor}, {lists}) -> ({tensor}, tensor<1x2x128xf32>)
          return %o : {tensor}
        }}
        """,
    )
    assert run("check", "attention.mlir")[0] == 0
    for more in ((), ("--rewrite",), ("--rewrite=exact",)):
        code, out, _ = run("check", "attention.mlir", "--arch", "sm_100a", *more)
        assert code == 1 and "[MV535]" in out
    assert run("check", "attention.mlir", "--arch", "sm_90a")[0] == 0
