"""Makes the stored kernels importable (`import sparse_mma`), and the texts of two lowerings comparable."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
from conformance import comparable_trees, unnumbered

comparable_trees.apply()
unnumbered.apply()

# The same examples in every run: rare ones that fail are for `make fuzz` and `make conformance` to find, not for CI.
settings.register_profile("fixed", derandomize=True)
settings.load_profile("fixed")
