"""Equations to ops, each nested jaxpr in a region of its op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.jax_hook.importer.emitter import Emitter
from mosaic_verify.jax_hook.importer.forms import FORMS, PLAIN, REDUCTIONS, Form, split
from mosaic_verify.jax_hook.importer.pallas import AbstractRef, Literal, lowerable_primitives, open_jaxpr
from mosaic_verify.jax_hook.importer.regions import Nested, Region, region_of
from mosaic_verify.jax_hook.importer.scopes import Scope
from mosaic_verify.jax_hook.importer.transforms import TransformImporter


class EquationImporter:
    """Imports equations with `emitter`. Subclasses import the primitives in `_HANDLED` (`_run_scoped`, ...)."""

    _HANDLED: frozenset[str] = frozenset()

    def __init__(self, emitter: Emitter):
        self._emitter = emitter
        self._transforms = TransformImporter(emitter, self._read)
        self._scope: Scope = Scope(None, "")
        self._known: set[str] = set(PLAIN)
        self._next = 0

    # Atoms

    def _read(self, atom: Any) -> ir.Value:
        if type(atom) is Literal:
            return self._emitter.constant(atom.val, atom.aval)
        found = self._scope.values.get(atom)
        if found is not None:
            return found
        if not hasattr(atom, "aval"):  # a Python number among the leaves of a transform
            from jax._src import core as jax_core

            return self._emitter.constant(atom, jax_core.typeof(atom))
        raise KeyError(atom)

    # Equations

    def _body(self, scope: Scope, jaxpr: Any, block: ir.Block, yields: bool = False) -> None:
        """The equations of a jaxpr whose inputs have values."""
        outer, self._scope = self._scope, scope
        ip = ir.InsertionPoint(block)
        numbers, values, emitter = scope.numbers, scope.values, self._emitter
        for position, eqn in enumerate(jaxpr.eqns):
            number = self._next
            self._next = number + 1
            numbers.append(number)
            loc = emitter.location(eqn.source_info.traceback)
            name = eqn.primitive.name
            form = FORMS.get(name)
            if form is not None:
                results = self._form(form, eqn, number, loc, ip)
            elif name in self._HANDLED:
                results = getattr(self, f"_{name}")(scope, position, eqn, number, loc, ip)
            else:
                results = self._generic(scope, position, eqn, number, loc, ip)
            for var, value in zip(eqn.outvars, results, strict=True):
                values[var] = value
        if yields:
            emitter.op("yield", [], [self._read(atom) for atom in jaxpr.outvars], None, emitter.unknown, ip)
        self._scope = outer

    def _results(self, eqn: Any) -> list[ir.Type]:
        type_of = self._emitter.type_of
        return [type_of(var.aval) for var in eqn.outvars]

    def _form(self, form: Form, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint) -> Sequence[ir.Value]:
        """An equation whose refs carry transforms."""
        emitter = self._emitter
        try:
            slots, rest = split(form, eqn.invars, eqn.params)
        except Exception:  # parameters that this version packs in another way
            return self._plain(eqn, number, loc, ip)
        operands, sizes = [], []
        chain = self._transforms.chain
        for slot in slots:
            if slot is None:
                sizes.append(0)
                continue
            value = self._read(slot.atom)
            operands.append(value if slot.tree is None else chain(value, slot.atom.aval, slot, loc, ip))
            sizes.append(1)
        operands += [self._read(atom) for atom in rest]
        attributes: dict[str, ir.Attribute] = {"eqn": emitter.integer(number)}
        if form.segments:
            if form.predicate:
                sizes.append(len(rest))
            attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes, emitter.context)
        for key in form.attributes:
            attribute = emitter.plain(eqn.params.get(key))
            if attribute is not None:
                attributes[key] = attribute
        return emitter.op(form.op, self._results(eqn), operands, attributes, loc, ip).results

    def _generic(
        self, scope: Scope, position: int, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint
    ) -> Sequence[ir.Value]:
        """An equation without an op of its own, with or without regions."""
        name = eqn.primitive.name
        if name in self._known:
            return self._plain(eqn, number, loc, ip)
        region = region_of(eqn)
        if region is not None:
            attributes = self._region_attributes(region, eqn)
            operands = [self._read(atom) for atom in region.operands]
            emitter = self._emitter
            op_name = region.op if region.exact else "unknown_primitive"
            op = emitter.op(op_name, self._results(eqn), operands, attributes, loc, ip, len(region.nested))
            for inner, mlir_region in zip(region.nested, op.regions, strict=True):
                self._nested(scope, position, inner, mlir_region)
            return op.results
        if name in lowerable_primitives():
            self._known.add(name)
        return self._plain(eqn, number, loc, ip)

    def _plain(self, eqn: Any, number: int, loc: ir.Location, ip: ir.InsertionPoint) -> Sequence[ir.Value]:
        """An equation whose inputs are passed on as they are.

        Of a primitive that takes no refs, nothing is lost by knowing only that JAX lowers it.
        """
        emitter, name = self._emitter, eqn.primitive.name
        read = self._read
        operands = [read(atom) for atom in eqn.invars]
        attributes: dict[str, ir.Attribute] = {"name": emitter.string(name)}
        known = name in self._known
        if any(isinstance(atom.aval, AbstractRef) for atom in eqn.invars):
            attributes["eqn"] = emitter.integer(number)
            known = name in PLAIN
        op = "unknown_primitive" if not known else "reduce" if name in REDUCTIONS else "primitive"
        return emitter.op(op, self._results(eqn), operands, attributes, loc, ip).results

    def _region_attributes(self, region: Region, eqn: Any) -> dict[str, ir.Attribute]:
        emitter, params, op = self._emitter, eqn.params, region.op
        if not region.exact:
            return {"name": emitter.string(eqn.primitive.name)}
        if op == "scan":
            return {"length": emitter.integer(params["length"]), "num_carry": emitter.integer(region.carry)}
        if op == "core_map":
            mesh = (params.get("meshes") or (params.get("mesh"),))[0]
            warp = "Warp" in type(mesh).__name__
            return {"mesh": emitter.string("warp" if warp else type(mesh).__name__)}
        return {"name": emitter.string(eqn.primitive.name)} if op == "primitive" else {}

    def _nested(self, scope: Scope, position: int, nested: Nested, region: ir.Region) -> None:
        """One nested jaxpr in a region of its own."""
        emitter = self._emitter
        child = Scope(nested.jaxpr, nested.parameter, nested.passed)
        scope.children.setdefault(position, []).append(child)
        types = [emitter.type_of(var.aval) for var in nested.arguments]
        block = region.blocks.append(*types, arg_locs=[emitter.unknown] * len(types))
        values = child.values
        for var, atom in nested.passed:
            values[var] = self._read(atom)
        values.update(zip(nested.arguments, block.arguments, strict=True))
        self._constants(child, block)
        self._body(child, open_jaxpr(nested.jaxpr), block, yields=True)

    def _constants(self, scope: Scope, block: ir.Block) -> None:
        """Arrays that a closed jaxpr carries along."""
        for var in open_jaxpr(scope.jaxpr).constvars:
            if var not in scope.values:
                scope.values[var] = self._emitter.constant(None, var.aval)
