"""Calls of megablox `gmm` and `tgmm`, seen while they are traced and before megablox's own checks."""
