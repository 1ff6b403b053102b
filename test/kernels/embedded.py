"""Prints a `stablehlo.custom_call` that carries a small Mosaic GPU kernel, for tests that are written by hand.

    python test/kernels/embedded.py 256x128xf16 128x256xf16 2x2x128x64xi2 256x128xf32 --kinds f16

The kernel holds what a real one shows of its metadata and nothing else: its array arguments as `from_kernel_arg_idx`
casts, and one `tcgen05.mma.sp` per kind. Output of the oldest supported jaxlib can be read by all.
"""

import argparse
import io
import re
import sys

from jaxlib.mlir import ir, passmanager

from mosaic_verify.ir.context import make_context

_STRUCT = "!llvm.struct<(ptr, ptr, i64, array<{0} x i64>, array<{0} x i64>)>"


def kernel_text(arguments, kinds, extra=""):
    """A lowered kernel with array `arguments` such as "2x2x128x64xi2"."""
    lines = []
    for index, shape in enumerate(arguments):
        struct = _STRUCT.format(shape.count("x"))
        lines.append(f"%s{index} = llvm.mlir.undef : {struct}")
        lines.append(
            f"%m{index} = builtin.unrealized_conversion_cast %s{index} : {struct} to memref<{shape}> "
            f"{{mosaic_gpu.from_kernel_arg_idx = {index} : i32}}"
        )
    for kind in kinds:
        lines.append(
            f'llvm.inline_asm has_side_effects "tcgen05.mma.sp.cta_group::1.kind::{kind} [$0];", "r" %d : (i32) -> ()'
        )
    body = "\n    ".join([*lines, extra])
    return f"module {{\n  func.func @kernel(%d: i32) {{\n    {body}\n    return\n  }}\n}}"


def serialize(text):
    """The kernel as JAX stores it: `_run_serde_pass` in `jax/experimental/mosaic/gpu/core.py`."""
    with make_context(unregistered=True), ir.Location.unknown():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse("builtin.module(mosaic_gpu-serde{serialize=true})").run(module.operation)
        sink = io.BytesIO()
        module.operation.write_bytecode(sink, desired_version=0)
    return sink.getvalue()


def escape(data):
    """Bytes as the inside of an MLIR string."""
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)


def config(arguments, kinds, extra=""):
    """The attribute `mhlo.backend_config` of a custom call."""
    return f'{{module = "{escape(serialize(kernel_text(arguments, kinds, extra)))}"}}'


_PLACEHOLDER = re.compile(r"KERNEL\(([\w ]*); ([\w, ]+)(?:; ([^\n]*?))?\)(?=[,}])")


def expand(text):
    """Replaces `KERNEL(f16; 1x2x128x64xi2, 128x128xf32)`: kinds of the sparse MMAs, arguments, further ops if any."""

    def made(match):
        return config([part.strip() for part in match[2].split(",")], match[1].split(), match[3] or "")

    return _PLACEHOLDER.sub(made, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("arguments", nargs="*", help="array arguments of the kernel, such as 2x2x128x64xi2")
    parser.add_argument("--kinds", nargs="*", default=["f16"], help="kind:: of each sparse MMA")
    parser.add_argument("--extra", default="", help="further ops of the kernel; %%m0 is its first argument")
    parser.add_argument("--expand", metavar="FILE", help="print FILE with every KERNEL(...) replaced")
    options = parser.parse_args()
    if options.expand:
        with open(options.expand, encoding="utf-8") as file:
            sys.stdout.write(expand(file.read()))
    else:
        print(config(options.arguments, options.kinds, options.extra))


if __name__ == "__main__":
    main()
