"""The frame of MLIR bytecode, read without MLIR (mlir/docs/BytecodeFormat.md)."""

from __future__ import annotations

MAGIC = b"ML\xefR"
PORTABLE = MAGIC + b"\rStableHLO_v"  # portable StableHLO (VHLO): version 6 and its producer
_NEWEST = 6  # of the versions whose frame is known
_NEEDED = {0, 1, 4}  # kinds of sections that no module is without: strings, dialects, IR


def is_truncated(data: bytes) -> bool:
    """True for bytecode without a section that it needs, or that does not end where its last section does.

    Behind magic, version and producer stand sections: a byte with the kind (top bit: aligned), the length in bytes, and
    where it is aligned the alignment and padding. False for versions that this reader does not know.
    """
    kinds: set[int] = set()
    try:
        version, at = _varint(data, len(MAGIC))
        if version > _NEWEST:
            return False
        at = data.index(0, at) + 1  # the producer's name ends in a zero
        while at < len(data):
            aligned = data[at] & 0x80
            kinds.add(data[at] & 0x7F)
            length, at = _varint(data, at + 1)
            if aligned:
                alignment, at = _varint(data, at)
                at += -at % alignment
            at += length
    except (IndexError, ValueError, ZeroDivisionError):
        return True
    return at != len(data) or not kinds >= _NEEDED


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the offset behind it: the zeros below the lowest set bit of the first byte count what follows it."""
    first = data[at]
    more = 8 if first == 0 else (first & -first).bit_length() - 1
    if at + more >= len(data):
        raise IndexError("the number is cut off")
    value = int.from_bytes(data[at : at + 1 + more], "little")
    return value >> (more + 1) if first else value >> 8, at + 1 + more
