"""A diagnostic with plain locations. The classes know neither MLIR nor JAX."""

from __future__ import annotations

from dataclasses import dataclass, field

ERROR, WARNING, REMARK, NOTE = "error", "warning", "remark", "note"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file. Lines and columns count from 1; 0 is unknown.

    Attributes:
      file: path as the IR gives it, or None when the location has no file.
      callers: call sites, innermost first ("called from").
      name: text of a name location without a file, such as "run_scoped".
    """

    file: str | None = None
    line: int = 0
    column: int = 0
    callers: tuple[Location, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        if self.file is None:
            return "<unknown>:0"
        return f"{self.file}:{self.line}:{self.column}"


UNKNOWN = Location()


@dataclass(frozen=True, slots=True)
class Note:
    """A note at its own location; with the location of the note before it (or of the diagnostic), no line is shown."""

    message: str
    location: Location = UNKNOWN


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message for the user.

    Attributes:
      severity: "error", "warning" or "remark".
      message: the text without code and without the op's name.
      code, rule: "MV111" and "sparse-n"; both "" for what is not of ours (MLIR's own errors).
      op: the name of the op, "mosaic_gpu.tcgen05_mma"; "" where there is none.
      fixes: texts that can be pasted.
    """

    severity: str
    message: str
    location: Location = UNKNOWN
    code: str = ""
    rule: str = ""
    op: str = ""
    notes: tuple[Note, ...] = ()
    fixes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message as the text sink prints it: `'op' op MESSAGE [CODE]`."""
        prefix = f"'{self.op}' op " if self.op else ""
        suffix = f" [{self.code}]" if self.code else ""
        return f"{prefix}{self.message}{suffix}"

    def __str__(self) -> str:
        """What the commands show, without source lines."""
        from mosaic_verify.diagnostics.text import render

        return render(self, None).rstrip("\n")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One thing that a rewrite pass did.

    Attributes:
      kind: "exact" (same values for every input) or "repairing" (the documented remedy of a wrong program).
      pass_name: the pass, such as "mosaic-gpu-normalize-sparse-metadata".
      message: what was done, in one line.
    """

    kind: str
    pass_name: str
    message: str
    location: Location = UNKNOWN
    code: str = ""

    def __str__(self) -> str:
        """What the commands show."""
        code = f" [{self.code}]" if self.code else ""
        return f"{self.location}: rewrite: {self.message} ({self.pass_name}, {self.kind}){code}"


@dataclass
class Report:
    """What a run found and did.

    Attributes:
      error: the exception that JAX itself raised, or None.
      lowered: `jax.stages.Lowered` of a check that lowered, else None.
      module: text of the module that `run` produced, or None.
      examined: False when it is known that nothing that is checked was in the program.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)
    lowered: object | None = None
    error: BaseException | None = None
    module: str | None = None
    examined: bool = True

    @property
    def ok(self) -> bool:
        """No finding of severity error, and JAX raised nothing."""
        return self.error is None and all(d.severity != ERROR for d in self.diagnostics)

    @property
    def counts(self) -> str:
        """What was found and done in a few words: "1 error, 2 rewrites"; what JAX raised when nothing else tells."""
        found = [] if self.examined or not self.ok else ["no kernel found"]
        for severity in (ERROR, WARNING, REMARK):
            found.append(_count(sum(each.severity == severity for each in self.diagnostics), severity))
        found.append(_count(len(self.rewrites), "rewrite"))
        if self.error is not None and all(each.severity != ERROR for each in self.diagnostics):
            text = next(iter(str(self.error).strip().splitlines()), "")
            found.append(f"JAX raised {type(self.error).__name__}{': ' if text else ''}{text}")
        return ", ".join(filter(None, found))

    def __str__(self) -> str:
        """All findings and rewrites, then one line with the verdict."""
        verdict = ("ok" if self.ok else "refused") + (f" ({self.counts})" if self.counts else "")
        return "\n".join([*map(str, self.diagnostics), *map(str, self.rewrites), verdict])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}" if number else ""
