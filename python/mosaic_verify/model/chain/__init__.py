"""Transform chains: their steps, and how they compose, commute and cancel. The only place that knows."""

from mosaic_verify.model.chain.accept import Role, accepts, mark
from mosaic_verify.model.chain.address import AddressMap, NotAffine, address_map, row_major
from mosaic_verify.model.chain.normal import is_identity, run_time_starts, same_addresses, simplify
from mosaic_verify.model.chain.steps import (
    Alias,
    Bitcast,
    Cast,
    Chain,
    ChainError,
    Dynamic,
    ExpandBatch,
    Opaque,
    RefType,
    Remote,
    Reshape,
    Shape,
    Slice,
    Start,
    Step,
    Transpose,
    Unswizzle,
    Untile,
    index,
)
from mosaic_verify.model.chain.tmem import Column, column_of
from mosaic_verify.model.chain.verdict import Verdict

__all__ = [
    "AddressMap",
    "Alias",
    "Bitcast",
    "Cast",
    "Chain",
    "ChainError",
    "Column",
    "Dynamic",
    "ExpandBatch",
    "NotAffine",
    "Opaque",
    "RefType",
    "Remote",
    "Reshape",
    "Role",
    "Shape",
    "Slice",
    "Start",
    "Step",
    "Transpose",
    "Unswizzle",
    "Untile",
    "Verdict",
    "accepts",
    "address_map",
    "column_of",
    "index",
    "is_identity",
    "mark",
    "row_major",
    "run_time_starts",
    "same_addresses",
    "simplify",
]
