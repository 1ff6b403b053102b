"""`mosaic-verify-opt`: mlir-opt for the passes of mosaic-verify.

Only what a run needs is imported: jaxlib's bindings behind the command line, never JAX.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from mosaic_verify.tools.opt_files import FileError
from mosaic_verify.tools.opt_flags import TOOL, CommandLine, UsageError, parse_arguments

# In the order in which they win; each prints something and needs no input.
_INFORMATION = ("help", "version", "explain", "list-passes", "show-dialects")


def main() -> NoReturn:
    """The command itself: runs, and leaves without tearing down jaxlib, which takes a fifth of a short run."""
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads it any more
        code = code or 1
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Runs the command line. Returns the exit code: 0, or 1 for everything that failed."""
    line = CommandLine()
    try:
        line = parse_arguments(arguments)
        for name in _INFORMATION:
            if line.given.get(name):
                from mosaic_verify.tools import opt_information

                return opt_information.show(name, line)
        from mosaic_verify.tools.opt_run import process

        return process(line)
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
