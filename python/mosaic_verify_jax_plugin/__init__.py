"""JAX's plugin entry point: installs the hook when MOSAIC_VERIFY is set, and does nothing otherwise."""

import os


def initialize() -> None:
    """Called by JAX while it initialises its backends; never touches devices, never raises."""
    if not os.environ.get("MOSAIC_VERIFY"):
        return
    try:
        from mosaic_verify.jax_hook.entry import install_from_environment

        install_from_environment()
    except Exception as error:  # JAX must start whatever is wrong with us
        import sys
        import warnings

        text = f"mosaic-verify could not install its hook, NOTHING IS VERIFIED: {error!r}"
        try:
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        except Warning:  # the filters make errors of warnings
            print(text, file=sys.stderr)
