"""Reproducers: a module together with the pipeline that failed on it, as mlir-opt writes and reads them."""

from __future__ import annotations

import re

_PIPELINE = re.compile(r'mlir_reproducer:\s*\{[^}]*?\bpipeline:\s*"((?:[^"\\]|\\.)*)"', re.S)
_VERIFY_EACH = re.compile(r"\bverify_each:\s*(true|false)")


def write_reproducer(module: str, pipeline: str, verify_each: bool) -> str:
    """The text of a reproducer."""
    quoted = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f"{module.rstrip()}\n\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n"
        f'      pipeline: "{quoted}",\n      disable_threading: true,\n'
        f"      verify_each: {str(verify_each).lower()}\n    }}\n  }}\n#-}}\n"
    )


def read_reproducer(text: str) -> tuple[str, bool] | None:
    """The pipeline and `verify_each` of a reproducer; None when the text has none. The bindings' parser drops both."""
    match = _PIPELINE.search(text)
    if match is None:
        return None
    verify = _VERIFY_EACH.search(text, match.start())
    pipeline = re.sub(r"\\(.)", r"\1", match.group(1))
    return pipeline, verify is None or verify.group(1) == "true"
