"""What native code prints."""

from __future__ import annotations

import os
import sys


class captured_stderr:  # used as a context manager, like a function
    """Keeps what is written to file descriptor 2 inside a `with` block; `text` holds it behind the block.

    The descriptor belongs to the whole process, so the block should be short.
    """

    def __init__(self) -> None:
        self.text = ""

    def __enter__(self) -> captured_stderr:
        import tempfile

        self._file = tempfile.TemporaryFile()
        sys.stderr.flush()
        self._saved = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_: object) -> None:
        os.dup2(self._saved, 2)
        os.close(self._saved)
        self._file.seek(0)
        self.text = self._file.read().decode("utf-8", errors="replace")
        self._file.close()
