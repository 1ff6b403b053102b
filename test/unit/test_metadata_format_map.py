"""Index maps: the algebra of strides and the addresses in chunks against numpy, on random chains of layout ops."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_verify.model.metadata_format import BITS_8, BITS_16, ROW_MAJOR, exchange_tiles, format_tiles
from mosaic_verify.model.metadata_format_classify import classify
from mosaic_verify.model.metadata_format_graph import FILL, Node, addresses, ancestors, index_dtype, waists
from mosaic_verify.model.metadata_format_strides import strided_map


def reshape(node, *shape):
    return Node("reshape", shape, (node,))


def strided(node, shape, axes):
    return Node("strided", tuple(shape), (node,), axes=tuple(axes))


def transpose(node, *permutation):
    return strided(node, [node.shape[i] for i in permutation], [(i, 0, 1) for i in permutation])


def pad(node, low, high, interior):
    inner = [n + max(n - 1, 0) * g for n, g in zip(node.shape, interior, strict=True)]
    shape = tuple(a + n + b for a, n, b in zip(low, inner, high, strict=True))
    fill = Node("root", ())
    return Node("pad", shape, (node,), low=tuple(low), interior=tuple(interior), fill=fill)


def concatenate(axis, *nodes):
    shape = list(nodes[0].shape)
    shape[axis] = sum(node.shape[axis] for node in nodes)
    return Node("concatenate", tuple(shape), nodes, axis=axis)


def formatted(node, bits):
    m, entries = node.size // (2 * node.shape[-2]), 2 * node.shape[-2]
    if bits == 16:
        split = transpose(reshape(node, m // 128, 8, 2, 8, entries // 64, 4, 2, 8), 0, 4, 1, 6, 3, 5, 2, 7)
    else:
        split = transpose(reshape(node, m // 128, 128, entries // 64, 64), 0, 2, 1, 3)
    return reshape(split, m // 128, entries // 64, 128, 64)


def oracle(node, root):
    """Indices moved by numpy itself; padding is FILL."""
    fills = {n.fill: np.array(FILL) for n in everything(node) if n.fill is not None}
    return evaluate(node, {root: np.arange(root.size).reshape(root.shape), **fills})


def evaluate(node, values):
    """The array of `node` from the arrays of its roots: numpy does on whole arrays what the ops say."""
    known = dict(values)
    for current in reversed(ancestors(node)):
        if current in known:
            continue
        inputs = [known[child] for child in current.inputs]
        if current.kind == "reshape":
            known[current] = inputs[0].reshape(current.shape)
        elif current.kind == "concatenate":
            known[current] = np.concatenate(inputs, axis=current.axis)
        elif current.kind == "strided":
            known[current] = strided_view(inputs[0], current)
        elif current.kind == "pad" and current.fill is not None:
            known[current] = padded_array(inputs[0], evaluate(current.fill, values), current)
        else:
            raise ValueError("a root without a value")
    return known[node]


def strided_view(array, node):
    if array.size == 0 or node.size == 0:
        return np.empty(node.shape, array.dtype)
    start = tuple(next((s for i, s, _ in node.axes if i == dim), 0) for dim in range(array.ndim))
    corner = array[tuple(slice(s, s + 1) for s in start)]
    strides = tuple(0 if i is None else step * array.strides[i] for i, _, step in node.axes)
    return np.lib.stride_tricks.as_strided(corner, node.shape, strides, writeable=False)


def padded_array(array, fill, node):
    result = np.full(node.shape, fill.reshape(()), array.dtype)
    into, out_of = [], []
    for size, low, gap, inner in zip(node.shape, node.low, node.interior, array.shape, strict=True):
        first = max(0, -(low // (gap + 1)))
        last = min(inner - 1, (size - 1 - low) // (gap + 1))
        if last < first:
            return result
        into.append(slice(low + first * (gap + 1), low + last * (gap + 1) + 1, gap + 1))
        out_of.append(slice(first, last + 1))
    result[tuple(into)] = array[tuple(out_of)]
    return result


def everything(node):
    return [node, *(below for child in node.inputs for below in everything(child))]


@st.composite
def chains(draw):
    root = node = Node("root", tuple(draw(st.lists(st.sampled_from((1, 2, 3, 4, 6, 8)), min_size=1, max_size=4))))
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(("reshape", "transpose", "slice", "reverse", "broadcast", "pad", "concatenate")))
        rank = len(node.shape)
        if kind == "reshape":
            factors = [f for n in node.shape for f in {4: (2, 2), 6: (2, 3), 8: (2, 2, 2)}.get(n, (n,))]
            cut = draw(st.lists(st.integers(0, len(factors)), max_size=3).map(sorted))
            parts = [factors[a:b] for a, b in zip([0, *cut], [*cut, len(factors)], strict=True)]
            node = reshape(node, *(int(np.prod(part)) for part in parts))
        elif kind == "transpose":
            node = transpose(node, *draw(st.permutations(range(rank))))
        elif kind in ("slice", "reverse"):
            axes, shape = [], []
            for i, n in enumerate(node.shape):
                start = draw(st.integers(0, n - 1)) if kind == "slice" else n - 1
                step = draw(st.integers(1, 2)) if kind == "slice" else -1
                size = draw(st.integers(1, 1 + (n - 1 - start) // step)) if kind == "slice" else n
                axes.append((i, start, step))
                shape.append(size)
            node = strided(node, shape, axes)
        elif kind == "broadcast":
            node = strided(node, (2, *node.shape), [(None, 0, 1), *((i, 0, 1) for i in range(rank))])
        elif kind == "pad":
            edge = st.lists(st.integers(-1, 2), min_size=rank, max_size=rank)
            low, high = draw(edge), draw(edge)
            gaps = draw(st.lists(st.integers(0, 1), min_size=rank, max_size=rank))
            if all(n > 2 for n in node.shape):
                node = pad(node, low, high, gaps)
        else:
            node = concatenate(draw(st.integers(0, rank - 1)), node, node)
        if node.size > 4096:
            break
    return root, node


@settings(max_examples=300, deadline=None)
@given(chains())
def test_addresses_and_strides_agree_with_numpy(chain):
    root, node = chain
    expected = oracle(node, root)
    for dtype in {np.int64, index_dtype(node)}:
        found = addresses(node, root, np.arange(node.size, dtype=dtype))
        np.testing.assert_array_equal(found.reshape(node.shape), expected)
    strides = strided_map(node, root)
    if strides is not None:
        flat = np.full((1,), strides.offset)
        for dim in strides.dims:
            for extent, stride in dim:
                flat = np.add.outer(flat, np.arange(extent) * stride).reshape(-1)
        np.testing.assert_array_equal(flat.reshape(node.shape), expected)


def both_ways(tiles):
    """The classification by strides, and again by addresses (a pad of nothing hides the strides)."""
    by_strides = classify(tiles)
    by_addresses = classify(pad(tiles, (0,) * 4, (0,) * 4, (0,) * 4)) if len(tiles.shape) == 4 else by_strides
    facts = [(laid.source, laid.formats, laid.in_order) for laid in by_strides]
    assert facts == [(laid.source, laid.formats, laid.in_order) for laid in by_addresses if laid.source is not tiles]
    return by_strides


def test_formats_of_the_two_layouts_and_of_none():
    for m in (128, 256):
        for k in (128, 256, 512):
            root = Node("root", (m, k // 4, 2))
            raw = reshape(root, m // 128, k // 128, 128, 64)
            eight = {BITS_8} | ({ROW_MAJOR} if k == 128 else set())
            assert [laid.formats for laid in both_ways(formatted(root, 16))] == [{BITS_16}]
            assert [laid.formats for laid in both_ways(formatted(root, 8))] == [eight]
            assert [laid.formats for laid in both_ways(raw)] == [eight if k == 128 else {ROW_MAJOR}]
            assert all(laid.in_order and laid.logical for laid in both_ways(raw))


def test_a_wrong_transposition_is_no_format():
    root = Node("root", (128, 64, 2))
    wrong = reshape(transpose(reshape(root, 1, 8, 2, 8, 2, 4, 2, 8), 0, 4, 1, 3, 6, 5, 2, 7), 1, 2, 128, 64)
    assert [laid.formats for laid in both_ways(wrong)] == [set()]


def test_slices_of_rows_and_of_columns_keep_the_format():
    root = Node("root", (3, 384, 256, 2))
    part = strided(root, (1, 256, 128, 2), [(0, 2, 1), (1, 64, 1), (2, 128, 1), (3, 0, 1)])
    (first, *_) = both_ways(formatted(part, 16))
    assert first.source is root and first.formats == {BITS_16} and first.in_order


def test_a_slice_of_tiles_keeps_the_format():
    tiles = formatted(Node("root", (512, 128, 2)), 8)
    some = strided(tiles, (2, 3, 128, 64), [(0, 1, 1), (1, 1, 1), (2, 0, 1), (3, 0, 1)])
    (laid,) = both_ways(some)
    assert laid.formats == {BITS_8} and laid.in_order


def test_tiles_in_another_order_are_not_in_order():
    tiles = transpose(formatted(Node("root", (256, 64, 2)), 16), 1, 0, 2, 3)
    (laid,) = both_ways(tiles)
    assert laid.formats == {BITS_16} and not laid.in_order


def test_interleaved_rows_are_seen_from_the_value_that_holds_the_rows_of_a():
    gate_and_up = Node("root", (2, 128, 64, 2))
    rows = reshape(transpose(gate_and_up, 1, 0, 2, 3), 256, 64, 2)
    laid = both_ways(formatted(rows, 16))
    assert laid[0].source is gate_and_up and laid[0].formats == set()
    assert [part.formats for part in laid if part.source is rows] == [{BITS_16}]


def test_metadata_stored_by_k_is_laid_out_by_its_transposition():
    rows = transpose(Node("root", (64, 256, 2)), 1, 0, 2)
    assert {BITS_16} in [laid.formats for laid in both_ways(formatted(rows, 16))]


def test_a_broadcast_row_is_in_every_format_that_the_chain_gives_it():
    pattern = strided(Node("root", (2,)), (128, 32, 2), [(None, 0, 1), (None, 0, 1), (0, 0, 1)])
    assert {BITS_16} in [laid.formats for laid in both_ways(formatted(pattern, 16))]


def test_metadata_laid_out_twice_is_not_taken_for_logical():
    root = Node("root", (128, 64, 2))
    once = reshape(formatted(root, 16), 128, 64, 2)
    assert all(BITS_16 not in laid.formats for laid in both_ways(formatted(once, 16)))


def test_rows_from_two_arrays_are_seen_from_their_concatenation():
    both = concatenate(0, Node("root", (128, 64, 2)), Node("root", (128, 64, 2)))
    (laid,) = both_ways(formatted(both, 8))
    assert laid.source is both and laid.formats == {BITS_8}


def test_padding_fits_every_format():
    root = Node("root", (100, 60, 2))
    whole = pad(root, (0, 0, 0), (28, 4, 0), (0, 0, 0))
    assert {BITS_8} in [laid.formats for laid in both_ways(formatted(whole, 8))]
    assert all(BITS_16 not in laid.formats for laid in both_ways(formatted(whole, 8)))


def test_a_tile_shape_or_a_flat_array_says_nothing():
    for shape in ((1, 2, 128, 64), (16384,), (2, 8192, 1)):
        assert both_ways(reshape(Node("root", shape), 1, 2, 128, 64)) == []


def test_waists_end_at_the_first_fork():
    root = Node("root", (4, 2))
    left, right = reshape(root, 8), reshape(Node("root", (2, 4)), 8)
    joined = concatenate(0, left, right)
    assert waists(reshape(joined, 4, 4))[0] is joined
    assert waists(concatenate(0, left, left))[0] is root


def test_the_exchange_leads_from_either_format_to_the_other():
    meta = np.random.default_rng(0).integers(0, 4, (256, 64, 2), np.uint8)
    for bits, other in ((8, 16), (16, 8)):
        np.testing.assert_array_equal(exchange_tiles(format_tiles(meta, bits)), format_tiles(meta, other))
