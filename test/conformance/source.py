"""The program of a generated kernel, as Python text: what is compared is what a report prints.

A kernel loads its metadata, copies it and issues one MMA, on A and B that nobody filled: what JAX then says is about
these ops. The text works with the JAX that it was made with, 0.10.2 or newer.
"""

from __future__ import annotations

import inspect
import re
import textwrap

import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

from .options import Options, Shape

_PARAMETERS = inspect.signature(plgpu.kernel).parameters
_OUT = "out_type" if "out_type" in _PARAMETERS else "out_shape"
_SCRATCH = "scratch_types" if "scratch_types" in _PARAMETERS else "scratch_shapes"
_LAYOUTS = {
    "sparse": "layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT",
    "scales": "layout=plgpu.TMEMLayout.SCALES_LAYOUT",
    "unpacked": "packed=False",
    "packed": "packed=True",
}
_INDEX = re.compile(r"\bi\b")  # the index of the grid
_TILES = "tiles_gmem"
_HEADER = """\
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
"""


def bits(dtype: str) -> int:
    """Width of a JAX dtype."""
    return jnp.finfo(dtype).bits if jnp.issubdtype(jnp.dtype(dtype), jnp.floating) else jnp.iinfo(dtype).bits


def is_float(dtype: str) -> bool:
    """True for every floating-point type that JAX knows."""
    return bool(jnp.issubdtype(jnp.dtype(dtype), jnp.floating))


def accumulator(o: Options) -> str:
    """Element type of the accumulator."""
    return o.acc_dtype or ("float32" if is_float(o.a_dtype) else "int32")


def tiles_dtype(o: Options) -> str:
    """Element type of the SMEM ref of the metadata copy."""
    return o.tiles_dtype or o.metadata_dtype


def source(o: Options) -> str:
    """The whole text; it defines `program()`, which declares the refs and calls the kernel."""
    return f"{_HEADER}\n\ndef program({_TILES if o.filled else ''}):\n{textwrap.indent(_kernel(o), '    ')}"


def script(o: Options) -> str:
    """The program with its last lines: anyone can run it and see what JAX and what `mosaic_verify` say."""
    arch = f", arch={o.arch!r}" if o.arch else ""
    shapes = f"jax.ShapeDtypeStruct({o.tiles_shape}, jnp.{tiles_dtype(o)})" if o.filled else ""
    return f"""{source(o)}

if __name__ == "__main__":
    import mosaic_verify as mv

    report = mv.check({", ".join(filter(None, ("program", shapes)))}{arch})
    print(*report.diagnostics, repr(report.error), sep="\\n")
    jax.jit(program).trace({shapes}).lower(lowering_platforms=("cuda",))
"""


def _kernel(o: Options) -> str:
    refs = _refs(o)
    inside = {name: refs.pop(name) for name in ("tiles", "metadata")} if o.scoped and o.sparse else {}
    begin = []
    if o.union and o.sparse and not inside:
        acc, metadata = refs.pop("acc"), refs.pop("metadata")
        refs["union"] = f"plgpu.RefUnion([{acc}, {metadata}], plgpu.TMEM({(o.m, 64)}, jnp.float32))"
        begin = ["(acc, metadata), _ = union"]
    steps = _steps(o)
    waits = o.wait and o.loop  # each step of the loop waits for its own MMA
    if waits:
        steps.append("plgpu.barrier_wait(done)")
    uses = "\n".join(steps)
    if _INDEX.search(uses):
        begin.append('i = lax.axis_index("i")')
    if o.loop:
        steps = ["@pl.loop(0, 2)", "def _(step):", *(f"    {line}" for line in steps)]
    if o.warp:
        inner = [
            *('@pl.core_map(plgpu.WarpMesh(axis_name="warp"))', "def _():", '    warp = lax.axis_index("warp")', ""),
            *("    @pl.when(warp == 0)", "    def _():"),
        ]
        steps = [*inner, *(f"        {line}" for line in steps)]
    if inside:
        steps = [f"def inner({', '.join(inside)}):", *(f"    {line}" for line in steps), "", "pl.run_scoped("]
        steps += ["    inner,", *(f"    {name}={text}," for name, text in inside.items()), ")"]
    if o.wait and not waits:
        steps.append("plgpu.barrier_wait(done)")
    if o.load:
        steps.append(f"out[...] = plgpu.async_load_tmem(acc).astype(jnp.{_out(o)[1]})")
    body = textwrap.indent("\n".join((*begin, *steps)), "    ")
    scratch = "".join(f"        {name}={text},\n" for name, text in refs.items())
    shape, dtype = _out(o)
    semantics = f"plgpu.LoweringSemantics.{o.semantics.capitalize()}"
    return f"""\
def body({", ".join((*((_TILES,) if o.filled else ()), "out", *refs))}):
{body}

return plgpu.kernel(
    body,
    {_OUT}=jax.ShapeDtypeStruct({shape}, jnp.{dtype}),
    {_SCRATCH}=dict(
{scratch}    ),
{_mesh(o, uses)}    compiler_params=plgpu.CompilerParams(lowering_semantics={semantics}),
)({_TILES if o.filled else ""})
"""


