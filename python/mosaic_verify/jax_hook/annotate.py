"""Names for calls that carry none of their own in the lowered program."""

from __future__ import annotations

from contextlib import AbstractContextManager

PREFIX = "mosaic_verify."


def annotate(op: str, parameters: dict[str, object]) -> AbstractContextManager[None]:
    """See `mosaic_verify.annotate`."""
    from jax.experimental.xla_metadata import set_xla_metadata

    metadata = {PREFIX + "op": op}
    for name, value in parameters.items():
        metadata[PREFIX + name] = _spelled(value)
    return set_xla_metadata(**metadata)


def _spelled(value: object) -> str:
    """As MLIR's attributes are written: `true`, `128`, `128,128`, `ranker`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ",".join(map(_spelled, value))
    return str(value)
