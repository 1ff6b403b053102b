"""What megablox `gmm` and `tgmm` refuse themselves, or let fail deep inside Pallas.

Conditions and texts: `jax/experimental/pallas/ops/tpu/megablox/{gmm,common}.py`, the same in 0.10.2 and 0.12.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.elements import jax_name
from mosaic_verify.model.gmm import TPU_LANES, TPU_ROWS, Array, GroupedMatmul
from mosaic_verify.rules.finding import Finding, FindingNote
from mosaic_verify.rules.registry import check

INTEGERS = tuple(sign + width for sign in ("i", "ui", "si") for width in ("8", "16", "32", "64"))


def _text(array: Array) -> str:
    return (
        "x".join("?" if size is None else str(size) for size in array.shape)
        + ("x" if array.shape else "")
        + array.element
    )


def _shape(shape: tuple[int | None, ...]) -> str:
    """A shape as Python prints it."""
    return (
        "(" + ", ".join("?" if size is None else str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"
    )


@check(GroupedMatmul, "MV401")
def existing_out_element_type(call: GroupedMatmul) -> Iterator[Finding]:
    """gmm compares the types and says so; tgmm fails in the aliasing check of `pallas_call`."""
    out = call.existing_out
    if out is None or call.preferred is None or out.element == call.preferred:
        return
    yield Finding(
        "MV401",
        "Existing output dtype must match preferred_element_type.",
        "existing_out",
        notes=(
            FindingNote("existing_out", f"existing_out is {_text(out)}, preferred_element_type is {call.preferred}"),
            FindingNote(
                "existing_out",
                "casting existing_out rounds its values and the buffer is then no longer updated in place; "
                "another preferred_element_type changes the type of the result",
            ),
        ),
        fixes=(
            f"preferred_element_type=jnp.{jax_name(out.element)}",
            f"existing_out=existing_out.astype(jnp.{jax_name(call.preferred)})",
        ),
    )


@check(GroupedMatmul, "MV416")
def existing_out_shape(call: GroupedMatmul) -> Iterator[Finding]:
    """The output aliases `existing_out`, so that both must have one type."""
    out, wanted = call.existing_out, call.out_shape
    if out is None:
        return
    known = all(size is not None for size in (*out.shape, *wanted))
    if out.rank != len(wanted) or (known and out.shape != wanted):
        yield Finding(
            "MV416",
            f"existing_out must have the shape of the result, {_shape(wanted)}, but has {_shape(out.shape)}",
            "existing_out",
            notes=(FindingNote("", "the result is written into existing_out (input_output_aliases)"),),
        )


@check(GroupedMatmul, "MV404", "MV405")
def operand_ranks(call: GroupedMatmul) -> Iterator[Finding]:
    """`_validate_args`: lhs first, then rhs."""
    if call.lhs.rank != 2:
        yield Finding("MV404", f"Expected 2-tensor for 'lhs' but got {call.lhs.rank}-tensor.", "lhs")
        return
    wanted = 3 if call.kind == "gmm" else 2
    if call.rhs.rank != wanted:
        fixes = ("rhs=rhs[None]",) if wanted == 3 and call.rhs.rank == 2 and call.num_groups == 1 else ()
        yield Finding(
            "MV405", f"Expected {wanted}-tensor for 'rhs' but got {call.rhs.rank}-tensor.", "rhs", fixes=fixes
        )


@check(GroupedMatmul, "MV406")
def operand_element_types(call: GroupedMatmul) -> Iterator[Finding]:
    """`common.assert_is_supported_dtype`."""
    wider = {"f16": "float32", "f8E4M3FN": "bfloat16", "f8E5M2": "bfloat16"}
    for name, array in (("lhs", call.lhs), ("rhs", call.rhs)):
        if array.element not in ("bf16", "f32"):
            fixes = (f"{name}={name}.astype(jnp.{wider[array.element]})",) if array.element in wider else ()
            yield Finding(
                "MV406", f"Expected bfloat16 or float32 array but got {jax_name(array.element)}.", name, fixes=fixes
            )
            return


@check(GroupedMatmul, "MV407", "MV408")
def group_sizes_type(call: GroupedMatmul) -> Iterator[Finding]:
    """Exactly int32, rank 1; another rank fails in `jnp.repeat`."""
    sizes = call.group_sizes
    if sizes is None:
        return
    if sizes.element != "i32":
        yield Finding(
            "MV407",
            f"Expected 32-bit integer 'group_sizes' but got {jax_name(sizes.element)}.",
            "group_sizes",
            fixes=("group_sizes=group_sizes.astype(jnp.int32)",) if sizes.element in INTEGERS else (),
        )
    if sizes.rank != 1:
        yield Finding(
            "MV408",
            f"group_sizes must be a vector with one entry per group, but has shape {_shape(sizes.shape)}",
            "group_sizes",
            fixes=("group_sizes=group_sizes.ravel()",),
        )


@check(GroupedMatmul, "MV402", "MV409")
def group_offset_type(call: GroupedMatmul) -> Iterator[Finding]:
    """gmm checks the shape; tgmm and a wrong type fail in an index map."""
    offset = call.group_offset
    if offset is None:
        return
    if offset.rank:
        fixes = ("group_offset=group_offset.reshape(())",) if offset.shape == (1,) else ()
        shape = _shape(offset.shape)
        yield Finding("MV402", f"group_offset must be a ()-shaped array. Got: {shape}.", "group_offset", fixes=fixes)
    if offset.element not in INTEGERS and not (offset.element == "i1" and _takes_bool(call)):
        yield Finding(
            "MV409",
            f"group_offset must be an integer, but is {offset.element}",
            "group_offset",
            fixes=("group_offset=group_offset.astype(jnp.int32)",),
        )


def _takes_bool(call: GroupedMatmul) -> bool:
    """Index maps take a boolean; `_zero_uninitialized_memory`, which indexes with it, does not."""
    local, groups = call.local_groups, call.num_groups
    return call.kind == "tgmm" or call.existing_out is not None or local is None or groups is None or local >= groups


@check(GroupedMatmul, "MV403", "MV412", "MV413", "MV414")
def tiling(call: GroupedMatmul) -> Iterator[Finding]:
    """(tm, tk, tn), none of them zero; tm divides m."""
    tiles = call.tiling
    if tiles is None:
        return
    if not tiles:
        sizes = ", ".join("?" if size is None else str(size) for size in (call.m, call.k, call.n))
        yield Finding(
            "MV403",
            f"No tuned tiling found for (m, k, n) = ({sizes})",
            "tiling",
            notes=(FindingNote("", "the backward pass asks a tiling function again, with k and n exchanged"),),
            fixes=("tiling=(128, 128, 128)",),
        )
    elif len(tiles) != 3:
        yield Finding("MV412", f"tiling must be (tm, tk, tn), but has {len(tiles)} entries: {_shape(tiles)}", "tiling")
    elif min(tiles) <= 0:
        yield Finding("MV413", f"tiling must be positive, but is {_shape(tiles)}", "tiling")
    elif call.m is not None and call.m % tiles[0]:
        yield Finding(
            "MV414",
            f"{call.m} must be divisible by x-dimension tile size ({tiles[0]}).",
            "tiling",
            notes=(FindingNote("lhs", f"m is {call.m} and tm, the first entry of tiling, is {tiles[0]}"),),
            fixes=(f"pad lhs with {-call.m % tiles[0]} zero rows and drop them from the result",),
        )


@check(GroupedMatmul, "MV415")
def tpu_blocks(call: GroupedMatmul) -> Iterator[Finding]:
    """The TPU lowering of `pallas_call` wants blocks of (8, 128) multiples, or of whole dimensions."""
    tiles = call.tiling
    if call.platform != "tpu" or not tiles or len(tiles) != 3 or min(tiles) <= 0:
        return
    tm, tk, tn = tiles
    # tk is a row size in one block and a lane size in another: the lane size is the stricter limit.
    for name, tile, size, unit in (
        ("tm", tm, call.m, TPU_ROWS),
        ("tk", tk, call.k, TPU_LANES),
        ("tn", tn, call.n, TPU_LANES),
    ):
        if tile % unit and size is not None and tile != size:
            yield Finding(
                "MV415",
                f"{name}={tile} must be a multiple of {unit} on TPU, or all of its dimension ({size})",
                "tiling",
                notes=(FindingNote("", "JAX names the block of the operand, not the tile, in its own message"),),
                fixes=(f"{name}={-(-tile // unit) * unit}",),
            )


@check(GroupedMatmul, "MV417")
def output_element_type(call: GroupedMatmul) -> Iterator[Finding]:
    """The accumulator is float32; the kernel cannot store it as float64."""
    if call.preferred == "f64":
        yield Finding(
            "MV417",
            "preferred_element_type must not be wider than the float32 accumulator, but is float64",
            "preferred",
            fixes=("preferred_element_type=jnp.float32",),
        )
