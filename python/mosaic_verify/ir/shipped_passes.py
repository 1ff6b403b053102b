"""C++ passes that jaxlib ships."""

from __future__ import annotations

from jaxlib.mlir import ir, passmanager

# The bindings cannot enumerate the registry, so these names are asked for one by one.
SUMMARIES = {
    "canonicalize": "Canonicalize operations",
    "composite-fixed-point-pass": "Run a pipeline until the IR no longer changes",
    "cse": "Eliminate common sub-expressions",
    "generate-runtime-verification": "Generate additional runtime op verification checks",
    "inline": "Inline function calls",
    "loop-invariant-code-motion": "Hoist loop invariant instructions outside of the loop",
    "mem2reg": "Promote memory slots into values",
    "mosaic_gpu-serde": "Serialize or deserialize a Mosaic GPU module with a stable version",
    "print-ir": "Print the IR on the error stream",
    "print-op-stats": "Print statistics of operations",
    "remove-dead-values": "Remove dead values",
    "sccp": "Propagate constants sparsely along control flow",
    "sdy-propagation-pipeline": "Run Shardy's sharding propagation",
    "snapshot-op-locations": "Generate new locations from the current IR",
    "sroa": "Replace aggregates by scalars",
    "strip-debuginfo": "Strip debug info from all operations",
    "symbol-dce": "Eliminate dead symbols",
    "symbol-privatize": "Mark symbols private",
    "topological-sort": "Sort regions without SSA dominance in topological order",
    "view-op-graph": "Print a Graphviz visualization of an operation",
    "chlo-legalize-to-stablehlo": "Legalize CHLO to StableHLO",
    "stablehlo-aggressive-folder": "Fold StableHLO operations",
    "stablehlo-aggressive-simplification": "Canonicalize StableHLO operations",
    "stablehlo-canonicalize-dynamism": "Replace dynamic StableHLO ops by static ones",
    "stablehlo-convert-to-signless": "Convert the IR to signless types",
    "stablehlo-legalize-to-vhlo": "Legalize StableHLO to VHLO",
    "stablehlo-refine-shapes": "Refine shapes across a StableHLO program",
    "vhlo-legalize-to-stablehlo": "Legalize VHLO to StableHLO",
}


def register_more() -> None:
    """Registers the StableHLO passes, which are not there by default (process-wide, harmless to repeat)."""
    from jaxlib.mlir._mlir_libs import _stablehlo

    _stablehlo.register_stablehlo_passes()


def available(context: ir.Context) -> dict[str, str]:
    """Names and summaries of the shipped passes that this jaxlib has."""
    register_more()
    return {name: summary for name, summary in SUMMARIES.items() if _exists(name, context)}


def _exists(name: str, context: ir.Context) -> bool:
    try:
        passmanager.PassManager.parse(f"any({name})", context)
    except ValueError as error:
        return "does not refer to a registered pass" not in str(error)
    return True
