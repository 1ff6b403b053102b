"""The classes of JAX that a kernel's jaxpr is made of, looked up by name. What a version lacks is simply absent."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from jax._src import core as jax_core
from jax._src.state import types as state_types

AbstractRef = state_types.AbstractRef
Literal = jax_core.Literal
ShapedArray = jax_core.ShapedArray

_CORE = "jax._src.pallas.mosaic_gpu.core"
_STATE = "jax._src.state.types"
# (module, class, kind): kinds are the names of ops of the plgpu dialect, without the prefix.
_TRANSFORMS = (
    ("jax._src.state.indexing", "NDIndexer", "slice"),
    (_STATE, "TransposeTransform", "transpose"),
    (_STATE, "ReshapeTransform", "reshape"),
    (_STATE, "BitcastTransform", "bitcast"),
    (_STATE, "MemorySpaceCastTransform", "memory_space_cast"),
    (_STATE, "RefReshaper", "reshape"),
    (_STATE, "RefBitcaster", "bitcast"),
    (_CORE, "TilingTransform", "tile"),
    (_CORE, "UntilingTransform", "untile"),
    (_CORE, "UntileRef", "untile"),
    (_CORE, "SwizzleTransform", "swizzle"),
    (_CORE, "UnswizzleRef", "unswizzle"),
    (_CORE, "CollapseLeadingBatchDimensionsTransform", "collapse_batch"),
    (_CORE, "ExpandLeadingBatchDimensionsTransform", "expand_batch"),
    (_CORE, "IdentityTransform", "identity"),
    (_CORE, "ExtractAliasedRef", "alias"),
    (_CORE, "PeerMemRef", "peer"),
    (_CORE, "MulticastRef", "multicast"),
    (_CORE, "ClusterRefTransform", "cluster_ref"),
    (_CORE, "Im2ColTransform", "im2col"),
)


@cache
def transform_kinds() -> dict[type, str]:
    """The kind of each class of ref transform that this JAX has."""
    found: dict[type, str] = {}
    for module, name, kind in _TRANSFORMS:
        cls = find_class(module, name)
        if cls is not None:
            found[cls] = kind
    return found


@cache
def transform_class(kind: str) -> type:
    """The class of this JAX behind a kind. Raises KeyError when it has none."""
    for cls, known in transform_kinds().items():
        if known == kind:
            return cls
    raise KeyError(kind)


def find_class(module: str, name: str) -> type | None:
    """A class by module and name, None where either is missing."""
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return found if isinstance(found, type) else None


@cache
def lowerable_primitives() -> frozenset[str]:
    """Names of the primitives that Pallas Mosaic GPU of this JAX lowers, in any semantics."""
    try:
        from jax._src.pallas.mosaic_gpu import lowering

        return frozenset(primitive.name for rules in lowering.mosaic_lowering_rules.values() for primitive in rules)
    except (ImportError, AttributeError):
        return frozenset()


def jaxprs_of(params: dict[str, Any]) -> list[tuple[str, Any]]:
    """(parameter, jaxpr) of each nested jaxpr of an equation; tuples of jaxprs give several entries."""
    found = []
    for name, value in params.items():
        if hasattr(value, "eqns"):
            found.append((name, value))
        elif isinstance(value, (tuple, list)):
            found += [(name, item) for item in value if hasattr(item, "eqns")]
    return found


def open_jaxpr(jaxpr: Any) -> Any:
    """The jaxpr inside a closed one (JAX 0.10); the jaxpr itself otherwise."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def inputs_of(jaxpr: Any) -> list[Any]:
    """All input variables, constants first."""
    jaxpr = open_jaxpr(jaxpr)
    return [*jaxpr.constvars, *jaxpr.invars]