def _out(o: Options) -> tuple[Shape, str]:
    if not o.load:
        return (128,), "float32"
    return (o.m, o.n * o.ctas), "float32" if is_float(accumulator(o)) else "int32"


def _mesh(o: Options, uses: str) -> str:
    text = ""
    if o.collective:
        names = ("x", "y", "z")[: len(o.cluster)][::-1]
        text += f"    cluster={o.cluster},\n    cluster_names={names},\n"
    if _INDEX.search(uses):
        text += '    grid=(2,),\n    grid_names=("i",),\n'
    return text


def _steps(o: Options) -> list[str]:
    """The statements of the kernel: copy, MMA, commit."""
    lines = []
    load = [f"plgpu.copy_gmem_to_smem({_TILES}, tiles, loaded)", "plgpu.barrier_wait(loaded)"] if o.filled else []
    if o.filled and o.collective:
        load += ["plgpu.barrier_arrive(ready)", "plgpu.barrier_wait(ready)"]
    batch = "" if o.metadata_batch is None else ".at[0]"
    if o.sparse and o.copy:
        axis = _axis(o, o.copy_collective)
        copy = (
            f"plgpu.async_copy_sparse_metadata_to_tmem(tiles{o.source_chain}, metadata{batch}{o.target_chain}"
            f"{f', collective_axis={axis}' if axis else ''})"
        )
        lines.append(copy)
    a, b = "a", "b"
    if o.a_window is not None and o.a_space == "smem":
        window = f"pl.ds({o.a_window}, {o.a_columns})"
        a += f".at[{window}]" if o.a_major == "mn" else f".at[:, {window}]"
    if o.b_window is not None:
        window = f"pl.ds({o.b_window}, {o.k})"
        b += f".at[:, {window}]" if o.b_major == "k" else f".at[{window}]"
    a += o.a_chain + (".transpose((1, 0))" if o.a_major == "mn" else "")
    b += o.b_chain + (".transpose((1, 0))" if o.b_major == "k" else "")
    acc = "acc" + (f".at[:, pl.ds(0, {o.n * o.ctas})]" if o.acc_extra else "") + o.acc_chain
    arguments = [acc, a, b, *(["done"] if o.commit == "mma" else []), f"accumulate={o.accumulate}"]
    if o.sparse:
        arguments.append(f"a_sparse_metadata=metadata{batch}{_columns(o)}{o.metadata_chain}")
    if o.scales:
        arguments += ["a_scale=a_scale", "b_scale=a_scale" if o.one_scale else "b_scale=b_scale"]
    if o.collective:
        arguments.append('collective_axis="x"')
    lines.append(f"plgpu.tcgen05_mma({', '.join(arguments)})")
    if o.sparse and o.copy == "after":
        lines.append(lines.pop(0))
    if o.commit == "manual":
        axis = _axis(o, o.commit_collective)
        lines.append(f"plgpu.tcgen05_commit_arrive(done{f', collective_axis={axis}' if axis else ''})")
    return [*load, *lines]


def _columns(o: Options) -> str:
    if o.metadata_start is None:
        return "" if o.metadata_slice is None else ".at[:, pl.ds({}, {})]".format(*o.metadata_slice)
    start = "pl.multiple_of(i, 64)" if o.metadata_start == "multiple_of" else o.metadata_start
    return f".at[:, pl.ds({start}, {(o.metadata_slice or (0, 64))[1]})]"


