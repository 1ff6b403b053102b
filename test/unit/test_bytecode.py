"""The frame of bytecode: what is complete, and what is not."""

import io

from jaxlib.mlir import ir

from mosaic_verify.ir.bytecode import is_truncated
from mosaic_verify.ir.context import make_context

TEXT = """
func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %b = stablehlo.constant dense_resource<blob> : tensor<4xi32>
  %c = stablehlo.add %a, %b : tensor<4xi32>
  return %c : tensor<4xi32>
}
{-# dialect_resources: {builtin: {blob: "0x0400000001000000020000000300000004000000"}} #-}
"""


def test_every_cut_is_seen():
    for text in (TEXT, "module {}"):
        buffer = io.BytesIO()
        ir.Module.parse(text, make_context()).operation.write_bytecode(buffer)
        data = buffer.getvalue()
        assert not is_truncated(data) and is_truncated(data + b"\0")
        # What may be missing at the end are sections that not every module has.
        optional = [size for size in range(4, len(data)) if not is_truncated(data[:size])]
        assert all(size > len(data) // 2 for size in optional) and len(optional) <= 2


def test_versions_of_tomorrow_are_not_judged():
    assert not is_truncated(b"ML\xefR\xc7MLIR99.0.0\0")
