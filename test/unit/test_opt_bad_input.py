"""`mosaic-verify-opt` on bad input: one clear line, exit code 1, no traceback, no half-written file."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic_verify.tools import opt

GOOD = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"
OPT = str(Path(sys.executable).with_name("mosaic-verify-opt"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOSAIC_VERIFY_IGNORE", raising=False)
    monkeypatch.delenv("MOSAIC_VERIFY_STRICT", raising=False)
    (tmp_path / "good.mlir").write_text(GOOD)
    return tmp_path


@pytest.fixture
def run(capfd):
    def run(*arguments):
        code = opt.run(list(arguments))
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


# Command line: what is said on the error stream. `@` stands for the tool's name, `good` for an input without fault.
BAD = """
missing.mlir
| cannot open input file 'missing.mlir': No such file or directory
.
| cannot open input file '.': Is a directory
good.mlir other.mlir
| @: Too many positional arguments specified!
| Can specify at most 1 positional arguments: See: @ --help
good.mlir --csee
| @: Unknown command line argument '--csee'.  Try: '@ --help'
| @: Did you mean '--cse'?
good.mlir -split-input-fil
| @: Unknown command line argument '--split-input-fil'.  Try: '@ --help'
| @: Did you mean '--split-input-file'?
good.mlir -x
| @: Unknown command line argument '-x'.  Try: '@ --help'
good.mlir -o
| @: for the -o option: requires a value!
-o x -o y
| @: for the -o option: may only occur zero or one times!
good.mlir --verify-each=maybe
| @: for the --verify-each option: 'maybe' is invalid value for boolean argument! Try 0 or 1
good.mlir --mlir-elide-elementsattrs-if-larger=-1
| @: for the --mlir-elide-elementsattrs-if-larger option: '-1' value invalid for uint argument!
good.mlir --diagnostic-format=xml
| @: for the --diagnostic-format option: Cannot find option named 'xml'! Expected text or json
good.mlir --emit-bytecode-version=3
| @: bytecode version can only be set with --emit-bytecode
good.mlir --cse -p builtin.module(cse)
| <unknown>:0: error: '-pass-pipeline' option can't be used with individual pass options
good.mlir -p cse
| <unknown>:0: error: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
good.mlir -p builtin.module(cse,verify-al)
| <unknown>:0: error: PARSER:1:5: error: 'verify-al' does not refer to a registered pass or pass pipeline
| cse,verify-al
|     ^
| @: Did you mean 'verify-all'?
good.mlir -p builtin.module(cse{)
| <unknown>:0: error: PARSER:1:4: error: missing closing '}' while processing pass options
| cse{
|    ^
good.mlir -p builtin.module(func.func(cse)
| <unknown>:0: error: PARSER:1:1: error: encountered unbalanced parentheses while parsing pipeline
| func.func(cse
| ^
good.mlir -p func.func(cse)
| good.mlir:0:0: error: can't run 'func.func' pass manager on 'builtin.module' op
good.mlir --canonicalize=bogus=1
| <unknown>:0: error: <Pass-Options-Parser>: no such option bogus
| failed to add `canonicalize` with options `bogus=1`
good.mlir --megablox-cast-existing-out=exact=2
| <unknown>:0: error: for the --exact option: '2' is invalid value for boolean argument! Try 0 or 1
| failed to add `megablox-cast-existing-out` with options `exact=2`
--explain sparse-nn
| @: unknown code 'sparse-nn', did you mean 'sparse-n'?
good.mlir --ignore=sparse-nn
| @: --ignore: unknown code 'sparse-nn', did you mean 'sparse-n'?
good.mlir --werror=QQ
| @: --werror: unknown code 'QQ'
good.mlir -o no/folder
| cannot open output file 'no/folder': No such file or directory
good.mlir -o .
| cannot open output file '.': Is a directory
good.mlir --run-reproducer
| good.mlir:0:0: error: the input has no resource mlir_reproducer with a pipeline
"""


def bad_command_lines():
    cases = []
    for line in BAD.replace("PARSER", "MLIR Textual PassPipeline Parser").replace("@", "mosaic-verify-opt").split("\n"):
        if line.startswith("| "):
            cases[-1][1].append(line[2:])
        elif line:
            cases.append((line.split(" "), []))
    return cases


@pytest.mark.parametrize(("arguments", "lines"), bad_command_lines(), ids=lambda value: " ".join(value)[:40])
def test_one_clear_message(run, folder, arguments, lines):
    code, out, err = run(*arguments)
    assert (code, out, err.splitlines()) == (1, "", lines)
    assert sorted(path.name for path in folder.iterdir()) == ["good.mlir"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\0\1\2\xff" * 100, "bad:1:0: error: the input is neither MLIR text nor bytecode"),
        (b"\x7fELF\2\1\1\0", "bad:1:0: error: the input is neither MLIR text nor bytecode"),
        (b"ML\xefR", "bad:0:0: error: cannot read bytecode: attempting to parse a byte at the end of the bytecode"),
    ],
)
@pytest.mark.parametrize("split", [[], ["--split-input-file"]])
def test_binary_garbage(run, data, message, split):
    Path("bad").write_bytes(data)
    assert run("bad", *split) == (1, "", message + "\n")


def test_truncated_bytecode(run, folder):
    assert run("good.mlir", "--emit-bytecode", "-o", "good.bc") == (0, "", "")
    data = (folder / "good.bc").read_bytes()
    assert run("good.bc") == (0, f"module {{\n{indented(GOOD.replace('%a', '%arg0'))}}}\n\n", "")
    for length in range(4, len(data), 7):
        (folder / "bad").write_bytes(data[:length])
        code, out, err = run("bad")
        assert (code, out) == (1, "") and err.startswith("bad:0:0: error: cannot read bytecode: "), err
        assert err.count("\n") == 1


def indented(text):
    return "".join(f"  {line}\n" for line in text.splitlines())


def test_an_unreadable_file(run, folder, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("mosaic_verify.tools.opt_files.open", refuse, raising=False)
    assert run("good.mlir") == (1, "", "cannot open input file 'good.mlir': Permission denied\n")


def test_a_failure_leaves_the_output_file_alone(run, folder):
    (folder / "out").write_text("before")
    (folder / "bad.mlir").write_text("func.func @f() -> i32 {\n  return\n}\n")
    code, out, err = run("bad.mlir", "-o", "out")
    assert (code, out) == (1, "") and err.startswith("bad.mlir:2:3: error: 'func.return' op has 0 operands")
    assert (folder / "out").read_text() == "before"
    assert run("bad.mlir", "-o", "new")[0] == 1
    assert not (folder / "new").exists()


def test_a_full_disk_leaves_the_output_file_alone(run, folder, monkeypatch):
    (folder / "out").write_text("before")

    class Full(io.FileIO):
        def write(self, _data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("mosaic_verify.tools.opt_files.open", lambda path, mode: Full(path, mode), raising=False)
    monkeypatch.setattr("mosaic_verify.tools.opt_run.read_input", lambda path: Path(path).read_bytes())
    assert run("good.mlir", "-o", "out") == (1, "", "cannot open output file 'out': No space left on device\n")
    assert (folder / "out").read_text() == "before"
    assert sorted(path.name for path in folder.iterdir()) == ["good.mlir", "out"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device(run, folder):
    assert run("good.mlir", "-o", "/dev/full")[::2] == (
        1,
        "cannot open output file '/dev/full': No space left on device\n",
    )
    with open("/dev/full", "w") as full:
        done = subprocess.run([OPT, "good.mlir"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "cannot write standard output: No space left on device\n")


def test_a_reader_that_left(folder):
    (folder / "large.mlir").write_text(
        "func.func private @f()\n" + "\n".join(f"func.func private @f{i}()" for i in range(9999))
    )
    done = subprocess.run(f"{OPT} large.mlir | head -n 1", shell=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("module {\n", "")


def test_the_output_file_keeps_its_mode_and_links_are_followed(run, folder):
    (folder / "real").write_text("x")
    (folder / "real").chmod(0o640)
    (folder / "link").symlink_to("real")
    assert run("good.mlir", "-o", "link")[0] == 0
    assert (folder / "link").is_symlink() and (folder / "real").read_text().startswith("module")
    assert (folder / "real").stat().st_mode & 0o777 == 0o640


def test_tool_errors_as_json(run):
    code, out, err = run("missing.mlir", "--diagnostic-format=json")
    assert (code, out) == (1, "")
    found = json.loads(err)
    assert (found["severity"], found["file"]) == ("error", None)
    assert found["message"].startswith("cannot open input file")


def test_a_fault_of_ours_is_one_line(run, monkeypatch):
    def fault(*_):
        raise ZeroDivisionError("over\nby zero")

    monkeypatch.setattr("mosaic_verify.tools.opt_run.read_input", fault)
    expected = (
        "mosaic-verify-opt: internal error: ZeroDivisionError: over (MOSAIC_VERIFY_STRICT=1 shows where it arose)\n"
    )
    assert run("good.mlir") == (1, "", expected)
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    with pytest.raises(ZeroDivisionError):
        run("good.mlir")


@pytest.mark.parametrize(
    ("content", "message"),
    [("ignore = ['MV000']", "unknown code 'MV000'"), ("ignore = 3", "is not a list of codes"), ("ignore = [", "")],
)
def test_a_bad_configuration_is_one_line(run, folder, content, message):
    (folder / "pyproject.toml").write_text(f"[tool.mosaic-verify]\n{content}\n")
    code, out, err = run("good.mlir", "--verify-all")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "pyproject.toml" in err and message in err


def test_starting_imports_neither_jax_nor_passes_that_do_not_run(folder):
    script = """
import sys
from mosaic_verify.tools import opt
assert opt.run(["good.mlir", "--cse", "--verify-all", "--mosaic-gpu-verify-sparse-mma"]) == 0
unwanted = ("jax", "argparse", "tomllib", "tempfile")
rooms = ("mosaic_verify.passes.", "mosaic_verify.dialects.", "mosaic_verify.rules.", "mosaic_verify.model")
loaded = [name for name in sys.modules if name in unwanted or name.startswith(rooms)]
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)
