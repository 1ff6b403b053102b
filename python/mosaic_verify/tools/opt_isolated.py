"""Bytecode in a process of its own: MLIR's reader crashes on some corrupted files, which cannot be caught otherwise."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from mosaic_verify.ir.bytecode import MAGIC
from mosaic_verify.tools.opt_files import FileError

_HEAD = 64  # bytes; the header of an artifact of `jax.export` (a flatbuffer) has zeros among them


def holds_bytecode(path: str) -> bool:
    """Whether a file, or standard input for "-", begins as bytecode does, or as no text does. Nothing is consumed."""
    try:
        if path == "-":
            return _is_binary(sys.stdin.buffer.peek(_HEAD)[:_HEAD])  # pyright: ignore[reportAttributeAccessIssue]
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as stream:
            return _is_binary(stream.read(_HEAD))
    except (OSError, AttributeError):  # AttributeError: a replaced standard input
        return False


def _is_binary(head: bytes) -> bool:
    return head.startswith(MAGIC) or b"\0" in head


def in_own_process(work: Callable[[], int], path: str) -> int:
    """The exit code of `work`, run in a forked process. Raises FileError when it crashed."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = work()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    status = _wait(child)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    name = signal.Signals(os.WTERMSIG(status)).name
    raise FileError(f"{path}:0:0: error: cannot read bytecode: MLIR's reader crashed on it ({name})")


def _wait(child: int) -> int:
    while True:
        try:
            return os.waitpid(child, 0)[1]
        except KeyboardInterrupt:  # the child was interrupted as well, and ends
            continue
