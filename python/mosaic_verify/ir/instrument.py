"""Listeners of a run: IR dumps and timing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from jaxlib.mlir import ir, passmanager

from mosaic_verify.ir.runner import Listener


class Listeners:
    """Several listeners as one."""

    def __init__(self, listeners: Sequence[Listener]):
        self._listeners = listeners

    def before(self, name: str, argument: str, op: ir.Operation, manager: passmanager.PassManager | None) -> None:
        for listener in self._listeners:
            listener.before(name, argument, op, manager)

    def after(self, name: str, argument: str, op: ir.Operation, failed: bool) -> None:
        for listener in reversed(self._listeners):
            listener.after(name, argument, op, failed)


class IrPrinter:
    """Prints the IR before and after passes in the format of jaxlib's MLIR, which prints that of its own passes itself.

    Args:
      before, after: tell by a pass's argument whether to print.
      only_change, only_failure: restrict what is printed after a pass.
      module_scope: print the whole module, whatever op the pass ran on.
      asm: arguments of `Operation.get_asm`.
    """

    def __init__(
        self,
        before: Callable[[str], bool],
        after: Callable[[str], bool],
        *,
        only_change: bool = False,
        only_failure: bool = False,
        module_scope: bool = False,
        asm: Mapping[str, Any] | None = None,
    ):
        self._before, self._after = before, after
        self._only_change, self._only_failure, self._module_scope = only_change, only_failure, module_scope
        self._asm = dict(asm or {})
        self._text_before = ""

    def before(self, name: str, argument: str, op: ir.Operation, manager: passmanager.PassManager | None) -> None:
        before, after = self._before(argument), self._after(argument)
        if manager is not None:
            sys.stderr.flush()
            if before or after:
                manager.enable_ir_printing(
                    print_before_all=before,
                    print_after_all=after,
                    print_module_scope=self._module_scope,
                    print_after_change=self._only_change,
                    print_after_failure=self._only_failure,
                    large_elements_limit=self._asm.get("large_elements_limit"),
                    large_resource_limit=self._asm.get("large_resource_limit"),
                    enable_debug_info=self._asm.get("enable_debug_info", False),
                    print_generic_op_form=self._asm.get("print_generic_op_form", False),
                )
            return
        if before:
            self._dump(f"Before {name}: {argument}", op)
        if after and self._only_change:
            self._text_before = self._text(op)

    def after(self, name: str, argument: str, op: ir.Operation, failed: bool) -> None:
        if not name or not self._after(argument):  # a pass without a name is a shipped one
            return
        if failed:
            self._dump(f"After {name} Failed: {argument}", op)
        elif not self._only_failure and not (self._only_change and self._text(op) == self._text_before):
            self._dump(f"After {name}: {argument}", op)

    def _dump(self, what: str, op: ir.Operation) -> None:
        shown = _top(op) if self._module_scope else op
        if self._module_scope and shown != op:
            symbol = f": @{ir.StringAttr(op.attributes['sym_name']).value}" if "sym_name" in op.attributes else ""
            what += f" ('{op.name}' operation{symbol})"
        sys.stderr.write(f"// -----// IR Dump {what} //----- //\n{self._text(shown)}\n\n")

    def _text(self, op: ir.Operation) -> str:
        text = op.get_asm(**self._asm)
        assert isinstance(text, str)
        return text if text.endswith("\n") else text + "\n"


class Timer:
    """Measures passes and other parts of a run, in seconds of wall time."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._parts: dict[tuple[str, ...], float] = {}
        self._open = 0.0

    def before(self, name: str, argument: str, op: ir.Operation, manager: passmanager.PassManager | None) -> None:
        self._open = perf_counter()

    def after(self, name: str, argument: str, op: ir.Operation, failed: bool) -> None:
        nest = (f"'{op.name}' Pipeline",) if op.parent is not None else ()
        self.add((*nest, name or argument), perf_counter() - self._open)

    def add(self, path: tuple[str, ...], seconds: float) -> None:
        """Adds time to a part; the path names the parts that it belongs to, outermost first."""
        for length in range(1, len(path) + 1):
            self._parts[path[:length]] = self._parts.get(path[:length], 0.0) + seconds

    def rows(self) -> list[tuple[int, str, float]]:
        """(depth, name, seconds) in the order of the run, with what is left as `Rest` and the sum as `Total`."""
        total = perf_counter() - self._start
        rows = [(len(path) - 1, path[-1], self._parts[path]) for path in _tree(list(self._parts))]
        rest = total - sum(seconds for depth, _, seconds in rows if depth == 0)
        return [*rows, (0, "Rest", max(rest, 0.0)), (0, "Total", total)]


def timing_report(rows: Sequence[tuple[int, str, float]], form: str = "text", display: str = "tree") -> str:
    """The report of `--mlir-timing`: MLIR's table or its JSON, as a tree or as a list by time."""
    total = rows[-1][2] or 1e-9
    if form == "json":
        import json

        entries = [
            {"wall": {"duration": round(seconds, 6), "percentage": round(100 * seconds / total, 1)}, "name": name}
            for _, name, seconds in rows
        ]
        return json.dumps(entries) + "\n"
    if display == "list":
        rows = [*sorted(((0, name, seconds) for _, name, seconds in rows[:-1]), key=lambda row: -row[2]), rows[-1]]
    rule = f"===-{'-' * 71}-===\n"
    lines = [
        f"  {seconds:8.4f} ({100 * seconds / total:5.1f}%)  {'  ' * depth}{name}\n" for depth, name, seconds in rows
    ]
    head = f"{rule}{'... Execution time report ...':^79}".rstrip() + f"\n{rule}"
    return f"{head}  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n{''.join(lines)}\n"


def _tree(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Paths with each parent directly before its children, else in the order given."""
    first = {path: index for index, path in reversed(list(enumerate(paths)))}
    return sorted(paths, key=lambda path: [first[path[:length]] for length in range(1, len(path) + 1)])


def _top(op: ir.Operation) -> ir.Operation:
    while op.parent is not None:
        op = op.parent.operation
    return op
