"""Python-defined dialects for jaxlib's bindings."""

from __future__ import annotations

import sys
from types import ModuleType

_PREFIX = "jaxlib.mlir.dialects"


def announce(namespace: str, module: ModuleType) -> None:
    """Tells the bindings that `module` holds the classes of a dialect's ops.

    Whenever the bindings hand out an op whose dialect they have not loaded, they import
    `jaxlib.mlir.dialects.NAMESPACE`, and search the disk again each time when there is no such module: a hundred
    microseconds for each op. The name is given to our module here; nothing of jaxlib is shadowed, and no search prefix
    is added.
    """
    sys.modules.setdefault(f"{_PREFIX}.{namespace}", module)
