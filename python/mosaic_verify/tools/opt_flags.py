"""The flags of `mosaic-verify-opt`, and a parser that follows LLVM's command line conventions.

One dash or two; a value behind `=` or, where one is required, as the next word. What is no flag is the name of a pass.
"""

from __future__ import annotations

from collections.abc import Sequence

TOOL = "mosaic-verify-opt"
FLAG, VALUE, OPTIONAL, LIST = "flag", "value", "optional", "list"

# name: (kind, word for the value, help). A FLAG is a boolean, an OPTIONAL has a value only behind `=`, a LIST may be
# repeated.
FLAGS: dict[str, tuple[str, str, str]] = {
    "allow-unregistered-dialect": (
        FLAG,
        "",
        "allow operations, types and attributes of dialects that nobody registered",
    ),
    "diagnostic-format": (VALUE, "text|json", "format of diagnostics on the error stream"),
    "dump-pass-pipeline": (FLAG, "", "print the pipeline that will be run, with all options"),
    "emit-bytecode": (FLAG, "", "write bytecode instead of text"),
    "emit-bytecode-version": (VALUE, "n", "bytecode version to write"),
    "explain": (VALUE, "code", "print the page of a diagnostic, such as MV111 or sparse-n"),
    "help": (FLAG, "", "print this help"),
    "ignore": (LIST, "codes", "do not report these codes (comma-separated, prefixes allowed: MV7)"),
    "list-passes": (FLAG, "", "print the passes"),
    "mlir-diagnostic-verbosity-level": (VALUE, "errors|warnings|remarks", "do not print less severe diagnostics"),
    "mlir-disable-diagnostic-notes": (FLAG, "", "print diagnostics without their notes"),
    "mlir-disable-threading": (FLAG, "", "accepted for compatibility; contexts are never threaded"),
    "mlir-elide-elementsattrs-if-larger": (VALUE, "n", "elide constants with more elements than this"),
    "mlir-elide-resource-strings-if-larger": (VALUE, "n", "elide resources with more characters than this"),
    "mlir-output-format": (VALUE, "text|json", "format of the timing report"),
    "mlir-pretty-debuginfo": (FLAG, "", "print locations in a form for people (cannot be parsed back)"),
    "mlir-print-assume-verified": (FLAG, "", "do not verify before printing"),
    "mlir-print-debuginfo": (FLAG, "", "print locations"),
    "mlir-print-ir-after": (LIST, "passes", "print the IR after these passes"),
    "mlir-print-ir-after-all": (FLAG, "", "print the IR after each pass"),
    "mlir-print-ir-after-change": (FLAG, "", "with -after or -after-all: only where the IR changed"),
    "mlir-print-ir-after-failure": (FLAG, "", "with -after or -after-all: only behind a pass that failed"),
    "mlir-print-ir-before": (LIST, "passes", "print the IR before these passes"),
    "mlir-print-ir-before-all": (FLAG, "", "print the IR before each pass"),
    "mlir-print-ir-module-scope": (FLAG, "", "print the whole module in these dumps"),
    "mlir-print-local-scope": (FLAG, "", "print without aliases and with inline locations"),
    "mlir-print-op-generic": (FLAG, "", "print the generic form of operations"),
    "mlir-print-op-on-diagnostic": (FLAG, "", "keep MLIR's notes with the operation at hand (default on)"),
    "mlir-print-skip-regions": (FLAG, "", "print without regions"),
    "mlir-timing": (FLAG, "", "print how long each pass took"),
    "mlir-timing-display": (VALUE, "list|tree", "order of the timing report"),
    "mlir-use-nameloc-as-prefix": (FLAG, "", "print SSA names from name locations"),
    "no-implicit-module": (FLAG, "", "do not wrap the input into a module"),
    "o": (VALUE, "file", "output file (default: standard output)"),
    "output-split-marker": (VALUE, "text", "marker between outputs of a split file (default: // -----)"),
    "pass-pipeline": (VALUE, "pipeline", "the pipeline to run, such as builtin.module(cse,verify-all)"),
    "run-reproducer": (FLAG, "", "run the pipeline that the input's mlir_reproducer resource names"),
    "select": (LIST, "codes", "report only these codes (comma-separated, prefixes allowed)"),
    "show-dialects": (FLAG, "", "print the available dialects"),
    "split-input-file": (OPTIONAL, "marker", "process each part of the input on its own (default marker: // -----)"),
    "verify-diagnostics": (OPTIONAL, "all|only-expected", "compare diagnostics with expected-* comments"),
    "verify-each": (FLAG, "", "run MLIR's verifier after each pass that may change the IR (default on)"),
    "verify-roundtrip": (FLAG, "", "check that the input survives a round trip through bytecode"),
    "version": (FLAG, "", "print versions"),
    "werror": (OPTIONAL, "codes", "treat warnings (of these codes) as errors"),
    "mlir-pass-pipeline-crash-reproducer": (VALUE, "file", "write a reproducer when the pipeline fails"),
    "mlir-generate-reproducer": (VALUE, "file", "write a reproducer before the pipeline runs"),
}
ALIASES = {"p": "pass-pipeline", "h": "help", "help-hidden": "help"}
_NEAR = 0.65  # similarity from which a name is worth suggesting
_TRUE, _FALSE = ("true", "TRUE", "True", "1", ""), ("false", "FALSE", "False", "0")


