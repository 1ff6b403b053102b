"""How each primitive packs refs and their transforms into an equation, and which op it becomes.

A primitive takes refs first; behind them come the leaves of the transforms of each ref, in the same order, whose trees
are parameters; a user's predicate is last. Sources: the `bind` calls in `jax/_src/pallas/mosaic_gpu/primitives.py`,
`jax/_src/pallas/primitives.py` and `jax/_src/state/primitives.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jax import tree_util


class Operand(NamedTuple):
    """One leading input.

    Attributes:
      tree: parameter with the tree of its transforms, "" for none.
      flag: parameter without which the input is absent, "" when it is always there.
    """

    tree: str = ""
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One primitive.

    Attributes:
      op: name of its op, without the dialect's prefix.
      operands: leading inputs.
      predicate: True where `has_user_predicate` adds an input at the end.
      segments: True when the op needs `operandSegmentSizes`.
      attributes: parameters that become attributes of the same name.
      nested: parameter with a tree of (ref, transforms, *rest) over all inputs; `operands` is not used then.
    """

    op: str
    operands: tuple[Operand, ...] = ()
    predicate: bool = False
    segments: bool = False
    attributes: tuple[str, ...] = ()
    nested: str = ""
    flags: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "flags", any(operand.flag for operand in self.operands))


class Slot(NamedTuple):
    """One input of an equation.

    Attributes:
      atom: the ref (or value).
      tree: of the transforms that the equation puts on it, None where it has none.
      leaves: what of the transforms is known only at run time.
    """

    atom: Any
    tree: Any
    leaves: list[Any]
    operand: Operand

    @property
    def transforms(self) -> tuple[Any, ...]:
        """The transforms as JAX's objects."""
        return tuple(self.tree.unflatten(self.leaves)) if self.tree is not None else ()


def slot_of(atom: Any, transforms: tuple[Any, ...], operand: Operand = Operand()) -> Slot:  # noqa: B008  # immutable
    """A slot with these transforms."""
    leaves, tree = tree_util.tree_flatten(tuple(transforms))
    return Slot(atom, tree, leaves, operand)


def _refs(*trees: str) -> tuple[Operand, ...]:
    return tuple(map(Operand, trees))


_NO_TRANSFORMS = tree_util.tree_structure(())
_ONE = _refs("tree")
_BARRIER = _refs("transforms_treedef")
_TO_TMEM = _refs("smem_tree", "tmem_tree")
_WGMMA = _refs("acc_transforms_tree", "a_transforms_tree", "b_transforms_tree")

FORMS: dict[str, Form] = {
    "tcgen05_mma": Form(
        "tcgen05_mma",
        (
            Operand("acc_transforms_tree"),
            Operand("a_transforms_tree"),
            Operand("b_transforms_tree"),
            Operand(),
            Operand("barrier_transforms_tree", "arrive"),
            Operand("a_scale_transforms_tree", "scaled"),
            Operand("b_scale_transforms_tree", "scaled"),
            Operand("a_sparse_metadata_transforms_tree", "sparse"),
        ),
        segments=True,
        attributes=("collective_axis",),
    ),
    "tcgen05_commit_arrive": Form(
        "tcgen05_commit_arrive",
        _refs("barrier_transforms_tree"),
        predicate=True,
        segments=True,
        attributes=("collective_axis",),
    ),
    "copy_gmem_to_smem": Form(
        "copy_gmem_to_smem",
        (
            Operand("src_transforms_treedef"),
            Operand("dst_transforms_treedef"),
            Operand("barrier_transforms_treedef", "has_barrier"),
        ),
        predicate=True,
        segments=True,
        attributes=("collective_axes", "leader_tracked"),
    ),
    "copy_smem_to_gmem": Form(
        "copy_smem_to_gmem",
        _refs("src_transforms_treedef", "dst_transforms_treedef"),
        predicate=True,
        segments=True,
    ),
    "async_prefetch": Form("async_prefetch", _refs("ref_transforms_treedef"), predicate=True, segments=True),
    "async_store_smem": Form("async_store_smem", _refs("", "ref_transforms_treedef", "barrier_transforms_treedef", "")),
    "barrier_wait": Form("barrier_wait", _BARRIER),
    "barrier_test": Form("barrier_test", _BARRIER),
    "barrier_arrive": Form("barrier_arrive", _BARRIER, predicate=True),
    "barrier_arrive_and_wait": Form("barrier_arrive_and_wait", _BARRIER),
    "async_load": Form("async_load_tmem", _ONE),
    "async_store": Form("async_store_tmem", _refs("tree", "")),
    "async_store_tmem": Form("async_store_tmem", _refs("tree", "")),
    "async_copy_sparse_metadata_to_tmem": Form(
        "async_copy_sparse_metadata_to_tmem", _TO_TMEM, attributes=("collective_axis",)
    ),
    "async_copy_scales_to_tmem": Form("async_copy_scales_to_tmem", _TO_TMEM, attributes=("collective_axis",)),
    "async_copy_smem_to_tmem": Form("async_copy_smem_to_tmem", _TO_TMEM, attributes=("collective_axis",)),
    "get": Form("get", _ONE),
    "load": Form("load", _ONE),
    "swap": Form("swap", _refs("tree", "")),
    "store": Form("store", _refs("tree", "")),
    "addupdate": Form("addupdate", _refs("tree", "")),
    "wgmma_ref": Form("wgmma", _WGMMA),
    "wgmma": Form("wgmma", _WGMMA),
    "print_layout": Form("print_layout", _refs("transforms_tree")),
    "try_cluster_cancel": Form("try_cluster_cancel", _refs("result_transforms_tree", "barrier_transforms_tree")),
    "query_cluster_cancel": Form("query_cluster_cancel", _refs("transforms_tree")),
    "multimem_store": Form("multimem_store", _refs("", "transforms_tree")),
    "multimem_load_reduce": Form("multimem_load_reduce", _ONE),
    "semaphore_signal": Form("semaphore_signal", nested="args_tree"),
    "semaphore_signal_multicast": Form("semaphore_signal_multicast", nested="args_tree"),
    "semaphore_wait": Form("semaphore_wait", nested="args_tree"),
    "semaphore_read": Form("semaphore_read", nested="args_tree"),
    "mgpu_atomic_store": Form("atomic_store", nested="args_tree"),
    "masked_load": Form("masked_load", nested="args_tree"),
    "masked_swap": Form("masked_swap", nested="args_tree"),
}

