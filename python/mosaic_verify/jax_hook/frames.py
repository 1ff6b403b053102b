"""Keeps our own stack frames out of JAX's source locations and filtered tracebacks."""

from __future__ import annotations

import os
from functools import cache

from mosaic_verify.jax_hook.policy import warn_once


@cache
def exclude() -> None:
    """Registers the folder of this package with JAX, once."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    try:
        from jax._src import source_info_util, traceback_util

        source_info_util.register_exclusion(folder)
        traceback_util.register_exclusion(folder)
    except Exception as error:
        warn_once("moved:frames", f"this JAX is not known, frames of the hook show in its source locations: {error!r}")


def is_user_file(name: str) -> bool:
    """True for a file of the user's own code: not of JAX, Python or ours."""
    from jax._src import source_info_util

    return bool(name) and not name.startswith("<") and source_info_util.is_user_filename(name)
