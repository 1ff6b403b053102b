"""View of `stablehlo.custom_call @mosaic_gpu_v2`: the kernel that it carries, read back to MLIR.

Pallas Mosaic GPU lowers a kernel completely and stores it as bytecode of a versioned form (`stable_mosaic_gpu`, ...)
in the `module` entry of `mhlo.backend_config` (`_mosaic_gpu_lowering_rule` in `jax/experimental/mosaic/gpu/core.py`,
JAX 0.10.2 and 0.12.0.1); the shipped pass `mosaic_gpu-serde{serialize=false}` reads it.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from jaxlib.mlir import ir, passmanager

from mosaic_verify.ir.bytecode import MAGIC, is_truncated
from mosaic_verify.ir.capture import from_error
from mosaic_verify.ir.context import thread_context
from mosaic_verify.ir.passes import collect
from mosaic_verify.ir.spellings import parse_bytecode
from mosaic_verify.model.metadata_format import bits_of_kind
from mosaic_verify.model.sparsity import METADATA_TILE

CUSTOM_CALL = "stablehlo.custom_call"
TARGET = "mosaic_gpu_v2"
_SERDE = "builtin.module(mosaic_gpu-serde{serialize=false})"
_CACHE_SIZE = 256
_CONFIGS = ("mhlo.backend_config", "backend_config")  # the second in modules that were converted from HLO

_CAST = "builtin.unrealized_conversion_cast"
_ARGUMENT = "mosaic_gpu.from_kernel_arg_idx"
_ASM = "llvm.inline_asm"
_SPARSE_MMA = re.compile(r"tcgen05\.mma\.sp\.cta_group::\d\.kind::(\w+)")
_REGISTER_ACCESS = {"memref.load": 0, "memref.store": 1, "vector.load": 0, "vector.store": 1}  # operand: the memref


class UnreadableKernel(Exception):
    """The custom call holds no kernel that this jaxlib can read; the text says why."""


@dataclass(frozen=True, slots=True)
class MetadataArgument:
    """An argument of a kernel that is an array of 2-bit elements.

    Attributes:
      index: position among the kernel's arguments, which are the custom call's operands and then its results.
      shape: of the array, in elements.
      tiled: the kernel reads whole tiles of 128 x 64 entries from it, each contiguous.
    """

    index: int
    shape: tuple[int, ...]
    tiled: bool


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """What the host side must know about one kernel.

    Attributes:
      arguments: number of array arguments, operands and results; None when the kernel does not say.
      metadata: arguments of 2-bit elements.
      kinds: `kind::` of its sparse MMAs, sorted ("f16", "f8f6f4", ...); empty for a kernel without a sparse MMA.
      bits: operand width of all sparse MMAs together, 16, 8 or 4; None where they differ in the format that they
        need, or where a kind has no known format.
      argument_bits: operand width by the number of a metadata argument, where the hook saw the kernel being lowered and
        `bits` is None.
      rewrites_metadata: the kernel reads or writes 2-bit values through registers, so that what an MMA consumes need
        not be laid out as the argument is.
    """

    arguments: int | None
    metadata: tuple[MetadataArgument, ...]
    kinds: tuple[str, ...]
    bits: int | None
    rewrites_metadata: bool
    argument_bits: Mapping[int, int] = field(default_factory=dict)

    def bits_of(self, argument: int) -> int | None:
        """Operand width that a metadata argument feeds; None where it cannot be told."""
        return self.bits if self.bits is not None else self.argument_bits.get(argument)

    def kinds_of(self, argument: int) -> tuple[str, ...]:
        """`kind::` of the MMAs that a metadata argument feeds; of all sparse MMAs where it cannot be told."""
        bits = self.bits_of(argument)
        return tuple(kind for kind in self.kinds if self.bits or bits in (None, bits_of_kind(kind)))


def is_mosaic_call(op: ir.Operation) -> bool:
    """True for a custom call that carries a Mosaic GPU kernel."""
    return ir.StringAttr(op.attributes["call_target_name"]).value == TARGET


def serialised(op: ir.Operation) -> ir.StringAttr:
    """The attribute of a custom call that holds its kernel. Raises UnreadableKernel when there is none."""
    configs = [op.attributes[name] for name in _CONFIGS if name in op.attributes]
    config = next((config for config in configs if isinstance(config, ir.DictAttr)), None)
    if config is None:
        raise UnreadableKernel("it has no `mhlo.backend_config`")
    module = config["module"] if "module" in config else None  # noqa: SIM401  (DictAttr has no `get` in 0.10)
    if not isinstance(module, ir.StringAttr):
        raise UnreadableKernel("its `mhlo.backend_config` has no entry `module` with a kernel")
    return module


def kernel_bytes(op: ir.Operation) -> bytes:
    """The serialised kernel of a custom call. Raises UnreadableKernel when it holds none."""
    data = serialised(op).value_bytes
    if not data.startswith(MAGIC):
        raise UnreadableKernel("the entry `module` of its `mhlo.backend_config` is no MLIR bytecode")
    if is_truncated(data):
        raise UnreadableKernel("the bytecode in the entry `module` of its `mhlo.backend_config` is truncated")
    return data


def mismatch(op: ir.Operation, kernel: KernelFacts) -> str:
    """How a custom call contradicts the kernel that it carries, or ""."""
    arrays = len(op.operands) + len(op.results)
    if kernel.arguments is not None and arrays < kernel.arguments:
        return (
            f"has {len(op.operands)} operands and {len(op.results)} results, but its kernel takes at least "
            f"{kernel.arguments} arrays"
        )
    for argument in kernel.metadata:
        if argument.index < len(op.operands):
            kind = op.operands[argument.index].type
            ranked = isinstance(kind, ir.RankedTensorType)
            if not ranked or (kind.has_static_shape and tuple(kind.shape) != argument.shape):
                wanted = "x".join(map(str, argument.shape))
                return f"passes {kind} as operand {argument.index}, where its kernel reads metadata {wanted}"
    return ""


def read_kernel(data: bytes, context: ir.Context | None = None) -> ir.Operation:
    """The kernel's module from its serialised form, in `context` or one of ours. Raises UnreadableKernel.

    The context must allow unregistered dialects: those of the serialised form are not registered anywhere.
    """
    context = context or thread_context()
    producer = _producer(data)
    try:
        with context, ir.Location.unknown():
            module = parse_bytecode(data)
            passmanager.PassManager.parse(_SERDE).run(module.operation)
    except ir.MLIRError as error:
        first = next((d.message for d in from_error(error) if d.message), "")
        raise UnreadableKernel(f"jaxlib cannot read its module, written by {producer}: {first}".rstrip(": ")) from None
    return module.operation


_cache: OrderedDict[bytes, KernelFacts | UnreadableKernel] = OrderedDict()


def sparse_kernel_facts(
    op: ir.Operation, known: Mapping[ir.Attribute, KernelFacts] = MappingProxyType({})
) -> KernelFacts | None:
    """Facts about the kernel of a custom call, read once per content; None for a kernel without a sparse MMA.

    Args:
      known: facts that need not be read, by what `serialised` gives.

    Raises UnreadableKernel.
    """
    if known and (facts := known.get(serialised(op))) is not None:
        return facts
    data = kernel_bytes(op)
    if b"tcgen05.mma.sp" not in data:  # strings stand in bytecode as they are
        return None
    key = _key(data)
    found = _cache.get(key)
    if found is None:
        try:
            found = inspect(read_kernel(data))
        except UnreadableKernel as error:
            found = error
    _keep(key, found)
    if isinstance(found, UnreadableKernel):
        raise UnreadableKernel(*found.args)
    return found


def remember(op: ir.Operation, facts: KernelFacts) -> None:
    """Keeps what the kernel of a custom call does not tell by itself, for whoever meets the same content again."""
    _keep(_key(kernel_bytes(op)), facts)


def _key(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _keep(key: bytes, facts: KernelFacts | UnreadableKernel) -> None:
    _cache[key] = facts
    _cache.move_to_end(key)
    if len(_cache) > _CACHE_SIZE:
        _cache.popitem(last=False)


def forget() -> None:
    """Drops what is known of kernels by their content."""
    _cache.clear()


def inspect(module: ir.Operation) -> KernelFacts:
    """Reads the facts from a lowered kernel, in either lowering semantics."""
    found = collect(module, (_CAST, _ASM, *_REGISTER_ACCESS))
    arguments: dict[int, ir.Operation] = {}
    for cast in found[_CAST]:
        number = cast.attributes.get(_ARGUMENT)
        if number is not None:
            arguments[ir.IntegerAttr(number).value] = cast
    metadata = []
    for index, cast in sorted(arguments.items()):
        kind = cast.results[0].type
        if isinstance(kind, ir.MemRefType) and _is_two_bit(kind.element_type):
            metadata.append(MetadataArgument(index, tuple(kind.shape), _reads_tiles(cast.results[0])))
    texts = [ir.StringAttr(asm.attributes["asm_string"]).value for asm in found[_ASM]]
    kinds = set(_SPARSE_MMA.findall("\n".join(texts)))
    return KernelFacts(
        max(arguments) + 1 if arguments else None,
        tuple(metadata),
        tuple(sorted(kinds)),
        _common_width(kinds),
        bool(metadata) and _touches_two_bits(found),
    )


def _common_width(kinds: set[str]) -> int | None:
    """One width whose format all kinds need; widths of 8 and 4 bits share one."""
    widths = {bits_of_kind(kind) for kind in kinds}
    if not widths or None in widths or (16 in widths and len(widths) > 1):
        return None
    return max(width for width in widths if width is not None)


def _reads_tiles(array: ir.Value) -> bool:
    """Every view of the array that the kernel makes ends in contiguous tiles of 128 x 64 entries."""
    seen = [array]
    while seen:
        value = seen.pop()
        kind = value.type
        if isinstance(kind, ir.MemRefType) and kind.rank:
            strides, _ = kind.get_strides_and_offset()
            if tuple(kind.shape[-2:]) != METADATA_TILE or list(strides[-2:]) != [METADATA_TILE[1], 1]:
                return False
        for use in value.uses:
            for result in use.owner.operation.results:
                if isinstance(result.type, ir.MemRefType):
                    seen.append(result)
    return True


def _touches_two_bits(found: Mapping[str, list[ir.Operation]]) -> bool:
    accessed = {op.operands[memref].type for name, memref in _REGISTER_ACCESS.items() for op in found[name]}
    return any(_is_two_bit(ir.MemRefType(kind).element_type) for kind in accessed)


def _is_two_bit(kind: ir.Type) -> bool:
    return isinstance(kind, ir.IntegerType) and kind.width == 2


def _producer(data: bytes) -> str:
    """The version that bytecode names behind its magic and version number, such as MLIR24.0.0git."""
    text, end, _ = data[5:64].partition(b"\0")
    return text.decode(errors="replace") if end and text.isascii() else "an unknown producer"