# Primitives that take refs as they are. "Known" means that a rule loses nothing by seeing only that the ref is used.
PLAIN = frozenset(
    (
        "commit_smem",
        "debug_callback",
        "debug_print",
        "freeze",
        "get_global",
        "inline_mgpu",
        "inline_mgpu_p",
        "semaphore_signal_parallel",
        "wgmma_accumulator_deref",
        "wgmma_accumulator_deref_p",
        "wgmma_accumulator_store",
        "wgmma_accumulator_store_p",
    )
)

# Reductions that may need shared memory for partial results.
REDUCTIONS = frozenset(
    f"{prefix}reduce_{kind}" for prefix in ("", "mosaic_gpu_") for kind in ("sum", "max", "min", "prod")
)


def split(form: Form, invars: list[Any], params: dict[str, Any]) -> tuple[list[Slot | None], list[Any]]:
    """An equation's inputs by operand (None for an absent one), and what is behind the transforms (predicate, rest).

    Raises ValueError when the inputs do not fit the form.
    """
    if form.nested:
        return _split_nested(form, invars, params)
    operands = form.operands
    if form.flags:
        operands = [operand if not operand.flag or params.get(operand.flag, True) else None for operand in operands]
        at = len(operands) - operands.count(None)
    else:
        at = len(operands)
    slots: list[Slot | None] = []
    position = 0
    for operand, declared in zip(operands, form.operands, strict=True):
        tree = params.get(declared.tree) if declared.tree else None
        leaves: list[Any] = []
        if tree is not None:
            if tree == _NO_TRANSFORMS:
                tree = None
            elif count := tree.num_leaves:
                leaves, at = invars[at : at + count], at + count
        if operand is None:
            slots.append(None)
            continue
        slots.append(Slot(invars[position], tree, leaves, operand))
        position += 1
    rest = invars[at:]
    if at > len(invars) or (rest and not form.predicate):
        raise ValueError(f"{form.op}: unexpected inputs")
    return slots, rest


def _split_nested(form: Form, invars: list[Any], params: dict[str, Any]) -> tuple[list[Slot | None], list[Any]]:
    ref, transforms, *rest = params[form.nested].unflatten(invars)
    if not isinstance(transforms, (tuple, list)):
        raise ValueError(f"{form.op}: unexpected inputs")
    behind = params[form.nested].num_leaves - len(tree_util.tree_leaves(rest))
    leaves, tree = tree_util.tree_flatten(tuple(transforms))
    return [Slot(ref, tree, leaves, Operand(form.nested))], invars[behind:]


def join(
    form: Form, slots: list[Slot | None], rest: list[Any], params: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The inverse of `split` for changed slots: (inputs, parameters)."""
    if form.nested:
        [slot] = [slot for slot in slots if slot is not None]
        old = params[form.nested].unflatten(list(range(params[form.nested].num_leaves)))
        tail = tree_util.tree_unflatten(tree_util.tree_structure(tuple(old[2:])), rest)
        inputs, tree = tree_util.tree_flatten((slot.atom, slot.transforms, *tail))
        return inputs, {**params, form.nested: tree}
    atoms, leaves, changed = [], [], dict(params)
    for slot in slots:
        if slot is None:
            continue
        atoms.append(slot.atom)
        if slot.operand.tree and slot.tree is not None:
            leaves += slot.leaves
            changed[slot.operand.tree] = slot.tree
    return [*atoms, *leaves, *rest], changed
