"""Reading the input and writing the output of `mosaic-verify-opt`."""

from __future__ import annotations

import os
import sys

STANDARD_INPUT = "<stdin>"
DEFAULT_MARKER = "// -----"


class FileError(Exception):
    """A file that cannot be read or written; the text is one line for the user."""


def read_input(path: str) -> bytes:
    """The bytes of a file, or of standard input for "-". Raises FileError."""
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as stream:
            return stream.read()
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        raise FileError(f"cannot open input file '{path}': {_reason(error)}") from None


def split_chunks(data: bytes, marker: str) -> list[tuple[int, bytes]]:
    """The parts between markers (plain substrings, as in mlir-opt), each with the number of its first line."""
    chunks: list[tuple[int, bytes]] = []
    line = 1
    for chunk in data.split(marker.encode()):
        chunks.append((line, chunk))
        line += chunk.count(b"\n")
    return chunks


def write_output(path: str, data: bytes) -> None:
    """Writes a whole file or standard output ("-"). A file is replaced only when all of it could be written.

    Raises:
      FileError: the path cannot be written or the disk is full; a file that was there before is then untouched.
      BrokenPipeError: nobody reads standard output any more.
    """
    try:
        if path == "-":
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"cannot write standard output: {_reason(error)}") from None
    try:
        _replace(os.path.realpath(path), data)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot open output file '{path}': {_reason(error)}") from None


def _replace(path: str, data: bytes) -> None:
    exists = os.path.exists(path)
    if exists and not os.path.isfile(path):  # a directory (an error), a device or a pipe
        with open(path, "wb") as stream:
            stream.write(data)
        return
    if exists and not os.access(path, os.W_OK):
        raise PermissionError(13, os.strerror(13))
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "xb") as stream:
            stream.write(data)
        if exists:
            os.chmod(beside, os.stat(path).st_mode & 0o7777)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
