"""Shows `mosaic-verify check` on two kernels; exits 0 only when one was clean and one refused as it should be."""

import json
import subprocess
import sys
from pathlib import Path

TARGET = "examples/sparse_matmul.py::kernels"
COMMAND = [str(Path(sys.executable).with_name("mosaic-verify")), "check", TARGET]


def main() -> int:
    root = Path(__file__).parent.parent
    print(f"$ mosaic-verify check {TARGET}", flush=True)
    shown = subprocess.run(COMMAND, cwd=root)
    judged = subprocess.run([*COMMAND, "--format", "json"], cwd=root, capture_output=True, text=True)
    lines = [json.loads(line) for line in judged.stdout.splitlines()]
    kernels = [line for line in lines if line["kind"] == "report"]
    findings = [line["code"] for line in lines if line["kind"] == "diagnostic"]
    expected = [kernel["ok"] for kernel in kernels] == [True, False] and findings == ["MV111"]
    if shown.returncode == judged.returncode == 1 and expected:
        print("demo: one kernel is clean, one is refused with its diagnostic, as expected")
        return 0
    print(
        f"demo: expected one clean kernel and one with MV111, got exit code {shown.returncode}, {kernels}, {findings}"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
