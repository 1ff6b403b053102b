"""`mosaic-verify run`: a script sees what `python script.py` would show it, and is verified."""

import os
import py_compile
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[1] / "kernels"


def run(tmp_path, *argv, script=None, name="script.py", **variables):
    if script is not None:
        (tmp_path / name).write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(KERNELS), "JAX_PLATFORMS": "cpu", **variables}
    environment.pop("MOSAIC_VERIFY", None)
    return subprocess.run(
        [sys.executable, "-m", "mosaic_verify.tools.cli", "run", *argv],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_the_script_is_main(tmp_path):
    script = """
import __main__, atexit, os, pickle, sys, threading

class Point:
    x = 1

def typed(x: int): pass
assert typed.__annotations__ == {"x": int}  # none of our own __future__ flags
assert __name__ == "__main__" and __main__.Point is Point
assert sys.argv == ["script.py", "--", "--mode", "-x", "--", "a b"], sys.argv
assert os.path.isabs(__file__), __file__
assert os.path.samefile(sys.path[0], os.path.dirname(os.path.abspath(__file__)))
import neighbour
assert isinstance(pickle.loads(pickle.dumps(Point())), Point)
atexit.register(lambda: print("bye", Point.x, file=sys.stderr))
threading.Thread(target=lambda: print("thread", Point.x)).start()
if len(sys.argv) > 1:
    sys.exit(7)
"""
    (tmp_path / "neighbour.py").write_text("")
    done = run(tmp_path, "script.py", "--", "--mode", "-x", "--", "a b", script=script)
    assert (done.returncode, done.stdout) == (7, "thread 1\n"), done.stderr
    assert "bye 1" in done.stderr


def test_a_refused_kernel_ends_in_the_error_that_python_shows(tmp_path):
    script = """import jax, sparse_mma
from mosaic_verify import KernelVerificationError

fn, args = sparse_mma.kernel("warpgroup", n=24)

def lower():
    return jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))

try:
    lower()
except NotImplementedError as error:
    assert isinstance(error, KernelVerificationError)
lower()
"""
    done = run(tmp_path, "script.py", script=script)
    assert done.returncode == 1
    assert done.stderr.count('File "script.py", line 13, in <module>') + done.stderr.count('script.py", line 13') >= 1
    assert "KernelVerificationError: " in done.stderr and "[MV111]" in done.stderr
    assert "cli_run.py" not in done.stderr and "runpy" not in done.stderr
    mended = "import jax, sparse_mma\n" + (
        'fn, args = sparse_mma.kernel("warpgroup", at_mma=sparse_mma.twice((1, 0)))\n'
        'jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))\nprint("lowered")\n'
    )
    assert run(tmp_path, "--mode", "rewrite", "mended.py", script=mended, name="mended.py").stdout == "lowered\n"


@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ("import sys; sys.exit()", 0, ""),
        ("import sys; sys.exit('sorry')", 1, "sorry\n"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("def f(:", 1, "SyntaxError"),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt"),
        ("import sys\nsys.excepthook = lambda *a: print('mine', file=sys.stderr)\n1 / 0", 1, "mine\n"),
        ("import sys\nsys.excepthook = lambda *a: a[9]\n1 / 0", 1, "Error in sys.excepthook:\n"),
        ("import sys\ndef hook(*a): sys.exit(9)\nsys.excepthook = hook\n1 / 0", 9, ""),
        ("import atexit, sys\natexit.register(lambda: print(sys.last_value, file=sys.stderr))\n1 / 0", 1, "zero\ndiv"),
        ("import sys; sys.stdout.close()", 0, ""),
        ("import sys; sys.stdout = None", 0, ""),
        ("x = " + "-" * 200000 + "1", 1, "MemoryError"),
    ],
)
def test_exits(tmp_path, script, code, said):
    done = run(tmp_path, "script.py", script=script)
    assert done.returncode == code and said in done.stderr
    assert "cli_run.py" not in done.stderr and "cli.py" not in done.stderr


