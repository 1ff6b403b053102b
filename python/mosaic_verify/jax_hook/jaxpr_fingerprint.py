"""What a jaxpr computes, as a value that can be compared: all but where it was written and how it was named."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Any

from mosaic_verify.jax_hook.importer.pallas import AbstractRef
from mosaic_verify.jax_hook.jaxprs import is_jaxpr

# Attributes that `==` of JAX's abstract values does not look at: `AbstractRef.__eq__` in `jax/_src/state/types.py`,
# inherited by `AbstractTMEMRef` and `AbstractRefUnion` in `jax/_src/pallas/mosaic_gpu/core.py` (JAX 0.10.2 and 0.12;
# that of unions compares their members in 0.12).
_ABSTRACT_VALUES: dict[str, tuple[str, ...]] = {
    "ShapedArray": (),
    "AbstractRef": ("kind",),
    "AbstractRefUnion": ("kind", "refs"),
    "AbstractTMEMRef": ("kind", "layout", "collective"),
    "WGMMAAbstractAccumulatorRef": ("kind",),
}

_values: set[type] = set()  # of parameters that are compared as they are: most of them, and asking takes longer


class _OpaqueError(Exception):
    """Something that cannot be compared by value."""


def fingerprint(jaxpr: Any) -> Hashable | None:
    """Equal only for jaxprs that compute the same; None when the jaxpr holds what cannot be compared, or not be kept.

    About 3 microseconds per equation, a fifth of what an import takes. Types of results are left out: primitives,
    operands and parameters decide them. So are the values of captured constants, which no import reads.
    """
    try:
        found = _jaxpr(jaxpr)
        hash(found)
    except (_OpaqueError, AttributeError, KeyError, TypeError, ValueError):  # also raised by parameters, when hashed
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
            row.append(value if type(value) in _values else _parameter(value))
        for variable in eqn.outvars:
            numbers[variable] = len(numbers)
        rows.append(tuple(row))
    rows.append(tuple(_literal(atom) if hasattr(atom, "val") else numbers[atom] for atom in jaxpr.outvars))
    return tuple(rows)


def _parameter(value: Any) -> Hashable:
    if is_jaxpr(value):
        return _jaxpr(value)
    if isinstance(value, (tuple, list)):
        return tuple([item if type(item) in _values else _parameter(item) for item in value])
    if isinstance(value, AbstractRef):  # among the members of a union
        return _abstract_value(value)
    if _is_function(value):
        raise _OpaqueError
    if not callable(value) and not hasattr(value, "jaxpr"):  # one that is None here may be a jaxpr elsewhere
        _values.add(type(value))
    return value


def _is_function(value: Any) -> bool:
    """True for what runs a user's code, and keeps alive all that this code captured; a fingerprint must not."""
    if callable(value):
        return not isinstance(value, (type, Enum)) and type(value).__name__ != "Mesh"  # meshes decorate functions
    return hasattr(value, "call_wrapped")  # `WrappedFun` in `jax/_src/linear_util.py`


def _literal(atom: Any) -> Hashable:
    """A number or a hashable constant, with what `==` does not tell: `1` equals `True`, and zeros of both signs."""
    value = atom.val
    if hasattr(value, "item") and not atom.aval.shape:
        value = value.item()
    return type(value), repr(value) if isinstance(value, (float, complex)) else value, atom.aval


def _abstract_value(aval: Any) -> Hashable:
    unseen = _ABSTRACT_VALUES.get(type(aval).__name__)
    if unseen is None:
        raise _OpaqueError
    if not unseen:
        return aval
    values = [getattr(aval, name, None) for name in unseen]
    return aval, *[value if type(value) in _values else _parameter(value) for value in values]
