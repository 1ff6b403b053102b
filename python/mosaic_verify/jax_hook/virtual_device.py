"""A device that is not there: what a kernel asks its GPU for while it is traced and lowered, answered from a table.

Kernels ask `jax.devices()[0].core_count`, Mosaic GPU asks `compute_capability`, both through different doors. All of
them end at the class `jaxlib._jax.Device`, so that is where the answers are: data descriptors that look into a
`ContextVar`. In other threads, and outside of `virtual_device`, they answer what the device itself would.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from mosaic_verify.jax_hook.policy import warn_once
from mosaic_verify.model.architectures import Architecture

# The CUDA runtime that a virtual device comes with: none of the versions for which kernels have workarounds
# (`attention_mgpu.py`: 12.8.0 to 12.9.1).
CUDA_VERSION = 13000
CUDNN_VERSION = 91200

_ANSWERS: dict[str, Callable[[Architecture], object]] = {
    "core_count": lambda arch: arch.sm_count,
    "compute_capability": lambda arch: arch.compute_capability,
    "device_kind": lambda arch: arch.device_kind,
    "device_vendor": lambda arch: "NVIDIA",
    "shared_memory_per_block_optin": lambda arch: arch.shared_memory,
}
_CUDA_MODULE = "jax._src.lib"
_CUDA_NAME = "cuda_versions"

_present: ContextVar[Architecture | None] = ContextVar("mosaic_verify_virtual_device", default=None)
_lock = threading.RLock()
_users = 0
_replaced: dict[str, Any] = {}


class _Attribute:
    """One attribute of every device; a data descriptor, so that it comes before what the device itself has."""

    def __init__(self, name: str, answer: Callable[[Architecture], object], original: Any):
        self._name = name
        self._answer = answer
        self._original = original

    def __get__(self, device: Any, owner: type | None = None) -> Any:
        if device is None:
            return self
        arch = _present.get()
        if arch is not None:
            return self._answer(arch)
        if self._original is not None:
            return self._original.__get__(device, owner)
        # Python goes on with the class's own `__getattr__`, which serves the attributes that a client gave the device.
        raise AttributeError(f"{type(device).__name__!r} object has no attribute {self._name!r}")

    def __set__(self, device: Any, value: object) -> None:
        raise AttributeError(f"attribute {self._name!r} of {type(device).__name__!r} objects is not writable")


class _CudaVersions:
    """Stands in for JAX's module with CUDA's versions where there is none. Code holds it only while a check runs."""

    def __getattr__(self, name: str) -> Callable[..., int]:
        arch = _present.get()
        if arch is None:  # another thread, for which there is no CUDA
            raise AttributeError(f"'NoneType' object has no attribute {name!r}")
        answers = {
            "cuda_device_count": lambda: 1,
            "cuda_compute_capability": lambda *_: 10 * arch.major + arch.minor,
            "cudnn_get_version": lambda: CUDNN_VERSION,
            "cudnn_build_version": lambda: CUDNN_VERSION,
        }
        if name in answers:
            return answers[name]
        if name.startswith("cuda_") and name.endswith("_version"):
            return lambda: CUDA_VERSION
        raise AttributeError(f"no CUDA version {name!r}")


_cuda_versions = _CudaVersions()


@contextlib.contextmanager
def virtual_device(arch: Architecture | None) -> Iterator[None]:
    """Answers for `arch` in this thread; with None nothing changes."""
    if arch is None:
        yield
        return
    _acquire()
    token = _present.set(arch)
    try:
        yield
    finally:
        _present.reset(token)
        _release()


def _acquire() -> None:
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            _replace_attributes()
        _swap_cuda_versions(None, _cuda_versions)


def _release() -> None:
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            _restore_attributes()
            _swap_cuda_versions(_cuda_versions, None)


def _device_class() -> type | None:
    try:
        return importlib.import_module("jaxlib._jax").Device
    except (ImportError, AttributeError) as error:
        warn_once("moved:device", f"this JAX is not known, there is no virtual device: {error}")
        return None


def _replace_attributes() -> None:
    cls = _device_class()
    if cls is None:
        return
    for name, answer in _ANSWERS.items():
        original = cls.__dict__.get(name)
        try:
            setattr(cls, name, _Attribute(name, answer, original))
        except (AttributeError, TypeError) as error:
            warn_once("moved:device", f"this JAX is not known, devices have their own {name}: {error}")
            continue
        _replaced[name] = original


def _restore_attributes() -> None:
    cls = _device_class()
    for name, original in _replaced.items():
        if original is None:
            delattr(cls, name)
        else:
            setattr(cls, name, original)
    _replaced.clear()


def _swap_cuda_versions(old: object, new: object) -> None:
    """Replaces JAX's module global, and the copies that `from jax._src.lib import cuda_versions` made of it.

    Callers compare it with None, so no object could serve threads with and without a virtual device: it is there for
    all of them while one checks, but answers only in that one.
    """
    home = sys.modules.get(_CUDA_MODULE)
    if home is None or home.__dict__.get(_CUDA_NAME, "") not in (old, new):
        return  # a real CUDA answers, or JAX has no such global
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if type(names) is dict and _CUDA_NAME in names and names[_CUDA_NAME] is old:
            names[_CUDA_NAME] = new
