"""Passes and what they share while a pipeline runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs._mlir import rewrite

from mosaic_verify.diagnostics.engine import Engine

Value = TypeVar("Value")


@dataclass(frozen=True)
class Pass:
    """One pass; the first line of the subclass's docstring is its summary. Options are the dataclass fields.

    Class attributes:
      name: kebab-case; the module is `passes/<name in snake case>.py` and holds exactly one subclass.
      level: "plgpu", "mosaic_gpu", "stablehlo", "megablox" or "block_sparse": `verify-all` and `rewrite-all` go by it.
      ops: names of the ops that the pass looks at; the op index is built for these.
      read_only: True for a verification pass; the index is kept and MLIR's verifier is not run behind it.
      kind: of a rewrite pass: "exact" (every value is kept) or "repairing"; a pass that does both has an option
        `exact: bool = False` that restricts it to exact rewrites.
      automatic: False keeps the pass out of `verify-all` and `rewrite-all`, as for one that only prints or extracts.
    """

    name: ClassVar[str]
    level: ClassVar[str]
    ops: ClassVar[tuple[str, ...]] = ()
    read_only: ClassVar[bool] = False
    kind: ClassVar[str] = "exact"
    automatic: ClassVar[bool] = True

    def run(self, op: ir.Operation, session: Session) -> None:
        """Looks at, or changes, everything below `op`; reports through `session.engine`.

        Called with the op's context and location as the current ones (`with op.context, op.location`).
        """
        raise NotImplementedError

    def malformed(self, op: ir.Operation) -> Sequence[tuple[ir.Operation, str]]:
        """Ops of a program that someone wrote by hand which have not the form of their dialect, and what is wrong.

        Asked by pipelines after `run` has raised, so that what is wrong with the input is not called our fault.
        """
        return ()


class Session:
    """What passes of one run share: the engine, and the index of ops by name.

    Args:
      engine: takes the findings and rewrites.
      names: ops to index beside those that a pass asks for, so that one walk serves several passes.
      known: facts that the caller has read from attributes already, such as kernels in serialised form.

    Attributes:
      known: see above.
      ran_own_pass: True once one of our passes ran.
    """

    def __init__(
        self, engine: Engine, names: Iterable[str] = (), known: Mapping[ir.Attribute, Any] = MappingProxyType({})
    ):
        self.engine = engine
        self.known = known
        self.ran_own_pass = False
        self._names = set(names)
        self._index: dict[str, list[ir.Operation]] = {}
        self._memo: dict[Hashable, Any] = {}
        self._root: ir.Operation | None = None

    def ops(self, root: ir.Operation, names: Sequence[str]) -> list[ir.Operation]:
        """Ops below `root` with one of `names`, in post-order per name (50 ns per op of `root` to build the index).

        Ops in unreachable blocks are not seen; `root` itself is not among the results.
        """
        if self._root is None or self._root != root:
            self._index, self._root = {}, root
        index = self._index
        if not index.keys() >= {*names}:
            self._names.update(names)
            index.update(collect(root, self._names - index.keys()))
        return [op for name in names for op in index[name]]

    def memo(self, root: ir.Operation, key: Hashable, make: Callable[[], Value]) -> Value:
        """What `make` read from `root`, once for all passes until the IR may have changed."""
        entry = self._memo.get(key)
        if entry is None or entry[0] != root:
            entry = self._memo[key] = (root, make())
        return entry[1]

    def expect(self, names: Iterable[str]) -> None:
        """Announces ops that passes will ask for, so that the next walk finds them all."""
        self._names.update(names)

    def invalidate(self) -> None:
        """Forgets what was read; called behind each pass that may have changed the IR."""
        self._index, self._root = {}, None
        self._memo.clear()


def collect(root: ir.Operation, names: Iterable[str]) -> dict[str, list[ir.Operation]]:
    """All reachable ops strictly below `root` by name: one walk in C++."""
    found: dict[str, list[ir.Operation]] = {name: [] for name in names}
    patterns = rewrite.RewritePatternSet(root.context)
    for name, ops in found.items():
        patterns.add(name, _append_to(ops))
    rewrite.walk_and_apply_patterns(root, patterns.freeze())
    return found


def _append_to(ops: list[ir.Operation]) -> Callable[[ir.OpView, object], bool]:
    def note(match: ir.OpView, _rewriter: object) -> bool:
        ops.append(match.operation)
        return True  # truthy: no match, nothing is rewritten

    return note
