"""What an import remembers, so that ops can be traced back to equations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jaxlib.mlir import ir


@dataclass(slots=True)
class Scope:
    """One jaxpr in one place of the kernel, and what its variables became.

    Attributes:
      jaxpr: as the parameter of its equation has it.
      parameter: that parameter's name, "" for the kernel itself.
      values: SSA value of each variable; refs that are passed through have the value from outside.
      numbers: number of each equation.
      children: scopes of the nested jaxprs, by position of the equation.
      passed: (inner variable, atom outside) for inputs that are passed through.
      allocates: number of the `run_scoped` whose scratch refs are the other inputs, None elsewhere.
    """

    jaxpr: Any
    parameter: str
    passed: list[tuple[Any, Any]] = field(default_factory=list)
    values: dict[Any, ir.Value] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    children: dict[int, list[Scope]] = field(default_factory=dict)
    allocates: int | None = None


@dataclass(slots=True)
class Imported:
    """A kernel as IR, with what is needed to go back.

    Attributes:
      module: holds one function.
      root: scope of the kernel's jaxpr.
    """

    module: ir.Module
    root: Scope
