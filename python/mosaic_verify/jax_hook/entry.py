"""What the environment asks for."""

from __future__ import annotations

import os
from difflib import get_close_matches

from mosaic_verify.jax_hook import state
from mosaic_verify.jax_hook.policy import warn_once


def install_from_environment() -> None:
    """Installs the hook in the mode that MOSAIC_VERIFY names. Called by JAX while it initialises its backends.

    Case does not matter. A mode that does not exist is a warning, and nothing is verified. What `install` or
    `mosaic-verify run` has set is left alone.
    """
    mode = os.environ.get("MOSAIC_VERIFY", "").strip().lower()
    if mode in ("", "0", "off") or state.installed() is not None:
        return
    if mode not in state.MODES:
        close = get_close_matches(mode, state.MODES, n=1)
        hint = f", did you mean {close[0]!r}?" if close else ""
        text = f"MOSAIC_VERIFY: unknown mode {mode!r}{hint} (known: {', '.join(state.MODES)}, off)"
        warn_once("mode", f"{text}; the hook is not installed, NOTHING IS VERIFIED")
        return
    from mosaic_verify.jax_hook.install import install

    install(mode)
