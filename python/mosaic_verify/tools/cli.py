"""`mosaic-verify`: check kernels, run a script with the hook, explain a diagnostic, list the rules."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mosaic_verify import __version__
from mosaic_verify.tools.cli_console import UsageError, complain

_EXAMPLES = """examples:
  mosaic-verify check examples/sparse_matmul.py::kernels   a function that returns kernels and argument shapes
  mosaic-verify check kernel.mlir --rewrite -o fixed.mlir  an MLIR module, as text or bytecode
  mosaic-verify run train.py --steps 1                     a script, verified while JAX compiles it
  mosaic-verify explain MV111                              what a code means and what to do
  python train.py 2>&1 | mosaic-verify explain -           the rules behind the last error of a traceback
  mosaic-verify rules                                      every rule

exit codes: 0 clean, 1 something was refused (or nothing was found to explain), 2 could not run"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of all four commands. The modules that do the work are imported when a command runs."""
    parser = argparse.ArgumentParser(
        prog="mosaic-verify",
        description="Checks accelerator kernels written in JAX before they reach an accelerator.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mosaic-verify {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_check(commands)
    _add_run(commands)
    _add_explain(commands)
    _add_rules(commands)
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    """Shows that some options take a value only behind `=`."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if action.dest in ("rewrite", "werror"):
            return f"--{action.dest}[={action.metavar}]"
        return super()._format_action_invocation(action)


def _add_command(commands, name: str, summary: str, examples: str, usage: str = "") -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n{examples}",
        usage=f"mosaic-verify {name} {usage}" if usage else None,
        formatter_class=_Help,
        allow_abbrev=False,
    )


def _add_check(commands) -> None:
    check = _add_command(
        commands,
        "check",
        "check kernels and modules",
        "  mosaic-verify check matmul.py::kernel --arch sm_103a\n"
        "  mosaic-verify check a.mlir b.mlir --ignore MV207 --werror\n"
        "  mosaic-verify check gmm.py::kernel --platform tpu\n"
        "  mosaic-verify check step.mlir --rewrite=exact -o step.fixed.mlir",
        "[--rewrite[=exact]] [--arch ARCH] [--platform {cuda,tpu}] [--format {text,json}] [-o FILE]\n"
        "                           [--select CODES] [--ignore CODES] [--werror[=CODES]] TARGET [TARGET ...]",
    )
    check.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="file.py::name (a function without arguments that returns (fn, args) or a list of (label, fn, args)), an "
        "MLIR file (text or bytecode), an artifact of jax.export, or a folder of dumps",
    )
    check.add_argument(
        "--rewrite",
        choices=("all", "exact"),
        metavar="exact",
        help="apply rewrites before judging; =exact: only those that keep every value",
    )
    check.add_argument("--arch", help="the GPU to check for, such as sm_100a (default: what the kernel needs)")
    check.add_argument(
        "--platform",
        choices=("cuda", "tpu"),
        help="the platform to lower Python kernels for (default: what they need); `platforms=` in Python",
    )
    check.add_argument("--format", choices=("text", "json"), default="text", help="json: one object per line")
    check.add_argument("-o", dest="output", metavar="FILE", help="with --rewrite: where the rewritten program goes")
    check.add_argument("--select", metavar="CODES", help="report only these codes (prefixes: MV7)")
    check.add_argument("--ignore", metavar="CODES", help="do not report these codes; an ignored error does not count")
    check.add_argument("--werror", metavar="CODES", help="warnings (=CODES: with these codes) are errors")


def _add_run(commands) -> None:
    run = _add_command(
        commands,
        "run",
        "run a script with the hook installed",
        "  mosaic-verify run train.py --steps 1\n"
        "  mosaic-verify run --mode rewrite train.py\n"
        "  mosaic-verify run -m my_package.train --steps 1",
        "[--mode {report,enforce,rewrite,rewrite-exact}] (SCRIPT | -m MODULE) [ARGS ...]",
    )
    run.add_argument(
        "--mode",
        choices=("report", "enforce", "rewrite", "rewrite-exact"),
        default="enforce",
        help="report: warn; enforce: raise on errors (default); rewrite: mend what can be mended, then enforce; "
        "rewrite-exact: only with rewrites that keep every value",
    )
    run.add_argument(
        "script", nargs="?", metavar="SCRIPT", help="a Python file, or a folder or zip file with a __main__.py"
    )
    run.add_argument("-m", dest="module", metavar="MODULE", help="a module or package to run, as `python -m` runs it")
    run.add_argument("arguments", nargs="*", default=(), metavar="ARGS", help="what the script finds in sys.argv")


def _add_explain(commands) -> None:
    explain = _add_command(
        commands,
        "explain",
        "explain a code, a rule's name or an error message",
        "  mosaic-verify explain MV305\n"
        "  mosaic-verify explain 'K must be a multiple of 64, got: 96'\n"
        "  python train.py 2>&1 | mosaic-verify explain -",
    )
    explain.add_argument(
        "query", nargs="+", metavar="CODE|NAME|MESSAGE|-", help="-: a message or a whole traceback on standard input"
    )
    explain.add_argument("--format", choices=("text", "json"), default="text")


def _add_rules(commands) -> None:
    rules = _add_command(commands, "rules", "list the rules", "  mosaic-verify rules --format markdown > docs/rules.md")
    rules.add_argument("--format", choices=("text", "json", "markdown"), default="text")


def _separate_optional_values(argv: Sequence[str]) -> list[str]:
    """`--rewrite` and `--werror` take a value only behind `=`: the next word is a TARGET."""
    bare = {"--rewrite": "--rewrite=all", "--werror": "--werror=ALL"}
    return [bare.get(word, word) for word in argv] if argv[:1] == ["check"] else list(argv)


def _separate_script(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of `run` up to the program, and what is the program's own, `--` included, as `python` leaves it."""
    if words[:1] != ["run"]:
        return words, []
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        if words[at].startswith("-m"):  # the last option; the module may stand in the same word
            end = at + (2 if words[at] == "-m" else 1)
            return words[:end], words[end:]
        at += 2 if words[at] == "--mode" else 1
    end = at + (2 if words[at : at + 1] == ["--"] else 1)
    return words[:end], words[end:]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code. Texts for people go to standard error when they are about usage."""
    words = _separate_optional_values(sys.argv[1:] if argv is None else argv)
    words, arguments = _separate_script(words)
    parser = build_parser()
    options = parser.parse_args(words)
    if options.command == "run":
        options.arguments = arguments
        if options.script is None and options.module is None:
            complain("run: what is to be run? Give a SCRIPT, or -m MODULE")
            return 2
    if options.command == "check" and options.targets[0] in ("exact", "all") and "--rewrite=all" in words:
        value = options.targets[0]
        if words[words.index("--rewrite=all") + 1 :][:1] == [value] and not os.path.exists(value):
            complain(f"'{value}' is taken for a target: did you mean --rewrite={value}?")
            return 2
    try:
        if options.command == "check":
            from mosaic_verify.tools.cli_check import check as command
        elif options.command == "run":
            from mosaic_verify.tools.cli_run import run as command
        elif options.command == "explain":
            from mosaic_verify.tools.cli_explain import explain as command
        else:
            from mosaic_verify.tools.cli_explain import rules as command
        code = command(options)
        if options.command != "run":  # a script's streams are its own
            print(end="", flush=True)
        return code
    except UsageError as error:
        complain(str(error))
        return 2
    except BrokenPipeError:
        # The reader has gone (`| head`): what it read is all that it wanted.
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return 2
    except KeyboardInterrupt:
        complain("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main())
