"""What is not reported: `ignore=`, MOSAIC_VERIFY_IGNORE, and `[tool.mosaic-verify]` above the working directory."""

from __future__ import annotations

import os
from functools import lru_cache

from mosaic_verify.diagnostics.config import ConfigError, configured_suppression
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.jax_hook.policy import warn_once


def check_codes(ignore: tuple[str, ...]) -> tuple[str, ...]:
    """`ignore` itself. Raises ValueError with one line for a code that matches no rule."""
    from mosaic_verify.diagnostics.config import _codes

    _codes(ignore, "ignore")
    return ignore


def make_suppression(ignore: tuple[str, ...]) -> Suppression:
    """The suppression for one session or lowering. A configuration that makes no sense is warned about once."""
    found = _configured(ignore, os.getcwd(), os.environ.get("MOSAIC_VERIFY_IGNORE", ""))
    # A new object: it records what was used, and holds source lines, which may change while a program runs.
    return Suppression(
        found.select,
        found.ignore,
        found.werror,
        standing_ignore=found.standing_ignore,
        severity=found.severity,
        per_file_ignores=found.per_file_ignores,
        folder=found.folder,
    )


@lru_cache(maxsize=64)
def _configured(ignore: tuple[str, ...], folder: str, environment: str) -> Suppression:
    """Keyed by everything that it depends on but the configuration file, which is read once."""
    try:
        return configured_suppression(folder, ignore=ignore)
    except ConfigError as error:
        warn_once(f"configuration:{error}", f"{error}; the configuration is not used")
        return Suppression(ignore=ignore)
