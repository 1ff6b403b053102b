"""How the inputs of an equation reach its nested jaxprs: what is passed through unchanged, and what is a loop's own.

A region uses values from outside wherever a jaxpr takes the same value in every run, so a ref keeps one SSA value
through scans, branches, calls and warps. Only what changes (a loop's carry, the refs of `run_state`) is a block
argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mosaic_verify.jax_hook.importer.pallas import AbstractRef, inputs_of, jaxprs_of, open_jaxpr


class Nested(NamedTuple):
    """One nested jaxpr of an equation.

    Attributes:
      parameter: name of the parameter that holds it (several jaxprs may share one, as the branches of a cond).
      jaxpr: as the parameter has it (closed or open).
      passed: (inner variable, atom of the equation) for inputs that are passed through.
      arguments: inner variables that become block arguments.
    """

    parameter: str
    jaxpr: Any
    passed: list[tuple[Any, Any]]
    arguments: list[Any]


class Region(NamedTuple):
    """An equation with regions.

    Attributes:
      op: name of the op, without the dialect's prefix.
      operands: atoms that the op itself takes.
      nested: one per region.
      exact: False when it is not known how the inputs reach the jaxprs.
      carry: for a scan, how many of the block arguments are carried from step to step.
    """

    op: str
    operands: list[Any]
    nested: list[Nested]
    exact: bool = True
    carry: int = 0


def region_of(eqn: Any) -> Region | None:
    """The regions of an equation, None when it has no nested jaxpr. Not for `run_scoped` and `jaxpr_call`."""
    name = eqn.primitive.name
    special = _SPECIAL.get(name)
    if special is not None:
        try:
            return special(eqn)
        except (AttributeError, KeyError, TypeError, ValueError):  # a version that packs them in another way
            return _unknown(eqn, jaxprs_of(eqn.params))
    jaxprs = jaxprs_of(eqn.params)
    if not jaxprs:
        return None
    if name in _CALLS:
        return _call(eqn, jaxprs)
    return _unknown(eqn, jaxprs)


def _scan(eqn: Any) -> Region:
    params, invars = eqn.params, eqn.invars
    jaxpr = open_jaxpr(params["jaxpr"])
    consts, carry = scan_sizes(params)
    passed = list(zip(jaxpr.invars[:consts], invars[:consts], strict=True))
    nested = Nested("jaxpr", params["jaxpr"], passed, jaxpr.invars[consts:])
    return Region("scan", invars[consts:], [nested], carry=carry)


def scan_sizes(params: dict[str, Any]) -> tuple[int, int]:
    """(constants, carry) of a scan: numbers in JAX 0.10, groups of inputs in JAX 0.12."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = (len(group) for group in params["ft_in"].unpack())
    return consts, carry


def _while(eqn: Any) -> Region:
    params, invars = eqn.params, eqn.invars
    cond, body = open_jaxpr(params["cond_jaxpr"]), open_jaxpr(params["body_jaxpr"])
    first, second = params["cond_nconsts"], params["body_nconsts"]
    carry = invars[first + second :]
    of_cond = list(zip(cond.invars[:first], invars[:first], strict=True))
    of_body = list(zip(body.invars[:second], invars[first : first + second], strict=True))
    return Region(
        "while",
        carry,
        [
            Nested("cond_jaxpr", params["cond_jaxpr"], of_cond, cond.invars[first:]),
            Nested("body_jaxpr", params["body_jaxpr"], of_body, body.invars[second:]),
        ],
    )


def _cond(eqn: Any) -> Region:
    index, *rest = eqn.invars
    nested = [
        Nested("branches", branch, list(zip(open_jaxpr(branch).invars, rest, strict=True)), [])
        for branch in eqn.params["branches"]
    ]
    return Region("cond", [index], nested)


def _run_state(eqn: Any) -> Region:
    jaxpr = eqn.params["jaxpr"]
    return Region("primitive", eqn.invars, [Nested("jaxpr", jaxpr, [], inputs_of(jaxpr))])


def _call(eqn: Any, jaxprs: Sequence[tuple[str, Any]]) -> Region:
    """A call: every jaxpr runs once with the inputs of the equation."""
    nested = []
    for parameter, jaxpr in jaxprs:
        inner = _without_constants(jaxpr)
        if len(inner) != len(eqn.invars):
            return _unknown(eqn, jaxprs)
        nested.append(Nested(parameter, jaxpr, list(zip(inner, eqn.invars, strict=True)), []))
    return Region("primitive", [], nested)


def _warp_map(eqn: Any) -> Region:
    return _call(eqn, jaxprs_of(eqn.params))._replace(op="core_map")


def _unknown(eqn: Any, jaxprs: Sequence[tuple[str, Any]]) -> Region:
    """Refs cannot be computed: one whose type occurs at the same place of both lists is passed through."""
    nested, exact = [], True
    for parameter, jaxpr in jaxprs:
        inner = _without_constants(jaxpr)
        fits = len(inner) == len(eqn.invars)
        passed, arguments = [], []
        for position, var in enumerate(inner):
            if fits and isinstance(var.aval, AbstractRef) and var.aval == eqn.invars[position].aval:
                passed.append((var, eqn.invars[position]))
            else:
                arguments.append(var)
                exact = exact and not isinstance(var.aval, AbstractRef)
        nested.append(Nested(parameter, jaxpr, passed, arguments))
    return Region("primitive", eqn.invars, nested, exact)


def _without_constants(jaxpr: Any) -> list[Any]:
    """Input variables, without those of a closed jaxpr that have values attached."""
    consts = getattr(jaxpr, "consts", None) or []
    inner = inputs_of(jaxpr)
    return inner[len(consts) :]


_SPECIAL = {
    "scan": _scan,
    "while": _while,
    "cond": _cond,
    "run_state": _run_state,
    "core_map": _warp_map,
    "mpmd_map": _warp_map,
}
_CALLS = frozenset(
    (
        "checkpoint",
        "closed_call",
        "core_call",
        "custom_jvp_call",
        "custom_vjp_call",
        "custom_vjp_call_jaxpr",
        "eval_jaxpr",
        "jit",
        "pjit",
        "remat",
        "remat2",
    )
)