def test_a_folder_with_main(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text("import sys; print(__name__, sys.argv[1:])")
    assert run(tmp_path, "app", "x").stdout == "__main__ ['x']\n"


def test_an_archive_by_any_name_and_a_compiled_file(tmp_path):
    (tmp_path / "main.py").write_text(
        "import os, sys; os.chdir('/'); import mine; print(sys.path[0], __spec__ is None)"
    )
    with zipfile.ZipFile(tmp_path / "app", "w") as archive:
        archive.write(tmp_path / "main.py", "__main__.py")
        archive.writestr("mine.py", "")
    assert run(tmp_path, "app").stdout == f"{tmp_path / 'app'} False\n"
    (tmp_path / "mine.py").write_text("")
    py_compile.compile(str(tmp_path / "main.py"), str(tmp_path / "main.pyc"))
    assert run(tmp_path, "main.pyc").stdout == f"{tmp_path} True\n"
    (tmp_path / "main.pyc").write_bytes(b"from another Python")
    done = run(tmp_path, "main.pyc")
    assert done.returncode == 2 and done.stderr.startswith("mosaic-verify: cannot run 'main.pyc': bad magic number")


def test_a_script_sets_up_jax_before_it_imports_it(tmp_path):
    script = """
import os, sys
assert "jax" not in sys.modules
os.environ["JAX_ENABLE_X64"] = "1"
import jax, sparse_mma
assert jax.numpy.arange(2).dtype == "int64"
fn, args = sparse_mma.kernel("warpgroup", n=24)
try:
    jax.jit(fn).trace(*args).lower(lowering_platforms=("cuda",))
except NotImplementedError as error:
    print(type(error).__name__)
"""
    done = run(tmp_path, "script.py", script=script)
    assert (done.returncode, done.stdout) == (0, "KernelVerificationError\n"), done.stderr


def test_a_hook_that_cannot_be_installed_does_not_stop_the_script(tmp_path):
    script = """
import sys
sys.modules["mosaic_verify.jax_hook.patches"] = None
import jax
print(jax.numpy.arange(2).sum())
"""
    done = run(tmp_path, "script.py", script=script)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert done.stderr.count("could not install its hook, NOTHING IS VERIFIED") == 1


def test_where_modules_are_looked_for(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "script.py").write_text("import neighbour; print(__builtins__.len, __loader__.name)")
    (tmp_path / "real" / "neighbour.py").write_text("")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "script.py")
    assert run(tmp_path, "link.py").stdout == "<built-in function len> __main__\n"
    assert "ModuleNotFoundError" in run(tmp_path, "link.py", PYTHONSAFEPATH="1").stderr
    assert run(tmp_path, "ok.py", script="import sparse_mma", name="ok.py", PYTHONSAFEPATH="1").returncode == 0


def test_a_module_as_python_runs_it(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("import sys; first = sys.argv[0]")
    shown = (
        "import sys, __main__; from . import first; name = __file__\n"
        "print(__name__, __package__, __spec__.name, first, __main__.name == name == sys.argv[0], sys.argv[1:])"
    )
    (package / "__main__.py").write_text(shown)
    (package / "part.py").write_text(shown)
    (package / "fault.py").write_text("1 / 0")
    (package / "broken").mkdir()
    (package / "broken" / "__init__.py").write_text("import no_such_thing")
    environment = {**os.environ, "PYTHONPATH": str(KERNELS)}
    for words in (["package", "-m", "x"], ["package.part", "--mode", "--", "x"], ["package.fault"], ["package.broken"]):
        python = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        for ours in (run(tmp_path, "--mode", "report", "-m", *words), run(tmp_path, "-m" + words[0], *words[1:])):
            assert (ours.returncode, ours.stdout) == (python.returncode, python.stdout), ours.stderr
            assert ours.stderr.splitlines()[-1:] == python.stderr.splitlines()[-1:]
            assert "mosaic_verify" not in ours.stderr


def test_a_module_is_verified(tmp_path):
    (tmp_path / "program.py").write_text("import jax\nfrom refused import lower\nlower()")
    (tmp_path / "refused.py").write_text(
        "import jax, sparse_mma\nfn, args = sparse_mma.kernel('warpgroup', n=24)\n"
        "def lower(): jax.jit(fn).trace(*args).lower(lowering_platforms=('cuda',))"
    )
    done = run(tmp_path, "-m", "program")
    assert done.returncode == 1 and "[MV111]" in done.stderr and "KernelVerificationError" in done.stderr


def test_bad_usage(tmp_path):
    (tmp_path / "folder").mkdir()
    done = run(tmp_path, "folder")
    assert (done.returncode, done.stderr) == (2, "mosaic-verify: cannot run 'folder': it has no __main__.py\n")
    assert run(tmp_path).stderr == "mosaic-verify: run: what is to be run? Give a SCRIPT, or -m MODULE\n"
    for module in ("none", "json.none", "none.json", "json.tool.none", ".json", "re"):
        done = run(tmp_path, "-m", module)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert done.stderr.startswith(f"mosaic-verify: cannot run module {module}: the"), done.stderr
        assert done.stderr.count("\n") == 1
    done = run(tmp_path, "none.py")
    assert (done.returncode, done.stderr) == (2, "mosaic-verify: cannot open 'none.py': No such file or directory\n")
    assert run(tmp_path, "--mode", "loud", "none.py").returncode == 2
    assert run(tmp_path).returncode == 2


def test_a_script_that_imported_gmm_by_name(tmp_path):
    """The name is bound before anything is traced; the script itself does not know of us."""
    script = """from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm
import jax, jax.numpy as jnp

def program(lhs, rhs, sizes, out):
    return gmm(lhs, rhs, sizes, preferred_element_type=jnp.bfloat16, existing_out=out)

shape = jax.ShapeDtypeStruct
args = shape((256, 128), jnp.bfloat16), shape((2, 128, 128), jnp.bfloat16), shape((2,), jnp.int32)
try:
    jax.jit(program).trace(*args, shape((256, 128), jnp.float32)).lower(lowering_platforms=("tpu",))
    print("lowered")
except ValueError as error:
    print(type(error).__mro__[1].__name__, str(error).splitlines()[0])
"""
    done = run(tmp_path, "script.py", script=script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("KernelVerificationError ") and "script.py:5:" in done.stdout, done.stdout
    assert "[MV401]" in done.stdout
    done = run(tmp_path, "--mode", "rewrite", "script.py", script=script)
    assert (done.returncode, done.stdout) == (0, "lowered\n") and "MV401" in done.stderr
