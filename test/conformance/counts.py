"""What a run counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .compare import Outcome
from .options import Options


@dataclass
class Counts:
    """Counts of outcomes; those of several chunks can be added.

    Attributes:
      kinds: outcomes by kind; `keys`: by "kind | key".
      codes: how often our checks reported each code; silent codes too.
      causes: "JAX's codes -> our codes" where they name different causes.
      rewrites: "pass" and "pass, compiles now".
      failures: (kind, key, the kernel as generated) of disagreements.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    rewrites: Counter[str] = field(default_factory=Counter)
    examples: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Number of kernels."""
        return sum(self.kinds.values())

    def add(self, o: Options, outcome: Outcome) -> None:
        """Counts one kernel."""
        self.kinds[outcome.kind] += 1
        key = f"{outcome.kind} | {outcome.key}"
        self.keys[key] += 1
        self._example(key, o)
        self.codes.update(word for word in outcome.key.split() if word[:2] == "MV" and word[2:].isdigit())
        if outcome.cause is not None:
            cause = " -> ".join(outcome.cause)
            self.causes[cause] += 1
            self._example(cause, o)
        for name in outcome.rewritten:
            self.rewrites[name] += 1
            self.rewrites[f"{name}, compiles now"] += outcome.compiles
        if outcome.failed:
            self.failures.append((outcome.kind, outcome.key, o.changed()))

    def merge(self, other: dict[str, Any]) -> None:
        """Adds the `to_json` of another run."""
        for name in ("kinds", "keys", "codes", "causes", "rewrites"):
            getattr(self, name).update(other[name])
        for key, example in other["examples"].items():
            self.examples.setdefault(key, example)
        self.failures += [(kind, key, o) for kind, key, o in other["failures"]]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return dict(vars(self))

    def _example(self, key: str, o: Options) -> None:
        """Keeps the kernel with the fewest changes."""
        changed = o.changed()
        if key not in self.examples or len(changed) < len(self.examples[key]):
            self.examples[key] = changed


def from_changed(changed: dict[str, Any]) -> Options:
    """The kernel of `Options.changed()`, also when JSON has made lists of its tuples."""
    return Options(**{name: tuple(value) if isinstance(value, list) else value for name, value in changed.items()})
