"""What a jaxpr computes, as a value that can be compared: all but where it was written and how it was named."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from mosaic_verify.jax_hook.jaxprs import holds_no_jaxpr

# Attributes that `==` of JAX's abstract values does not look at: `AbstractRef.__eq__` in `jax/_src/state/types.py`,
# inherited by `AbstractTMEMRef` in `jax/_src/pallas/mosaic_gpu/core.py` (JAX 0.10.2 and 0.12).
_ABSTRACT_VALUES: dict[str, tuple[str, ...]] = {
    "ShapedArray": (),
    "AbstractRef": ("kind",),
    "AbstractTMEMRef": ("kind", "layout", "collective"),
    "WGMMAAbstractAccumulatorRef": ("kind",),
}


class _OpaqueError(Exception):
    """Something that cannot be compared by value."""


def fingerprint(jaxpr: Any) -> Hashable | None:
    """Equal only for jaxprs that compute the same; None when the jaxpr holds what cannot be compared.

    About 3 microseconds per equation, a fifth of what an import takes. Types of results are left out: primitives,
    operands and parameters decide them. So are the values of captured constants, which no import reads.
    """
    try:
        found = _jaxpr(jaxpr)
        hash(found)
    except (_OpaqueError, TypeError, KeyError):
        return None
    return found


def _jaxpr(jaxpr: Any) -> tuple[Hashable, ...]:
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    numbers: dict[Any, int] = {}
    inputs = [*jaxpr.constvars, *jaxpr.invars]
    rows: list[Hashable] = [len(jaxpr.constvars), *[_abstract_value(variable.aval) for variable in inputs]]
    for variable in inputs:
        numbers[variable] = len(numbers)
    for eqn in jaxpr.eqns:
        row: list[Hashable] = [eqn.primitive.name, len(eqn.outvars)]
        for atom in eqn.invars:
            row.append(_literal(atom) if hasattr(atom, "val") else numbers[atom])
        for key, value in eqn.params.items():
            row.append(key)
            row.append(value if type(value) in holds_no_jaxpr else _parameter(value))
        for variable in eqn.outvars:
            numbers[variable] = len(numbers)
        rows.append(tuple(row))
    rows.append(tuple(_literal(atom) if hasattr(atom, "val") else numbers[atom] for atom in jaxpr.outvars))
    return tuple(rows)


def _parameter(value: Any) -> Hashable:
    if hasattr(value, "eqns") or hasattr(getattr(value, "jaxpr", None), "eqns"):
        return _jaxpr(value)
    if isinstance(value, (tuple, list)):
        return tuple([_parameter(item) for item in value])
    return value


def _literal(atom: Any) -> Hashable:
    """A number or a hashable constant, with its type: `1`, `1.0` and `True` are equal in Python."""
    value = atom.val
    if hasattr(value, "item") and not atom.aval.shape:
        value = value.item()
    return type(value), value, atom.aval


def _abstract_value(aval: Any) -> Hashable:
    unseen = _ABSTRACT_VALUES.get(type(aval).__name__)
    if unseen is None:
        raise _OpaqueError
    return aval, *[getattr(aval, name, None) for name in unseen]
