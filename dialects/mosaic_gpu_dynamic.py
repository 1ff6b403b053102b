"""What JAX can see about an integer that is known at run time only."""

from __future__ import annotations

from jaxlib.mlir import ir

from mosaic_verify.model.jax_versions import since

_BOTH = frozenset(
    (
        "arith.addi",
        "arith.subi",
        "arith.maxsi",
        "arith.minsi",
        "arith.maxui",
        "arith.minui",
        "arith.remui",
        "arith.remsi",
    )
)
_REMAINDERS = frozenset(("arith.remui", "arith.remsi"))
_EITHER = frozenset(("arith.muli", "arith.andi"))
_THROUGH = frozenset(("arith.index_cast", "arith.trunci"))
_LARGEST = 1 << 12
_MAX_DEPTH = 10  # as `utils.is_known_divisible` of JAX


def known_power_of_two(value: ir.Value, jax: tuple[int, ...], *, promises: bool) -> int:
    """The largest power of two, up to 4096, that JAX can see to divide `value` (`utils.is_known_divisible`).

    Args:
      jax: version of JAX.
      promises: whether `assume_multiple` (`pl.multiple_of`) counts: it does in layout inference, and is gone when the
        slice itself is lowered.
    """
    power = _LARGEST
    while power > 1 and not _divisible(value, power, jax, promises, _MAX_DEPTH):
        power //= 2
    return power


def _divisible(value: ir.Value, divisor: int, jax: tuple[int, ...], promises: bool, depth: int) -> bool:
    owner = value.owner
    if depth < 0 or not isinstance(owner, ir.Operation | ir.OpView):
        return False
    op = owner.operation
    name, inputs = op.name, list(op.operands)
    if name == "arith.constant":
        constant = op.attributes["value"]
        return isinstance(constant, ir.IntegerAttr) and constant.value % divisor == 0
    if (
        name == "mosaic_gpu.assume_multiple"
        and promises
        and ir.IntegerAttr(op.attributes["multiple"]).value % divisor == 0
    ):
        return True
    if name in _THROUGH or name == "mosaic_gpu.assume_multiple":
        return _divisible(inputs[0], divisor, jax, promises, depth - 1)
    if name in _EITHER:
        return any(_divisible(item, divisor, jax, promises, depth - 1) for item in inputs)
    if name == "arith.select":
        inputs = inputs[1:]
    elif name not in _BOTH or (name in _REMAINDERS and not since("remainders", jax)):
        return False
    return all(_divisible(item, divisor, jax, promises, depth - 1) for item in inputs)
