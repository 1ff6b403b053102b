"""Architectures of CUDA devices: what a kernel can ask a device for, and how their names are read.

The figures are those of the part that most people have of an architecture; kernels use the number of SMs as their grid
and the shared memory as their budget. Sources: CUDA C++ Programming Guide, table "Technical Specifications per Compute
Capability" (shared memory per block, opt-in), and the vendors' data sheets (SM counts, names).
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True)
class Architecture:
    """One compute capability.

    Attributes:
      major, minor: the compute capability.
      sm_count: number of streaming multiprocessors, `Device.core_count` in JAX.
      shared_memory: bytes of shared memory that one block can opt in to.
      device_kind: name of the device as the driver gives it.
      suffixes: "" (portable), "a" (architecture specific), "f" (family specific): which names the compiler knows.
      name: as the user wrote it, such as "sm_100a".

    A suffix says what code the compiler may emit, not what the device can do. Mosaic GPU is told the compute capability
    alone (the module attributes `mosaic_gpu.arch_major` and `arch_minor`) and chooses the suffix itself, so "sm_100",
    "sm_100a" and "sm_100f" name the same device here and no rule tells them apart.
    """

    major: int
    minor: int
    sm_count: int
    shared_memory: int
    device_kind: str
    suffixes: tuple[str, ...] = ("",)
    name: str = ""

    @property
    def compute_capability(self) -> str:
        """As JAX spells it: "10.0"."""
        return f"{self.major}.{self.minor}"


_SPECIFIC = ("", "a")  # from 9.0 on there are architecture-specific features
_FAMILY = ("", "a", "f")  # from 10.0 on there are family-specific ones too

_TABLE = (
    Architecture(8, 0, 108, 163 * KIB, "NVIDIA A100-SXM4-80GB"),
    Architecture(8, 6, 84, 99 * KIB, "NVIDIA RTX A6000"),
    Architecture(8, 7, 16, 163 * KIB, "Orin"),
    Architecture(8, 9, 142, 99 * KIB, "NVIDIA L40S"),
    Architecture(9, 0, 132, 227 * KIB, "NVIDIA H100 80GB HBM3", _SPECIFIC),
    Architecture(10, 0, 148, 227 * KIB, "NVIDIA B200", _FAMILY),
    Architecture(10, 1, 20, 227 * KIB, "NVIDIA Thor", _FAMILY),  # the name of 11.0 before CUDA 13
    Architecture(10, 3, 148, 227 * KIB, "NVIDIA B300 SXM6 AC", _FAMILY),
    # JAX 0.12 distinguishes 10.7 (`tcgen05.py`, sparsity version 1); the size of that part is taken from 10.3.
    Architecture(10, 7, 148, 227 * KIB, "NVIDIA 10.7", _FAMILY),
    Architecture(11, 0, 20, 227 * KIB, "NVIDIA Thor", _FAMILY),
    Architecture(12, 0, 188, 99 * KIB, "NVIDIA RTX PRO 6000 Blackwell Server Edition", _FAMILY),
    Architecture(12, 1, 48, 99 * KIB, "NVIDIA GB10", _FAMILY),
)

# PTX ISA, "Target ISA Notes" of the tcgen05 instructions: sm_100a, sm_101a (sm_110a from PTX 9.0 on) and sm_103a, and
# their families; 10.7 is the one that JAX 0.12 knows (`tcgen05.py`). Consumer parts (12.x) have no tcgen05.
_TCGEN05 = frozenset(((10, 0), (10, 1), (10, 3), (10, 7), (11, 0)))


def lacks_tcgen05(arch: tuple[int, int]) -> bool:
    """True when devices of this compute capability are known to have neither `tcgen05` nor tensor memory."""
    return arch not in _TCGEN05 and any((entry.major, entry.minor) == arch for entry in _TABLE)


def architecture_names() -> tuple[str, ...]:
    """Every name that `find_architecture` knows, ascending."""
    return tuple(f"sm_{entry.major}{entry.minor}{suffix}" for entry in _TABLE for suffix in entry.suffixes)


def find_architecture(name: str) -> Architecture:
    """The architecture called `sm_<major><minor>[a|f]`.

    Raises:
      ValueError: the name is unknown; the text is one line with all names.
    """
    match = re.fullmatch(r"sm_(\d+)(\d)([af]?)", name) if isinstance(name, str) else None
    if match is not None:
        major, minor, suffix = int(match[1]), int(match[2]), match[3]
        for entry in _TABLE:
            if (entry.major, entry.minor) == (major, minor) and suffix in entry.suffixes:
                return Architecture(
                    major, minor, entry.sm_count, entry.shared_memory, entry.device_kind, entry.suffixes, name
                )
    names = architecture_names()
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise ValueError(f"unknown architecture {name!r}{hint} (known: {', '.join(names)})")
