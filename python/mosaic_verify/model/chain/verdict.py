"""Why a chain is not accepted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reason why JAX does not lower a chain.

    Attributes:
      code: rule, such as "MV202".
      step: number of the offending step, or None for the chain as a whole.
      text: the documented message, filled in; "" where JAX documents none.
      why: what is wrong, in our words.
      said: what JAX prints instead of `text` in this semantics, "" where it is the same.
      align: the run-time start of the step is a multiple of this number, and JAX does not see that; 0 otherwise.
    """

    code: str
    step: int | None
    text: str
    why: str
    said: str = ""
    align: int = 0
