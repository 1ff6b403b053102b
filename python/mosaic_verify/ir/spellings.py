"""Bytecode with attributes as an older MLIR spelled them."""

from __future__ import annotations

import re

from jaxlib.mlir import ir

_OLD = re.compile(rb"#([a-z_]+)<([a-z_]+) (\w+)>")


def parse_bytecode(data: bytes) -> ir.Module:
    """Reads bytecode in the current context, where need be with enumerations spelled as this jaxlib spells them.

    Attributes without an encoding of their own stand in bytecode as text. jaxlib 0.10 writes `#gpu<dim x>` and
    `#nvvm<shfl_kind idx>` where later ones parse `#gpu.dim<x>` and `#nvvm.shfl_kind<idx>`; 0.11 itself writes the old
    `#gpu<dim x>` into every kernel that `jax.export` serialises, and cannot read it back. Both spellings have one
    length, so that no offset in the bytecode changes.

    Raises:
      ir.MLIRError: this jaxlib cannot read it in either spelling.
    """
    try:
        return ir.Module.parse(data)
    except ir.MLIRError:
        changed = _OLD.sub(_respelled, data)
        if changed == data:
            raise
    return ir.Module.parse(changed)


def _respelled(match: re.Match[bytes]) -> bytes:
    """The new spelling of an attribute if this jaxlib parses that one only, else the text as it was."""
    old = match[0]
    new = b"#%s.%s<%s>" % match.groups()
    return new if _parses(new) and not _parses(old) else old


def _parses(attribute: bytes) -> bool:
    try:
        ir.Attribute.parse(attribute.decode())
    except ir.MLIRError:
        return False
    return True
