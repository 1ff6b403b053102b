"""lit configuration: `lit test` with `mosaic-verify-opt` of the running Python's environment on the PATH."""

import os
import shutil
import sys
from importlib.metadata import version

import lit.formats

config.name = "mosaic-verify"  # noqa: F821
cfg = config  # noqa: F821
cfg.test_format = lit.formats.ShTest(execute_external=False)
cfg.suffixes = [".mlir", ".test", ".py"]
cfg.excludes = ["__init__.py", "lit.cfg.py", "Inputs", "unit", "kernels", "conformance", "__pycache__"]
cfg.test_source_root = os.path.dirname(__file__)
cfg.test_exec_root = os.path.join(cfg.test_source_root, "..", "build", "test")
cfg.environment["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), cfg.environment["PATH"]])
for name in ("HOME", "XDG_CACHE_HOME"):
    if name in os.environ:
        cfg.environment[name] = os.environ[name]
checker = next(filter(None, map(shutil.which, ("FileCheck", "FileCheck-22", "FileCheck-21"))), None)
# The PyPI package is started through the interpreter: its script may belong to another environment.
checker = checker or f"{sys.executable} -m filecheck"
cfg.substitutions.append(("%filecheck", f"{checker} --enable-var-scope"))
cfg.substitutions.append(("%python", sys.executable))
# Ops of shipped dialects differ in their syntax: "jax-0.11" where that version's dialects are installed, or newer ones.
if tuple(map(int, version("jaxlib").split(".")[:2])) >= (0, 11):
    cfg.available_features.add("jax-0.11")
