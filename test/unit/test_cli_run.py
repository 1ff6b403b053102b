"""`mosaic-verify run`: a script sees what `python script.py` would show it, and is verified."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[1] / "kernels"


def run(tmp_path, *argv, script=None, name="script.py"):
    if script is not None:
        (tmp_path / name).write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(KERNELS), "JAX_PLATFORMS": "cpu"}
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
    ],
)
def test_exits(tmp_path, script, code, said):
    done = run(tmp_path, "script.py", script=script)
    assert done.returncode == code and said in done.stderr
    assert "cli_run.py" not in done.stderr


def test_a_folder_with_main(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text("import sys; print(__name__, sys.argv[1:])")
    assert run(tmp_path, "app", "x").stdout == "__main__ ['x']\n"


def test_bad_usage(tmp_path):
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
