"""Which operands a block-sparse call has, and their element types."""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_verify.model.block_sparse.facts import CLASSES, WRITE_ORDERS, BlockSparseAttention
from mosaic_verify.rules.finding import Finding
from mosaic_verify.rules.registry import check

_CAST = "astype(jnp.int32)"


@check(BlockSparseAttention, "MV511", "MV512")
def list_pairs(call: BlockSparseAttention) -> Iterator[Finding]:
    """Counts and indices come in pairs, and those of the mask class always (FA4 `normalize_block_sparse_tensors`)."""
    present = call.arrays
    both_missing = "mask_cnt" not in present and "mask_idx" not in present
    if both_missing and not call.partial:
        yield Finding(
            "MV511",
            "mask_block_cnt and mask_block_idx must be provided for block sparsity.",
            fixes=("pass counts of zero and indices of shape (B, H, M, 1) where no block is partial",),
        )
    for name in CLASSES:
        if (f"{name}_cnt" in present) != (f"{name}_idx" in present):
            there = f"{name}_cnt" if f"{name}_cnt" in present else f"{name}_idx"
            yield Finding(
                "MV512", f"{name}_block_cnt and {name}_block_idx must both be provided or both be None", there
            )


@check(BlockSparseAttention, "MV508")
def valid_pair(call: BlockSparseAttention) -> Iterator[Finding]:
    """The two arrays of valid positions come together (ranker attention)."""
    if ("valid_upper" in call.arrays) != ("valid_lower" in call.arrays):
        there = "valid_upper" if "valid_upper" in call.arrays else "valid_lower"
        yield Finding("MV508", "valid_block_upper and valid_block_lower must be provided together", there)


@check(BlockSparseAttention, "MV513")
def list_types(call: BlockSparseAttention) -> Iterator[Finding]:
    """Everything about blocks is int32 (FA4 `_check_and_expand_block`, `_check_and_expand_metadata_tensor`)."""
    for name in CLASSES:
        wrong = [n for n in (f"{name}_cnt", f"{name}_idx") if n in call.arrays and call.arrays[n].element != "i32"]
        if wrong:
            found = ", ".join(f"{n} is {call.arrays[n].element}" for n in wrong)
            message = f"{name}_block tensors must have dtype torch.int32 ({found})"
            yield Finding("MV513", message, wrong[0], fixes=(f"{wrong[0]}.{_CAST}",))
    for name in (*WRITE_ORDERS.values(), "cu_total_m_blocks", "cu_block_idx_offsets", "valid_upper", "valid_lower"):
        array = call.arrays.get(name)
        if array is not None and array.element != "i32":
            message = f"{name} must have dtype torch.int32 ({name} is {array.element})"
            yield Finding("MV513", message, name, fixes=(f"{name}.{_CAST}",))


@check(BlockSparseAttention, "MV541")
def operand_types(call: BlockSparseAttention) -> Iterator[Finding]:
    """The ranker kernels write bf16 whatever they read (`ranker_attention_fa4`); q, k and v agree in both contracts."""
    types = {name: call.elements[name] for name in ("q", "k", "v") if name in call.elements}
    found = ", ".join(f"{name} is {element}" for name, element in types.items())
    if call.kernel == "ranker":
        wrong = next((name for name, element in types.items() if element != "bf16"), None)
        if wrong is not None:
            message = f"the ranker kernels read and write bf16, but {found}"
            # A call that does not say what it is may well run another kernel.
            severity = "warning" if call.assumed else None
            yield Finding("MV541", message, wrong, fixes=(f"{wrong}.astype(jnp.bfloat16)",), severity=severity)
    elif len(set(types.values())) > 1:
        yield Finding("MV541", f"q, k and v must have the same dtype, but {found}", "q")


@check(BlockSparseAttention, "MV531", "MV532")
def write_order_operands(call: BlockSparseAttention) -> Iterator[Finding]:
    """What a deterministic backward pass needs (FA4 `normalize_block_sparse_tensors`, `_flash_attn_bwd`)."""
    if call.spt is not None and "dq_write_order" not in call.arrays:
        yield Finding("MV531", "spt requires dq_write_order to be provided")
    elif call.deterministic and not call.forward:
        if "dq_write_order" not in call.arrays:
            message = "deterministic block-sparse backward requires dq_write_order in block_sparse_tensors"
            yield Finding("MV532", message)
        elif "full_idx" in call.arrays and "dq_write_order_full" not in call.arrays:
            message = "deterministic block-sparse backward requires dq_write_order_full when full blocks are present"
            yield Finding("MV532", message, "full_idx")


@check(BlockSparseAttention, "MV543")
def unreadable(call: BlockSparseAttention) -> Iterator[Finding]:
    """Constants that MLIR's bindings cannot read."""
    hidden = {name: array.unreadable for name, array in call.arrays.items() if array.unreadable}
    if hidden:
        reasons = ", ".join(dict.fromkeys(hidden.values()))
        names = ", ".join(hidden)
        yield Finding("MV543", f"the values of {names} were not checked: {reasons}", next(iter(hidden)))
