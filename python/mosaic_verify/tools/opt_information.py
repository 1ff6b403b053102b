"""What `mosaic-verify-opt` prints without an input: help, versions, passes, dialects, rule pages."""

from __future__ import annotations

import sys

from mosaic_verify.tools.opt_flags import ALIASES, FLAG, FLAGS, OPTIONAL, TOOL, CommandLine, UsageError

_HELP_HEAD = f"""\
OVERVIEW: {TOOL}: checks and rewrites accelerator kernels at MLIR level, without an accelerator

USAGE: {TOOL} [options] <input file, default: standard input>

EXAMPLES:
  {TOOL} kernel.mlir --verify-all
  {TOOL} kernel.mlir --pass-pipeline='builtin.module(mosaic-gpu-verify-sparse-mma)'
  {TOOL} host.mlir --rewrite-all -o fixed.mlir
  {TOOL} test.mlir --verify-all --split-input-file --verify-diagnostics
  {TOOL} --explain MV111

OPTIONS:
"""


def show(name: str, line: CommandLine) -> int:
    """Prints one of the informational texts. Returns the exit code. Raises UsageError."""
    if name == "help":
        sys.stdout.write(_help())
    elif name == "version":
        sys.stdout.write(_version())
    elif name == "explain":
        sys.stdout.write(_explain(line.text("explain") or ""))
    elif name == "list-passes":
        sys.stdout.write(_passes())
    else:
        from mosaic_verify.ir.context import make_context
        from mosaic_verify.ir.dialect_names import dialect_names

        sys.stdout.write(f"Available Dialects: {','.join(dialect_names(make_context()))}\n")
    return 0


def _help() -> str:
    rows: list[tuple[str, str]] = []
    for name, (kind, value, text) in sorted(FLAGS.items()):
        shown = f"-{name}" if len(name) == 1 else f"--{name}"
        if kind == OPTIONAL:
            shown += f"[=<{value}>]"
        elif kind != FLAG:
            shown += f" <{value}>" if len(name) == 1 else f"=<{value}>"
        rows.append((shown, text))
    rows += [(f"-{alias}", f"alias for --{name}") for alias, name in ALIASES.items()]
    width = max(len(shown) for shown, _ in rows if len(shown) < 45)
    options = "".join(f"  {shown:<{width}} - {text}\n" for shown, text in rows)
    tail = f"  --<pass>[=<options>]: run a pass; `{TOOL} --list-passes` lists them with their options\n"
    return f"{_HELP_HEAD}{options}\nCompiler passes to run:\n{tail}"


def _version() -> str:
    import platform

    from jaxlib.version import __version__ as jaxlib_version

    from mosaic_verify import __version__

    return f"{TOOL} {__version__}\n  jaxlib {jaxlib_version}\n  Python {platform.python_version()}\n"


def _explain(wanted: str) -> str:
    from mosaic_verify.rules.page import all_rules

    rules = all_rules()
    for rule in rules:
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return rule.explanation
    import difflib

    near = difflib.get_close_matches(wanted, [word for rule in rules for word in (rule.code, rule.name)], 1)
    advice = f", did you mean '{near[0]}'?" if near else "; `mosaic-verify rules` lists all codes"
    raise UsageError(f"{TOOL}: unknown code '{wanted}'{advice}")


def _passes() -> str:
    from mosaic_verify.ir.context import make_context
    from mosaic_verify.ir.pass_table import describe

    return describe(make_context())
