"""Primitives that are not imported by a general scheme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.jax_hook.importer import allocations
from mosaic_verify.jax_hook.importer.equations import EquationImporter
from mosaic_verify.jax_hook.importer.forms import slot_of
from mosaic_verify.jax_hook.importer.pallas import open_jaxpr, transform_kinds
from mosaic_verify.jax_hook.importer.scopes import Scope


class SpecialImporter(EquationImporter):
    """Imports `run_scoped`, the bodies of pipelines, and what tells about indices."""

    _HANDLED = frozenset(("axis_index", "jaxpr_call", "multiple_of", "run_scoped"))

    def _run_scoped(
        self, scope: Scope, position: int, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint
    ) -> Sequence[ir.Value]:
        emitter, params = self._emitter, eqn.params
        jaxpr = open_jaxpr(params["jaxpr"])
        axes = emitter.plain(params.get("collective_axes"))
        attributes: dict[str, ir.Attribute] = {"eqn": emitter.integer(number)}
        if axes is not None:
            attributes["collective_axes"] = axes
        op = emitter.op("run_scoped", self._results(eqn), [], attributes, loc, ip, 1)
        passed = list(zip(jaxpr.constvars, eqn.invars, strict=True))
        child = Scope(params["jaxpr"], "jaxpr", passed, allocates=number)
        scope.children[position] = [child]
        block = op.regions[0].blocks.append()
        inside = ir.InsertionPoint(block)
        for var, atom in passed:
            child.values[var] = self._read(atom)
        where = allocations.source_location(emitter, jaxpr.debug_info) or loc
        names = allocations.argument_names(jaxpr.debug_info, len(jaxpr.invars))
        transforms = params.get("ref_transforms") or ((),) * len(jaxpr.invars)
        for var, name, of_ref in zip(jaxpr.invars, names, transforms, strict=True):
            made = allocations.allocation_attributes(emitter, var.aval, of_ref, name)
            made["eqn"] = attributes["eqn"]
            alloc = emitter.op("alloc", [emitter.type_of(var.aval)], [], made, where, inside)
            child.values[var] = alloc.results[0]
        self._body(child, jaxpr, block, yields=True)
        return op.results

    def _jaxpr_call(
        self, scope: Scope, position: int, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint
    ) -> Sequence[ir.Value]:
        """The body of a pipelined kernel (JAX 0.10), called with refs that were indexed for one step."""
        emitter, params = self._emitter, eqn.params
        jaxpr = open_jaxpr(params["jaxpr"])
        op = emitter.op("primitive", self._results(eqn), [], {"name": emitter.string("jaxpr_call")}, loc, ip, 1)
        child = Scope(params["jaxpr"], "jaxpr")
        scope.children[position] = [child]
        at = 0
        for var, tree in zip(jaxpr.invars, params["ref_treedefs"], strict=True):
            leaves, at = eqn.invars[at : at + tree.num_leaves], at + tree.num_leaves
            ref = tree.unflatten(leaves)
            ref, transforms = ref if isinstance(ref, tuple) else (ref, ())
            before = ir.InsertionPoint(op)
            value = self._transforms.chain(self._read(ref), ref.aval, slot_of(ref, transforms), loc, before)
            if value.type != emitter.type_of(var.aval):
                # The body lays its own view of the tiles on the memory.
                value = self._transforms.static(value, None, _undone(transforms), loc, before)
            child.values[var] = value
        block = op.regions[0].blocks.append()
        self._constants(child, block)
        self._body(child, jaxpr, block, yields=True)
        return op.results

    def _axis_index(
        self, scope: Scope, position: int, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint
    ) -> Sequence[ir.Value]:
        name = eqn.params.get("axis_name")
        if not isinstance(name, (str, tuple, list)):
            name = "<unnamed>"  # warps: their axis is a bare object, whose text differs from run to run
        axis = self._emitter.plain(name)
        attributes = {"axis": axis} if axis is not None else {}
        return self._emitter.op("axis_index", self._results(eqn), [], attributes, loc, ip).results

    def _multiple_of(
        self, scope: Scope, position: int, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint
    ) -> Sequence[ir.Value]:
        values = eqn.params["values"]
        attributes = {"values": self._emitter.integers(values if isinstance(values, (tuple, list)) else (values,))}
        return self._emitter.op(
            "multiple_of", self._results(eqn), [self._read(eqn.invars[0])], attributes, loc, ip
        ).results


def _undone(transforms: Sequence[Any]) -> list[Any]:
    """The tiling and swizzle that `transforms` took away."""
    kinds = transform_kinds()
    undone = [t for t in transforms if kinds.get(type(t)) in ("untile", "unswizzle")]
    return [transform.undo(None) for transform in reversed(undone)]
