"""Which operand width each metadata argument of a Pallas kernel feeds, told from its jaxpr.

Needed only for kernels whose sparse MMAs multiply operands of several widths; of others the lowered kernel tells it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mosaic_verify.jax_hook.jaxprs import jaxprs_of, nested_jaxprs

_MMA = "tcgen05_mma"
_COPY = "async_copy_sparse_metadata_to_tmem"


def argument_widths(jaxpr: Any, sparse: list[Any]) -> dict[int, int]:
    """Widths in bits by the number of the argument, for kernels that mix 16-bit operands with narrower ones.

    Refs of 2-bit elements that one equation touches, and those that stand for one another inside and outside of a
    nested jaxpr, count as one: what is left apart surely is. An argument that meets MMAs of both kinds is left out; so
    are all arguments when metadata passes through a ref of another type.
    """
    widths = {_bits(eqn.invars[1]) for eqn in sparse}
    if 16 not in widths or len(widths) < 2 or None in widths:
        return {}
    classes = _Classes()
    for eqn in (eqn for part in nested_jaxprs(jaxpr) for eqn in part.eqns):
        refs = _metadata(eqn.invars)
        if eqn.primitive.name == _COPY and len(refs) < 2:
            return {}
        inside = list(jaxprs_of(eqn))
        if not inside:
            classes.join(refs)
        for inner in inside:
            _join_nested(classes, eqn, inner)
    found: dict[Any, set[int | None]] = {}
    for eqn in sparse:
        refs = _metadata(eqn.invars)
        if len(refs) != 1:
            return {}
        found.setdefault(classes.root(refs[0]), set()).add(_bits(eqn.invars[1]))
    result = {}
    for index, variable in enumerate(getattr(jaxpr, "jaxpr", jaxpr).invars):
        met = found.get(classes.root(variable), set()) if _is_metadata(variable) else set()
        if len(met) == 1 and (bits := next(iter(met))) is not None:
            result[index] = bits
    return result


def sparse_mmas(jaxpr: Any) -> list[Any]:
    """The equations that are sparse MMAs."""
    eqns = (eqn for part in nested_jaxprs(jaxpr) for eqn in part.eqns)
    return [eqn for eqn in eqns if eqn.primitive.name == _MMA and eqn.params.get("sparse")]


class _Classes:
    """Disjoint sets of variables."""

    def __init__(self) -> None:
        self._parent: dict[Any, Any] = {}

    def root(self, variable: Any) -> Any:
        while (parent := self._parent.get(variable, variable)) is not variable:
            variable = parent
        return variable

    def join(self, variables: Iterable[Any]) -> None:
        first = None
        for variable in variables:
            if first is None:
                first = self.root(variable)
            else:
                self._parent[self.root(variable)] = first


def _join_nested(classes: _Classes, eqn: Any, inner: Any) -> None:
    """Pairs the refs of an equation with those that its jaxpr begins with, by position; all where it is unclear."""
    outer = _metadata(eqn.invars)
    begins = _metadata((*inner.constvars, *inner.invars))
    for invars in (inner.constvars, inner.invars):
        for operands in (eqn.invars, eqn.invars[1:]):  # behind the index of a branch
            if len(invars) == len(operands) and _same_types(invars, operands):
                for pair in zip(invars, operands, strict=True):
                    if _is_metadata(pair[0]):
                        classes.join(pair)
                return
    if outer and begins:
        classes.join([*outer, *begins])


def _same_types(ones: Iterable[Any], others: Iterable[Any]) -> bool:
    return all(_is_metadata(one) == _is_metadata(other) for one, other in zip(ones, others, strict=True))


def _metadata(variables: Iterable[Any]) -> list[Any]:
    return [variable for variable in variables if _is_metadata(variable)]


def _is_metadata(variable: Any) -> bool:
    """True for a variable (no literal) that is a ref of 2-bit elements."""
    return not hasattr(variable, "val") and _bits(variable) == 2


def _bits(variable: Any) -> int | None:
    from jax import dtypes

    dtype = getattr(variable.aval, "dtype", None)
    try:
        return None if dtype is None else dtypes.itemsize_bits(dtype)
    except (AttributeError, TypeError, ValueError):
        return None
