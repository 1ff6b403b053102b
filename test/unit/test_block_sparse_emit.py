"""The StableHLO that is emitted for lists that are not constant, run on the CPU, against numpy."""

import jax
import numpy as np
import pytest
from block_sparse_layouts import multiplicities, random_lists, token_mask
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

from mosaic_verify.dialects.block_sparse_emit import StableHloBackend
from mosaic_verify.ir.context import make_context


def run(rewrite, cnt, idx):
    """What `rewrite(backend, (cnt, idx))` computes."""
    with make_context(unregistered=True), ir.Location.unknown():
        module = ir.Module.create()
        kinds = [
            ir.RankedTensorType.get(a.shape, ir.IntegerType.get_signless(8 * a.dtype.itemsize)) for a in (cnt, idx)
        ]
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("main", (kinds, []))
            block = function.add_entry_block()
        with ir.InsertionPoint(block):
            end = func.ReturnOp([])
        results = rewrite(StableHloBackend(end.operation), tuple(block.arguments))
        with ir.InsertionPoint(end.operation):
            func.ReturnOp(results)
        end.operation.erase()
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kinds, [r.type for r in results]))
        assert module.operation.verify()
        text = str(module)
    device = jax.devices("cpu")[0]
    program = device.client.compile_and_load(text, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    arguments = [jax.device_put(a, device) for a in (cnt, idx)]
    return [np.asarray(each[0]) for each in program.execute_sharded(arguments).disassemble_into_single_device_arrays()]


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(request.param)


@pytest.mark.parametrize(("factor", "seq"), [(2, 1024), (2, 900), (3, 1000), (4, 385)])
def test_split_columns(rng, factor, seq):
    block, columns, small = 128 * factor, -(-seq // (128 * factor)), -(-seq // 128)
    cnt, idx = random_lists(rng, (1, 2), 4, columns, ascending=False)
    new = run(lambda backend, pair: backend.split_columns(pair, factor, small), cnt, idx)
    np.testing.assert_array_equal(token_mask(cnt, idx, 1, block, 4, seq), token_mask(*new, 1, 128, 4, seq))
    assert new[1].shape[-1] <= small or small % factor == 0


def test_repeat_rows(rng):
    cnt, idx = random_lists(rng, (1, 2), 4, 6)
    new = run(lambda backend, pair: backend.repeat_rows(pair, 2, 7), cnt, idx)
    np.testing.assert_array_equal(
        np.repeat(multiplicities(cnt, idx, 6), 2, axis=-2)[..., :7, :], multiplicities(*new, 6)
    )


@pytest.mark.parametrize(("row_block", "column_block"), [(128, 128), (128, 256), (256, 128)])
def test_keep_diagonal(rng, row_block, column_block):
    cnt, idx = random_lists(rng, (1, 2), 6, 7, ascending=False)
    new = run(lambda backend, pair: backend.keep_diagonal(pair, row_block, column_block), cnt, idx)
    sizes = (row_block, column_block, 6 * row_block, 7 * column_block)
    before = token_mask(cnt, idx, *sizes, diagonal=True)
    np.testing.assert_array_equal(before, token_mask(*new, *sizes, diagonal=True))
    blocks = before.reshape(1, 2, 6, row_block, 7, column_block).sum((3, 5)) > 0
    np.testing.assert_array_equal(blocks, multiplicities(*new, 7))


@pytest.mark.parametrize("columns", [1, 3, 8])
def test_transpose(rng, columns):
    cnt, idx = random_lists(rng, (2, 1), 5, columns, ascending=False)
    new = run(lambda backend, pair: backend.transpose(pair, columns), cnt, idx)
    np.testing.assert_array_equal(multiplicities(cnt, idx, columns).swapaxes(-1, -2), multiplicities(*new, 5))
    for at in np.ndindex(*new[0].shape):
        row = new[1][at][: new[0][at]]
        assert list(row) == sorted(row)


def test_cast_broadcast_and_cut(rng):
    cnt, idx = random_lists(rng, (1, 1), 5, 4, dtype=np.int8, garbage=False)

    def rewrite(backend, pair):
        pair = tuple(backend.broadcast(backend.cast(each), (2, 3)) for each in pair)
        return backend.slice_columns(backend.slice_rows(pair, 3), 4)

    new = run(rewrite, cnt, idx)
    assert new[0].shape == (2, 3, 3) and new[1].shape == (2, 3, 3, 4) and new[0].dtype == np.int32
    np.testing.assert_array_equal(
        multiplicities(*new, 4), np.tile(multiplicities(cnt, idx, 4)[..., :3, :], (2, 3, 1, 1))
    )
