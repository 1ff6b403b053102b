"""What the environment asks for."""

from __future__ import annotations

import os
import sys

from mosaic_verify.jax_hook import state


def install_from_environment() -> None:
    """Installs the hook in the mode that MOSAIC_VERIFY names. Called by JAX while it initialises its backends.

    A mode that does not exist is one line on stderr. What `install` or `mosaic-verify run` has set is left alone.
    """
    mode = os.environ.get("MOSAIC_VERIFY", "")
    if mode in ("", "0", "off") or state.installed() is not None:
        return
    try:
        state.check_mode(mode)
    except ValueError as error:
        print(f"mosaic-verify: MOSAIC_VERIFY: {error}; the hook is not installed", file=sys.stderr)
        return
    from mosaic_verify.jax_hook.install import install

    install(mode)