def _axis(o: Options, flag: bool | None) -> str:
    return '"x"' if o.collective and flag is not False else ""


def _refs(o: Options) -> dict[str, str]:
    """The scratch refs by name."""
    b_dtype, acc_dtype = o.b_dtype or o.a_dtype, accumulator(o)
    a_long = o.a_columns + (o.a_window or 0) * (o.a_space == "smem")
    b_long = o.k + (o.b_window or 0)
    a_shape = (a_long, o.m) if o.a_major == "mn" else (o.m, a_long)
    if o.a_space == "tmem":
        a = _tmem(o, a_shape, o.a_dtype, None, "" if bits(o.a_dtype) == 32 else f"packed={o.a_packed}")
    else:
        a = _smem(a_shape, o.a_dtype, o.a_swizzle, o.a_tile, o.a_transforms)
    b_shape = (o.n, b_long) if o.b_major == "k" else (b_long, o.n)
    refs = {"a": a, "b": _smem(b_shape, b_dtype, o.b_swizzle, o.b_tile, o.b_transforms)}
    if o.sparse:
        transforms = ", transforms=(plgpu.TilingTransform((8, 64)),)" if o.tiles_transforms else ""
        refs["tiles"] = f"plgpu.SMEM({o.tiles_shape}, jnp.{tiles_dtype(o)}{transforms})"
    refs["done"] = f"plgpu.Barrier({'orders_tensor_core=True' if o.barrier_orders else ''})"
    if o.filled:
        refs["loaded"] = "plgpu.Barrier()"
        if o.collective:
            refs["ready"] = 'plgpu.ClusterBarrier(collective_axes=("x",), orders_tensor_core=True)'
    packed = "" if bits(acc_dtype) == 32 else f"packed={o.acc_packed}"
    refs["acc"] = _tmem(o, (o.m, o.n * o.ctas + o.acc_extra), acc_dtype, o.acc_collective, packed)
    if o.sparse:
        shape = o.metadata_shape if o.metadata_batch is None else (o.metadata_batch, *o.metadata_shape)
        if o.metadata_space == "smem":
            refs["metadata"] = f"plgpu.SMEM({shape}, jnp.{o.metadata_dtype})"
        else:
            refs["metadata"] = _tmem(o, shape, o.metadata_dtype, o.metadata_collective, _LAYOUTS[o.metadata_layout])
    if o.scales:
        columns = max(o.k // o.scale_block, 1)
        rows = -(-o.n * o.ctas // 128) * 128
        refs["a_scale"] = _tmem(o, o.a_scale or (128, columns), o.scales, None, _LAYOUTS["scales"])
        refs["b_scale"] = _tmem(o, o.b_scale or (rows, columns), o.scales, None, _LAYOUTS["scales"])
    if o.extra_tmem:
        refs["more_tmem"] = _tmem(o, (o.m, o.extra_tmem), "float32", None, "")
    if o.extra_smem:
        refs["more_smem"] = f"plgpu.SMEM({(o.extra_smem, 256)}, jnp.float32)"
    return refs


def _tmem(o: Options, shape: Shape, dtype: str, flag: bool | None, layout: str) -> str:
    collective = "collective=True" if (o.collective if flag is None else flag) else ""
    return f"plgpu.TMEM({', '.join(filter(None, (str(shape), f'jnp.{dtype}', layout, collective)))})"


def _smem(shape: Shape, dtype: str, swizzle: int | None, tile: Shape | None, kind: str) -> str:
    if swizzle is None:
        return f"plgpu.SMEM({shape}, jnp.{dtype})"
    tiling = f"plgpu.TilingTransform({tile or (8, 8 * swizzle // bits(dtype))})"
    parts = {
        "both": (tiling, f"plgpu.SwizzleTransform({swizzle})"),
        "reversed": (f"plgpu.SwizzleTransform({swizzle})", tiling),
        "tiling": (tiling,),
        "swizzle": (f"plgpu.SwizzleTransform({swizzle})",),
    }[kind]
    return f"plgpu.SMEM({shape}, jnp.{dtype}, transforms=({', '.join(parts)},))"
