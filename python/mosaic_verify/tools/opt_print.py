"""The output of `mosaic-verify-opt` as text or bytecode."""

from __future__ import annotations

import io
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.ir.parse import BUFFER
from mosaic_verify.tools.opt_flags import TOOL, CommandLine, UsageError


def asm_options(line: CommandLine) -> dict[str, Any]:
    """Arguments of `Operation.get_asm` from the printing flags. Raises UsageError for a number that is none."""
    if line.number("emit-bytecode-version") is not None and not line.on("emit-bytecode"):
        raise UsageError(f"{TOOL}: bytecode version can only be set with --emit-bytecode")
    return {
        "large_elements_limit": line.number("mlir-elide-elementsattrs-if-larger"),
        "large_resource_limit": line.number("mlir-elide-resource-strings-if-larger"),
        "enable_debug_info": line.on("mlir-print-debuginfo") or line.on("mlir-pretty-debuginfo"),
        "pretty_debug_info": line.on("mlir-pretty-debuginfo"),
        "print_generic_op_form": line.on("mlir-print-op-generic"),
        "use_local_scope": line.on("mlir-print-local-scope"),
        "use_name_loc_as_prefix": line.on("mlir-use-nameloc-as-prefix"),
        "skip_regions": line.on("mlir-print-skip-regions"),
    }


def print_module(root: ir.Operation, line: CommandLine, buffer_name: str | None, verified: bool) -> bytes:
    """The output for one module, text with the empty line that mlir-opt puts behind it.

    Args:
      buffer_name: what to call the buffer in printed locations; None where locations name the file already.
      verified: the module is known to be valid, so the printer need not verify it.
    """
    if line.on("emit-bytecode"):
        sink = io.BytesIO()
        root.write_bytecode(sink, desired_version=line.number("emit-bytecode-version"))
        return sink.getvalue()
    text = root.get_asm(
        binary=True, assume_verified=verified or line.on("mlir-print-assume-verified"), **asm_options(line)
    )
    assert isinstance(text, bytes)
    if buffer_name is not None and line.on("mlir-print-debuginfo"):
        quoted = buffer_name.replace("\\", "\\5C").replace('"', "\\22")
        text = text.replace(f'loc("{BUFFER}":'.encode(), f'loc("{quoted}":'.encode())
    return text if text.endswith(b"\n\n") else text.rstrip(b"\n") + b"\n\n"
