"""The level of Pallas kernels: a kernel's jaxpr is imported, verified, rewritten, and given back.

Called at the entry of `lower_jaxpr_to_module` of Pallas Mosaic GPU. A kernel that does not use the
tensor core of Blackwell is not imported at all.
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

from mosaic_verify.ir.context import thread_context
from mosaic_verify.jax_hook import level_passes
from mosaic_verify.jax_hook.importer.description import describe
from mosaic_verify.jax_hook.importer.kernel import KernelImporter
from mosaic_verify.jax_hook.importer.scopes import Imported
from mosaic_verify.jax_hook.kernel_records import record_of
from mosaic_verify.jax_hook.lowering import Lowering, guarded

NAME = "plgpu"
_PREFIXES = ("plgpu-",)


def process(jaxpr: Any, *, lowering: Lowering, arguments: dict[str, Any]) -> Any:
    """Verifies a kernel and, in the modes that do so, rewrites it.

    Args:
      jaxpr: what `lower_jaxpr_to_module` was called with.
      lowering: takes the findings.
      arguments: the other arguments of that call, by name.

    Returns:
      The jaxpr to lower: `jaxpr` itself when nothing was rewritten.
    """
    record = record_of(jaxpr)
    if not record.worth_importing:
        return jaxpr
    name, attributes = describe(jaxpr, arguments, lowering.state.arch)
    description = (level_passes.passes(_PREFIXES, True), name, *attributes.items())
    lowering.kernel = (record, description, arguments["params"])
    if description in record.clean:
        lowering.verified.add(NAME)
        return jaxpr
    imported = _import(jaxpr, arguments, name, attributes)
    lowering.engine.level = NAME
    found = level_passes.remembered_findings(lowering, imported.module.operation, _PREFIXES, NAME)
    if not found and NAME in lowering.verified:
        record.found_nothing(description)
    if lowering.state.rewrites and level_passes.is_suspicious(found):
        done = len(lowering.report.rewrites)
        rewritten = guarded(NAME, _rewrite, lowering, imported)
        if rewritten is not None:
            jaxpr = rewritten
            lowering.kernel = (record_of(jaxpr), description, arguments["params"])
        elif len(lowering.report.rewrites) > done:
            # JAX lowers what it was given: the report is about that.
            del lowering.report.rewrites[done:]
            imported = _import(jaxpr, arguments, name, attributes)
        found = level_passes.remembered_findings(lowering, imported.module.operation, _PREFIXES, NAME)
    level_passes.report(lowering, found, NAME)
    return jaxpr


def _rewrite(lowering: Lowering, imported: Imported) -> Any:
    """The jaxpr behind the rewrites; None when there were none."""
    from mosaic_verify.jax_hook.exporter import export_kernel, take_snapshot

    root = imported.module.operation
    snapshot = take_snapshot(root)
    done = len(lowering.report.rewrites)
    level_passes.rewrite(lowering, root, _PREFIXES, NAME)
    return export_kernel(imported, snapshot) if len(lowering.report.rewrites) > done else None


def import_kernel(jaxpr: Any, arguments: dict[str, Any], *, arch: str | None = None) -> Imported:
    """The module of a kernel, in this thread's context. `arguments` are those of `lower_jaxpr_to_module`."""
    return _import(jaxpr, arguments, *describe(jaxpr, arguments, arch))


def _import(jaxpr: Any, arguments: dict[str, Any], name: str, attributes: dict[str, Any]) -> Imported:
    context = thread_context()
    with context, ir.Location.unknown():
        return KernelImporter(context).run(jaxpr, name, attributes, arguments.get("outer_traceback"))
