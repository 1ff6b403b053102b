"""From a kernel's jaxpr to a module of the plgpu dialect."""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.jax_hook.importer import allocations
from mosaic_verify.jax_hook.importer.emitter import Emitter
from mosaic_verify.jax_hook.importer.pallas import open_jaxpr
from mosaic_verify.jax_hook.importer.scopes import Imported, Scope
from mosaic_verify.jax_hook.importer.special import SpecialImporter


class KernelImporter(SpecialImporter):
    """Imports one kernel into `context`, which must allow unregistered dialects."""

    def __init__(self, context: ir.Context):
        super().__init__(Emitter(context))

    def run(self, jaxpr: Any, name: str, attributes: dict[str, Any], location: Any = None) -> Imported:
        """The module of a kernel. `attributes` are Python values (see `docs/plgpu.md`), `location` is a traceback."""
        emitter = self._emitter
        module = ir.Module.create(emitter.unknown)
        inner = open_jaxpr(jaxpr)
        inputs = [*inner.constvars, *inner.invars]
        types = [emitter.type_of(var.aval) for var in inputs]
        function_type = ir.FunctionType.get(types, [], emitter.context)
        loc = emitter.location(location)
        function = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": emitter.string(name),
                "function_type": ir.TypeAttr.get(function_type, emitter.context),
                **{f"plgpu.{key}": value for key, value in self._function_attributes(attributes).items()},
            },
            regions=1,
            loc=loc,
            ip=ir.InsertionPoint(module.body),
        )
        names = ["", *[""] * (len(inner.constvars) - 1)] if inner.constvars else []
        names += allocations.argument_names(inner.debug_info, len(inner.invars))
        if any(names):
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [
                    ir.DictAttr.get({"plgpu.name": emitter.string(name)} if name else {}, emitter.context)
                    for name in names
                ],
                emitter.context,
            )
        block = function.regions[0].blocks.append(*types, arg_locs=[loc] * len(types))
        root = Scope(jaxpr, "")
        root.values.update(zip(inputs, block.arguments, strict=True))
        self._body(root, inner, block)
        ir.Operation.create("func.return", loc=emitter.unknown, ip=ir.InsertionPoint(block))
        emitter.finish(block)
        return Imported(module, root)

    def _function_attributes(self, attributes: dict[str, Any]) -> dict[str, ir.Attribute]:
        made = {}
        for key, value in attributes.items():
            if isinstance(value, tuple) and value and all(isinstance(item, int) for item in value):
                made[key] = self._emitter.integers(value)
            elif (attribute := self._emitter.plain(value)) is not None:
                made[key] = attribute
        return made
