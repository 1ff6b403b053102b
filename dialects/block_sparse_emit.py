"""The backend of `refine` for lists whose values are not known: StableHLO ops in front of the call."""

from __future__ import annotations

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo as hlo

Value = ir.Value
Pair = tuple[Value, Value]

_NOWHERE = 2**31 - 1  # larger than any block: sorts behind all entries


class StableHloBackend:
    """Emits ops in front of `at`. See `mosaic_verify.model.block_sparse.refine.Backend`; shapes must be static."""

    def __init__(self, at: ir.Operation):
        self._at = at
        self._i32 = ir.IntegerType.get_signless(32, at.context)
        self._i1 = ir.IntegerType.get_signless(1, at.context)

    def _here(self):
        return ir.InsertionPoint(self._at)

    def cast(self, array: Value) -> Value:
        if array.type.element_type == self._i32:
            return array
        with self._here(), self._at.location:
            return hlo.convert(self._tensor(array.type.shape, self._i32), array)

    def broadcast(self, array: Value, lead: tuple[int, int]) -> Value:
        shape = [*lead, *list(array.type.shape)[2:]]
        with self._here(), self._at.location:
            return hlo.broadcast_in_dim(self._tensor(shape, self._i32), array, self._dims(range(len(shape))))

    def split_columns(self, pair: Pair, factor: int, columns: int) -> Pair:
        cnt, idx = pair
        *lead, entries = idx.type.shape
        with self._here(), self._at.location:
            wide = self._spread(idx, [*lead, entries, factor], range(len(lead) + 1))
            first = hlo.multiply(wide, self._splat(factor, wide.type))
            small = hlo.add(first, hlo.iota(wide.type, len(lead) + 1))
            flat = hlo.reshape(self._tensor([*lead, entries * factor], self._i32), small)
            counts = hlo.multiply(cnt, self._splat(factor, cnt.type))
            if columns % factor == 0:  # no block reaches over the sequence end
                return counts, flat
            inside = hlo.compare(flat, self._splat(columns, flat.type), _less(flat))
            return self._compact(flat, hlo.and_(self._valid(counts, flat), inside), columns)

    def repeat_rows(self, pair: Pair, factor: int, rows: int) -> Pair:
        with self._here(), self._at.location:
            repeated = self._repeat(pair[0], 2, factor), self._repeat(pair[1], 2, factor)
        return self.slice_rows(repeated, rows)

    def keep_diagonal(self, pair: Pair, row_block: int, column_block: int) -> Pair:
        cnt, idx = pair
        with self._here(), self._at.location:
            start = hlo.multiply(idx, self._splat(column_block, idx.type))
            row = hlo.multiply(hlo.iota(idx.type, 2), self._splat(row_block, idx.type))
            below = hlo.compare(start, hlo.add(row, self._splat(row_block, idx.type)), _less(idx))
            above = hlo.compare(row, hlo.add(start, self._splat(column_block, idx.type)), _less(idx))
            wanted = hlo.and_(hlo.and_(below, above), self._valid(cnt, idx))
            return self._compact(idx, wanted, idx.type.shape[-1])

    def slice_rows(self, pair: Pair, rows: int) -> Pair:
        return self._slice(pair[0], 2, rows), self._slice(pair[1], 2, rows)

    def slice_columns(self, pair: Pair, entries: int) -> Pair:
        return pair[0], self._slice(pair[1], 3, entries)

    def transpose(self, pair: Pair, columns: int) -> Pair:
        """The lists of the other direction, (B, H, columns) and (B, H, columns, rows), ascending."""
        cnt, idx = pair
        batch, heads, rows, entries = idx.type.shape
        with self._here(), self._at.location:
            shape = [batch, heads, columns, rows, entries]
            named = self._spread(idx, shape, (0, 1, 3, 4))
            valid = self._spread(self._valid(cnt, idx), shape, (0, 1, 3, 4))
            equal = hlo.compare(named, hlo.iota(named.type, 2), _equal(named))
            hits = self._sum(hlo.convert(self._tensor(shape, self._i32), hlo.and_(equal, valid)), 4)
            there = hlo.compare(self._splat(0, hits.type), hits, _less(hits))
            return self._compact(hlo.iota(hits.type, 3), there, rows)

    # Helpers: called with an insertion point and a location.

    def _tensor(self, shape, element: ir.Type) -> ir.RankedTensorType:
        return ir.RankedTensorType.get(list(shape), element, loc=self._at.location)

    def _dims(self, dims) -> ir.Attribute:
        return ir.DenseI64ArrayAttr.get(list(dims), context=self._at.context)

    def _splat(self, value: int, kind: ir.RankedTensorType) -> Value:
        attribute = ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(kind.element_type, value))
        return hlo.constant(attribute)

    def _spread(self, value: Value, shape: list[int], dims) -> Value:
        return hlo.broadcast_in_dim(self._tensor(shape, value.type.element_type), value, self._dims(dims))

    def _valid(self, cnt: Value, idx: Value) -> Value:
        """(B, H, rows, N) i1: which entries belong to the lists."""
        shape = list(idx.type.shape)
        wide = self._spread(cnt, shape, (0, 1, 2))
        return hlo.compare(hlo.iota(wide.type, 3), wide, _less(wide))

    def _compact(self, idx: Value, wanted: Value, entries: int) -> Pair:
        """Sorts the wanted entries to the front and counts them; 0 behind the count."""
        counts = self._sum(hlo.convert(idx.type, wanted), 3)
        keys = hlo.select(wanted, idx, self._splat(_NOWHERE, idx.type))
        scalar = self._tensor([], self._i32)
        sort = hlo.SortOp([idx.type], [keys], dimension=3, is_stable=True)
        block = sort.regions[0].blocks.append(scalar, scalar, arg_locs=[self._at.location] * 2)
        with ir.InsertionPoint(block):
            first, second = block.arguments
            hlo.return_([hlo.compare(first, second, _less(keys))])
        ordered = sort.results[0]
        kept = hlo.compare(ordered, self._splat(_NOWHERE, idx.type), _less(idx))
        filled = hlo.select(kept, ordered, self._splat(0, idx.type))
        size = min(entries, idx.type.shape[-1])
        return counts, self._slice(filled, 3, size)

    def _sum(self, value: Value, dim: int) -> Value:
        shape = [size for i, size in enumerate(value.type.shape) if i != dim]
        scalar = self._tensor([], self._i32)
        reduce = hlo.ReduceOp([self._tensor(shape, self._i32)], [value], [self._splat(0, scalar)], self._dims([dim]))
        block = reduce.regions[0].blocks.append(scalar, scalar, arg_locs=[self._at.location] * 2)
        with ir.InsertionPoint(block):
            hlo.return_([hlo.add(*block.arguments)])
        return reduce.results[0]

    def _repeat(self, value: Value, dim: int, factor: int) -> Value:
        shape = list(value.type.shape)
        wide = [*shape[: dim + 1], factor, *shape[dim + 1 :]]
        spread = self._spread(value, wide, [i for i in range(len(wide)) if i != dim + 1])
        shape[dim] *= factor
        return hlo.reshape(self._tensor(shape, self._i32), spread)

    def _slice(self, value: Value, dim: int, size: int) -> Value:
        limits = list(value.type.shape)
        if limits[dim] == size:
            return value
        limits[dim] = size
        with self._here(), self._at.location:
            return hlo.slice(value, self._dims([0] * len(limits)), self._dims(limits), self._dims([1] * len(limits)))


def _less(value: Value) -> ir.Attribute:
    return hlo.ComparisonDirectionAttr.get("LT", context=value.type.context)


def _equal(value: Value) -> ir.Attribute:
    return hlo.ComparisonDirectionAttr.get("EQ", context=value.type.context)
