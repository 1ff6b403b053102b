"""The model of an MMA against JAX's own functions and against figures of the PTX ISA."""

import pytest
from jax.experimental.mosaic.gpu import dialect as mgpu
from jax.experimental.mosaic.gpu import layouts, tcgen05
from jaxlib.mlir import ir

from mosaic_verify.model import tmem_layout
from mosaic_verify.model.elements import bit_width, from_jax, jax_name
from mosaic_verify.model.facts import Target
from mosaic_verify.model.operand_tiles import k_group, operand_tile, possible_swizzles, tile_divides
from mosaic_verify.model.sparsity import metadata_columns, metadata_tiles, sparse_group

JAX_0_10, JAX_0_12 = (0, 10, 2), (0, 12, 0)
LAYOUTS = {
    "unpacked": (tcgen05.tmem_default_layout(1), tmem_layout.default_layout(1), (128, 48), 32),
    "packed by 4": (tcgen05.tmem_default_layout(4), tmem_layout.default_layout(4), (128, 64), 8),
    "half-lane packed by 2": (tcgen05.tmem_half_lane_layout(64, 2), tmem_layout.half_lane_layout(64, 2), (64, 64), 16),
    "M=64 collective": (tcgen05.tmem_m64_collective_layout(64), tmem_layout.m64_collective_layout(64), (64, 64), 32),
    "scales": (tcgen05.scales_layout(), tmem_layout.SCALES, (256, 16), 8),
    "M=64 collective scales": (
        tcgen05.b_scales_m64_collective_layout(),
        tmem_layout.B_SCALES_M64_COLLECTIVE,
        (256, 8),
        8,
    ),
    "sparse metadata": (tcgen05.sparse_meta_layout(), tmem_layout.SPARSE_METADATA, (128, 192), 2),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_those_of_jax(name):
    theirs, ours, shape, bits = LAYOUTS[name]
    with ir.Context() as context, ir.Location.unknown():
        mgpu.register_dialect(context)
        text = str(layouts.to_layout_attr(theirs))
    assert tmem_layout.parse_layout(text) == ours
    assert ours.attribute == text
    assert ours.name == name
    assert ours.packing == theirs.vector_length
    assert ours.base_tile == tuple(theirs.base_tile_shape)
    assert ours.columns(shape) == theirs.cols_in_shape(shape, bits)


@pytest.mark.parametrize("text", ["", "#mosaic_gpu.WGSplatFragLayout<[128]>", "#mosaic_gpu.TiledLayout<[[1]]>"])
def test_other_texts_are_no_layouts(text):
    assert tmem_layout.parse_layout(text) is None


@pytest.mark.parametrize("collective", [False, True])
@pytest.mark.parametrize("shape", [(128, 64), (64, 64), (64, 24), (96, 64), (128, 3)])
@pytest.mark.parametrize("packing", [1, 2, 4, 16])
def test_inferred_layouts_are_those_of_jax(shape, collective, packing):
    try:
        theirs = tcgen05._infer_tmem_layout(shape, collective, packing)
    except ValueError:
        assert tmem_layout.inferred_layout(shape, collective, packing) is None
        return
    ours = tmem_layout.inferred_layout(shape, collective, packing)
    assert ours is not None
    assert (ours.tiling, ours.warp_dims, ours.lane_dims) == (theirs.tiling.tiles, theirs.warp_dims, theirs.lane_dims)


def test_columns_are_allocated_in_powers_of_two():
    assert [tmem_layout.allocated_columns(n) for n in (1, 32, 33, 136, 512, 516)] == [32, 32, 64, 256, 512, 1024]
    assert [tmem_layout.align_columns(n) for n in (1, 4, 5)] == [4, 4, 8]


@pytest.mark.parametrize(
    "element, bits, dtype",
    [
        ("f16", 16, "float16"),
        ("bf16", 16, "bfloat16"),
        ("f8E4M3FN", 8, "float8_e4m3fn"),
        ("f8E8M0FNU", 8, "float8_e8m0fnu"),
        ("f6E2M3FN", 6, "float6_e2m3fn"),
        ("f4E2M1FN", 4, "float4_e2m1fn"),
        ("i8", 8, "int8"),
        ("ui2", 2, "uint2"),
        ("tf32", 32, "tfloat32"),
    ],
)
def test_element_types(element, bits, dtype):
    assert bit_width(element) == bits
    assert jax_name(element) == dtype


def test_mosaic_gpu_has_signless_integers():
    assert (from_jax("uint8"), from_jax("int2"), from_jax("bfloat16")) == ("i8", "i2", "bf16")
    assert bit_width("index") is None


@pytest.mark.parametrize(
    "jax, arch, group",
    [
        (JAX_0_10, None, 8),
        (JAX_0_10, (10, 7), 8),
        (JAX_0_12, None, None),
        (JAX_0_12, (9, 0), None),
        (JAX_0_12, (12, 0), None),
        (JAX_0_12, (10, 0), 8),
        (JAX_0_12, (10, 3), 8),
        (JAX_0_12, (10, 7), 4),
        (JAX_0_12, (11, 0), 8),
    ],
)
def test_a_pair_of_metadata_describes(jax, arch, group):
    target = Target(arch, False, jax)
    assert sparse_group(4, target) == group
    assert sparse_group(8, target) == sparse_group(16, target) == 4


def test_metadata_shapes():
    assert metadata_columns(512, 4) == 256
    assert metadata_columns(512, 8) == 128
    assert metadata_tiles((128, 192)) == (1, 3, 128, 64)


@pytest.mark.parametrize(
    "a, b, bits, sparse, block, group",
    [
        (128, 128, 16, False, None, 64),
        (64, 64, 16, True, None, 64),
        (128, 64, 16, True, None, 128),
        (64, 128, 8, True, None, 128),
        (32, 32, 16, True, None, 64),  # at least 64
        (64, 128, 8, True, 64, 256),  # four scales
        (128, 128, 4, True, 64, 512),
    ],
)
def test_k_groups(a, b, bits, sparse, block, group):
    assert k_group(a, b, bits, sparse=sparse, scale_block=block) == group


def test_operand_tiles():
    assert [operand_tile(s, 16) for s in (32, 64, 128)] == [(8, 16), (8, 32), (8, 64)]
    assert operand_tile(128, 4) == (8, 256)
    assert tile_divides((128, 96), (8, 32), False)
    assert not tile_divides((128, 96), (8, 64), False)
    assert tile_divides((64, 20), (8, 32), False) is False
    assert tile_divides((96, 128), (8, 32), True)
    assert possible_swizzles((128, 96), 16, False) == (64, 32)
    assert possible_swizzles((128, 20), 16, False) == ()
