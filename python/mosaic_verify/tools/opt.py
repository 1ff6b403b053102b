"""`mosaic-verify-opt`: mlir-opt for the passes of mosaic-verify.

Only what a run needs is imported: jaxlib's bindings behind the command line, never JAX.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NoReturn

from mosaic_verify.tools.opt_files import FileError
from mosaic_verify.tools.opt_flags import TOOL, CommandLine, UsageError, parse_arguments
from mosaic_verify.tools.opt_isolated import holds_bytecode, in_own_process

# In the order in which they win; each prints something and needs no input.
_INFORMATION = ("help", "version", "explain", "list-passes", "show-dialects")


def main() -> NoReturn:
    """The command itself: runs, and leaves without tearing down jaxlib, which takes a fifth of a short run."""
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        code = code or 1
        if not isinstance(error, BrokenPipeError):
            os.write(2, f"cannot write standard output: {error.strerror}\n".encode())
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Runs the command line. Returns the exit code: 0, or 1 for everything that failed."""
    try:
        line = parse_arguments(arguments)
    except UsageError as error:
        return _fail(str(error), CommandLine())

    def show_or_process(line: CommandLine) -> int:
        for name in _INFORMATION:
            if line.given.get(name):
                from mosaic_verify.tools import opt_information

                return opt_information.show(name, line)
        if hasattr(os, "fork") and holds_bytecode(line.input):
            return in_own_process(lambda: _guarded(_process, line), line.input)
        return _process(line)

    return _guarded(show_or_process, line)


def _process(line: CommandLine) -> int:
    from mosaic_verify.tools.opt_run import process

    return process(line)


def _guarded(work: Callable[[CommandLine], int], line: CommandLine) -> int:
    """The exit code of `work`; whatever goes wrong is said in one message."""
    try:
        return work(line)
    except (UsageError, FileError) as error:
        return _fail(str(error), line)
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("MOSAIC_VERIFY_STRICT") == "1":
            raise
        first = f"{type(error).__name__}: {error}".partition("\n")[0]
        advice = "(MOSAIC_VERIFY_STRICT=1 shows where it arose)"
        return _fail(f"{TOOL}: internal error: {first} {advice}", line)


def _fail(message: str, line: CommandLine) -> int:
    if line.text("diagnostic-format") == "json":
        from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic
        from mosaic_verify.diagnostics.jsonl import JsonSink

        JsonSink(sys.stderr.write)(Diagnostic(ERROR, message))
    else:
        sys.stderr.write(message + "\n")
    return 1


if __name__ == "__main__":
    main()
