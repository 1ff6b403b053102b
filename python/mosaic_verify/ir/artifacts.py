"""MLIR modules in files that are not plain MLIR: artifacts of `jax.export`, portable StableHLO, and HLO dumps."""

from __future__ import annotations

import io
import re
import struct

from jaxlib.mlir import ir

from mosaic_verify.ir.bytecode import MAGIC, PORTABLE
from mosaic_verify.ir.capture import forward_diagnostics
from mosaic_verify.ir.context import make_context

# Offsets of `platforms` and `mlir_module_serialized` in the vtable of `Exported`:
# `jax/_src/export/serialization_generated.py`, the same in JAX 0.10.2 and 0.12.0.1 (fields of a flatbuffers table keep
# their place for ever).
_EXPORTED_PLATFORMS, _EXPORTED_MODULE = 22, 30
_MOST_PLATFORMS = 16
_PLATFORM = re.compile(r"\w{1,32}")
_HLO_TEXT = re.compile(rb"\A(?:\s|//[^\n]*\n)*HloModule\s")
_MLIR_TEXT = re.compile(rb'\A(?:\s|//[^\n]*\n)*(?:module\b|#[\w$.-]+\s*=|![\w$.-]+\s*=|func\.func\b|"[\w.]+"\()')


class UnreadableArtifact(Exception):
    """A file of a known kind whose module cannot be read; the text says why."""


def kind_of(data: bytes, name: str = "") -> str | None:
    """What a file holds: "mlir", "portable", "export", "hlo", "hlo-proto", or None for anything else.

    Args:
      name: the file's name; protocol buffers are known by the suffix ".pb" only.
    """
    if data.startswith(PORTABLE):
        return "portable"
    if data.startswith(MAGIC) or _MLIR_TEXT.match(data[:65536]):
        return "mlir"
    if _HLO_TEXT.match(data[:65536]):
        return "hlo"
    if name.endswith(".pb"):
        return "hlo-proto"
    return "export" if exported_module(data) is not None else None


def read_module(data: bytes, name: str = "") -> bytes | None:
    """MLIR text or bytecode of the module that a file holds, or None when it holds none of the known kinds.

    Raises:
      UnreadableArtifact: it is of a known kind, but damaged, or written by a newer version.
    """
    kind = kind_of(data, name)
    if kind == "export":
        data = exported_module(data) or b""
        kind = kind_of(data)
        if kind not in ("portable", "mlir"):
            raise UnreadableArtifact("the artifact of jax.export holds no StableHLO")
    if kind == "portable":
        return _from_portable(data)
    if kind == "hlo":
        return _from_hlo(_parse_hlo(data))
    if kind == "hlo-proto":
        return _from_hlo(data)
    return data if kind == "mlir" else None


def exported_module(data: bytes) -> bytes | None:
    """The field `mlir_module_serialized` of a flatbuffer that `jax.export` wrote; None for any other data."""
    try:
        vector = _exported_field(data, _EXPORTED_MODULE)
        if vector is None:
            return None
        (length,) = struct.unpack_from("<I", data, vector)
    except struct.error:
        return None
    module = data[vector + 4 : vector + 4 + length]
    return module if module.startswith(MAGIC) else None


def exported_platforms(data: bytes) -> tuple[str, ...]:
    """The field `platforms` of an artifact of `jax.export`, such as ("cuda", "tpu"); () for any other data."""
    if exported_module(data) is None:
        return ()
    names = []
    try:
        vector = _exported_field(data, _EXPORTED_PLATFORMS)
        count = 0 if vector is None else struct.unpack_from("<I", data, vector)[0]
        for at in range(min(count, _MOST_PLATFORMS)):
            slot = (vector or 0) + 4 * (at + 1)
            text = slot + struct.unpack_from("<I", data, slot)[0]
            (length,) = struct.unpack_from("<I", data, text)
            names.append(data[text + 4 : text + 4 + length].decode("ascii"))
    except (struct.error, UnicodeDecodeError):
        return ()
    return tuple(names) if all(_PLATFORM.fullmatch(name) for name in names) else ()


def _exported_field(data: bytes, slot: int) -> int | None:
    """Where the vector in one field of the flatbuffer's root table begins. Raises struct.error behind the end."""
    (table,) = struct.unpack_from("<I", data, 0)
    (back,) = struct.unpack_from("<i", data, table)
    vtable = table - back
    if vtable < 0:
        return None
    size, _ = struct.unpack_from("<HH", data, vtable)
    if size <= slot:
        return None
    (offset,) = struct.unpack_from("<H", data, vtable + slot)
    at = table + offset
    return at + struct.unpack_from("<I", data, at)[0] if offset else None


def _from_portable(data: bytes) -> bytes:
    from jaxlib.mlir.dialects import stablehlo

    context = make_context(unregistered=True)
    said: list[str] = []
    try:
        with forward_diagnostics(context, lambda diagnostic: said.append(diagnostic.message)):
            module = stablehlo.deserialize_portable_artifact(context, data)
    except (ValueError, ir.MLIRError) as error:
        version = data[len(MAGIC) + 1 :].partition(b"\0")[0].decode(errors="replace")
        why = (said or [str(error).partition("\n")[0]])[0]
        raise UnreadableArtifact(f"cannot read its {version} module: {why}") from None
    sink = io.BytesIO()
    module.operation.write_bytecode(sink)
    return sink.getvalue()


def _parse_hlo(data: bytes) -> bytes:
    from jaxlib import _hlo  # pyright: ignore[reportAttributeAccessIssue]

    try:
        return _hlo.hlo_module_from_text(data.decode(errors="replace")).as_serialized_hlo_module_proto()
    except Exception as error:  # XlaRuntimeError is no class that can be imported without JAX
        raise UnreadableArtifact(f"XLA cannot parse its HLO: {str(error).partition(chr(10))[0]}") from None


def _from_hlo(proto: bytes) -> bytes:
    from jaxlib import _jax  # pyright: ignore[reportAttributeAccessIssue]

    first: Exception | None = None
    inner = _unwrapped(proto)
    # The first field of a module is its name, so that what begins like a message is one: XLA writes to standard error
    # when it is given the other.
    wrapped = inner is not None and inner.startswith(b"\x0a")
    for candidate in (inner, proto) if wrapped else (proto, inner):
        if candidate is not None:
            try:
                return _jax.mlir.hlo_to_stablehlo(candidate)
            except Exception as error:
                first = first or error
    raise UnreadableArtifact(f"XLA cannot convert its HLO to StableHLO: {str(first).partition(chr(10))[0]}")


def _unwrapped(proto: bytes) -> bytes | None:
    """The HloModuleProto in an HloProto, its first field."""
    if proto[:1] != b"\x0a":
        return None
    length, shift, at = 0, 0, 1
    while at < len(proto):
        byte = proto[at]
        length |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            break
    inner = proto[at : at + length]
    return inner if inner and len(inner) == length else None
