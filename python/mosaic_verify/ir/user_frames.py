"""Which frame of a location is the user's, in artifacts that may come from another machine."""

from __future__ import annotations

import re
from dataclasses import replace

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Location

# Where packages are installed, and in checkouts of JAX.
_JAX_FILE = re.compile(r"(^|[/\\])((site|dist)-packages[/\\]jax|jax[/\\](_src|experimental))[/\\]")


def is_jax_file(file: str) -> bool:
    """True for a file of JAX itself, the kernels that it ships included."""
    return _JAX_FILE.search(file) is not None


def user_location(*locations: Location) -> Location:
    """The first frame outside of JAX, from the innermost one of the first location to the outermost of the last.

    Where all frames are JAX's, the first one that is known.
    """
    for location in locations:
        for number, frame in enumerate((location, *location.callers)):
            if frame.file is not None and not is_jax_file(frame.file):
                return replace(frame, callers=location.callers[number:])
    return next((location for location in locations if location.file is not None), UNKNOWN)
