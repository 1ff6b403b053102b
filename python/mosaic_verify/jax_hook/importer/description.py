"""What the arguments of `lower_jaxpr_to_module` say about a kernel, as attributes of its function."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_NOT_IN_NAMES = re.compile(r"[^\w$.-]")


def describe(jaxpr: Any, arguments: dict[str, Any], arch: str | None) -> tuple[str, dict[str, Any]]:
    """(name, attributes) of a kernel.

    Args:
      arguments: those of `lower_jaxpr_to_module`, by name.
      arch: name of the virtual device's architecture, None for the device that JAX sees.
    """
    params = arguments["params"]
    semantics = getattr(getattr(params, "lowering_semantics", None), "name", "Lane")
    axes = arguments.get("axis_names")
    attributes: dict[str, Any] = {
        "semantics": semantics.lower(),
        "jax": jax_version(),
        "grid": tuple(arguments.get("grid") or ()),
        "grid_names": _names(getattr(axes, "grid", ())),
        "cluster": tuple(arguments.get("cluster") or ()),
        "cluster_names": _names(getattr(axes, "cluster", ())),
    }
    block = arguments.get("block") or ()
    if block and block[0] != 128:
        attributes["num_threads"] = block[0] // 128
    thread = getattr(axes, "wg", None)
    if thread is not None:
        attributes["thread_name"] = str(thread)
    scratch = getattr(params, "reduction_scratch_bytes", None)
    if isinstance(scratch, int):
        attributes["reduction_scratch_bytes"] = scratch
    attributes |= _device(arch)
    source = str(getattr(jaxpr.debug_info, "func_src_info", "") or "")
    return _NOT_IN_NAMES.sub("_", source.split(" at ")[0]) or "kernel", attributes


@cache
def jax_version() -> tuple[int, ...]:
    """Version of the installed JAX, such as (0, 12, 0)."""
    import jax

    return tuple(int(part) for part in jax.__version__.split(".")[:3] if part.isdigit())


def _names(axes: Any) -> tuple[str, ...]:
    return tuple(map(str, axes or ()))


def _device(arch: str | None) -> dict[str, Any]:
    """Architecture and shared memory of the device that the kernel is lowered for, as far as JAX sees one."""
    import jax

    found: dict[str, Any] = {}
    try:
        device = jax.local_devices()[0]
    except RuntimeError:
        return found
    # `_launch` of `jax/experimental/mosaic/gpu/core.py` assumes 227 KiB where there is no such device.
    limit = getattr(device, "shared_memory_per_block_optin", 227 * 1024)
    if isinstance(limit, int):
        found["smem_limit"] = limit
    if arch is not None:
        found["arch"] = arch
        return found
    capability = _capability()
    if capability is not None:
        found["arch"] = f"sm_{capability[0]}{capability[1]}"
        found["arch_assumed"] = not hasattr(device, "compute_capability")
    return found


def _capability() -> tuple[int, int] | None:
    """What JAX lowers for; (9, 0) where it finds no GPU."""
    try:
        from jax.experimental.mosaic.gpu import utils

        major, minor = utils._infer_arch()
        return major, minor
    except Exception:  # JAX 0.10 has no such function; a device may have no CUDA capability
        return None
