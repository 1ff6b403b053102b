"""Block-sparse attention in numpy: facts, block geometry, scans of the lists and their rewrites."""
