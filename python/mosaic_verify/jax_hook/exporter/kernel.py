"""Replaces in a kernel's jaxpr what a rewrite has changed. Equations that it has not touched stay the same objects."""

from __future__ import annotations

import operator
from typing import Any

from jax._src import core as jax_core
from jaxlib.mlir import ir

from mosaic_verify.jax_hook.exporter.inserted import equation_of, inserted_ops, with_collective_axis, with_new_effects
from mosaic_verify.jax_hook.exporter.names import Names, Substitution, effects_behind
from mosaic_verify.jax_hook.exporter.snapshot import Snapshot, chain_ops, signature, take_snapshot
from mosaic_verify.jax_hook.exporter.transforms import ExportError, make_aval, make_transform, ref_transforms
from mosaic_verify.jax_hook.importer.forms import FORMS, Slot, join, slot_of, split
from mosaic_verify.jax_hook.importer.pallas import Literal, open_jaxpr
from mosaic_verify.jax_hook.importer.scopes import Imported, Scope

__all__ = ["ExportError", "export_kernel"]


def export_kernel(imported: Imported, before: Snapshot) -> Any:
    """The jaxpr of a kernel behind the rewrites of its module.

    Args:
      before: the module as it was imported.

    Returns:
      The very jaxpr that was imported when nothing has changed.

    Raises:
      ExportError: the module says something that a jaxpr cannot say.
    """
    module = imported.module.operation
    return _Exporter(before, take_snapshot(module), inserted_ops(module)).jaxpr(imported.root, {})


