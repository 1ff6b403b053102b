"""`python -m mosaic_verify` is `mosaic-verify`."""

import sys

from mosaic_verify.tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