class UsageError(Exception):
    """A command line that cannot be used; the text is what the user sees."""


class CommandLine:
    """A parsed command line. `passes` are (name, options) in order; `given` maps flags to their values."""

    def __init__(self) -> None:
        self.given: dict[str, str | bool | list[str]] = {}
        self.passes: list[tuple[str, str]] = []
        self.inputs: list[str] = []

    @property
    def input(self) -> str:
        """The input file, "-" for standard input."""
        return self.inputs[0] if self.inputs else "-"

    def on(self, name: str, default: bool = False) -> bool:
        """A boolean flag."""
        return self.given.get(name, default) is True

    def text(self, name: str, default: str | None = None) -> str | None:
        """The value of a flag with one."""
        value = self.given.get(name, default)
        return value if isinstance(value, str) else default

    def items(self, name: str) -> tuple[str, ...]:
        """The comma-separated values of a repeatable flag."""
        value = self.given.get(name, [])
        words = value if isinstance(value, list) else [str(value)]
        return tuple(item.strip() for word in words for item in word.split(",") if item.strip())

    def number(self, name: str) -> int | None:
        """The value of a flag that counts. Raises UsageError for anything but a number from 0."""
        value = self.text(name)
        if value is None:
            return None
        if not value.isascii() or not value.isdigit():
            raise UsageError(f"{TOOL}: for the --{name} option: '{value}' value invalid for uint argument!")
        return int(value)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """The value of a flag with few legal values, the first of which is the default. Raises UsageError."""
        value = self.text(name, choices[0]) or choices[0]
        if value not in choices:
            raise UsageError(
                f"{TOOL}: for the --{name} option: Cannot find option named '{value}'! Expected {' or '.join(choices)}"
            )
        return value


def parse_arguments(arguments: Sequence[str]) -> CommandLine:
    """Parses a command line. Raises UsageError."""
    line = CommandLine()
    words = list(arguments)
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            line.inputs += words[at:]
            break
        if word == "-" or not word.startswith("-"):
            line.inputs.append(word)
            continue
        name, equals, value = word.removeprefix("-").removeprefix("-").partition("=")
        name = ALIASES.get(name, name)
        if name not in FLAGS:
            line.passes.append((name, value.strip("'\"")))
            continue
        kind = FLAGS[name][0]
        shown = f"{TOOL}: for the {'-' if len(name) == 1 else '--'}{name} option:"
        if kind in (VALUE, LIST) and not equals:
            if at == len(words):
                raise UsageError(f"{shown} requires a value!")
            value = words[at]
            at += 1
        if kind == LIST:
            values = line.given.setdefault(name, [])
            assert isinstance(values, list)
            values.append(value)
            continue
        if name in line.given:
            raise UsageError(f"{shown} may only occur zero or one times!")
        if kind == FLAG:
            if value not in _TRUE + _FALSE:
                raise UsageError(f"{shown} '{value}' is invalid value for boolean argument! Try 0 or 1")
            line.given[name] = value in _TRUE
        else:
            line.given[name] = value
    if len(line.inputs) > 1:
        raise UsageError(
            f"{TOOL}: Too many positional arguments specified!\n"
            f"Can specify at most 1 positional arguments: See: {TOOL} --help"
        )
    return line


def unknown_argument(name: str, known: Sequence[str]) -> UsageError:
    """The error for a flag that is neither a flag nor a pass, with the nearest name if there is one."""
    import difflib

    dashes = "-" if len(name) == 1 else "--"
    text = f"{TOOL}: Unknown command line argument '{dashes}{name}'.  Try: '{TOOL} --help'"
    near = difflib.get_close_matches(name, [*FLAGS, *known], 1, _NEAR)
    if near:
        text += f"\n{TOOL}: Did you mean '--{near[0]}'?"
    return UsageError(text)