class _Exporter:
    def __init__(self, before: Snapshot, after: Snapshot, inserted: dict[int, list[str]]):
        self._before = before
        self._after = after
        self._inserted = inserted

    def jaxpr(self, scope: Scope, changed: Substitution, renewed: dict[Any, ir.Value] | None = None) -> Any:
        """The jaxpr of a scope; `changed` maps its inputs.

        Args:
          renewed: values of the inputs that come from refs whose ops a rewrite may have replaced.
        """
        jaxpr = open_jaxpr(scope.jaxpr)
        equations: list[Any] = []
        touched = bool(changed)
        names = Names(scope, changed, {**(renewed or {}), **self._allocated(scope)})
        for position, eqn in enumerate(jaxpr.eqns):
            new = self._equation(scope, position, eqn, changed, names, equations)
            for name in self._inserted.get(scope.numbers[position], ()):
                equations.append(equation_of(name, eqn))
                touched = True
            touched = touched or new is not eqn
            equations.append(new)
        if not touched:
            return scope.jaxpr
        inputs = {
            "constvars": [changed.get(var, var) for var in jaxpr.constvars],
            "invars": [changed.get(var, var) for var in jaxpr.invars],
        }
        if getattr(jaxpr, "consts", None) is not None:  # JAX 0.12: values that are attached to the constants
            inputs["consts"] = jaxpr.consts
        rebuilt = jaxpr.replace(
            **inputs,
            eqns=equations,
            effects=with_new_effects(effects_behind(jaxpr.effects, changed), equations),
            debug_info=jaxpr.debug_info,
        )
        return rebuilt if jaxpr is scope.jaxpr else scope.jaxpr.replace(jaxpr=rebuilt)

    def _allocated(self, scope: Scope) -> dict[Any, ir.Value]:
        """Values of scratch refs as they are now: a rewrite may have replaced their ops."""
        if scope.allocates is None:
            return {}
        ops = self._after.alloc_ops.get(scope.allocates, [])
        invars = open_jaxpr(scope.jaxpr).invars
        if len(ops) != len(invars):
            raise ExportError("a scratch ref has been removed")
        return {var: op.results[0] for var, op in zip(invars, ops, strict=True)}

    def _equation(
        self, scope: Scope, position: int, eqn: Any, changed: Substitution, names: Names, equations: list[Any]
    ) -> Any:
        number = scope.numbers[position]
        params, invars = eqn.params, eqn.invars
        children = scope.children.get(position)
        if children:
            params = self._nested(eqn, number, children, changed, names)
        elif self._before.uses.get(number) != self._after.uses.get(number) and eqn.primitive.name in FORMS:
            invars, params = self._uses(eqn, number, names, equations)
        if not children:
            params = with_collective_axis(params, self._after.ops.get(number))
        if changed:
            invars = [changed.get(atom, atom) if not isinstance(atom, Literal) else atom for atom in invars]
        same = len(invars) == len(eqn.invars) and all(map(operator.is_, invars, eqn.invars))
        if same and params is eqn.params:
            return eqn
        return eqn.replace(invars=list(invars), params=params, effects=effects_behind(eqn.effects, changed))

    def _uses(self, eqn: Any, number: int, names: Names, equations: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """An equation some of whose operands have other chains now."""
        op = self._after.ops.get(number)
        if op is None:
            raise ExportError(f"the op of {eqn.primitive.name} has been removed")
        names.source_info = eqn.source_info
        form = FORMS[eqn.primitive.name]
        slots, rest = split(form, eqn.invars, eqn.params)
        operands = iter(op.operands)
        before, after = self._before.uses[number], self._after.uses[number]
        made: list[Slot | None] = []
        index = -1
        for slot in slots:
            if slot is None:
                made.append(None)
                continue
            index += 1
            operand = next(operands)
            if before[index] == after[index]:
                made.append(slot)
                continue
            transforms = self._chain(slot, operand, before[index], names, equations)
            if not transforms and form.operands and slot.tree is None:
                made.append(slot)
                continue
            made.append(slot_of(slot.atom, tuple(transforms), slot.operand))
        return join(form, made, rest, eqn.params)

    def _chain(self, slot: Slot, operand: ir.Value, before: list[Any], names: Names, equations: list[Any]) -> list[Any]:
        """The transforms of one operand, innermost (first applied) first."""
        old = dict(zip(reversed(before), slot.transforms, strict=False))
        base = names.value(slot.atom)
        found: list[Any] = []
        for op in chain_ops(operand):
            if op.results[0] == base:
                break
            known = old.get(signature(op))
            found.append(known if known is not None else make_transform(op, lambda value: names.atom(value, equations)))
            if op.operands[0] == base:
                break
        else:
            if operand != base:
                raise ExportError("the chain of an operand starts at another ref now")
        return list(reversed(found))

    def _nested(
        self, eqn: Any, number: int, children: list[Scope], changed: Substitution, names: Names
    ) -> dict[str, Any]:
        """The parameters of an equation with nested jaxprs."""
        replaced: dict[str, list[tuple[Any, Any]]] = {}
        extra: dict[str, Any] = {}
        for child in children:
            inner: Substitution = {}
            renewed = {var: names.renewed[atom] for var, atom in child.passed if names.is_renewed(atom)}
            for var, atom in child.passed:
                if not isinstance(atom, Literal) and atom in changed:
                    inner[var] = jax_core.Var(changed[atom].aval)
            if child.allocates is not None:
                extra = self._allocations(eqn, child, inner)
            new = self.jaxpr(child, inner, renewed)
            if new is not child.jaxpr:
                replaced.setdefault(child.parameter, []).append((child.jaxpr, new))
        if not replaced and not extra:
            return eqn.params
        params = {**eqn.params, **extra}
        for parameter, pairs in replaced.items():
            value = params[parameter]
            if isinstance(value, (tuple, list)):
                # Branches may share one jaxpr; the scopes come in the order of the branches.
                fresh = [self._by_position(children, parameter, place, item, pairs) for place, item in enumerate(value)]
                params[parameter] = type(value)(fresh)
            else:
                params[parameter] = pairs[0][1]
        return params

    @staticmethod
    def _by_position(children: list[Scope], parameter: str, place: int, item: Any, pairs: list[tuple[Any, Any]]) -> Any:
        scopes = [child for child in children if child.parameter == parameter]
        if place >= len(scopes):
            return item
        return next((new for old, new in pairs if old is scopes[place].jaxpr), item)

    def _allocations(self, eqn: Any, child: Scope, inner: Substitution) -> dict[str, Any]:
        """Notes new variables for changed scratch refs; gives the parameters of `run_scoped` that follow."""
        number = child.allocates
        if number is None:
            return {}
        before, after = self._before.allocations.get(number, []), self._after.allocations.get(number, [])
        if before == after:
            return {}
        invars = open_jaxpr(child.jaxpr).invars
        ops = self._after.alloc_ops.get(number, [])
        if len(ops) != len(invars):
            raise ExportError("a scratch ref has been removed")
        transforms = list(eqn.params.get("ref_transforms") or ((),) * len(invars))
        for place, (var, op, old, new) in enumerate(zip(invars, ops, before, after, strict=True)):
            if old == new:
                continue
            inner[var] = jax_core.Var(make_aval(op, var.aval))
            transforms[place] = ref_transforms(op)
        return {"ref_transforms": tuple(transforms)} if "ref_transforms" in eqn.params else {}
