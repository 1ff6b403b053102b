"""Names in a jaxpr for values of a module, and equations for the values that rewrites have made."""

from __future__ import annotations

from typing import Any

from jax._src import core as jax_core
from jaxlib.mlir import ir

from mosaic_verify.dialects.plgpu import number_of
from mosaic_verify.dialects.plgpu_values import owner
from mosaic_verify.jax_hook.exporter.arithmetic import equation_for
from mosaic_verify.jax_hook.exporter.transforms import ExportError, jax_dtype
from mosaic_verify.jax_hook.importer.pallas import Literal, ShapedArray
from mosaic_verify.jax_hook.importer.scopes import Scope

Substitution = dict[Any, Any]  # variables whose type has changed, to the new ones


class Names:
    """Variables of one jaxpr for values of the module.

    Attributes:
      renewed: values as they are now, of scratch refs that are allocated here or outside.
      source_info: of the equation that is made, for those which have to go in front of it.
    """

    source_info: Any = None

    def __init__(self, scope: Scope, changed: Substitution, renewed: dict[Any, ir.Value]):
        self.renewed = renewed
        self._values = {**scope.values, **renewed}
        self._atoms = {value: var for var, value in self._values.items()}
        self._changed = changed

    def is_renewed(self, atom: Any) -> bool:
        """True for a scratch ref."""
        return not isinstance(atom, Literal) and atom in self.renewed

    def value(self, atom: Any) -> ir.Value | None:
        """The value of a variable."""
        return None if isinstance(atom, Literal) else self._values.get(atom)

    def atom(self, value: ir.Value, equations: list[Any]) -> Any:
        """The variable, or literal, of an index; one that a rewrite has made gets an equation. Raises ExportError."""
        found = self._atoms.get(value)
        if found is not None:
            return self._changed.get(found, found)
        op = owner(value)
        if op is not None and op.name == "plgpu.constant":
            dtype = jax_dtype(value.type)
            return Literal(dtype.type(number_of(op)), ShapedArray((), dtype))
        if op is None or op.name != "plgpu.primitive" or "eqn" in op.attributes:
            raise ExportError("an index comes from where the jaxpr has no name for it")
        new = equation_for(op, [self.atom(operand, equations) for operand in op.operands])
        if self.source_info is not None:
            new = new.replace(source_info=self.source_info)
        equations.append(new)
        self._values[new.outvars[0]] = value
        self._atoms[value] = new.outvars[0]
        return new.outvars[0]


def effects_behind(effects: Any, changed: Substitution) -> Any:
    """Effects on inputs name the variable (JAX 0.12) or its position."""
    if not changed or not any(_input(effect) in changed for effect in effects):
        return effects
    return type(effects)(
        effect.replace(changed[_input(effect)]) if _input(effect) in changed else effect for effect in effects
    )


def _input(effect: Any) -> Any:
    found = getattr(effect, "input", None)
    return found if isinstance(found, jax_core.Var) else None
