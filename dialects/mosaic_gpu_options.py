"""Options of passes over Mosaic GPU kernels."""

from __future__ import annotations

import re

from mosaic_verify.model.architectures import find_architecture


def architecture(text: str) -> tuple[int, int] | None:
    """Compute capability of "sm_100a", None for "". Raises ValueError for an unknown architecture."""
    if not text:
        return None
    found = find_architecture(text)
    return found.major, found.minor


def version(text: str) -> tuple[int, ...] | None:
    """Version numbers of "0.12.0", or None for "". Raises ValueError for anything else."""
    if not text:
        return None
    if re.fullmatch(r"\d+(\.\d+)+", text) is None:
        raise ValueError(f"'{text}' is not a version, expected for example 0.12.0")
    return tuple(int(part) for part in text.split("."))
